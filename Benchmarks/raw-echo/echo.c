/* What libzmq itself costs: DEALER -> ROUTER echo over tcp loopback between processes, with
 * messages of an empty frame and four frames of about 800 bytes in all, like EB1's.
 *
 * usage: echo [--count N] [--warmup N] [--in-flight N] [--pipelined N] [--json FILE]
 *             [--through proxy]
 *
 * With `--through proxy` a third process stands between the two and runs zmq_proxy.
 *
 * Prints text to stderr and JSON to stdout (or FILE): p50 and p99 of round trips one at a time in
 * microseconds, and round trips per second with many in flight.
 */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zmq.h>

#include "measure.h"

enum { FRAMES = 5, ENDPOINT = 128 };

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

static void set(void *socket, int option, int value)
{
    check(zmq_setsockopt(socket, option, &value, sizeof value), "zmq_setsockopt");
}

static void *open_socket(void *context, int type)
{
    void *socket = zmq_socket(context, type);
    set(socket, ZMQ_LINGER, 0);
    set(socket, ZMQ_SNDHWM, 0);
    set(socket, ZMQ_RCVHWM, 0);
    return socket;
}

/* A ROUTER whose endpoint is written to the pipe. */
static void *listen_on_loopback(void *context, int endpoint_pipe)
{
    void *socket = open_socket(context, ZMQ_ROUTER);
    char endpoint[ENDPOINT];
    size_t length = sizeof endpoint;
    check(zmq_bind(socket, "tcp://127.0.0.1:*"), "zmq_bind");
    check(zmq_getsockopt(socket, ZMQ_LAST_ENDPOINT, endpoint, &length), "ZMQ_LAST_ENDPOINT");
    if (write(endpoint_pipe, endpoint, length) != (ssize_t)length)
        fail("write");
    close(endpoint_pipe);
    return socket;
}

/* Sends back whatever comes, frame by frame, until it is killed. */
static void echo(int endpoint_pipe, const char *unused)
{
    (void)unused;
    void *socket = listen_on_loopback(zmq_ctx_new(), endpoint_pipe);
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

/* Passes everything on to `next` and back, until it is killed. */
static void proxy(int endpoint_pipe, const char *next)
{
    void *context = zmq_ctx_new();
    void *back = open_socket(context, ZMQ_DEALER);
    check(zmq_connect(back, next), "zmq_connect");
    check(zmq_proxy(listen_on_loopback(context, endpoint_pipe), back, NULL), "zmq_proxy");
}

/* Starts a process, before this one has a context: contexts do not survive a fork. */
static pid_t start(void (*serve)(int, const char *), const char *next, char endpoint[ENDPOINT])
{
    int ends[2];
    if (pipe(ends) < 0)
        fail("pipe");
    pid_t server = fork();
    if (server < 0)
        fail("fork");
    if (server == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(ends[0]);
        serve(ends[1], next);
        exit(70);
    }
    close(ends[1]);
    memset(endpoint, 0, ENDPOINT);
    if (read(ends[0], endpoint, ENDPOINT - 1) <= 0)
        fail("a server did not start");
    close(ends[0]);
    return server;
}

static void stop(pid_t server)
{
    kill(server, SIGKILL);
    waitpid(server, NULL, 0);
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

int main(int argc, char **argv)
{
    struct options options = read_options(argc, argv, "--through");
    if (options.own && strcmp(options.own, "proxy")) {
        fprintf(stderr, "--through is %s, allowed: proxy\n", options.own);
        return 64;
    }
    char endpoint[ENDPOINT], front[ENDPOINT];
    pid_t server = start(echo, NULL, endpoint), between = 0;
    if (options.own)
        between = start(proxy, endpoint, front);

    void *context = zmq_ctx_new();
    void *socket = open_socket(context, ZMQ_DEALER);
    set(socket, ZMQ_RCVTIMEO, 10000);
    check(zmq_connect(socket, between ? front : endpoint), "zmq_connect");
    struct row row = measure(&options, between ? "echo through zmq_proxy" : "raw libzmq echo",
                             socket, send_one, receive_one);
    zmq_close(socket);
    zmq_ctx_term(context);
    if (between)
        stop(between);
    stop(server);
    return print_row(&options, &row);
}
