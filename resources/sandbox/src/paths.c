#include "confine.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char written[MAX_PATHS][PATH_MAX], read_only[MAX_PATHS][PATH_MAX];
static int written_count, read_count;

void remember_folders(const struct options *o) {
  for (int i = 0; i < o->write_count; i++)
    if (realpath(o->writes[i], written[written_count])) written_count++;
  for (int i = 0; i < o->read_count; i++)
    if (realpath(o->reads[i], read_only[read_count])) read_count++;
}

static int lies_in(int fd, char folders[][PATH_MAX], int count) {
  char link[32], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  for (int i = 0; i < count; i++) {
    size_t folder = strlen(folders[i]);
    if (!strncmp(path, folders[i], folder) && (path[folder] == '/' || !path[folder])) return 1;
  }
  return 0;
}

int in_written(int fd) { return lies_in(fd, written, written_count); }
int in_known(int fd) { return in_written(fd) || lies_in(fd, read_only, read_count); }
