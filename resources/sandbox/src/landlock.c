#include "confine.h"
#include "kernel.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const uint64_t READS = FILE_EXECUTE | FILE_READ | FILE_LIST;

// Every file right that a version of Landlock knows and this program understands.
static uint64_t rights_of(int abi) {
  return abi < 2 ? 0x1fff : abi < 3 ? 0x3fff : abi < 5 ? 0x7fff : 0xffff;
}

int landlock_abi(void) {
  long abi = syscall(NR_landlock_create_ruleset, NULL, 0, 1);
  return abi < 0 ? 0 : (int)abi;
}

static int allow(int rules, uint64_t known, const char *path, uint64_t access) {
  int fd = open(path, O_PATH | O_CLOEXEC);
  if (fd < 0) return errno == ENOENT || errno == EACCES || errno == ENOTDIR ? 0 : errno;
  struct stat status;
  int failed = fstat(fd, &status) ? errno : 0;
  if (!S_ISDIR(status.st_mode)) access &= FILE_EXECUTE | FILE_WRITE | FILE_READ | FILE_TRUNCATE | FILE_IOCTL_DEVICE;
  struct landlock_path rule = { access & known, fd };
  if (!failed && syscall(NR_landlock_add_rule, rules, LANDLOCK_PATH, &rule, 0)) failed = errno;
  close(fd);
  return failed;
}

// An output that is a file has a name, /dev/stdout, by which programs open it again.
static int allow_output(int rules, int fd) {
  struct stat status;
  if (fstat(fd, &status) || !S_ISREG(status.st_mode)) return 0;
  struct landlock_path rule = { FILE_WRITE, fd };
  return syscall(NR_landlock_add_rule, rules, LANDLOCK_PATH, &rule, 0) ? errno : 0;
}

static int allow_all(int rules, uint64_t known, const char *const *paths, int count, uint64_t access) {
  for (int i = 0; i < count; i++) {
    int failed = allow(rules, known, paths[i], access);
    if (failed) {
      dprintf(2, "platform: %s: %s\n", paths[i], strerror(failed));
      return failed;
    }
  }
  return 0;
}

static const char *const PROGRAMS[] = { "/usr", "/lib", "/lib64", "/lib32", "/bin", "/sbin",
  "/etc/ca-certificates", "/etc/alternatives", "/nix/store", "/gnu/store" };
// Beside these lie the private keys of the machine, which root may read.
static const char *const CERTIFICATES[] = { "/etc/ssl/certs", "/etc/ssl/cert.pem", "/etc/ssl/openssl.cnf",
  "/etc/pki/tls/certs", "/etc/pki/tls/cert.pem", "/etc/pki/tls/openssl.cnf", "/etc/pki/ca-trust" };
static const char *const FACTS[] = { "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/hosts", "/etc/resolv.conf",
  "/etc/nsswitch.conf", "/etc/localtime", "/etc/timezone", "/etc/passwd", "/etc/group", "/etc/protocols",
  "/etc/services", "/etc/gai.conf", "/etc/host.conf", "/etc/os-release", "/etc/mime.types", "/proc/self",
  "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/loadavg", "/proc/uptime", "/proc/version",
  "/proc/filesystems", "/sys/devices/system/cpu", "/sys/kernel/mm/transparent_hugepage",
  "/proc/sys/vm/overcommit_memory", "/proc/sys/net/core/somaxconn",
  "/sys/fs/cgroup/cgroup.controllers", "/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/cpu.max",
  "/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/cpu/cpu.cfs_quota_us",
  "/sys/fs/cgroup/cpu/cpu.cfs_period_us" };
// Where systems keep the name servers: the files there are replaced, so a rule on one of them would not last.
static const char *const NAME_SERVERS[] = { "/run/systemd/resolve", "/run/resolvconf", "/run/NetworkManager",
  "/run/netconfig", "/run/connman" };
static const char *const RANDOM[] = { "/dev/urandom", "/dev/random" };
static const char *const SINKS[] = { "/dev/null", "/dev/zero", "/dev/full" };
#define COUNT(list) ((int)(sizeof list / sizeof *list))

// The groups of this process, from which interpreters learn how much memory and time they have: lines of
// `NUMBER:CONTROLLERS:PATH`. The root group holds those of all other programs.
static int allow_groups(int rules, uint64_t known) {
  char line[PATH_MAX], path[PATH_MAX + 64];
  int failed = 0;
  FILE *groups = fopen("/proc/self/cgroup", "re");
  if (!groups) return 0;
  while (!failed && fgets(line, sizeof line, groups)) {
    char *controllers = strchr(line, ':');
    char *group = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!group) continue;
    *controllers = '/';
    *group++ = 0;
    group[strcspn(group, "\n")] = 0;
    if (strlen(group) < 2 || strstr(group, "..")) continue;
    snprintf(path, sizeof path, "/sys/fs/cgroup%s%s", controllers[1] ? controllers : "", group);
    failed = allow(rules, known, path, FILE_READ | FILE_LIST);
  }
  fclose(groups);
  return failed;
}

static int allow_files(const struct options *o, int rules, uint64_t known, int outer) {
  uint64_t writes = known & ~(uint64_t)(FILE_MAKE_CHAR | FILE_MAKE_BLOCK);
  int failed = allow_all(rules, known, PROGRAMS, COUNT(PROGRAMS), READS);
  if (!failed) failed = allow_all(rules, known, CERTIFICATES, COUNT(CERTIFICATES), FILE_READ | FILE_LIST);
  if (!failed) failed = allow_all(rules, known, FACTS, COUNT(FACTS), FILE_READ | FILE_LIST);
  if (!failed) failed = allow_all(rules, known, RANDOM, COUNT(RANDOM), FILE_READ);
  if (!failed) failed = allow_all(rules, known, SINKS, COUNT(SINKS), FILE_READ | FILE_WRITE | FILE_IOCTL_DEVICE);
  if (!failed) failed = allow_all(rules, known, o->reads, o->read_count, READS);
  if (!failed) failed = allow_all(rules, known, o->writes, o->write_count, writes);
  if (!failed) failed = allow_groups(rules, known);
  for (int fd = 1; fd <= 2 && !failed; fd++) failed = allow_output(rules, fd);
  if (!failed && outer) failed = allow(rules, known, "/proc", FILE_READ | FILE_LIST);
  if (!failed && o->network == NETWORK_OPEN) {
    failed = allow_all(rules, known, NAME_SERVERS, COUNT(NAME_SERVERS), FILE_READ | FILE_LIST);
    // /etc/resolv.conf may be replaced while the bot runs. Root's own files in /etc are not for everybody.
    if (!failed && getuid()) failed = allow(rules, known, "/etc", FILE_READ | FILE_LIST);
  }
  return failed;
}

static int allow_port(int rules, uint64_t access, int port) {
  struct landlock_port rule = { access, (uint64_t)port };
  return syscall(NR_landlock_add_rule, rules, LANDLOCK_PORT, &rule, 0) ? errno : 0;
}

// The supervisor connects and binds for the program, which has no right of its own to do so.
static int allow_ports(const struct options *o, int rules) {
  int failed = o->network == NETWORK_NONE ? 0 : allow_port(rules, LANDLOCK_BIND, 0);
  if (!failed && o->gate_port) failed = allow_port(rules, LANDLOCK_CONNECT, o->gate_port);
  for (int i = 0; i < o->connect_count && !failed; i++) failed = allow_port(rules, LANDLOCK_CONNECT, o->connects[i]);
  for (int i = 0; i < o->listen_count && !failed; i++)
    failed = allow_port(rules, LANDLOCK_BIND | LANDLOCK_CONNECT, o->listens[i]);
  return failed;
}

int landlock_restrict(const struct options *o, int outer) {
  uint64_t known = rights_of(o->abi);
  int ports = o->abi > 3 && o->network != NETWORK_OPEN;
  struct landlock_ruleset set = { known, ports ? LANDLOCK_BIND | LANDLOCK_CONNECT : 0, o->abi > 5 ? LANDLOCK_SCOPES : 0 };
  size_t size = o->abi > 5 ? sizeof set : o->abi > 3 ? 16 : 8;
  int rules = (int)syscall(NR_landlock_create_ruleset, &set, size, 0);
  if (rules < 0) return errno;
  int failed = allow_files(o, rules, known, outer);
  // A listening port that the program chose itself: it may connect to no other.
  if (!failed && ports && outer) failed = allow_ports(o, rules);
  if (!failed && syscall(NR_landlock_restrict_self, rules, 0)) failed = errno;
  close(rules);
  return failed;
}
