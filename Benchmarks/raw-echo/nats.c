/* NATS request-reply between two processes through a nats-server, with 800 bytes each way.
 *
 * usage: nats [--count N] [--warmup N] [--in-flight N] [--pipelined N] [--json FILE] --url URL
 */
#include <nats/nats.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure.h"

enum { BYTES = 800, PATIENCE_MS = 10000 };

struct peer {
    natsConnection *connection;
    natsSubscription *replies;
    char inbox[128];
};

static void check(natsStatus status, const char *what)
{
    if (status == NATS_OK)
        return;
    fprintf(stderr, "nats: %s: %s\n", what, natsStatus_GetText(status));
    exit(70);
}

static void reply(natsConnection *connection, natsSubscription *unused, natsMsg *message, void *none)
{
    (void)unused;
    (void)none;
    check(natsConnection_Publish(connection, natsMsg_GetReply(message),
                                 natsMsg_GetData(message), natsMsg_GetDataLength(message)),
          "publish");
    natsMsg_Destroy(message);
}

/* A connection that sends each message at once: by default the client collects them for up to
 * two milliseconds. */
static natsConnection *connect_to(const char *url)
{
    natsOptions *options;
    natsConnection *connection;
    check(natsOptions_Create(&options), "make options");
    check(natsOptions_SetURL(options, url), "set the url");
    check(natsOptions_SetSendAsap(options, true), "set sending");
    check(natsConnection_Connect(&connection, options), "connect");
    natsOptions_Destroy(options);
    return connection;
}

/* Replies to every request, until it is killed. */
static void serve(const char *url, int ready_pipe)
{
    natsConnection *connection = connect_to(url);
    natsSubscription *subscription;
    check(natsConnection_Subscribe(&subscription, connection, "bench", reply, NULL), "subscribe");
    check(natsSubscription_SetPendingLimits(subscription, -1, -1), "set limits");
    check(natsConnection_Flush(connection), "flush");
    if (write(ready_pipe, "1", 1) != 1)
        exit(70);
    for (;;)
        pause();
}

static void send_one(void *raw)
{
    static char bytes[BYTES];
    struct peer *peer = raw;
    check(natsConnection_PublishRequest(peer->connection, "bench", peer->inbox, bytes, BYTES),
          "publish");
}

static void receive_one(void *raw)
{
    struct peer *peer = raw;
    natsMsg *message;
    check(natsSubscription_NextMsg(&message, peer->replies, PATIENCE_MS), "no reply within 10 s");
    if (natsMsg_GetDataLength(message) != BYTES) {
        fprintf(stderr, "nats: a reply has %d bytes\n", natsMsg_GetDataLength(message));
        exit(70);
    }
    natsMsg_Destroy(message);
}

int main(int argc, char **argv)
{
    struct options options = read_options(argc, argv, "--url");
    if (!options.own) {
        fprintf(stderr, "nats: --url is missing\n");
        return 64;
    }
    /* Forked before the library has threads. */
    int ends[2];
    char byte;
    if (pipe(ends) < 0)
        return 70;
    pid_t server = fork();
    if (server < 0)
        return 70;
    if (server == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(ends[0]);
        serve(options.own, ends[1]);
    }
    close(ends[1]);
    if (read(ends[0], &byte, 1) != 1)
        return 70;

    struct peer peer = {.connection = connect_to(options.own)};
    natsInbox *inbox;
    check(natsInbox_Create(&inbox), "make an inbox");
    snprintf(peer.inbox, sizeof peer.inbox, "%s", inbox);
    natsInbox_Destroy(inbox);
    check(natsConnection_SubscribeSync(&peer.replies, peer.connection, peer.inbox), "subscribe");
    check(natsSubscription_SetPendingLimits(peer.replies, -1, -1), "set limits");

    struct row row = measure(&options, "NATS request-reply", &peer, send_one, receive_one);
    natsSubscription_Destroy(peer.replies);
    natsConnection_Destroy(peer.connection);
    kill(server, SIGKILL);
    waitpid(server, NULL, 0);
    return print_row(&options, &row);
}
