#include "supervisor.h"

// Argument by which a call names another process.
static int subject_of(const struct seccomp_notif *call) {
  const uint64_t *args = call->data.args;
  switch (call->data.nr) {
    case NR_pidfd_send_signal: return pid_of_descriptor((pid_t)call->pid, (int)args[0]);
    case SYS_ioprio_set: return args[0] == 1 /* IOPRIO_WHO_PROCESS */ ? (int)args[1] : -1;
    case SYS_setpriority: return args[0] == 0 /* PRIO_PROCESS */ ? (int)args[1] : -1;
    default: return (int)args[0];
  }
}

// A program may change and signal itself and its descendants. The arguments are values, so the kernel does the call.
int judge_process(const struct seccomp_notif *call) {
  int subject = subject_of(call);
  int is_signal = call->data.nr == SYS_kill;
  if (subject == 0) return GO_ON;
  // kill() takes a process group as a negative number; -1 means every process.
  if (subject < 0) return is_signal && subject < -1 && is_descendant(-subject) ? GO_ON : -EPERM;
  return is_descendant(subject) ? GO_ON : -EPERM;
}
