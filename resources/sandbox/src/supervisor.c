#include "supervisor.h"
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// The host gives the program and what it started ten seconds between SIGTERM and SIGKILL. What is still there shortly
// before that ends here, while the supervisor can still find it.
enum { GRACE_S = 9 };
volatile sig_atomic_t was_asked_to_end;

int workers;
static struct pollfd polled[1 + MAX_NAME_SOCKETS];
static nfds_t polled_count = 1;

void tell(const char *what, const char *why) {
  enum { MOST = 50 };
  static int told;
  char line[420], cleaned[420];
  if (told > MOST) return;
  snprintf(line, sizeof line, "platform: %.200s was refused: %.180s", what, why);
  printable(cleaned, sizeof cleaned, line);
  dprintf(2, "%s\n", cleaned);
  if (++told > MOST) dprintf(2, "platform: further refusals of this run are not told\n");
}

int still_waits(int listener, uint64_t id) { return ioctl(listener, SECCOMP_IOCTL_VALID, &id) == 0; }

int respond(int listener, uint64_t id, int result) {
  struct seccomp_notif_resp answer = { .id = id };
  if (result == GO_ON) answer.flags = SECCOMP_CONTINUE;
  else if (result < 0) answer.error = result;
  else answer.val = result;
  return ioctl(listener, SECCOMP_IOCTL_SEND, &answer) == 0;
}

int add_name_socket(int fd) {
  if (polled_count == sizeof polled / sizeof *polled) return -EMFILE;
  polled[polled_count++] = (struct pollfd){ fd, POLLIN, 0 };
  return 0;
}

static int judge(const struct supervisor *s, const struct seccomp_notif *call) {
  switch (call->data.nr) {
    case SYS_connect: return judge_connect(s, call);
    case SYS_bind: return judge_bind(s, call);
    case SYS_listen: return judge_listen(s, call);
    case SYS_socket: return judge_datagram_socket(s, call);
    case SYS_kill: case SYS_tkill: case SYS_tgkill: case NR_pidfd_send_signal: case SYS_rt_sigqueueinfo:
    case SYS_rt_tgsigqueueinfo: case SYS_prlimit64: case SYS_sched_setscheduler: case SYS_sched_setparam:
    case SYS_sched_setattr: case SYS_sched_setaffinity: case SYS_ioprio_set: case SYS_setpriority:
      return judge_process(call);
    default: return judge_file(s, call);
  }
}

static void answer_call(const struct supervisor *s) {
  // Newer kernels may write more than this program knows.
  union { struct seccomp_notif call; char room[512]; } u;
  memset(&u, 0, sizeof u);
  if (ioctl(s->listener, SECCOMP_IOCTL_RECV, &u.call)) return;
  int result = judge(s, &u.call);
  if (result != LATER) respond(s->listener, u.call.id, result);
}

static void end_as(int status) {
  if (WIFSIGNALED(status)) {
    signal(WTERMSIG(status), SIG_DFL);
    kill(getpid(), WTERMSIG(status));
  }
  _exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
}

// Keeps the status of the program once it has ended. Returns 0 when no process is left.
static int collect_ended(const struct supervisor *s, int *program_status) {
  int status;
  pid_t ended;
  while ((ended = waitpid(-1, &status, WNOHANG)) > 0) {
    if (ended == s->program) *program_status = status;
    // Orphans of the program come here, too: the count is a bound, not a census.
    else if (workers > 0) workers--;
  }
  return ended == 0;
}

static time_t seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec;
}

void supervise(const struct options *o, const char *identity, int listener, pid_t program) {
  const struct supervisor s = { o, identity, listener, program };
  sigset_t none;
  sigemptyset(&none);
  polled[0] = (struct pollfd){ listener, POLLIN, 0 };
  int status = -1;
  time_t deadline = 0;
  for (;;) {
    int is_left = collect_ended(&s, &status);
    if (was_asked_to_end && !deadline) deadline = seconds() + GRACE_S;
    if (status >= 0 && !(is_left && seconds() < deadline)) {
      end_descendants(&s);
      end_as(status);
    }
    struct timespec second = { 1, 0 };
    if (ppoll(polled, polled_count, status < 0 ? NULL : &second, &none) <= 0) continue;
    for (nfds_t i = polled_count - 1; i > 0; i--) {
      if (polled[i].revents & POLLIN) answer_name(&s, polled[i].fd);
      else if (polled[i].revents) {
        close(polled[i].fd);
        polled[i] = polled[--polled_count];
      }
    }
    if (polled[0].revents & POLLIN) answer_call(&s);
    // No process is left that could ask.
    else if (polled[0].revents) polled[0].fd = -1;
  }
}
