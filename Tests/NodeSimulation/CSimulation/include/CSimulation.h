#pragma once

#include <stddef.h>
#include <stdint.h>

// The ground that a simulation stands on: what Swift's runtime and its libraries ask the machine
// for (the time, random bytes, threads that run jobs) is answered by the simulator. One per process.

/// A job of a Swift task, with the function that runs it.
typedef struct {
    void *_Nonnull context;
    void (*_Nonnull run)(void *_Nonnull);
} SimulatedJob;

/// Where jobs go. `when` is virtual, in nanoseconds; 0 means at once.
typedef void (*JobSink)(SimulatedJob job, uint64_t when);

/// From here on the time is virtual, chance is seeded, and every job goes to `sink`. The process
/// must still have one thread.
void simulation_begin(uint64_t seed, uint64_t nanoseconds, JobSink _Nonnull sink);

/// Moves the virtual time, of all clocks.
void simulation_set_time(uint64_t nanoseconds);

/// Puts the clock on the wall forward or back; all others go on.
void simulation_move_wall_clock(int64_t nanoseconds);

/// The machine's own monotonic clock, whatever the simulation says.
uint64_t simulation_real_nanoseconds(void);

/// How many threads this process has begun, its first one included; a simulation has one.
int simulation_thread_count(void);

/// `fork`, which Swift does not offer.
int simulation_fork(void);

/// The status of a process that ends because one step of its simulation does not.
#define SIMULATION_STUCK 99

/// From here on this process ends when a step takes more than a second of the processor's time.
void simulation_watch(void);

/// From here on the system ends this process, by SIGPROF after so many seconds of the processor's
/// time, by SIGALRM after so many real ones.
void simulation_limit(unsigned cpu_seconds, unsigned seconds);

/// One more step of the simulation begins.
void simulation_step(void);

/// Runs this program again in this process with a hash seed that is always the same, unless it
/// has that already. Returns only if it has, or if the program could not be run.
void simulation_pin_hashes(char *_Nullable const *_Nonnull arguments);
