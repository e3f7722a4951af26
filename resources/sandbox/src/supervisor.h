// What the parts of the supervisor share.
#pragma once
#include "confine.h"
#include "kernel.h"
#include <signal.h>

struct supervisor {
  const struct options *options;
  const char *identity;
  int listener;
  pid_t program;
};

// The answer to a judged call: a value of 0 or more, or -errno.
enum {
  GO_ON = -100000, // the kernel does the call: only where all arguments are values
  LATER = -100001, // a worker of its own answers
};

// ---- memory.c: the program's memory, file descriptors and relatives. All fail with -errno.
ssize_t read_memory(pid_t pid, uint64_t from, void *to, size_t length);
int take_descriptor(pid_t pid, int fd);
int open_named(pid_t pid, int folder, uint64_t name, int follow); // O_PATH of what the program names by a pointer
int open_path(pid_t pid, int folder, const char *path, int follow);
int is_descendant(pid_t pid);
int pid_of_descriptor(int fd); // of a pidfd of the supervisor

// ---- judge-files.c, judge-network.c, judge-processes.c
int judge_file(const struct supervisor *s, const struct seccomp_notif *call);
int judge_process(const struct seccomp_notif *call);
int judge_connect(const struct supervisor *s, const struct seccomp_notif *call);
int judge_bind(const struct supervisor *s, const struct seccomp_notif *call);
int judge_listen(const struct supervisor *s, const struct seccomp_notif *call);
int judge_datagram_socket(const struct supervisor *s, const struct seccomp_notif *call);

// ---- descendants.c
// Ends every process that the program has left behind, and returns once none is left.
void end_descendants(const struct supervisor *s);

// ---- names.c: answers DNS queries of a program that reaches only the gate
void answer_name(const struct supervisor *s, int fd);

// ---- gate.c: the way to the gate (README.md)
int connect_gate(const struct supervisor *s, int fd, int is_ipv6);
// Sends the first line of a connection: the identity and `request`.
int greet_gate(const struct supervisor *s, int fd, const char *request);
int read_line(int fd, char *line, int most);

enum { MAX_NAME_SOCKETS = 64 };
// Sockets that stand in for the program's UDP sockets. -EMFILE when there are too many.
int add_name_socket(int fd);

extern volatile sig_atomic_t was_asked_to_end; // by SIGTERM
extern int workers; // processes that connect for the program at the moment

// Says in the bot's own error output what was refused and why, but not without end.
void tell(const char *what, const char *why);
// False once the process that made the call is gone: its number may belong to another by now.
int still_waits(int listener, uint64_t id);
// Answers a call. False when the program no longer waits for it.
int respond(int listener, uint64_t id, int result);
