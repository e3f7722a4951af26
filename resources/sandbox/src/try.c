// Attempts, from inside the sandbox, to do what it must prevent. The host shows what holds on this machine by trying.
#include "confine.h"
#include "kernel.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

static void report(const char *aspect, const char *broken) {
  if (broken) printf("%s open %s\n", aspect, broken);
  else printf("%s held\n", aspect);
  fflush(stdout);
}

static const char *try_files(const char *inside, const char *outside, const char *database) {
  int fd = open(inside, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return "its own folder cannot be written to";
  if (fchmod(fd, 0640)) return "a mode in its own folder cannot be changed";
  close(fd);
  if (open(outside, O_RDONLY | O_CLOEXEC) >= 0) return "a file outside can be read";
  if (open(outside, O_WRONLY | O_CLOEXEC) >= 0) return "a file outside can be written";
  if (!chmod(outside, 0600)) return "the mode of a file outside can be changed";
  if (!truncate(outside, 1)) return "a file outside can be truncated";
  if (open("/etc/shadow", O_RDONLY | O_CLOEXEC) >= 0) return "passwords of the system can be read";
  if (open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC) >= 0) return "/tmp can be listed";
  if (open(database, O_RDONLY | O_CLOEXEC) >= 0) return "the database of the host can be read";
  if (getuid()) return NULL; // all of /etc that such a user may read, is readable
  static const char *const keys[] = { "/etc/ssl/private", "/etc/pki/tls/private" };
  for (unsigned i = 0; i < sizeof keys / sizeof *keys; i++)
    if (open(keys[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC) >= 0) return "private keys of the system can be listed";
  return NULL;
}

static int reach(int family, const void *address, socklen_t length) {
  int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int connected = fd >= 0 && !connect(fd, address, length);
  if (fd >= 0) close(fd);
  return connected;
}

static const char *try_sockets(const char *path) {
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
  if (reach(AF_UNIX, &address, sizeof address)) return "a Unix socket outside can be reached";
  if (socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0) >= 0) return "a Unix datagram socket can be made";
  if (socket(40 /* AF_VSOCK */, SOCK_STREAM, 0) >= 0) return "a socket to the machine around can be made";
  if (syscall(NR_io_uring_setup, 8, NULL) >= 0 || errno != ENOSYS) return "io_uring is there";
  return NULL;
}

static const char *try_network(int port) {
  struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
  if (reach(AF_INET, &address, sizeof address)) return "a local port can be reached";
  if (socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0) >= 0) return "a UDP socket can be made";
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd >= 0 && !listen(fd, 1)) return "a port can be opened";
  address.sin_port = 0;
  if (fd >= 0 && !bind(fd, (void *)&address, sizeof address) && !listen(fd, 1)) return "a free port can be opened";
  return NULL;
}

// Has a pipe send SIGKILL to the supervisor. Where that works this program ends with it, and the host misses its answer.
static int owned_pipe_ends(pid_t supervisor) {
  int ends[2], process = (int)syscall(NR_pidfd_open, supervisor, 0);
  if (process < 0 || pipe2(ends, O_CLOEXEC)) return 1;
  if (fcntl(ends[0], F_SETOWN, supervisor) || fcntl(ends[0], F_SETSIG, SIGKILL) || fcntl(ends[0], F_SETFL, O_ASYNC)) return 0;
  return write(ends[1], "", 1) == 1 && poll(&(struct pollfd){ process, POLLIN, 0 }, 1, 50) > 0;
}

// A program with `--network gate` must reach no port itself; the host sees what arrives at its own ports, and at its gate.
static const char *try_gate(int port, int udp_port) {
  struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
  if (reach(AF_INET, &address, sizeof address)) return "a local port can be reached that the gate refuses";
  int fast = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), datagram = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (sendto(fast, "x", 1, 0x20000000 /* MSG_FASTOPEN */, (void *)&address, sizeof address) == 1) return "TCP Fast Open reaches a port";
  if (socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 262 /* MPTCP */) >= 0) return "an MPTCP socket can be made";
  address.sin_port = htons((uint16_t)udp_port);
  sendto(datagram, "x", 1, 0, (void *)&address, sizeof address);
  if (!connect(datagram, (void *)&address, sizeof address)) send(datagram, "x", 1, 0);
  int any = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (any >= 0 && !listen(any, 1)) return "a port of every interface can be opened";
  return NULL;
}

static const char *try_programs(pid_t other) {
  char memory, path[48];
  struct iovec here = { &memory, 1 }, there = { (void *)try_programs, 1 };
  if (!kill(other, 0)) return "another program can be signalled";
  if (process_vm_readv(other, &here, 1, &there, 1, 0) > 0) return "the memory of another program can be read";
  snprintf(path, sizeof path, "/proc/%d/environ", other);
  if (open(path, O_RDONLY | O_CLOEXEC) >= 0) return "the environment of another program can be read";
  if (!setpriority(PRIO_PROCESS, (id_t)other, 1)) return "the priority of another program can be changed";
  if (!syscall(SYS_unshare, 0x10000000)) return "a user namespace can be made";
  if (owned_pipe_ends(getppid())) return "another program can be ended through a pipe";
  return NULL;
}

static const char *try_limits(void) {
  struct rlimit files = { 0, 0 };
  if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1) return "programs can gain rights";
  if (getrlimit(RLIMIT_NOFILE, &files) || files.rlim_cur > 64) return "the limit of open files is not kept";
  for (unsigned i = 0; i < 64; i++)
    if (open("/dev/null", O_RDONLY | O_CLOEXEC) < 0) return NULL;
  return "more files than allowed can be opened";
}

int try_outside(int count, char **args) {
  if (count != 6 && count != 7) return 125;
  report("files", try_files(args[0], args[1], args[5]));
  report("sockets", try_sockets(args[2]));
  report("network", count == 7 ? try_gate(atoi(args[3]), atoi(args[6])) : try_network(atoi(args[3])));
  report("programs", try_programs(atoi(args[4])));
  report("limits", try_limits());
  return fflush(stdout) ? 1 : 0;
}
