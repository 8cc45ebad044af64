"""The workers of Examples/clients/storm.py, which fail for several causes in turn.

    storm_of_causes.py ENDPOINT COUNT CAUSE...

Prints one line of JSON for each worker that was answered and has carried the answer out, and ends
with the last one. The folder of storm.py is in PYTHONPATH.
"""
import json
import sys

import zmq
from storm import REPORT, Worker


def main(endpoint, count, *causes):
    context = zmq.Context()
    context.set(zmq.MAX_SOCKETS, count + 16)
    poller = zmq.Poller()
    workers = {}
    for number in range(count):
        code = number % len(causes)
        report = REPORT | {"code": code + 1, "description": causes[code]}
        worker = Worker(context, endpoint, number + 1, report)
        worker.present()
        workers[worker.socket] = worker
        poller.register(worker.socket, zmq.POLLIN)
    while workers:
        for socket, _ in poller.poll():
            worker = workers[socket]
            if not worker.heard():
                continue
            poller.unregister(socket)
            del workers[socket]
            print(json.dumps({
                "cause": worker.report["description"], "option": worker.option, "by": worker.by,
                "result": worker.result}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), *sys.argv[3:])
