#include "confine.h"
#include "kernel.h"
#include <stdio.h>
#include <unistd.h>

// The filter is a list of rules. Each starts and ends with the number of the call in the accumulator.
static struct sock_filter code[640];
static unsigned length;

enum { LOAD = 0x20, JUMP_EQUAL = 0x15, JUMP_OVER = 0x25, JUMP_FROM = 0x35, JUMP_BITS = 0x45, MASK = 0x54, RETURN = 0x06 };
enum { NUMBER = 0, ARCH = 4 };
static unsigned argument(int i) { return 16 + 8 * (unsigned)i; }

static void put(uint16_t op, uint8_t yes, uint8_t no, uint32_t value) {
  code[length++] = (struct sock_filter){ op, yes, no, value };
}
static void answer(uint32_t verdict) { put(RETURN, 0, 0, verdict); }
static uint32_t refusal(int error) { return SECCOMP_ERRNO | (uint32_t)error; }

static void rule(long nr, uint32_t verdict) {
  put(JUMP_EQUAL, 0, 1, (uint32_t)nr);
  answer(verdict);
}

// `yes` when argument i has one of the bits, else allowed.
static void rule_bits(long nr, int i, uint32_t bits, uint32_t yes) {
  put(JUMP_EQUAL, 0, 4, (uint32_t)nr);
  put(LOAD, 0, 0, argument(i));
  put(JUMP_BITS, 0, 1, bits);
  answer(yes);
  answer(SECCOMP_ALLOW);
}

// Allowed when the first argument is 0 ("this program"), else judged.
static void rule_self(long nr) {
  put(JUMP_EQUAL, 0, 4, (uint32_t)nr);
  put(LOAD, 0, 0, argument(0));
  put(JUMP_EQUAL, 1, 0, 0);
  answer(SECCOMP_NOTIFY);
  answer(SECCOMP_ALLOW);
}

// Refused when argument i is one of the values, else allowed.
static void rule_values(long nr, int i, const uint32_t *values, int count, int error) {
  put(JUMP_EQUAL, 0, (uint8_t)(3 + count), (uint32_t)nr);
  put(LOAD, 0, 0, argument(i));
  for (int v = 0; v < count; v++) put(JUMP_EQUAL, (uint8_t)(count - v), 0, values[v]);
  answer(SECCOMP_ALLOW);
  answer(refusal(error));
}

// Refused when argument i asks to truncate a file without a right to write to it, which open() does.
static void rule_truncating(long nr, int i) {
  put(JUMP_EQUAL, 0, 6, (uint32_t)nr);
  put(LOAD, 0, 0, argument(i));
  put(MASK, 0, 0, 0x203 /* O_TRUNC | O_ACCMODE */);
  put(JUMP_EQUAL, 1, 0, 0x200);
  put(JUMP_EQUAL, 0, 1, 0x203);
  answer(refusal(EACCES));
  answer(SECCOMP_ALLOW);
}

// No part of the kernel that a trading bot needs, and each a way around files, network or processes.
static const short FORBIDDEN[] = {
  SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_bpf, SYS_keyctl, SYS_add_key, SYS_request_key,
  SYS_userfaultfd, SYS_unshare, SYS_setns, SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, NR_open_tree,
  NR_move_mount, NR_fsopen, NR_fsconfig, NR_fsmount, NR_fspick, NR_mount_setattr, NR_open_tree_attr, SYS_swapon,
  SYS_swapoff, SYS_reboot, SYS_kexec_load, SYS_kexec_file_load, SYS_init_module, SYS_finit_module, SYS_delete_module,
  SYS_perf_event_open, SYS_open_by_handle_at, SYS_name_to_handle_at, SYS_quotactl, NR_quotactl_fd, SYS_acct,
  SYS_settimeofday, SYS_clock_settime, SYS_adjtimex, SYS_clock_adjtime, SYS_sethostname, SYS_setdomainname, SYS_syslog,
  NR_pidfd_getfd, SYS_kcmp, SYS_vhangup, SYS_fanotify_init, SYS_move_pages, SYS_migrate_pages, NR_process_madvise,
  NR_process_mrelease, SYS_shmget, SYS_shmat, SYS_shmctl, SYS_semget, SYS_semop, SYS_semtimedop, SYS_semctl, SYS_msgget,
  SYS_msgsnd, SYS_msgrcv, SYS_msgctl, SYS_mq_open, SYS_mq_unlink, NR_file_setattr,
#ifdef __x86_64__
  SYS_iopl, SYS_ioperm, SYS_lookup_dcookie, SYS_modify_ldt, SYS_utime, SYS_utimes,
  SYS_futimesat,
#endif
};
static const short NO_ATTRIBUTES[] = { SYS_setxattr, SYS_lsetxattr, SYS_fsetxattr, SYS_removexattr, SYS_lremovexattr,
  SYS_fremovexattr, NR_setxattrat, NR_removexattrat };
