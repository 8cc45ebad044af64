#ifndef CSPAWN_H
#define CSPAWN_H

#include <sys/types.h>

// What glibc shows to C alone. Each returns 0 or an error number.

// Two ends of a pipe, reading and writing, that no other child inherits.
int spawn_pipe(int ends[2]);

// Starts a program with these three descriptors and no others. It leads a process group of its
// own, and no signal is blocked or ignored in it. The folder may be null: where the caller is.
int spawn_start(
    pid_t *pid, const char *program, char *const arguments[], char *const environment[],
    const char *folder, const int descriptors[3]);

#endif
