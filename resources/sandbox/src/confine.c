// confine: runs one program inside the walls of the Linux kernel, without root and without namespaces (README.md).
#include "confine.h"
#include "kernel.h"
#include "supervisor.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { USAGE = 125, REFUSED = 126 };

static int fail(const char *what, int error) {
  dprintf(2, "platform: the sandbox cannot be set up: %s: %s\n", what, strerror(error));
  return REFUSED;
}

static void note(int number) {
  if (number == SIGTERM) was_asked_to_end = 1;
}

// The host signals every process of a bot by itself, so these must not end the supervisor before the program.
static void outlive_signals(void) {
  static const int outlived[] = { SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2, SIGQUIT, SIGALRM, SIGPIPE };
  sigset_t children;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  sigprocmask(SIG_BLOCK, &children, NULL);
  for (unsigned i = 0; i < sizeof outlived / sizeof *outlived; i++)
    sigaction(outlived[i], &(struct sigaction){ .sa_handler = note, .sa_flags = SA_RESTART }, NULL);
  sigaction(SIGCHLD, &(struct sigaction){ .sa_handler = note }, NULL);
}

static void reset_signals(void) {
  sigset_t none;
  sigemptyset(&none);
  for (int number = 1; number < 32; number++)
    if (number != SIGKILL && number != SIGSTOP) signal(number, SIG_DFL);
  sigprocmask(SIG_SETMASK, &none, NULL);
}

// Root keeps its name and files, and loses its powers for good.
static int drop_powers(void) {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return errno;
  for (unsigned long power = 0; power < 64; power++) prctl(PR_CAPBSET_DROP, power, 0, 0, 0);
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  prctl(PR_SET_SECUREBITS, 0x2f, 0, 0, 0);
  const struct { uint32_t version, pid; } header = { 0x20080522, 0 };
  const struct { uint32_t effective, permitted, inheritable; } none[2] = { { 0, 0, 0 } };
  return syscall(SYS_capset, &header, none) ? errno : 0;
}

static int read_identity(int fd, char identity[MAX_IDENTITY + 1]) {
  ssize_t got = read(fd, identity, MAX_IDENTITY + 1);
  close(fd);
  char *end = got > 0 ? memchr(identity, '\n', (size_t)got) : NULL;
  if (!end || end == identity) return EINVAL;
  *end = 0;
  for (char *c = identity; *c; c++)
    if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || *c == '-' || *c == '_'))
      return EINVAL;
  return 0;
}

static void keep_only(int fd) {
  if (fd > 3) syscall(NR_close_range, 3, fd - 1, 0);
  syscall(NR_close_range, fd < 3 ? 3 : fd + 1, ~0u, 0);
}

// The child: goes inside, hands its listener over and becomes the program.
static int become_program(const struct options *o, int pipe_out, int pipe_in, pid_t supervisor) {
  reset_signals();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != supervisor) return REFUSED;
  // Landlock knows /proc/self as long as the kernel remembers it, which it does while somebody has it open.
  int own = open("/proc/self", O_PATH | O_CLOEXEC);
  int failed = landlock_restrict(o, 0);
  if (failed) return fail("Landlock", failed);
  int listener = filter_install(o);
  if (listener < 0) return fail("seccomp", -listener);
  char taken;
  if (write(pipe_out, &listener, sizeof listener) != sizeof listener || read(pipe_in, &taken, 1) != 1) return REFUSED;
  close(own);
  keep_only(o->kept_fd);
  execvp(o->program[0], o->program);
  dprintf(2, "platform: %s: %s\n", o->program[0], strerror(errno));
  return errno == ENOENT ? 127 : REFUSED;
}

static int run(const struct options *o, const char *identity) {
  int there[2], back[2];
  if (pipe2(there, O_CLOEXEC) || pipe2(back, O_CLOEXEC)) return fail("pipe", errno);
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); // only an ancestor may look into the program everywhere
  int failed = drop_powers();
  if (!failed) failed = landlock_restrict(o, 1);
  if (failed) return fail("Landlock", failed);
  outlive_signals();
  pid_t self = getpid(), program = fork();
  if (program < 0) return fail("fork", errno);
  if (program == 0) _exit(become_program(o, there[1], back[0], self));
  close(there[1]);
  int theirs;
  // Without a listener the child has said why.
  if (read(there[0], &theirs, sizeof theirs) != sizeof theirs) return REFUSED;
  int listener = take_descriptor(program, theirs);
  if (listener < 0) return fail("the listener", -listener);
  fcntl(listener, F_SETFD, FD_CLOEXEC);
  char own[24];
  snprintf(own, sizeof own, "/proc/%d", program);
  int pinned = open(own, O_PATH | O_CLOEXEC);
  if (pinned < 0 || dup3(pinned, 0, O_CLOEXEC) < 0) return fail(own, errno);
  if (write(back[1], "", 1) != 1) return REFUSED;
  close(1);
  keep_only(listener);
  supervise(o, identity, listener, program);
  return REFUSED;
}

int main(int count, char **args) {
  struct options o = { .identity_fd = -1, .kept_fd = -1, .abi = landlock_abi() };
  if (count > 1 && !strcmp(args[1], "--try")) return try_outside(count - 2, args + 2);
  const char *wrong = parse_options(&o, count - 1, args + 1);
  if (wrong) {
    dprintf(2, "platform: the sandbox cannot be set up: %s is missing or wrong\n", wrong);
    return USAGE;
  }
  if (!o.abi) return fail("Landlock", ENOSYS);
  char identity[MAX_IDENTITY + 1] = "";
  if (o.identity_fd > 2) {
    int failed = read_identity(o.identity_fd, identity);
    if (failed) return fail("the identity", failed);
  }
  remember_folders(&o);
  return run(&o, identity);
}