// Libraries know how to do without these: io_uring would carry open() and connect() past this filter, and the flags of
// clone3 are behind a pointer.
static const short MISSING[] = { NR_io_uring_setup, NR_io_uring_enter, NR_io_uring_register, NR_clone3 };
// The meaning of these is behind a pointer or a file descriptor: the supervisor reads it once and does the call itself.
static const short JUDGED[] = {
  SYS_connect, SYS_fchmod, SYS_fchmodat, NR_fchmodat2, SYS_fchown, SYS_fchownat, SYS_utimensat, SYS_inotify_add_watch,
#ifdef __x86_64__
  SYS_chmod, SYS_chown, SYS_lchown,
#endif
};
#define COUNT(list) ((int)(sizeof list / sizeof *list))

static void rules_of_processes(const struct options *o) {
  rule_bits(SYS_clone, 0, 0x7e020000, refusal(EPERM)); // CLONE_NEW*
  static const short by_first[] = { SYS_prlimit64, SYS_sched_setscheduler, SYS_sched_setparam, SYS_sched_setattr,
    SYS_sched_setaffinity };
  for (int i = 0; i < COUNT(by_first); i++) rule_self(by_first[i]);
  rule(SYS_ioprio_set, SECCOMP_NOTIFY);
  rule(SYS_setpriority, SECCOMP_NOTIFY);
  if (o->abi >= 6) return; // Landlock scopes signals
  static const short signals[] = { SYS_kill, SYS_tkill, SYS_tgkill, NR_pidfd_send_signal, SYS_rt_sigqueueinfo,
    SYS_rt_tgsigqueueinfo };
  for (int i = 0; i < COUNT(signals); i++) rule(signals[i], SECCOMP_NOTIFY);
}

// Values that are refused whatever the kernel, and behind them those of files that send signals to their owner: Landlock
// scopes these signals from version 6.
static void rules_of_descriptors(const struct options *o) {
  static const uint32_t ioctls[] = { 0x5412 /* TIOCSTI */, 0x541c /* TIOCLINUX */, 0x40086602 /* FS_IOC_SETFLAGS */,
    0x401c5820 /* FS_IOC_FSSETXATTR */, 0x8901 /* FIOSETOWN */, 0x8902 /* SIOCSPGRP */ };
  static const uint32_t controls[] = { 1024 /* F_SETLEASE */, 1026 /* F_NOTIFY */, 8 /* F_SETOWN */, 15 /* F_SETOWN_EX */ };
  int owners = o->abi < 6 ? 2 : 0;
  rule_values(SYS_ioctl, 1, ioctls, COUNT(ioctls) - 2 + owners, EPERM);
  rule_values(SYS_fcntl, 1, controls, COUNT(controls) - 2 + owners, EPERM);
}

static void rules_of_files(const struct options *o) {
  if (o->abi < 3) { // Landlock sees truncation from version 3
    rule(SYS_truncate, SECCOMP_NOTIFY);
    rule(NR_openat2, refusal(ENOSYS)); // its flags are behind a pointer
    rule_truncating(SYS_openat, 2);
#ifdef __x86_64__
    rule_truncating(SYS_open, 1);
#endif
  }
}

enum { UNIX = 1, INET = 2, INET6 = 10, NETLINK = 16, STREAM = 1, DATAGRAM = 2, SEQPACKET = 5, TCP = 6, UDP = 17 };

static void load_type(void) {
  put(LOAD, 0, 0, argument(1));
  put(MASK, 0, 0, 0xf);
}

