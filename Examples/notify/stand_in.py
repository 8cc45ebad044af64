#!/usr/bin/env python3
"""A receiver for webhooks that prints what it gets, to try hooks without their services.

    stand_in.py [--port 9000] [--fail N] [--secret-file FILE] [--certificate FILE]

Prints its address, then one line of JSON for each request. The first N requests get 503. With a
secret a request whose signature is missing or wrong gets 401. With a certificate, and its key in
the same file, it speaks https.
"""
import argparse
import json
import pathlib
import ssl
from http.server import BaseHTTPRequestHandler, HTTPServer

from signature import is_signed


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        status = 200
        if arguments.secret_file and not is_signed(self.headers, body, secret):
            status = 401
        elif arguments.fail > 0:
            arguments.fail -= 1
            status = 503
        print(json.dumps({
            "status": status, "path": self.path, "message": self.headers["ErrorBus-Message"],
            "body": json.loads(body)}), flush=True)
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
parser.add_argument("--port", type=int, default=9000)
parser.add_argument("--fail", type=int, default=0)
parser.add_argument("--secret-file", type=pathlib.Path)
parser.add_argument("--certificate", type=pathlib.Path)
arguments = parser.parse_args()
secret = arguments.secret_file.read_text().strip() if arguments.secret_file else ""
server = HTTPServer(("127.0.0.1", arguments.port), Handler)
if arguments.certificate:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(arguments.certificate)
    server.socket = context.wrap_socket(server.socket, server_side=True)
scheme = "https" if arguments.certificate else "http"
print(f"{scheme}://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
