/* What libzmq itself costs: DEALER -> ROUTER echo over tcp loopback between two processes, with
 * messages of an empty frame and four frames of about 800 bytes in all, like EB1's.
 *
 * usage: echo [--count N] [--warmup N] [--in-flight N] [--pipelined N] [--json FILE]
 *
 * Prints text to stderr and JSON to stdout (or FILE): p50 and p99 of round trips one at a time in
 * microseconds, and round trips per second with many in flight.
 */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

enum { FRAMES = 5 };

static const size_t frame_sizes[FRAMES] = {0, 3, 7, 190, 600};

static void fail(const char *what)
{
    fprintf(stderr, "echo: %s: %s\n", what, zmq_strerror(zmq_errno()));
    exit(70);
}

static void check(int result, const char *what)
{
    if (result < 0)
        fail(what);
}

static double now_us(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static void set(void *socket, int option, int value)
{
    check(zmq_setsockopt(socket, option, &value, sizeof value), "zmq_setsockopt");
}

/* Sends back whatever comes, frame by frame, until it is killed. */
static void serve(int port_pipe)
{
    void *context = zmq_ctx_new();
    void *socket = zmq_socket(context, ZMQ_ROUTER);
    char endpoint[128];
    size_t length = sizeof endpoint;

    set(socket, ZMQ_LINGER, 0);
    set(socket, ZMQ_SNDHWM, 0);
    set(socket, ZMQ_RCVHWM, 0);
    check(zmq_bind(socket, "tcp://127.0.0.1:*"), "zmq_bind");
    check(zmq_getsockopt(socket, ZMQ_LAST_ENDPOINT, endpoint, &length), "ZMQ_LAST_ENDPOINT");
    if (write(port_pipe, endpoint, length) != (ssize_t)length)
        fail("write");
    close(port_pipe);
    for (;;) {
        zmq_msg_t frame;
        int more;
        zmq_msg_init(&frame);
        if (zmq_msg_recv(&frame, socket, 0) < 0) {
            if (zmq_errno() == EINTR)
                continue;
            fail("zmq_msg_recv");
        }
        more = zmq_msg_more(&frame);
        check(zmq_msg_send(&frame, socket, more ? ZMQ_SNDMORE : 0), "zmq_msg_send");
    }
}

static void send_one(void *socket)
{
    static char bytes[1024];
    for (int index = 0; index < FRAMES; index++)
        check(zmq_send(socket, bytes, frame_sizes[index], index + 1 < FRAMES ? ZMQ_SNDMORE : 0),
              "zmq_send");
}

static void receive_one(void *socket)
{
    for (int index = 0;; index++) {
        zmq_msg_t frame;
        int more;
        zmq_msg_init(&frame);
        if (zmq_msg_recv(&frame, socket, 0) < 0)
            fail("no reply within 10 s");
        if (index >= FRAMES || zmq_msg_size(&frame) != frame_sizes[index]) {
            fprintf(stderr, "echo: frame %d came back with %zu bytes\n", index,
                    zmq_msg_size(&frame));
            exit(70);
        }
        more = zmq_msg_more(&frame);
        zmq_msg_close(&frame);
        if (!more)
            return;
    }
}

static int ascending(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* The smallest sample that at least `percent` of all are not above. */
static double percentile(const double *sorted, long count, double percent)
{
    long rank = (long)((double)count * percent / 100.0 + 0.999999);
    return sorted[rank < 1 ? 0 : rank > count ? count - 1 : rank - 1];
}

static long number(const char *name, const char *text)
{
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno || *end || end == text || value < 1 || value > 100000000) {
        fprintf(stderr, "echo: %s is %s, allowed: 1 to 100000000\n", name, text);
        exit(64);
    }
    return value;
}

int main(int argc, char **argv)
{
    long count = 20000, warmup = 2000, in_flight = 1000, pipelined = 200000;
    const char *json = NULL;

    for (int index = 1; index < argc; index += 2) {
        const char *name = argv[index], *value = index + 1 < argc ? argv[index + 1] : "";
        if (!strcmp(name, "--count"))
            count = number(name, value);
        else if (!strcmp(name, "--warmup"))
            warmup = number(name, value);
        else if (!strcmp(name, "--in-flight"))
            in_flight = number(name, value);
        else if (!strcmp(name, "--pipelined"))
            pipelined = number(name, value);
        else if (!strcmp(name, "--json") && *value)
            json = value;
        else {
            fprintf(stderr, "usage: echo [--count N] [--warmup N] [--in-flight N]"
                            " [--pipelined N] [--json FILE]\n");
            return 64;
        }
    }
    if (in_flight > pipelined)
        in_flight = pipelined;

    /* Forked before any context exists: contexts do not survive a fork. */
    int ends[2];
    if (pipe(ends) < 0)
        fail("pipe");
    pid_t server = fork();
    if (server < 0)
        fail("fork");
    if (server == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(ends[0]);
        serve(ends[1]);
    }
    close(ends[1]);
    char endpoint[128] = "";
    if (read(ends[0], endpoint, sizeof endpoint - 1) <= 0)
        fail("the server did not start");
    close(ends[0]);

    void *context = zmq_ctx_new();
    void *socket = zmq_socket(context, ZMQ_DEALER);
    set(socket, ZMQ_LINGER, 0);
    set(socket, ZMQ_SNDHWM, 0);
    set(socket, ZMQ_RCVHWM, 0);
    set(socket, ZMQ_RCVTIMEO, 10000);
    check(zmq_connect(socket, endpoint), "zmq_connect");

    double *samples = malloc((size_t)count * sizeof *samples);
    if (!samples)
        fail("malloc");
    for (long index = 0; index < warmup; index++) {
        send_one(socket);
        receive_one(socket);
    }
    for (long index = 0; index < count; index++) {
        double start = now_us();
        send_one(socket);
        receive_one(socket);
        samples[index] = now_us() - start;
    }
    qsort(samples, (size_t)count, sizeof *samples, ascending);
    double p50 = percentile(samples, count, 50), p99 = percentile(samples, count, 99);
    free(samples);

    double start = now_us();
    long sent = 0, received = 0;
    while (sent < in_flight) {
        send_one(socket);
        sent++;
    }
    while (received < pipelined) {
        receive_one(socket);
        received++;
        if (sent < pipelined) {
            send_one(socket);
            sent++;
        }
    }
    double rate = (double)pipelined / ((now_us() - start) / 1e6);

    zmq_close(socket);
    zmq_ctx_term(context);
    kill(server, SIGKILL);
    waitpid(server, NULL, 0);

    FILE *out = json ? fopen(json, "w") : stdout;
    if (!out) {
        fprintf(stderr, "echo: %s: %s\n", json, strerror(errno));
        return 73;
    }
    fprintf(out,
            "{\"name\":\"raw libzmq echo\",\"count\":%ld,\"inFlight\":%ld,"
            "\"p50Microseconds\":%.1f,\"p99Microseconds\":%.1f,\"roundTripsPerSecond\":%.0f}\n",
            count, in_flight, p50, p99, rate);
    if (out != stdout && fclose(out))
        return 73;
    fprintf(stderr,
            "raw libzmq echo, 800 bytes in 4 frames over tcp loopback, %ld round trips\n"
            "  one at a time   p50 %.1f us   p99 %.1f us\n"
            "  %ld in flight  %.0f round trips/s\n",
            count, p50, p99, in_flight, rate);
    return 0;
}
