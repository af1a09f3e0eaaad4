/*
 * The other programs of the races: they know nothing of our locks.
 *
 *   foreign write           reads "KIND DELAY_US PATH TOKEN" a line, waits, writes, answers "ok"
 *   foreign swap ONE OTHER  exchanges two names, mostly every some 20 µs, until it is killed
 *   foreign read PATH SIZE COUNT   reads a file over and over; prints "READS MISSING TORN"
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void spin(long us) {
  struct timespec start, now;
  clock_gettime(CLOCK_MONOTONIC, &start);
  do {
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((now.tv_sec - start.tv_sec) * 1000000L + (now.tv_nsec - start.tv_nsec) / 1000 < us);
}

static int put(const char *path, int flags, long hold, const char *token) {
  char line[64];
  int length = snprintf(line, sizeof line, "%s\n", token);
  int fd = open(path, O_WRONLY | flags, 0644);
  if (fd < 0) return -1;
  if (hold > 0) spin(hold);
  int written = write(fd, line, length) == length;
  close(fd);
  return written ? 0 : -1;
}

static int act(const char *kind, const char *path, const char *token) {
  if (!strcmp(kind, "truncate")) return put(path, O_TRUNC, 0, token);
  if (!strcmp(kind, "slow")) return put(path, O_TRUNC, 300, token);
  if (!strcmp(kind, "append")) return put(path, O_APPEND, 0, token);
  if (!strcmp(kind, "held")) return put(path, O_APPEND, 300, token);
  char stage[4096];
  snprintf(stage, sizeof stage, "%s.foreign", path);
  if (put(stage, O_CREAT | O_TRUNC, 0, token)) return -1;
  return rename(stage, path);
}

static int writes(void) {
  char kind[16], path[3000], token[40];
  long delay;
  while (scanf("%15s %ld %2999s %39s", kind, &delay, path, token) == 4) {
    spin(delay);
    printf("%s\n", act(kind, path, token) ? strerror(errno) : "ok");
    fflush(stdout);
  }
  return 0;
}

static int swaps(const char *one, const char *other) {
  puts("ready");
  fflush(stdout);
  for (;;) {
    if (syscall(SYS_renameat2, AT_FDCWD, one, AT_FDCWD, other, 2u) && errno != ENOENT) return 1;
    /* Mostly quick, so that a swap falls into a call; sometimes slow, so that a call can succeed. */
    spin(rand() % 16 ? rand() % 40 : rand() % 8000);
  }
}

/* Every version of the file is one letter, over and over, up to its size. */
static int reads(const char *path, size_t size, long count) {
  char *bytes = malloc(size + 1);
  long missing = 0, torn = 0;
  puts("ready");
  fflush(stdout);
  for (long at = 0; at < count; at++) {
    int fd = open(path, O_RDONLY);
    if (fd < 0) {
      missing++;
      continue;
    }
    size_t filled = 0;
    ssize_t got;
    while (filled <= size && (got = read(fd, bytes + filled, size + 1 - filled)) > 0) filled += got;
    close(fd);
    int whole = filled == size;
    for (size_t n = 1; whole && n < size; n++) whole = bytes[n] == bytes[0];
    if (!whole) torn++;
  }
  printf("%ld %ld %ld\n", count, missing, torn);
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 2 && !strcmp(argv[1], "write")) return writes();
  if (argc == 4 && !strcmp(argv[1], "swap")) return swaps(argv[2], argv[3]);
  if (argc == 5 && !strcmp(argv[1], "read")) return reads(argv[2], atol(argv[3]), atol(argv[4]));
  return 2;
}
