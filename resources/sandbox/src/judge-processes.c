#include "supervisor.h"
#include <unistd.h>

// Argument by which a call names another process.
static int subject_of(const struct seccomp_notif *call) {
  const uint64_t *args = call->data.args;
  switch (call->data.nr) {
    case SYS_ioprio_set: return args[0] == 1 /* IOPRIO_WHO_PROCESS */ ? (int)args[1] : -1;
    case SYS_setpriority: return args[0] == 0 /* PRIO_PROCESS */ ? (int)args[1] : -1;
    default: return (int)args[0];
  }
}

// The program may put another descriptor in its place at any time: the supervisor judges and uses one of its own.
static int signal_by_descriptor(const struct seccomp_notif *call) {
  const uint64_t *args = call->data.args;
  char info[128];
  if (args[2] && read_memory((pid_t)call->pid, args[2], info, sizeof info) != sizeof info) return -EFAULT;
  int subject = take_descriptor((pid_t)call->pid, (int)args[0]);
  if (subject < 0) return subject;
  int result = -EPERM;
  if (is_descendant(pid_of_descriptor(subject)))
    result = syscall(NR_pidfd_send_signal, subject, (int)args[1], args[2] ? info : NULL, args[3]) ? -errno : 0;
  close(subject);
  return result;
}

// A program may change and signal itself and its descendants. The arguments are values, so the kernel does the call.
int judge_process(const struct seccomp_notif *call) {
  if (call->data.nr == NR_pidfd_send_signal) return signal_by_descriptor(call);
  int subject = subject_of(call);
  int is_signal = call->data.nr == SYS_kill;
  // The group in which a program starts is that of its supervisor and launcher, too.
  if (subject == 0 && is_signal) return is_descendant(getpgid((pid_t)call->pid)) ? GO_ON : -EPERM;
  if (subject == 0) return GO_ON;
  // kill() takes a process group as a negative number; -1 means every process.
  if (subject < 0) return is_signal && subject < -1 && is_descendant(-subject) ? GO_ON : -EPERM;
  return is_descendant(subject) ? GO_ON : -EPERM;
}
