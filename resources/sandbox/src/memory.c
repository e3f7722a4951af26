#include "supervisor.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { PAGE = 4096 };

// One part for each page, because a part is read as a whole or not at all.
ssize_t read_memory(pid_t pid, uint64_t from, void *to, size_t length) {
  struct iovec parts[3];
  size_t first = PAGE - (from & (PAGE - 1)), done = 0;
  int count = 0;
  for (size_t size = first; done < length && count < 3; size = PAGE) {
    if (size > length - done) size = length - done;
    parts[count++] = (struct iovec){ (void *)(uintptr_t)(from + done), size };
    done += size;
  }
  struct iovec here = { to, length };
  ssize_t got = process_vm_readv(pid, &here, 1, parts, (unsigned long)count, 0);
  return got < 0 ? -errno : got;
}

static int read_file(const char *path, char *to, size_t most) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -errno;
  ssize_t got = read(fd, to, most - 1);
  close(fd);
  to[got > 0 ? got : 0] = 0;
  return got > 0 ? 0 : -ESRCH;
}

static long status_of(pid_t pid, const char *field) {
  char path[48], status[2048];
  snprintf(path, sizeof path, "/proc/%d/status", pid);
  return read_file(path, status, sizeof status) ? -1 : field_of(status, field);
}

int take_descriptor(pid_t pid, int fd) {
  long handle = syscall(NR_pidfd_open, pid, O_EXCL /* PIDFD_THREAD, from Linux 6.9 */);
  if (handle < 0) {
    long group = status_of(pid, "Tgid:");
    handle = group > 0 ? syscall(NR_pidfd_open, group, 0) : -1;
  }
  if (handle < 0) return -ESRCH;
  long taken = syscall(NR_pidfd_getfd, handle, fd, 0);
  int result = taken < 0 ? -errno : (int)taken;
  close((int)handle);
  return result;
}

int open_path(pid_t pid, int folder, const char *path, int follow) {
  char place[48];
  if (!*path) return -ENOENT;
  if (!strncmp(path, "/proc/", 6)) return -EPERM; // "self" would be the supervisor
  if (folder == AT_FDCWD) snprintf(place, sizeof place, "/proc/%d/cwd", pid);
  else snprintf(place, sizeof place, "/proc/%d/fd/%d", pid, folder);
  int base = open(place, O_PATH | O_CLOEXEC);
  if (base < 0) return -errno;
  int fd = openat(base, path, O_PATH | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW));
  int result = fd < 0 ? -errno : fd;
  close(base);
  return result;
}

int open_named(pid_t pid, int folder, uint64_t name, int follow) {
  char path[PATH_MAX];
  ssize_t got = read_memory(pid, name, path, sizeof path);
  if (got <= 0) return -EFAULT;
  if (!memchr(path, 0, (size_t)got)) return -ENAMETOOLONG;
  return open_path(pid, folder, path, follow);
}

// The supervisor is a subreaper: no descendant gets another ancestor while it lives.
int is_descendant(pid_t pid) {
  pid_t self = getpid();
  for (int steps = 0; steps < 4096 && pid > 1; steps++) {
    if (pid == self) return steps > 0;
    pid = (pid_t)status_of(pid, "PPid:");
  }
  return 0;
}

int pid_of_descriptor(int fd) {
  char path[64], info[1024];
  snprintf(path, sizeof path, "/proc/self/fdinfo/%d", fd);
  return read_file(path, info, sizeof info) ? -1 : (int)field_of(info, "Pid:");
}
