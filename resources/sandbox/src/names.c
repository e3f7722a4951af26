#include "supervisor.h"
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { TYPE_A = 1, TYPE_AAAA = 28, NO_SUCH_NAME = 3, HEADER = 12, REFERENCE_TO_NAME = 0xc00c };

static uint32_t stand_in_of(const struct supervisor *s, const char *name, char *why, int most) {
  char request[280];
  snprintf(request, sizeof request, "R %s", name);
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return 0;
  int failed = connect_gate(s, fd, 0);
  if (!failed) failed = greet_gate(s, fd, request);
  if (!failed) failed = read_line(fd, why, most);
  close(fd);
  if (failed) snprintf(why, (size_t)most, "-the gate does not answer");
  return failed ? 0 : parse_stand_in(why);
}

// One question, one answer: only addresses of names that the gate allows exist.
void answer_name(const struct supervisor *s, int fd) {
  unsigned char packet[512 + 16];
  char name[256], why[200] = "";
  int type = 0;
  ssize_t got = recv(fd, packet, 512, MSG_DONTWAIT);
  size_t end = got > 0 ? parse_question(packet, (size_t)got, name, &type) : 0;
  if (!end) return;
  uint32_t ip = type == TYPE_A || type == TYPE_AAAA ? stand_in_of(s, name, why, sizeof why) : 0;
  packet[2] = 0x81;
  packet[3] = ip ? 0x80 : 0x80 | NO_SUCH_NAME;
  memset(packet + 6, 0, 6);
  if (ip && type == TYPE_A) {
    const unsigned char record[16] = { REFERENCE_TO_NAME >> 8, REFERENCE_TO_NAME & 0xff, 0, TYPE_A, 0, 1, 0, 0, 0, 60, 0, 4,
      (unsigned char)(ip >> 24), (unsigned char)(ip >> 16), (unsigned char)(ip >> 8), (unsigned char)ip };
    memcpy(packet + end, record, sizeof record);
    end += sizeof record;
    packet[7] = 1;
  }
  if (!ip) {
    char what[280];
    snprintf(what, sizeof what, "the name %s", name);
    tell(what, *why == '-' ? why + 1 : "only addresses can be asked for");
  }
  send(fd, packet, end, MSG_NOSIGNAL | MSG_DONTWAIT);
}
