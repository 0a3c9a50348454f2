/* The functions of the C library that open, read, change and name files, as Rust's standard library calls them. */
#include "fault.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* A call that is done or refused as a whole. */
#define WHOLE(room, what, path, second, expression)                                               \
    do {                                                                                          \
        struct call call = enter(room);                                                           \
        int refused = refusal(&call);                                                             \
        if (refused) {                                                                            \
            errno = refused;                                                                      \
            leave(&call, what, -1, path, second, 0, NULL, 0);                                     \
            return -1;                                                                            \
        }                                                                                         \
        int result = expression;                                                                  \
        leave(&call, what, result, path, second, 0, NULL, 0);                                     \
        return result;                                                                            \
    } while (0)

static int opened(int directory, const char *path, int flags, mode_t mode) {
    REAL(int, "openat64", int, const char *, int, ...);
    char whole[PATH_MAX];
    const char *place = path_at(directory, path, whole);
    if (!place || flags & O_PATH) return real(directory, path, flags, mode);
    struct stat found;
    int is_new = flags & O_CREAT && fstatat(directory, path, &found, 0);
    const char *what = is_new ? "create" : flags & O_TRUNC ? "empty" : (flags & O_ACCMODE) == O_RDONLY ? "look" : "open";
    WHOLE(is_new ? TAKES : FREE, what, place, NULL, real(directory, path, flags, mode));
}

static mode_t mode_of(int flags, va_list more) {
    return flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, mode_t) : 0;
}

#define OPENS(name, parameters, directory)                                                        \
    int name parameters {                                                                         \
        va_list more;                                                                             \
        va_start(more, flags);                                                                    \
        mode_t mode = mode_of(flags, more);                                                       \
        va_end(more);                                                                             \
        return opened(directory, path, flags, mode);                                              \
    }
OPENS(open, (const char *path, int flags, ...), AT_FDCWD)
OPENS(open64, (const char *path, int flags, ...), AT_FDCWD)
OPENS(openat, (int directory, const char *path, int flags, ...), directory)
OPENS(openat64, (int directory, const char *path, int flags, ...), directory)

