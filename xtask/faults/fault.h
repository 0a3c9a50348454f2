/* One call on a file, and what happens to it: what fault.c gives to calls.c. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <sys/types.h>

enum fault { NONE, EIO_ONCE, ENOSPC_ONCE, FULL, SHORT, TORN, BEFORE, AFTER };
/* FULL is a disk that is full from now on: only what takes room meets it. */
enum room { TAKES, FREE };

/* A call under way. In a trace only one is, so that the order of the lines is that of what happened. */
struct call {
    unsigned long number;
    enum fault fault;
};

/* The function of the C library that ours hides. */
#define REAL(result, name, ...)                                                                   \
    static result (*real)(__VA_ARGS__);                                                           \
    if (!real) real = (result(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

/* Nothing of this is for the program, which may have functions of these names. */
#pragma GCC visibility push(hidden)

/* The part of a path below the directory, "." for the directory itself; nothing if it lies elsewhere. `out` is room. */
const char *path_of_file(int file, char out[PATH_MAX]);
const char *path_at(int directory, const char *path, char out[PATH_MAX]);

/* Give the call its number; it does not come back if the process is to die before. */
struct call enter(enum room room);
/* The errno that the call is to fail with, or 0. */
int refusal(const struct call *call);
/* How much of a write of this length is written. */
size_t share_of(const struct call *call, size_t length);
/* Write the call down and let the next one go on; keeps errno. */
void leave(const struct call *call, const char *what, long result, const char *path, const char *second, long offset,
           const void *bytes, size_t length);

ssize_t real_write(int file, const void *bytes, size_t count);

#pragma GCC visibility pop
