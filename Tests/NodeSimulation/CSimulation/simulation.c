#define _GNU_SOURCE
#include "CSimulation.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

// The functions below that are named as the C library's, Dispatch's or the Swift runtime's stand
// in for them: the dynamic linker takes a program's own definition first. Before a simulation
// begins they do what the originals do, as far as a program with one thread needs it.

static JobSink sink;
static uint64_t now;
static int64_t wall_offset;
static uint64_t chance;

static uint64_t next_word(void) {
    // SplitMix64
    uint64_t bits = chance += 0x9E3779B97F4A7C15u;
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9u;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBu;
    return bits ^ (bits >> 31);
}

// Time

int clock_gettime(clockid_t clock, struct timespec *time) {
    if (!sink) return (int)syscall(SYS_clock_gettime, clock, time);
    uint64_t told = now;
    if (clock == CLOCK_REALTIME) told += (uint64_t)wall_offset;
    time->tv_sec = (time_t)(told / 1000000000u);
    time->tv_nsec = (long)(told % 1000000000u);
    return 0;
}

void simulation_set_time(uint64_t nanoseconds) { now = nanoseconds; }

void simulation_move_wall_clock(int64_t nanoseconds) { wall_offset += nanoseconds; }

uint64_t simulation_real_nanoseconds(void) {
    struct timespec time;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

// Chance: SystemRandomNumberGenerator, of a program and of the standard library itself, which asks
// the kernel by `syscall`

void swift_stdlib_random(void *bytes, size_t count) {
    for (unsigned char *to = bytes; count > 0;) {
        ssize_t taken = syscall(SYS_getrandom, to, count, 0);
        if (taken <= 0) continue;
        to += taken;
        count -= (size_t)taken;
    }
}

static long random_bytes(unsigned char *to, size_t count) {
    for (size_t done = 0; done < count; done += sizeof(uint64_t)) {
        uint64_t word = next_word();
        size_t rest = count - done;
        memcpy(to + done, &word, rest < sizeof word ? rest : sizeof word);
    }
    return (long)count;
}

long syscall(long number, ...) {
    static long (*original)(long, ...);
    if (!original) *(void **)&original = dlsym(RTLD_NEXT, "syscall");
    long arguments[6];
    va_list list;
    va_start(list, number);
    for (int index = 0; index < 6; index++) arguments[index] = va_arg(list, long);
    va_end(list);
    if (sink && number == SYS_getrandom) {
        return random_bytes((unsigned char *)arguments[0], (size_t)arguments[1]);
    }
    return original(
        number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}

// Jobs: what is enqueued, what yields, and what sleeps

#define SWIFT_CALL __attribute__((swiftcall))
typedef SWIFT_CALL void (*EnqueueOriginal)(void *);
extern SWIFT_CALL void (*swift_task_enqueueGlobal_hook)(void *, EnqueueOriginal);
typedef struct {
    void *identity;
    void *implementation;
} ExecutorReference;
extern SWIFT_CALL void swift_job_run(void *, ExecutorReference);

static void run_job(void *job) {
    ExecutorReference generic = {0, 0};
    swift_job_run(job, generic);
}

static SWIFT_CALL void enqueued(void *job, EnqueueOriginal original) {
    (void)original;
    sink((SimulatedJob){job, run_job}, 0);
}

// `Task.yield`
void dispatch_async_f(void *queue, void *context, void (*run)(void *)) {
    (void)queue;
    if (!sink) abort();
    sink((SimulatedJob){context, run}, 0);
}

// `Task.sleep` and the sleeps of the standard clocks: `when` is a time of the monotonic clock, in
// nanoseconds, with the clock in its highest bits
void dispatch_after_f(uint64_t when, void *queue, void *context, void (*run)(void *)) {
    (void)queue;
    if (!sink) abort();
    uint64_t due = when & ~(UINT64_C(3) << 62);
    sink((SimulatedJob){context, run}, due > now ? due : now);
}

// The runtime prepares a queue that nothing is ever put on; the original starts a thread for it.
void dispatch_queue_set_width(void *queue, long width) {
    (void)queue;
    (void)width;
}

static int thread_count = 1;

// What this process counts itself depends on no moment at which a thread begins or ends.
int pthread_create(
    pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument
) {
    static int (*original)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (!original) *(void **)&original = dlsym(RTLD_NEXT, "pthread_create");
    thread_count++;
    return original(thread, attributes, run, argument);
}

void simulation_begin(uint64_t seed, uint64_t nanoseconds, JobSink to) {
    chance = seed;
    now = nanoseconds;
    wall_offset = 0;
    sink = to;
    swift_task_enqueueGlobal_hook = enqueued;
}

// Processes

int simulation_thread_count(void) { return thread_count; }

int simulation_fork(void) { return fork(); }

static volatile uint64_t steps;

void simulation_step(void) { steps++; }

static void look_for_steps(int signal) {
    (void)signal;
    static uint64_t seen;
    if (seen == steps) _exit(SIMULATION_STUCK);
    seen = steps;
}

void simulation_watch(void) {
    signal(SIGVTALRM, look_for_steps);
    struct itimerval second = {{1, 0}, {1, 0}};
    setitimer(ITIMER_VIRTUAL, &second, NULL);
}

void simulation_limit(unsigned cpu_seconds, unsigned seconds) {
    struct itimerval limit = {{0, 0}, {cpu_seconds, 0}};
    setitimer(ITIMER_PROF, &limit, NULL);
    alarm(seconds);
}

void simulation_pin_hashes(char *const *arguments) {
    if (getenv("SWIFT_DETERMINISTIC_HASHING")) return;
    setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1);
    // Once here, not in each seed's process.
    setenv("LD_BIND_NOW", "1", 1);
    execv("/proc/self/exe", arguments);
}
