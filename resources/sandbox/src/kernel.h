// Numbers and structures of the kernel by value: headers of old distributions lack the newer ones, and the same source
// must give the same bytes wherever it is built.
#pragma once
#include <stdint.h>
#include <sys/syscall.h>

// Calls from 424 on have one number on all architectures.
enum {
  NR_pidfd_send_signal = 424, NR_io_uring_setup = 425, NR_io_uring_enter, NR_io_uring_register,
  NR_open_tree = 428, NR_move_mount, NR_fsopen, NR_fsconfig, NR_fsmount, NR_fspick,
  NR_pidfd_open = 434, NR_clone3 = 435, NR_close_range = 436, NR_openat2 = 437, NR_pidfd_getfd = 438,
  NR_process_madvise = 440, NR_mount_setattr = 442, NR_quotactl_fd = 443,
  NR_landlock_create_ruleset = 444, NR_landlock_add_rule, NR_landlock_restrict_self,
  NR_process_mrelease = 448, NR_fchmodat2 = 452, NR_setxattrat = 463, NR_removexattrat = 466, NR_open_tree_attr = 467,
  NR_file_setattr = 469,
  NR_newest_known = 470,
};

struct landlock_ruleset { uint64_t files, network, scoped; };
struct __attribute__((packed)) landlock_path { uint64_t access; int32_t parent; };
struct landlock_port { uint64_t access, port; };
enum { LANDLOCK_PATH = 1, LANDLOCK_PORT = 2, LANDLOCK_BIND = 1, LANDLOCK_CONNECT = 2, LANDLOCK_SCOPES = 3 };
enum {
  FILE_EXECUTE = 1, FILE_WRITE = 2, FILE_READ = 4, FILE_LIST = 8, FILE_MAKE_CHAR = 1 << 6, FILE_MAKE_BLOCK = 1 << 11,
  FILE_REFER = 1 << 13, FILE_TRUNCATE = 1 << 14, FILE_IOCTL_DEVICE = 1 << 15,
};

struct seccomp_data { int nr; uint32_t arch; uint64_t instruction_pointer, args[6]; };
struct seccomp_notif { uint64_t id; uint32_t pid, flags; struct seccomp_data data; };
struct seccomp_notif_resp { uint64_t id; int64_t val; int32_t error; uint32_t flags; };
struct seccomp_notif_addfd { uint64_t id; uint32_t flags, srcfd, newfd, newfd_flags; };
struct sock_filter { uint16_t code; uint8_t jt, jf; uint32_t k; };
struct sock_fprog { unsigned short len; struct sock_filter *filter; };
enum { SECCOMP_SET_MODE_FILTER = 1, SECCOMP_NEW_LISTENER = 8, SECCOMP_WAIT_KILLABLE = 32, SECCOMP_CONTINUE = 1 };
#define SECCOMP_KILL 0x80000000u
#define SECCOMP_ERRNO 0x00050000u
#define SECCOMP_NOTIFY 0x7fc00000u
#define SECCOMP_ALLOW 0x7fff0000u
#define SECCOMP_IOCTL_RECV 0xc0502100ul
#define SECCOMP_IOCTL_SEND 0xc0182101ul
#define SECCOMP_IOCTL_VALID 0x40082102ul
#define SECCOMP_IOCTL_ADDFD 0x40182103ul
#if defined __x86_64__
#define ARCHITECTURE 0xc000003eu
#elif defined __aarch64__
#define ARCHITECTURE 0xc00000b7u
#else
#error "confine is written for x86-64 and arm64"
#endif
