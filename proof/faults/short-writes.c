/*
 * Preloaded into a process: writes to files below PROOF_UNDER write only half of what they were given, as
 * a system may do at any time. PROOF_AT names the how-manyeth such write; 0 means every one.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <unistd.h>
#include <sys/uio.h>

static int seen = 0;

static int strikes(int fd) {
  const char *under = getenv("PROOF_UNDER");
  const char *at = getenv("PROOF_AT");
  char link[64], path[4096];
  if (under == NULL || at == NULL) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  if (strncmp(path, under, strlen(under)) != 0) return 0;
  seen += 1;
  return atoi(at) == 0 || atoi(at) == seen;
}

static size_t part(int fd, size_t count) {
  return count > 1 && strikes(fd) ? count / 2 : count;
}

ssize_t write(int fd, const void *bytes, size_t count) {
  ssize_t (*next)(int, const void *, size_t) = dlsym(RTLD_NEXT, "write");
  return next(fd, bytes, part(fd, count));
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t at) {
  ssize_t (*next)(int, const void *, size_t, off64_t) = dlsym(RTLD_NEXT, "pwrite64");
  return next(fd, bytes, part(fd, count), at);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at) {
  return pwrite64(fd, bytes, count, at);
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  ssize_t (*next)(int, const struct iovec *, int) = dlsym(RTLD_NEXT, "writev");
  return next(fd, parts, count > 1 && strikes(fd) ? count / 2 : count);
}
