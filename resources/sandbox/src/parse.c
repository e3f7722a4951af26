#include "confine.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int to_number(const char *text, long most) {
  if (!*text) return -1;
  long value = 0;
  for (; *text; text++) {
    if (*text < '0' || *text > '9') return -1;
    value = value * 10 + (*text - '0');
    if (value > most) return -1;
  }
  return (int)value;
}

static int add_port(int *ports, int *count, const char *text) {
  int port = to_number(text, 65535);
  if (port <= 0 || *count == MAX_PORTS) return 0;
  ports[(*count)++] = port;
  return 1;
}

static int add_path(const char **paths, int *count, const char *path) {
  if (*path != '/' || *count == MAX_PATHS) return 0;
  paths[(*count)++] = path;
  return 1;
}

static int to_network(struct options *o, const char *text) {
  static const char *const names[] = { "open", "none", "gate" };
  for (int i = 0; i < 3; i++)
    if (!strcmp(text, names[i])) {
      o->network = (enum network)i;
      return 1;
    }
  return 0;
}

static int to_gate(struct options *o, const char *text) {
  static const char loopback[] = "127.0.0.1:";
  if (strncmp(text, loopback, sizeof loopback - 1)) return 0;
  o->gate_port = to_number(text + sizeof loopback - 1, 65535);
  return o->gate_port > 0;
}

static int to_descriptor(int *fd, const char *text) {
  *fd = to_number(text, 1023);
  return *fd > 2;
}

static int to_abi(struct options *o, const char *text) {
  int abi = to_number(text, 1000);
  if (abi < 1) return 0;
  if (abi < o->abi) o->abi = abi;
  return 1;
}

const char *parse_options(struct options *o, int count, char **args) {
  int i = 0;
  for (; i < count && strcmp(args[i], "--"); i += 2) {
    const char *name = args[i], *value = i + 1 < count ? args[i + 1] : "";
    int ok = !strcmp(name, "--read") ? add_path(o->reads, &o->read_count, value)
      : !strcmp(name, "--write") ? add_path(o->writes, &o->write_count, value)
      : !strcmp(name, "--network") ? to_network(o, value)
      : !strcmp(name, "--listen") ? add_port(o->listens, &o->listen_count, value)
      : !strcmp(name, "--connect") ? add_port(o->connects, &o->connect_count, value)
      : !strcmp(name, "--gate") ? to_gate(o, value)
      : !strcmp(name, "--identity-fd") ? to_descriptor(&o->identity_fd, value)
      : !strcmp(name, "--keep-fd") ? to_descriptor(&o->kept_fd, value)
      : !strcmp(name, "--abi") ? to_abi(o, value)
      : 0;
    if (!ok) return name;
  }
  if (i + 1 >= count) return "PROGRAM";
  if ((o->network == NETWORK_GATE) != (o->gate_port > 0)) return "--gate";
  if ((o->network == NETWORK_GATE) != (o->identity_fd > 2)) return "--identity-fd";
  o->program = args + i + 1;
  return NULL;
}

enum { FAMILY_NONE = 0, FAMILY_UNIX = 1, FAMILY_INET = 2, FAMILY_INET6 = 10 };

static void inet(struct address *a, uint32_t ip, int port) {
  a->kind = ADDRESS_INET;
  a->is_ipv4 = 1;
  a->ipv4 = ip;
  a->port = port;
  a->is_loopback = ip >> 24 == 127;
  a->is_any = ip == 0;
}

static uint32_t big_endian(const unsigned char *b) {
  return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

struct address parse_address(const unsigned char *bytes, size_t length) {
  struct address a = { .kind = ADDRESS_BAD };
  uint16_t family;
  if (length < sizeof family) return a;
  memcpy(&family, bytes, sizeof family);
  if (family == FAMILY_NONE) a.kind = ADDRESS_NONE;
  if (family == FAMILY_INET && length >= 16) inet(&a, big_endian(bytes + 4), bytes[2] << 8 | bytes[3]);
  if (family == FAMILY_INET6 && length >= 24) {
    static const unsigned char mapped[12] = { [10] = 0xff, [11] = 0xff }, zeros[16] = { 0 };
    const unsigned char *ip = bytes + 8;
    int port = bytes[2] << 8 | bytes[3];
    if (!memcmp(ip, mapped, sizeof mapped)) inet(&a, big_endian(ip + 12), port);
    else {
      a.kind = ADDRESS_INET;
      a.port = port;
      a.is_any = !memcmp(ip, zeros, 16);
      a.is_loopback = !memcmp(ip, zeros, 15) && ip[15] == 1;
    }
  }
  if (family == FAMILY_UNIX && length > 2) {
    a.kind = bytes[2] ? ADDRESS_PATH : ADDRESS_ABSTRACT;
    size_t most = length - 2 < sizeof a.path - 1 ? length - 2 : sizeof a.path - 1;
    if (a.kind == ADDRESS_PATH) memcpy(a.path, bytes + 2, strnlen((const char *)bytes + 2, most));
  }
  return a;
}

size_t parse_question(const unsigned char *bytes, size_t length, char name[256], int *type) {
  if (length < 12 || bytes[2] & 0x80 || bytes[4] || bytes[5] != 1) return 0;
  size_t at = 12, written = 0;
  for (;;) {
    if (at >= length) return 0;
    size_t label = bytes[at++];
    if (label == 0) break;
    if (label > 63 || at + label > length || written + label + 1 > 253) return 0;
    if (written) name[written++] = '.';
    for (size_t i = 0; i < label; i++) {
      unsigned char c = bytes[at + i];
      // A name goes to the gate in a line of text.
      if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_')) return 0;
      name[written++] = (char)c;
    }
    at += label;
  }
  name[written] = 0;
  if (!written || at + 4 > length) return 0;
  *type = bytes[at] << 8 | bytes[at + 1];
  return at + 4;
}

uint32_t parse_stand_in(const char *line) {
  uint32_t ip = 0;
  for (int part = 0; part < 4; part++) {
    unsigned value = 0, digits = 0;
    for (; *line >= '0' && *line <= '9'; line++, digits++) {
      value = value * 10 + (unsigned)(*line - '0');
      if (digits == 3 || value > 255) return 0;
    }
    if (!digits || *line != (part < 3 ? '.' : '\0')) return 0;
    if (part < 3) line++;
    ip = ip << 8 | value;
  }
  return (ip & 0xfffe0000u) == 0xc6120000u ? ip : 0;
}

void printable(char *to, size_t most, const char *from) {
  size_t at = 0;
  for (; from[at] && at < most - 1; at++) to[at] = from[at] < ' ' || from[at] > '~' ? '?' : from[at];
  to[at] = 0;
}

long field_of(const char *status, const char *name) {
  size_t length = strlen(name);
  for (const char *line = status; line; line = strchr(line, '\n')) {
    if (*line == '\n') line++;
    if (!strncmp(line, name, length)) return strtol(line + length, NULL, 10);
  }
  return -1;
}
