/* Stands between a program and the C library (LD_PRELOAD) and lets one call on a file below a directory go wrong; calls.c
 * has the calls.
 *
 * Every call on a file below FAULTS_BELOW has a number, counted over all processes that share FAULTS_STATE. The call
 * FAULTS_AT meets the fault FAULTS_HOW; with FAULTS_TRACE every call is written down, with the bytes of writes, so that
 * `cargo xtask faults` can replay them into what a power cut may leave. Locks (flock) and stat pass: the one is what
 * is tested, the other changes nothing.
 */
#include "fault.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

/* What all processes of a command share: a page of a file. */
struct state {
    unsigned long calls;
    int locked;
};

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

static int real_open(const char *path, int flags, mode_t mode) {
    REAL(int, "open64", const char *, int, ...);
    return real(path, flags, mode);
}

ssize_t real_write(int file, const void *bytes, size_t count) {
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
const char *path_of_file(int file, char out[PATH_MAX]) {
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
const char *path_at(int directory, const char *path, char out[PATH_MAX]) {
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

struct call enter(enum room room) {
    struct call call = { 0, NONE };
    while (shim.trace >= 0 && __sync_lock_test_and_set(&shim.state->locked, 1)) sched_yield();
    call.number = __sync_add_and_fetch(&shim.state->calls, 1);
    if (call.number == shim.at) call.fault = shim.how;
    if (shim.how == FULL && call.number >= shim.at && room == TAKES) call.fault = FULL;
    if (call.fault == BEFORE) die();
    return call;
}

int refusal(const struct call *call) {
    switch (call->fault) {
    case EIO_ONCE: return EIO;
    case ENOSPC_ONCE: case FULL: return ENOSPC;
    default: return 0;
    }
}

size_t share_of(const struct call *call, size_t length) {
    if (call->fault == TORN) return length * shim.cut / 1000;
    /* A write that did nothing at all would be called an error by who asked for it. */
    return call->fault == SHORT ? length * shim.cut / 1000 + (length > 0) : length;
}

void leave(const struct call *call, const char *what, long result, const char *path, const char *second, long offset,
           const void *bytes, size_t length) {
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
