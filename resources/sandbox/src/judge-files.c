#include "supervisor.h"
#include <fcntl.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// What a call names: the file descriptor of argument `fd`, or the path at argument `name` in the folder `folder`.
struct named { int fd, folder, name, follow; };

static int no_follow(uint64_t flags) { return (flags & AT_SYMLINK_NOFOLLOW) == 0; }

static struct named named_by(const struct seccomp_data *d) {
  switch (d->nr) {
    case SYS_fchmod: case SYS_fchown: return (struct named){ (int)d->args[0], 0, -1, 1 };
    case SYS_fchmodat: return (struct named){ -1, (int)d->args[0], 1, 1 };
    case NR_fchmodat2: return (struct named){ -1, (int)d->args[0], 1, no_follow(d->args[3]) };
    case SYS_fchownat: return (struct named){ -1, (int)d->args[0], 1, no_follow(d->args[4]) };
    case SYS_utimensat: // without a path it means the file descriptor
      if (d->args[1] == 0) return (struct named){ (int)d->args[0], 0, -1, 1 };
      return (struct named){ -1, (int)d->args[0], 1, no_follow(d->args[3]) };
    case SYS_inotify_add_watch: return (struct named){ -1, AT_FDCWD, 1, (d->args[2] & IN_DONT_FOLLOW) == 0 };
#ifdef __x86_64__
    case SYS_lchown: return (struct named){ -1, AT_FDCWD, 0, 0 };
#endif
    default: return (struct named){ -1, AT_FDCWD, 0, 1 };
  }
}

static int set_times(pid_t pid, uint64_t at, const char *path) {
  struct timespec times[2];
  if (at && read_memory(pid, at, times, sizeof times) != sizeof times) return -EFAULT;
  return utimensat(AT_FDCWD, path, at ? times : NULL, 0) ? -errno : 0;
}

static int watch(pid_t pid, const struct seccomp_data *d, const char *path) {
  int queue = take_descriptor(pid, (int)d->args[0]);
  if (queue < 0) return queue;
  int result = inotify_add_watch(queue, path, (uint32_t)d->args[2] & ~(uint32_t)IN_DONT_FOLLOW);
  if (result < 0) result = -errno;
  close(queue);
  return result;
}

static int perform(pid_t pid, const struct seccomp_data *d, int fd) {
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  // A set-user-ID file would keep its power outside the sandbox.
  const mode_t modes = 0777;
  switch (d->nr) {
    case SYS_fchmod: return chmod(path, d->args[1] & modes) ? -errno : 0;
    case SYS_fchmodat: case NR_fchmodat2: return chmod(path, d->args[2] & modes) ? -errno : 0;
    case SYS_fchown: return fchownat(fd, "", (uid_t)d->args[1], (gid_t)d->args[2], AT_EMPTY_PATH) ? -errno : 0;
    case SYS_fchownat: return fchownat(fd, "", (uid_t)d->args[2], (gid_t)d->args[3], AT_EMPTY_PATH) ? -errno : 0;
    case SYS_utimensat: return set_times(pid, d->args[2], path);
    case SYS_truncate: return truncate(path, (off_t)d->args[1]) ? -errno : 0;
    case SYS_inotify_add_watch: return watch(pid, d, path);
#ifdef __x86_64__
    case SYS_chmod: return chmod(path, d->args[1] & modes) ? -errno : 0;
    case SYS_chown: case SYS_lchown: return fchownat(fd, "", (uid_t)d->args[1], (gid_t)d->args[2], AT_EMPTY_PATH) ? -errno : 0;
#endif
    default: return -EPERM;
  }
}

int judge_file(const struct supervisor *s, const struct seccomp_notif *call) {
  const struct seccomp_data *d = &call->data;
  pid_t pid = (pid_t)call->pid;
  struct named by = named_by(d);
  int fd = by.name < 0 ? take_descriptor(pid, by.fd) : open_named(pid, by.folder, d->args[by.name], by.follow);
  if (fd < 0) return fd;
  if (!still_waits(s->listener, call->id)) {
    close(fd);
    return -EPERM;
  }
  int is_watch = d->nr == SYS_inotify_add_watch, result;
  if (is_watch ? !in_known(fd) : !in_written(fd)) result = is_watch ? -EACCES : -EPERM;
  // A link of its own is the bot's business, and /proc/self/fd would follow it.
  else if (!by.follow) {
    struct stat status;
    result = fstat(fd, &status) ? -errno : S_ISLNK(status.st_mode) ? -EOPNOTSUPP : perform(pid, d, fd);
  } else result = perform(pid, d, fd);
  close(fd);
  return result;
}
