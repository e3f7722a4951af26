#include "supervisor.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

// The socket of a call and the address that it names, each read once: what the program changes afterwards has no effect.
struct wish {
  int fd, domain, type;
  socklen_t length;
  union { struct sockaddr any; struct sockaddr_in v4; struct sockaddr_in6 v6; unsigned char bytes[128]; } raw;
  struct address address;
};

static int read_socket(const struct seccomp_notif *call, struct wish *w) {
  w->fd = take_descriptor((pid_t)call->pid, (int)call->data.args[0]);
  if (w->fd < 0) return w->fd;
  socklen_t size = sizeof(int);
  if (getsockopt(w->fd, SOL_SOCKET, SO_DOMAIN, &w->domain, &size) || getsockopt(w->fd, SOL_SOCKET, SO_TYPE, &w->type, &size)) {
    int failed = -errno;
    close(w->fd);
    return failed;
  }
  return 0;
}

static int read_wish(const struct supervisor *s, const struct seccomp_notif *call, struct wish *w) {
  uint32_t length = (uint32_t)call->data.args[2];
  if (length < 2 || length > sizeof w->raw) return -EINVAL;
  w->length = length;
  if (read_memory((pid_t)call->pid, call->data.args[1], &w->raw, length) != (ssize_t)length) return -EFAULT;
  w->address = parse_address(w->raw.bytes, length);
  int failed = read_socket(call, w);
  if (failed) return failed;
  if (still_waits(s->listener, call->id)) return 0;
  close(w->fd);
  return -ESRCH;
}

enum { MAX_WORKERS = 256 };

// Connects, in a worker of its own where that may wait: the program's other calls go on meanwhile.
static int connect_for(const struct supervisor *s, uint64_t id, int fd, const void *to, socklen_t length) {
  int flags = fcntl(fd, F_GETFL);
  if (flags < 0) return -errno;
  if (flags & O_NONBLOCK) return connect(fd, to, length) ? -errno : 0;
  if (workers >= MAX_WORKERS) return -EAGAIN;
  pid_t supervisor = getpid(), worker = fork();
  if (worker < 0) return -errno;
  if (worker > 0) {
    workers++;
    return LATER;
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() == supervisor) respond(s->listener, id, connect(fd, to, length) ? -errno : 0);
  _exit(0);
}

static int connect_unix(const struct supervisor *s, const struct seccomp_notif *call, const struct wish *w) {
  char what[140];
  if (w->address.kind == ADDRESS_ABSTRACT) {
    tell("a connection to an abstract Unix socket", "the sandbox reaches only sockets in the bot's own folders");
    return -EACCES;
  }
  if (w->address.kind != ADDRESS_PATH) return -EINVAL;
  int file = open_path((pid_t)call->pid, AT_FDCWD, w->address.path, 1);
  if (file < 0) return file;
  int result = -EACCES;
  if (in_written(file)) {
    struct sockaddr_un there = { .sun_family = AF_UNIX };
    snprintf(there.sun_path, sizeof there.sun_path, "/proc/self/fd/%d", file);
    result = connect_for(s, call->id, w->fd, &there, sizeof there);
  } else {
    snprintf(what, sizeof what, "a connection to the Unix socket %.80s", w->address.path);
    tell(what, "the sandbox reaches only sockets in the bot's own folders");
  }
  close(file);
  return result;
}

static int has(const int *ports, int count, int port) {
  for (int i = 0; i < count; i++)
    if (ports[i] == port) return 1;
  return 0;
}

static int connect_by_gate(const struct supervisor *s, const struct wish *w, const char *request, int is_answered) {
  int result = connect_gate(s, w->fd, w->domain == AF_INET6);
  if (!result) result = greet_gate(s, w->fd, request);
  if (result || !is_answered) return result;
  char line[200];
  result = read_line(w->fd, line, sizeof line);
  if (result || *line == '+') return result;
  tell("a connection", *line == '-' ? line + 1 : "the gate refused it");
  return -EACCES;
}

static int connect_guarded(const struct supervisor *s, const struct seccomp_notif *call, const struct wish *w) {
  const struct address *a = &w->address;
  const struct options *o = s->options;
  char text[64], what[120];
  if (a->kind == ADDRESS_NONE) return connect(w->fd, &w->raw.any, w->length) ? -errno : 0;
  if (a->kind != ADDRESS_INET) return -EAFNOSUPPORT;
  if (a->is_ipv4 && a->ipv4 == INADDR_LOOPBACK && o->gate_port && a->port == o->gate_port)
    return connect_by_gate(s, w, "P", 0);
  if ((!a->is_ipv4 || a->ipv4 == INADDR_LOOPBACK) && a->is_loopback &&
      (has(o->listens, o->listen_count, a->port) || has(o->connects, o->connect_count, a->port)))
    return connect_for(s, call->id, w->fd, &w->raw, w->length);
  if (!a->is_ipv4) inet_ntop(AF_INET6, &w->raw.v6.sin6_addr, text, sizeof text);
  else inet_ntop(AF_INET, &(struct in_addr){ htonl(a->ipv4) }, text, sizeof text);
  if (o->network == NETWORK_GATE) {
    snprintf(what, sizeof what, "C %s %d", text, a->port);
    return connect_by_gate(s, w, what, 1);
  }
  snprintf(what, sizeof what, "a connection to %s, port %d", text, a->port);
  tell(what, "this bot has no network");
  return -EACCES;
}

