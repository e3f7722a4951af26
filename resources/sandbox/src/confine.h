// Shared declarations of `confine`, which runs one program of a bot inside the walls of the Linux kernel.
#pragma once
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum network {
  NETWORK_OPEN, // TCP and UDP as without a sandbox
  NETWORK_NONE, // only the ports of `listens` and `connects`, on the loopback address
  NETWORK_GATE, // as NETWORK_NONE, and the gate
};

enum { MAX_PATHS = 64, MAX_PORTS = 8, MAX_IDENTITY = 128 };

// What the command line asks for. Paths are as given; `--read` and `--write` name folders or files.
struct options {
  const char *reads[MAX_PATHS], *writes[MAX_PATHS];
  int read_count, write_count;
  enum network network;
  int listens[MAX_PORTS], connects[MAX_PORTS];
  int listen_count, connect_count;
  int gate_port; // 0: none
  int identity_fd, kept_fd; // -1: none
  int abi; // the Landlock version to use: that of the kernel, or an older one for tests
  char **program;
};

// ---- parse.c: readers of bytes that a hostile program or peer chose. No system calls, no global state.

// Reads the command line up to the program behind `--`. Returns 0, or the option that is wrong.
const char *parse_options(struct options *o, int count, char **args);

// An address that a program passed to connect() or bind().
enum address_kind { ADDRESS_BAD, ADDRESS_NONE, ADDRESS_INET, ADDRESS_PATH, ADDRESS_ABSTRACT };
struct address {
  enum address_kind kind;
  int port;
  uint32_t ipv4; // of an IPv4 address, also one inside an IPv6 address; host byte order
  int is_ipv4, is_loopback, is_any;
  char path[109];
};
struct address parse_address(const unsigned char *bytes, size_t length);

// The name and type of a DNS query with one question. Returns the offset behind the question, 0 when it is no such query.
size_t parse_question(const unsigned char *bytes, size_t length, char name[256], int *type);

// An IPv4 address in 198.18.0.0/15 (host byte order) from a line of the gate, 0 for anything else.
uint32_t parse_stand_in(const char *line);

// Copies a line for people: only printable ASCII, at most `most` bytes.
void printable(char *to, size_t most, const char *from);

// The value of a field such as "PPid:" of /proc/PID/status, -1 where it is missing.
long field_of(const char *status, const char *name);

// ---- landlock.c
int landlock_abi(void);
// Restricts this process. `outer`: the looser walls of the supervisor, which also reads /proc. Returns 0, or an errno.
int landlock_restrict(const struct options *o, int outer);

// ---- filter.c: installs the system call filter. Returns the file descriptor of its listener, or -errno.
int filter_install(const struct options *o);

// ---- supervisor.c: answers the calls that a filter cannot judge, until the program ends. Does not return.
void supervise(const struct options *o, const char *identity, int listener, pid_t program);

// ---- paths.c: the folders of the bot, resolved
void remember_folders(const struct options *o);
int in_written(int fd); // the open file lies in a folder of `--write`
int in_known(int fd); // or of `--read`

// ---- try.c: attempts, from inside, to do what the sandbox must prevent
int try_outside(int count, char **args);