int creat(const char *path, mode_t mode) {
    return opened(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

DIR *opendir(const char *path) {
    REAL(DIR *, "opendir", const char *);
    char whole[PATH_MAX];
    const char *place = path_at(AT_FDCWD, path, whole);
    if (!place) return real(path);
    struct call call = enter(FREE);
    errno = refusal(&call);
    DIR *list = errno ? NULL : real(path);
    leave(&call, "list", list ? 0 : -1, place, NULL, 0, NULL, 0);
    return list;
}

/* `at` is where in the file, or -1: where it stands. */
static ssize_t written(int file, const struct iovec *parts, int count, off_t at) {
    char whole[PATH_MAX];
    const char *place = path_of_file(file, whole);
    size_t length = 0;
    for (int k = 0; k < count; k++) length += parts[k].iov_len;
    char *bytes = place ? malloc(length + 1) : NULL;
    if (!bytes) {
        REAL(ssize_t, "pwritev2", int, const struct iovec *, int, off_t, int);
        return real(file, parts, count, at, 0);
    }
    size_t end = 0;
    for (int k = 0; k < count; end += parts[k++].iov_len) memcpy(bytes + end, parts[k].iov_base, parts[k].iov_len);
    struct call call = enter(TAKES);
    /* A file that is appended to stands anywhere and is written at its end. */
    off_t start = at >= 0 ? at : fcntl(file, F_GETFL) & O_APPEND ? lseek(file, 0, SEEK_END) : lseek(file, 0, SEEK_CUR);
    length = share_of(&call, length);
    REAL(ssize_t, "pwrite64", int, const void *, size_t, off_t);
    ssize_t result = -1;
    if ((errno = refusal(&call)) == 0) result = at >= 0 ? real(file, bytes, length, at) : real_write(file, bytes, length);
    int error = errno;
    leave(&call, "write", result, place, NULL, start, bytes, result > 0 ? (size_t)result : 0);
    free(bytes);
    errno = error;
    return result;
}

ssize_t write(int file, const void *bytes, size_t count) {
    char whole[PATH_MAX];
    if (!path_of_file(file, whole)) return real_write(file, bytes, count);
    struct iovec part = { (void *)bytes, count };
    return written(file, &part, 1, -1);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t at) {
    struct iovec part = { (void *)bytes, count };
    return written(file, &part, 1, at);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off_t at) {
    return pwrite(file, bytes, count, at);
}

ssize_t writev(int file, const struct iovec *parts, int count) {
    REAL(ssize_t, "writev", int, const struct iovec *, int);
    char whole[PATH_MAX];
    return path_of_file(file, whole) ? written(file, parts, count, -1) : real(file, parts, count);
}

static ssize_t looked(int file, void *bytes, size_t count, off_t at) {
    REAL(ssize_t, "read", int, void *, size_t);
    static ssize_t (*real_at)(int, void *, size_t, off_t);
    if (!real_at) real_at = (ssize_t(*)(int, void *, size_t, off_t))dlsym(RTLD_NEXT, "pread64");
    char whole[PATH_MAX];
    const char *place = path_of_file(file, whole);
    if (!place) return at >= 0 ? real_at(file, bytes, count, at) : real(file, bytes, count);
    struct call call = enter(FREE);
    ssize_t result = -1;
    if ((errno = refusal(&call)) == 0) result = at >= 0 ? real_at(file, bytes, count, at) : real(file, bytes, count);
    leave(&call, "read", result, place, NULL, 0, NULL, 0);
    return result;
}

ssize_t read(int file, void *bytes, size_t count) {
    return looked(file, bytes, count, -1);
}

ssize_t pread64(int file, void *bytes, size_t count, off_t at) {
    return looked(file, bytes, count, at);
}

/* Copies within the kernel are refused as by a file system that has none: what is copied then passes here. */
ssize_t copy_file_range(int from, off64_t *start, int to, off64_t *end, size_t count, unsigned flags) {
    REAL(ssize_t, "copy_file_range", int, off64_t *, int, off64_t *, size_t, unsigned);
    char whole[PATH_MAX];
    if (!path_of_file(to, whole)) return real(from, start, to, end, count, flags);
    errno = ENOSYS;
    return -1;
}

ssize_t sendfile64(int to, int from, off64_t *start, size_t count) {
    REAL(ssize_t, "sendfile64", int, int, off64_t *, size_t);
    char whole[PATH_MAX];
    if (!path_of_file(to, whole)) return real(to, from, start, count);
    errno = ENOSYS;
    return -1;
}

static int renamed(int from, const char *old, int to, const char *new, unsigned flags) {
    REAL(int, "renameat2", int, const char *, int, const char *, unsigned);
    char first[PATH_MAX], second[PATH_MAX];
    const char *before = path_at(from, old, first), *after = path_at(to, new, second);
    if (!before || !after) return real(from, old, to, new, flags);
    WHOLE(TAKES, "rename", before, after, real(from, old, to, new, flags));
}

int rename(const char *old, const char *new) {
    return renamed(AT_FDCWD, old, AT_FDCWD, new, 0);
}

int renameat(int from, const char *old, int to, const char *new) {
    return renamed(from, old, to, new, 0);
}

int renameat2(int from, const char *old, int to, const char *new, unsigned flags) {
    return renamed(from, old, to, new, flags);
}

int unlinkat(int directory, const char *path, int flags) {
    REAL(int, "unlinkat", int, const char *, int);
    char whole[PATH_MAX];
    const char *place = path_at(directory, path, whole);
    if (!place) return real(directory, path, flags);
    WHOLE(FREE, "remove", place, NULL, real(directory, path, flags));
}

int unlink(const char *path) {
    return unlinkat(AT_FDCWD, path, 0);
}

int rmdir(const char *path) {
    return unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
}

int mkdirat(int directory, const char *path, mode_t mode) {
    REAL(int, "mkdirat", int, const char *, mode_t);
    char whole[PATH_MAX];
    const char *place = path_at(directory, path, whole);
    if (!place) return real(directory, path, mode);
    WHOLE(TAKES, "mkdir", place, NULL, real(directory, path, mode));
}

int mkdir(const char *path, mode_t mode) {
    return mkdirat(AT_FDCWD, path, mode);
}

int linkat(int from, const char *old, int to, const char *new, int flags) {
    REAL(int, "linkat", int, const char *, int, const char *, int);
    char first[PATH_MAX], second[PATH_MAX];
    const char *before = path_at(from, old, first), *after = path_at(to, new, second);
    if (!before || !after) return real(from, old, to, new, flags);
    WHOLE(TAKES, "link", before, after, real(from, old, to, new, flags));
}

int link(const char *old, const char *new) {
    return linkat(AT_FDCWD, old, AT_FDCWD, new, 0);
}

int ftruncate64(int file, off64_t length) {
    REAL(int, "ftruncate64", int, off64_t);
    char whole[PATH_MAX];
    const char *place = path_of_file(file, whole);
    if (!place) return real(file, length);
    struct call call = enter(FREE);
    errno = refusal(&call);
    int result = errno ? -1 : real(file, length);
    leave(&call, "truncate", result, place, NULL, length, NULL, 0);
    return result;
}

int ftruncate(int file, off_t length) {
    return ftruncate64(file, length);
}

static int synced(int file, int data_only) {
    static int (*whole_file)(int), (*data)(int);
    if (!whole_file) whole_file = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    if (!data) data = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    char whole[PATH_MAX];
    const char *place = path_of_file(file, whole);
    if (!place) return data_only ? data(file) : whole_file(file);
    /* Nothing is brought to the disk: the power cut is simulated, and a real fsync would take most of the time. */
    WHOLE(TAKES, "sync", place, NULL, 0);
}

int fsync(int file) {
    return synced(file, 0);
}

int fdatasync(int file) {
    return synced(file, 1);
}
