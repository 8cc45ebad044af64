/* What the peers of the benchmark measure, and how they print it. */
#ifndef MEASURE_H
#define MEASURE_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

struct options {
    long count, warmup, in_flight, pipelined;
    const char *json;
    /* The one option that a peer has of its own, and its value. */
    const char *own_name, *own;
};

static const double percents[] = {50, 75, 90, 95, 99, 99.9};
static const long windows[] = {1, 4, 16, 64, 256, 1000};
enum { PERCENTS = sizeof percents / sizeof *percents, WINDOWS = sizeof windows / sizeof *windows };

struct row {
    const char *name;
    double p50, p99, rate;
    /* One for each of the above. */
    double percentiles[PERCENTS], rates[WINDOWS];
};

static inline double now_us(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static inline int ascending(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* The smallest sample that at least `percent` of all are not above. */
static inline double percentile(const double *sorted, long count, double percent)
{
    long rank = (long)((double)count * percent / 100.0 + 0.999999);
    return sorted[rank < 1 ? 0 : rank > count ? count - 1 : rank - 1];
}

static inline long number(const char *name, const char *text)
{
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno || *end || end == text || value < 1 || value > 100000000) {
        fprintf(stderr, "%s is %s, allowed: 1 to 100000000\n", name, text);
        exit(64);
    }
    return value;
}

static inline struct options read_options(int argc, char **argv, const char *own_name)
{
    struct options options = {20000, 2000, 1000, 200000, NULL, own_name, NULL};
    for (int index = 1; index < argc; index += 2) {
        const char *name = argv[index], *value = index + 1 < argc ? argv[index + 1] : "";
        if (!strcmp(name, "--count"))
            options.count = number(name, value);
        else if (!strcmp(name, "--warmup"))
            options.warmup = number(name, value);
        else if (!strcmp(name, "--in-flight"))
            options.in_flight = number(name, value);
        else if (!strcmp(name, "--pipelined"))
            options.pipelined = number(name, value);
        else if (!strcmp(name, "--json") && *value)
            options.json = value;
        else if (!strcmp(name, own_name) && *value)
            options.own = value;
        else {
            fprintf(stderr, "usage: %s [--count N] [--warmup N] [--in-flight N]"
                            " [--pipelined N] [--json FILE] [%s VALUE]\n", argv[0], own_name);
            exit(64);
        }
    }
    if (options.in_flight > options.pipelined)
        options.in_flight = options.pipelined;
    return options;
}

/* Round trips per second with `in_flight` under way, until `count` are done or the time is over. */
static inline double rate(long in_flight, long count, double microseconds, void *peer,
                          void (*send_one)(void *), void (*receive_one)(void *))
{
    double start = now_us();
    long sent = 0, received = 0;
    while (sent < in_flight && sent < count) {
        send_one(peer);
        sent++;
    }
    while (received < sent) {
        receive_one(peer);
        received++;
        if (sent < count && now_us() - start < microseconds) {
            send_one(peer);
            sent++;
        }
    }
    return (double)received / ((now_us() - start) / 1e6);
}

/* Sends and receives as the options say: one at a time, then many under way, then other numbers
 * of them for half a second each at most. */
static inline struct row measure(const struct options *options, const char *name, void *peer,
                                 void (*send_one)(void *), void (*receive_one)(void *))
{
    double *samples = malloc((size_t)options->count * sizeof *samples);
    if (!samples) {
        perror("malloc");
        exit(70);
    }
    for (long index = 0; index < options->warmup; index++) {
        send_one(peer);
        receive_one(peer);
    }
    for (long index = 0; index < options->count; index++) {
        double start = now_us();
        send_one(peer);
        receive_one(peer);
        samples[index] = now_us() - start;
    }
    qsort(samples, (size_t)options->count, sizeof *samples, ascending);
    struct row row = {.name = name, .p50 = percentile(samples, options->count, 50),
                      .p99 = percentile(samples, options->count, 99)};
    for (int index = 0; index < PERCENTS; index++)
        row.percentiles[index] = percentile(samples, options->count, percents[index]);
    free(samples);
    row.rate = rate(options->in_flight, options->pipelined, 1e12, peer, send_one, receive_one);
    for (int index = 0; index < WINDOWS; index++)
        row.rates[index] = rate(windows[index], options->count, 5e5, peer, send_one,
                                receive_one);
    return row;
}

/* Writes the row as JSON, and as text for people. */
static inline int print_row(const struct options *options, const struct row *row)
{
    FILE *out = options->json ? fopen(options->json, "w") : stdout;
    if (!out) {
        perror(options->json);
        return 73;
    }
    fprintf(out,
            "{\"name\":\"%s\",\"count\":%ld,\"inFlight\":%ld,"
            "\"p50Microseconds\":%.1f,\"p99Microseconds\":%.1f,\"roundTripsPerSecond\":%.0f,"
            "\"percentiles\":[",
            row->name, options->count, options->in_flight, row->p50, row->p99, row->rate);
    for (int index = 0; index < PERCENTS; index++)
        fprintf(out, "%s{\"percent\":%g,\"microseconds\":%.1f}", index ? "," : "",
                percents[index], row->percentiles[index]);
    fputs("],\"windows\":[", out);
    for (int index = 0; index < WINDOWS; index++)
        fprintf(out, "%s{\"inFlight\":%ld,\"roundTripsPerSecond\":%.0f}", index ? "," : "",
                windows[index], row->rates[index]);
    fputs("]}\n", out);
    if (out != stdout && fclose(out))
        return 73;
    fprintf(stderr,
            "%s, 800 bytes over tcp loopback, %ld round trips\n"
            "  one at a time   p50 %.1f us   p99 %.1f us\n"
            "  %ld in flight  %.0f round trips/s\n",
            row->name, options->count, row->p50, row->p99, options->in_flight, row->rate);
    return 0;
}

#endif
