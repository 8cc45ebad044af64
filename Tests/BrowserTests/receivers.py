"""A receiver of a console's hook."""
import json
import queue
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer


class Receiver:
    """Keeps the messages that it gets."""

    def __init__(self):
        messages = self.messages = queue.Queue()

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                messages.put(json.loads(body))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}/"

    def start(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def message(self, seconds=120):
        """The next message."""
        return self.messages.get(timeout=seconds)

    def close(self):
        self.server.shutdown()
        self.server.server_close()
