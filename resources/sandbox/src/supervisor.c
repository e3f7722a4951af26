#include "supervisor.h"
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

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
    case SYS_listen: return judge_listen(call);
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

static void collect_ended(const struct supervisor *s) {
  int status;
  for (pid_t ended; (ended = waitpid(-1, &status, WNOHANG)) > 0;) {
    if (ended == s->program) end_as(status);
    // Orphans of the program come here, too: the count is a bound, not a census.
    if (workers > 0) workers--;
  }
}

void supervise(const struct options *o, const char *identity, int listener, pid_t program) {
  const struct supervisor s = { o, identity, listener, program };
  sigset_t none;
  sigemptyset(&none);
  polled[0] = (struct pollfd){ listener, POLLIN, 0 };
  for (;;) {
    collect_ended(&s);
    if (ppoll(polled, polled_count, NULL, &none) < 0) continue;
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
