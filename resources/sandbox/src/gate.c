#include "supervisor.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

enum { CONNECT_MS = 2000, ANSWER_MS = 5000 };

int connect_gate(const struct supervisor *s, int fd, int is_ipv6) {
  struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_port = htons((uint16_t)s->options->gate_port),
    .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
  struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_port = v4.sin_port };
  memcpy(v6.sin6_addr.s6_addr, "\0\0\0\0\0\0\0\0\0\0\xff\xff\x7f\0\0\1", 16);
  if (is_ipv6) setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &(int){ 0 }, sizeof(int));
  int failed = is_ipv6 ? connect(fd, (void *)&v6, sizeof v6) : connect(fd, (void *)&v4, sizeof v4);
  if (!failed) return 0;
  if (errno != EINPROGRESS) return -errno;
  struct pollfd waiting = { fd, POLLOUT, 0 };
  if (poll(&waiting, 1, CONNECT_MS) <= 0) return -ETIMEDOUT;
  int error = 0;
  getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &(socklen_t){ sizeof error });
  return -error;
}

int greet_gate(const struct supervisor *s, int fd, const char *request) {
  char line[MAX_IDENTITY + 320];
  int length = snprintf(line, sizeof line, "BP1 %s %s\n", s->identity, request);
  return send(fd, line, (size_t)length, MSG_NOSIGNAL) == length ? 0 : -ECONNRESET;
}

// Byte by byte, because what follows the line is for the program.
int read_line(int fd, char *line, int most) {
  struct pollfd waiting = { fd, POLLIN, 0 };
  for (int at = 0; at < most - 1; at++) {
    if (poll(&waiting, 1, ANSWER_MS) <= 0 || recv(fd, line + at, 1, MSG_DONTWAIT) != 1) return -ECONNRESET;
    if (line[at] != '\n') continue;
    line[at] = 0;
    return 0;
  }
  return -ECONNRESET;
}