// The last rules: a list of the sockets that exist, not of those that do not.
static void rules_of_sockets(const struct options *o) {
  int open = o->network == NETWORK_OPEN;
  // TCP Fast Open connects without connect(). Programs do without where the system lacks it.
  rule_bits(SYS_sendto, 3, 0x20000000, refusal(EOPNOTSUPP));
  rule_bits(SYS_sendmsg, 2, 0x20000000, refusal(EOPNOTSUPP));
  rule_bits(SYS_sendmmsg, 3, 0x20000000, refusal(EOPNOTSUPP));
  if (!open) {
    rule(SYS_bind, SECCOMP_NOTIFY);
    rule(SYS_listen, SECCOMP_NOTIFY);
  }
  // A datagram socket of the Unix family would reach any path by sendto().
  put(JUMP_EQUAL, 0, 8, SYS_socketpair);
  put(LOAD, 0, 0, argument(0));
  put(JUMP_EQUAL, 0, 4, UNIX);
  load_type();
  put(JUMP_EQUAL, 2, 0, STREAM);
  put(JUMP_EQUAL, 1, 0, SEQPACKET);
  answer(refusal(EACCES));
  answer(SECCOMP_ALLOW);
  put(JUMP_EQUAL, 1, 0, SYS_socket);
  answer(SECCOMP_ALLOW);

  put(LOAD, 0, 0, argument(0));
  put(JUMP_EQUAL, 0, 6, UNIX);
  load_type();
  put(JUMP_EQUAL, 2, 0, STREAM);
  put(JUMP_EQUAL, 1, 0, SEQPACKET);
  answer(refusal(EACCES));
  answer(SECCOMP_ALLOW);
  if (open) { // names of interfaces and routes, which libc asks for before it looks up a name
    put(JUMP_EQUAL, 0, 4, NETLINK);
    put(LOAD, 0, 0, argument(2));
    put(JUMP_EQUAL, 1, 0, 0);
    answer(refusal(EPROTONOSUPPORT));
    answer(SECCOMP_ALLOW);
  }
  put(JUMP_EQUAL, 2, 0, INET);
  put(JUMP_EQUAL, 1, 0, INET6);
  answer(refusal(EAFNOSUPPORT));
  load_type();
  put(JUMP_EQUAL, 0, 5, STREAM);
  put(LOAD, 0, 0, argument(2));
  put(JUMP_EQUAL, 2, 0, 0);
  put(JUMP_EQUAL, 1, 0, TCP);
  answer(refusal(EPROTONOSUPPORT));
  answer(SECCOMP_ALLOW);
  put(JUMP_EQUAL, 1, 0, DATAGRAM);
  answer(refusal(EACCES));
  put(LOAD, 0, 0, argument(2));
  put(JUMP_EQUAL, 2, 0, 0);
  put(JUMP_EQUAL, 1, 0, UDP);
  answer(refusal(EPROTONOSUPPORT));
  answer(open ? SECCOMP_ALLOW : o->network == NETWORK_GATE ? SECCOMP_NOTIFY : refusal(EACCES));
}

static void build(const struct options *o) {
  put(LOAD, 0, 0, ARCH);
  put(JUMP_EQUAL, 1, 0, ARCHITECTURE);
  answer(SECCOMP_KILL);
  put(LOAD, 0, 0, NUMBER);
  // x32 on x86-64, and calls that came after this list.
  put(JUMP_OVER, 0, 1, NR_newest_known);
  answer(refusal(ENOSYS));
  for (int i = 0; i < COUNT(FORBIDDEN); i++) rule(FORBIDDEN[i], refusal(EPERM));
  for (int i = 0; i < COUNT(NO_ATTRIBUTES); i++) rule(NO_ATTRIBUTES[i], refusal(EOPNOTSUPP));
  for (int i = 0; i < COUNT(MISSING); i++) rule(MISSING[i], refusal(ENOSYS));
  for (int i = 0; i < COUNT(JUDGED); i++) rule(JUDGED[i], SECCOMP_NOTIFY);
  rules_of_processes(o);
  rules_of_files(o);
  rules_of_descriptors(o);
  rules_of_sockets(o);
}

int filter_install(const struct options *o) {
  build(o);
  struct sock_fprog program = { (unsigned short)length, code };
  long fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_NEW_LISTENER | SECCOMP_WAIT_KILLABLE, &program);
  // Before Linux 5.19 a signal may interrupt a call that waits for its answer, which then is asked for again.
  if (fd < 0 && errno == EINVAL) fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_NEW_LISTENER, &program);
  return fd < 0 ? -errno : (int)fd;
}
