#include "supervisor.h"
#include <dirent.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

// By a descriptor, because the number of a process that ends may belong to another one in the same moment.
static void end_if_descendant(pid_t pid) {
  int process = (int)syscall(NR_pidfd_open, pid, 0);
  if (process < 0) return;
  if (is_descendant(pid)) syscall(NR_pidfd_send_signal, process, SIGKILL, NULL, 0);
  close(process);
}

static void end_those_listed(void) {
  DIR *processes = opendir("/proc");
  if (!processes) return;
  for (struct dirent *entry; (entry = readdir(processes));) {
    int pid = atoi(entry->d_name);
    if (pid > 1) end_if_descendant(pid);
  }
  closedir(processes);
}

// The supervisor is a subreaper: what the program left behind is its child, or becomes it.
void end_descendants(const struct supervisor *s) {
  int is_scoped = s->options->abi >= 6;
  for (;;) {
    // Scoped by Landlock, "every process" is every process inside, and nothing can fork away meanwhile.
    if (is_scoped) kill(-1, SIGKILL);
    else end_those_listed();
    pid_t ended;
    while ((ended = waitpid(-1, NULL, WNOHANG)) > 0) continue;
    if (ended < 0 && errno == ECHILD) return;
    poll(NULL, 0, 2); // ms, in which they end
  }
}
