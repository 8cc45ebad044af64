"""Presents one error in bare mode (docs/wire.md, section 14) and prints the answer as JSON.

usage: bare_client.py [--endpoint tcp://127.0.0.1:7701]
       bare_client.py --secret keys/deploy.key_secret --parent keys/central.key   with keys
"""
import argparse, uuid, zmq, zmq.auth

options = argparse.ArgumentParser(description=__doc__)
options.add_argument("--endpoint", default="tcp://127.0.0.1:7701")
options.add_argument("--id", default=str(uuid.uuid4()), help="the same id gets the same answer")
options.add_argument("--secret", help="its own certificate, in a topology with keys")
options.add_argument("--parent", help="the public certificate of the node at the endpoint")
options.add_argument("--description", default="The nightly backup failed.")
options.add_argument("--timeout", type=float, default=60, help="the deadline, in seconds")
given = options.parse_args()
# At the deadline the node replies `expired`, a moment later by this clock.
patience = given.timeout + 5

socket = zmq.Context().socket(zmq.REQ)
socket.setsockopt(zmq.LINGER, 0)
socket.setsockopt(zmq.RCVTIMEO, int(patience * 1000))
if given.secret:
    socket.curve_publickey, socket.curve_secretkey = zmq.auth.load_certificate(given.secret)
    socket.curve_serverkey, _ = zmq.auth.load_certificate(given.parent)
socket.connect(given.endpoint)
socket.send_json({
    "id": given.id, "domain": "org.example.cron", "description": given.description,
    "deadlineMilliseconds": int(given.timeout * 1000),
    "recoveryOptions": [{"id": "retry", "title": "Retry", "role": "default"},
                        {"id": "cancel", "title": "Cancel", "role": "cancel"}]})
try:
    print(socket.recv_string())
except zmq.Again:
    raise SystemExit(f"no reply from {given.endpoint} within {patience} s; does a node run there?")
