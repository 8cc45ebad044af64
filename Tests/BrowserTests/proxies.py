"""A reverse proxy in front of a console, which says who its one user is."""
import socket
import threading

HEADER = "X-Forwarded-User"
SECRET = "browser-tests-proxy-0123456789"
SIGN_OUT = "/signed-out"


class Proxy:
    """Passes requests on, each over a connection of its own, with the user's name and the
    secret."""

    def __init__(self, name, console_port):
        self.name, self.console_port = name, console_port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.host = f"127.0.0.1:{self.listener.getsockname()[1]}"
        self.url = f"http://{self.host}/"

    def start(self):
        threading.Thread(target=self.accept, daemon=True).start()

    def close(self):
        self.listener.close()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        with client:
            text = b""
            while b"\r\n\r\n" not in text:
                chunk = client.recv(65536)
                if not chunk:
                    return
                text += chunk
            head, body = text.split(b"\r\n\r\n", 1)
            request, *fields = head.split(b"\r\n")
            if request.split()[1].decode() == SIGN_OUT:
                # Without an icon of its own the browser would ask the console for one.
                client.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\n"
                               b"Content-Type: text/html\r\n\r\n"
                               b"<!doctype html><link rel=icon href='data:,'>signed out")
                return
            own = (HEADER.lower(), "errorbus-proxy-secret", "connection")
            fields = [field for field in fields
                      if field.split(b":")[0].decode().lower() not in own]
            fields += [f"{HEADER}: {self.name}".encode(),
                       f"ErrorBus-Proxy-Secret: {SECRET}".encode(), b"Connection: close"]
            with socket.create_connection(("127.0.0.1", self.console_port)) as console:
                console.sendall(b"\r\n".join([request, *fields]) + b"\r\n\r\n" + body)
                threading.Thread(target=copy, args=(client, console), daemon=True).start()
                copy(console, client)


def copy(source, target):
    """Until either is closed."""
    try:
        while chunk := source.recv(65536):
            target.sendall(chunk)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass
