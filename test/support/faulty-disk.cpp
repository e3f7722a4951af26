// Put before the system's own calls (LD_PRELOAD), this makes sectors of a file unreadable, and tells in which order a
// program writes, flushes and removes files. FAULTY_DISK_BAD names the file of which nothing can be read from the byte
// FAULTY_DISK_FROM on, which fails with the number FAULTY_DISK_ERROR; FAULTY_DISK_TOLD gets a line for each call.
// FAULTY_DISK_REFUSES names a file that may come and go while the program runs: each of its lines is the number of an
// error and the beginning of a path, and no file below that path takes a write.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <string>
#include <sys/types.h>
#include <unistd.h>

namespace {

template <typename Call> Call *theSystems(const char *name) {
  return reinterpret_cast<Call *>(dlsym(RTLD_NEXT, name));
}

std::string pathOf(int fd) {
  char path[4096];
  const auto size = readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), path, sizeof path);
  return size < 0 ? "" : std::string(path, static_cast<size_t>(size));
}

long numberOf(const char *name) {
  const char *text = getenv(name);
  return text == nullptr ? 0 : atol(text);
}

void tell(const char *what, const std::string &path) {
  const char *told = getenv("FAULTY_DISK_TOLD");
  if (told == nullptr) return;
  FILE *file = fopen(told, "a");
  fprintf(file, "%s %s\n", what, path.c_str());
  fclose(file);
}

/** The error with which this file takes no write; 0 if it takes them. */
int refusalOf(const std::string &path) {
  const char *refuses = getenv("FAULTY_DISK_REFUSES");
  FILE *file = refuses == nullptr ? nullptr : fopen(refuses, "r");
  if (file == nullptr) return 0;
  int error = 0, found = 0;
  char start[4096];
  while (found == 0 && fscanf(file, "%d %4095s", &error, start) == 2)
    if (path.rfind(start, 0) == 0) found = error;
  fclose(file);
  return found;
}

} // namespace

extern "C" {

ssize_t pread64(int fd, void *bytes, size_t size, off64_t at) {
  const char *bad = getenv("FAULTY_DISK_BAD");
  if (bad != nullptr && at + static_cast<off64_t>(size) > numberOf("FAULTY_DISK_FROM") && pathOf(fd) == bad) {
    errno = static_cast<int>(numberOf("FAULTY_DISK_ERROR"));
    return -1;
  }
  return theSystems<decltype(pread64)>("pread64")(fd, bytes, size, at);
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t at) {
  const auto path = pathOf(fd);
  tell("write", path);
  if (const int error = refusalOf(path); error != 0) {
    errno = error;
    return -1;
  }
  return theSystems<decltype(pwrite64)>("pwrite64")(fd, bytes, size, at);
}

int fsync(int fd) {
  tell("flush", pathOf(fd));
  return theSystems<decltype(fsync)>("fsync")(fd);
}

int fdatasync(int fd) {
  tell("flush", pathOf(fd));
  return theSystems<decltype(fdatasync)>("fdatasync")(fd);
}

int unlink(const char *path) noexcept {
  tell("remove", path);
  return theSystems<int(const char *)>("unlink")(path);
}
}
