/* Stands between a program and the C library (LD_PRELOAD) and lets one call on a file below a directory go wrong.
 *
 * Every call on a file below FAULTS_BELOW has a number, counted over all processes that share FAULTS_STATE. The call
 * FAULTS_AT meets the fault FAULTS_HOW; with FAULTS_TRACE every call is written down, with the bytes of writes, so that
 * `cargo xtask faults` can replay them into what a power cut may leave. Locks (flock) and stat pass: the one is what
 * is tested, the other changes nothing.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* What all processes of a command share: a page of a file. */
struct state {
    unsigned long calls;
    int locked;
};

enum fault { NONE, EIO_ONCE, ENOSPC_ONCE, FULL, SHORT, TORN, BEFORE, AFTER };
/* FULL is a disk that is full from now on: only what takes room meets it. */
enum room { TAKES, FREE };

static struct {
    int ready;
    char below[PATH_MAX];
    size_t length;
    struct state *state;
    unsigned long at;
    enum fault how;
    int group;
    unsigned cut; /* of a thousand: where a torn or short write ends */
    int trace;
} shim = { .trace = -1 };

/* The function of the C library that ours hides. */
#define REAL(result, name, ...)                                                                   \
    static result (*real)(__VA_ARGS__);                                                           \
    if (!real) real = (result(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

static int real_open(const char *path, int flags, mode_t mode) {
    REAL(int, "open64", const char *, int, ...);
    return real(path, flags, mode);
}

static ssize_t real_write(int file, const void *bytes, size_t count) {
    REAL(ssize_t, "write", int, const void *, size_t);
    return real(file, bytes, count);
}

static enum fault fault_of(const char *word) {
    static const char *const words[] = { "none", "eio", "enospc", "full", "short", "torn", "before", "after" };
    for (int k = 0; word && k < 8; k++)
        if (!strcmp(word, words[k])) return (enum fault)k;
    return NONE;
}

static void begin_once(void) {
    if (shim.ready) return;
    shim.ready = 1;
    const char *below = getenv("FAULTS_BELOW"), *state = getenv("FAULTS_STATE");
    if (!below || !state) return;
    int file = real_open(state, O_RDWR | O_CLOEXEC, 0);
    if (file < 0) return;
    void *page = mmap(NULL, sizeof(struct state), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (page == MAP_FAILED) return;
    const char *at = getenv("FAULTS_AT"), *group = getenv("FAULTS_GROUP"), *cut = getenv("FAULTS_CUT");
    const char *trace = getenv("FAULTS_TRACE");
    shim.at = at ? strtoul(at, NULL, 10) : 0;
    shim.how = fault_of(getenv("FAULTS_HOW"));
    shim.group = group && *group == '1';
    shim.cut = cut ? (unsigned)strtoul(cut, NULL, 10) : 500;
    if (trace) shim.trace = real_open(trace, O_WRONLY | O_APPEND | O_CLOEXEC, 0);
    shim.length = strlen(strncpy(shim.below, below, PATH_MAX - 1));
    shim.state = page;
}

__attribute__((constructor)) static void begin(void) {
    begin_once();
}

/* The part of an absolute path below the directory, "." for the directory itself; nothing if it lies elsewhere. */
static const char *inside(const char *path) {
    if (strncmp(path, shim.below, shim.length)) return NULL;
    path += shim.length;
    /* A neighbour whose name only begins the same is not below. */
    if (*path && *path != '/') return NULL;
    while (*path == '/') path++;
    return *path ? path : ".";
}

/* Write the path of an open file into `out`. */
static const char *path_of_file(int file, char out[PATH_MAX]) {
    begin_once();
    if (!shim.state || file < 0) return NULL;
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, out, PATH_MAX - 1);
    if (length <= 0 || out[0] != '/') return NULL;
    out[length] = 0;
    return inside(out);
}

/* Write a path as an absolute one, without doubled and trailing slashes and dots, into `out`. */
static const char *path_at(int directory, const char *path, char out[PATH_MAX]) {
    begin_once();
    if (!shim.state || !path) return NULL;
    char whole[2 * PATH_MAX] = "";
    if (*path != '/') {
        char link[64] = "/proc/self/cwd";
        if (directory != AT_FDCWD) snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
        ssize_t length = readlink(link, whole, PATH_MAX - 1);
        if (length <= 0) return NULL;
        whole[length] = '/';
        whole[length + 1] = 0;
    }
    strncat(whole, path, PATH_MAX - 1);
    size_t end = 0;
    for (const char *part = whole; *part;) {
        size_t length = strcspn(part, "/");
        if (length == 2 && !strncmp(part, "..", 2)) {
            while (end && out[--end] != '/') {}
        } else if (length && !(length == 1 && *part == '.')) {
            if (end + length + 2 > PATH_MAX) return NULL;
            out[end++] = '/';
            memcpy(out + end, part, length);
            end += length;
        }
        part += length;
        part += *part == '/';
    }
    out[end] = 0;
    return inside(out);
}

static void die(void) {
    kill(shim.group ? 0 : getpid(), SIGKILL);
    for (;;) pause();
}

/* A call under way. In a trace only one is, so that the order of the lines is that of what happened. */
struct call {
    unsigned long number;
    enum fault fault;
};

static struct call enter(enum room room) {
    struct call call = { 0, NONE };
    while (shim.trace >= 0 && __sync_lock_test_and_set(&shim.state->locked, 1)) sched_yield();
    call.number = __sync_add_and_fetch(&shim.state->calls, 1);
    if (call.number == shim.at) call.fault = shim.how;
    if (shim.how == FULL && call.number >= shim.at && room == TAKES) call.fault = FULL;
    if (call.fault == BEFORE) die();
    return call;
}

/* The errno that the call is to fail with, or 0. */
static int refusal(const struct call *call) {
    switch (call->fault) {
    case EIO_ONCE: return EIO;
    case ENOSPC_ONCE: case FULL: return ENOSPC;
    default: return 0;
    }
}

/* Write the call down and let the next one go on; keeps errno. */
static void leave(const struct call *call, const char *what, long result, const char *path, const char *second,
                  long offset, const void *bytes, size_t length) {
    int error = errno;
    if (call->fault == AFTER || call->fault == TORN) die();
    if (shim.trace >= 0) {
        char line[3 * PATH_MAX];
        int head = snprintf(line, sizeof line, "%lu\t%s\t%d\t%ld\t%zu\t%s\t%s\n", call->number, what,
                            result < 0 ? error : 0, offset, bytes ? length : 0, path, second ? second : "");
        struct iovec parts[3] = { { line, (size_t)head }, { (void *)bytes, bytes ? length : 0 }, { "\n", 1 } };
        REAL(ssize_t, "writev", int, const struct iovec *, int);
        if (real(shim.trace, parts, 3) < 0) die();
        __sync_lock_release(&shim.state->locked);
    }
    errno = error;
}

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
    if (call.fault == SHORT || call.fault == TORN) length = length * shim.cut / 1000 + (call.fault == SHORT && length > 0);
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