int judge_connect(const struct supervisor *s, const struct seccomp_notif *call) {
  struct wish w = { 0 };
  int result = read_wish(s, call, &w);
  if (result) return result;
  int is_name_socket = w.domain == AF_UNIX && w.type == SOCK_SEQPACKET && w.address.kind == ADDRESS_INET;
  if (is_name_socket) result = s->options->network == NETWORK_GATE ? 0 : -EINVAL;
  else if (w.domain == AF_UNIX) result = connect_unix(s, call, &w);
  else if (s->options->network == NETWORK_OPEN) result = connect_for(s, call->id, w.fd, &w.raw, w.length);
  else result = connect_guarded(s, call, &w);
  close(w.fd);
  return result;
}

static void to_loopback(struct wish *w) {
  if (w->raw.any.sa_family == AF_INET) w->raw.v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  else {
    memcpy(w->raw.v6.sin6_addr.s6_addr, "\0\0\0\0\0\0\0\0\0\0\xff\xff\x7f\0\0\1", 16);
    setsockopt(w->fd, IPPROTO_IPV6, IPV6_V6ONLY, &(int){ 0 }, sizeof(int));
  }
}

int judge_bind(const struct supervisor *s, const struct seccomp_notif *call) {
  struct wish w = { 0 };
  int result = read_wish(s, call, &w);
  if (result) return result;
  const struct address *a = &w.address;
  const struct options *o = s->options;
  // Port 0 is any free port. Without network only the ports of `--listen` may be reached from outside.
  int is_own = (a->port == 0 && o->network != NETWORK_NONE) || has(o->listens, o->listen_count, a->port);
  result = -EACCES;
  // A path is a file, which Landlock judges, and an abstract name reaches nothing outside. A program that swaps the
  // address meanwhile gains nothing: only sockets on the loopback address may listen.
  if (w.domain == AF_UNIX) result = GO_ON;
  else if (a->kind == ADDRESS_INET && is_own && (a->is_loopback || a->is_any)) {
    if (a->is_any) to_loopback(&w); // a program that asks for every interface gets the one it has
    result = bind(w.fd, &w.raw.any, w.length) ? -errno : 0;
  } else if (a->kind == ADDRESS_INET) {
    char what[60];
    snprintf(what, sizeof what, "listening on port %d", a->port);
    tell(what, "only the bot's own query port can be listened on");
  }
  close(w.fd);
  return result;
}

// listen() on a socket without an address takes a port on every interface.
int judge_listen(const struct supervisor *s, const struct seccomp_notif *call) {
  struct wish w = { 0 };
  int result = read_socket(call, &w);
  if (result) return result;
  socklen_t length = sizeof w.raw;
  struct address a = { 0 };
  if (!getsockname(w.fd, &w.raw.any, &length)) a = parse_address(w.raw.bytes, length);
  int is_own = s->options->network != NETWORK_NONE || has(s->options->listens, s->options->listen_count, a.port);
  int is_inside = w.domain == AF_UNIX || (a.kind == ADDRESS_INET && a.is_loopback && is_own);
  result = !is_inside ? -EACCES : listen(w.fd, (int)call->data.args[1]) ? -errno : 0;
  close(w.fd);
  return result;
}

// A UDP socket of a program that reaches only the gate: it answers questions for names, and no more.
int judge_datagram_socket(const struct supervisor *s, const struct seccomp_notif *call) {
  int pair[2], type = (int)call->data.args[1];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)) return -errno;
  if (type & SOCK_NONBLOCK) fcntl(pair[1], F_SETFL, O_NONBLOCK);
  int result = add_name_socket(pair[0]);
  if (!result) {
    struct seccomp_notif_addfd add = { .id = call->id, .srcfd = (uint32_t)pair[1],
      .newfd_flags = type & SOCK_CLOEXEC ? O_CLOEXEC : 0 };
    result = ioctl(s->listener, SECCOMP_IOCTL_ADDFD, &add);
    if (result < 0) result = -errno; // the other end closes, and with it the name socket
  } else close(pair[0]);
  close(pair[1]);
  return result;
}
