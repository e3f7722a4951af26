// Loaded into programs of a sandbox (LD_PRELOAD): named semaphores and shared memory in the bot's own temporary folder.
// /dev/shm belongs to every program of the user, so the sandbox closes it. This is a convenience, not a wall: what a
// program does without it is refused. All functions come from the C library of the program, glibc or musl.
typedef unsigned int mode_t;
typedef unsigned long size_t;
typedef long off_t;
typedef struct sem sem_t;
enum { O_RDWR = 2, O_CREAT = 0100, O_EXCL = 0200, O_CLOEXEC = 02000000,
#ifdef __aarch64__
  O_NOFOLLOW = 0100000,
#else
  O_NOFOLLOW = 0400000,
#endif
  SEEK_END = 2, READ_WRITE = 3, SHARED = 1, SIZE = 32 /* of sem_t, in glibc and musl */, INVALID = 22, TOO_LONG = 36 };
extern int open(const char *, int, ...), unlink(const char *), close(int), ftruncate(int, off_t), munmap(void *, size_t);
extern int sem_init(sem_t *, int, unsigned), *__errno_location(void);
extern off_t lseek(int, off_t, int);
extern void *mmap(void *, size_t, int, int, int, off_t);
extern char *getenv(const char *);

// TMPDIR/.KIND.NAME; 0 for a name that is no plain one.
static int place(char *to, size_t most, const char *kind, const char *name) {
  const char *folder = getenv("TMPDIR");
  if (!folder) folder = ".";
  while (*name == '/') name++;
  const char *parts[] = { folder, "/.", kind, ".", name };
  size_t at = 0;
  for (const char *c = name; *c; c++)
    if (*c == '/') return *__errno_location() = INVALID, 0;
  for (int i = 0; i < 5; i++)
    for (const char *c = parts[i]; *c; c++) {
      if (at == most - 1) return *__errno_location() = TOO_LONG, 0;
      to[at++] = *c;
    }
  to[at] = 0;
  return *name ? 1 : (*__errno_location() = INVALID, 0);
}

int shm_open(const char *name, int flags, mode_t mode) {
  char path[512];
  return place(path, sizeof path, "shm", name) ? open(path, flags | O_CLOEXEC | O_NOFOLLOW, mode) : -1;
}

int shm_unlink(const char *name) {
  char path[512];
  return place(path, sizeof path, "shm", name) ? unlink(path) : -1;
}

sem_t *sem_open(const char *name, int flags, ...) {
  char path[512];
  mode_t mode = 0600;
  unsigned value = 0;
  if (flags & O_CREAT) {
    __builtin_va_list more;
    __builtin_va_start(more, flags);
    mode = __builtin_va_arg(more, mode_t);
    value = __builtin_va_arg(more, unsigned);
    __builtin_va_end(more);
  }
  if (!place(path, sizeof path, "sem", name)) return 0;
  int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | (flags & (O_CREAT | O_EXCL)), mode);
  if (fd < 0) return 0;
  int is_new = (flags & O_CREAT) && lseek(fd, 0, SEEK_END) == 0;
  if (is_new && ftruncate(fd, SIZE)) return close(fd), (sem_t *)0;
  void *mapped = mmap(0, SIZE, READ_WRITE, SHARED, fd, 0);
  close(fd);
  if (mapped == (void *)-1) return 0;
  if (is_new) sem_init(mapped, 1, value);
  return mapped;
}

int sem_close(sem_t *semaphore) { return munmap(semaphore, SIZE); }

int sem_unlink(const char *name) {
  char path[512];
  return place(path, sizeof path, "sem", name) ? unlink(path) : -1;
}
