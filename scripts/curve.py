"""The client's side of CURVE (RFC 26 of ZeroMQ) over libsodium, for peers that keep to no protocol
after it, or not even to it."""
import ctypes
import ctypes.util
import os
import socket

SODIUM = ctypes.CDLL(ctypes.util.find_library("sodium") or "libsodium.so.23")
GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x01" + b"CURVE".ljust(52, b"\0")
METADATA = b"\x0bSocket-Type\0\0\0\x06DEALER\x08Identity\0\0\0\0"


class CurveError(OSError):
    """What the other side sent does not open; an OSError, as a connection that ends."""


def tcp(endpoint):
    host, port = endpoint[len("tcp://"):].split(":")
    return socket.create_connection((host, int(port)), timeout=5)


def pair():
    public, secret = ctypes.create_string_buffer(32), ctypes.create_string_buffer(32)
    SODIUM.crypto_box_keypair(public, secret)
    return public.raw, secret.raw


def shared(public, secret):
    """What both sides of a box have in common."""
    key = ctypes.create_string_buffer(32)
    if SODIUM.crypto_box_beforenm(key, public, secret) != 0:
        raise CurveError("no key")
    return key.raw


def box(text, nonce, key):
    made = ctypes.create_string_buffer(len(text) + 16)
    SODIUM.crypto_box_easy_afternm(made, text, ctypes.c_ulonglong(len(text)), nonce, key)
    return made.raw


def opened(content, nonce, key):
    text = ctypes.create_string_buffer(max(0, len(content) - 16))
    if SODIUM.crypto_box_open_easy_afternm(
            text, content, ctypes.c_ulonglong(len(content)), nonce, key) != 0:
        raise CurveError("a box does not open")
    return text.raw


def frame(content, flags):
    size = len(content)
    head = bytes([flags, size]) if size < 256 else bytes([flags | 2]) + size.to_bytes(8, "big")
    return head + content


def command(name, body):
    return frame(bytes([len(name)]) + name + body, 4)


def hello(server, short=None):
    """GREETING and a true HELLO; it may be sent over any number of connections."""
    public, secret = short or pair()
    nonce = (1).to_bytes(8, "big")
    signature = box(bytes(64), b"CurveZMQHELLO---" + nonce, shared(server, secret))
    return GREETING + command(b"HELLO", b"\1\0" + bytes(72) + public + nonce + signature)


def read(link, count):
    content = b""
    while len(content) < count:
        piece = link.recv(count - len(content))
        if not piece:
            raise CurveError("closed")
        content += piece
    return content


def read_frame(link):
    flags = read(link, 1)[0]
    return read(link, int.from_bytes(read(link, 8 if flags & 2 else 1), "big"))


class KeyedLink:
    """A connection to a node with keys, for one thread that sends and one that reads."""

    def __init__(self, endpoint, server, own):
        """Shakes hands; `server` is a public key, and `own` a pair."""
        self.socket = tcp(endpoint)
        try:
            self.shake_hands(server, own)
        except OSError:
            self.socket.close()
            raise

    def shake_hands(self, server, own):
        short = pair()
        self.socket.sendall(hello(server, short))
        read(self.socket, len(GREETING))
        welcome = read_frame(self.socket)[len(b"\7WELCOME"):]
        text = opened(welcome[16:], b"WELCOME-" + welcome[:16], shared(server, short[1]))
        server_short, cookie = text[:32], text[32:]
        self.key = shared(server_short, short[1])
        nonce = os.urandom(16)
        vouch = nonce + box(
            short[0] + server, b"VOUCH---" + nonce, shared(server_short, own[1]))
        self.count = 2
        number = self.count.to_bytes(8, "big")
        self.socket.sendall(command(b"INITIATE", cookie + number + box(
            own[0] + vouch + METADATA, b"CurveZMQINITIATE" + number, self.key)))
        if not read_frame(self.socket).startswith(b"\5READY"):
            raise CurveError("refused")

    def sendall(self, content):
        """Sends plain frames, each in its own cipher."""
        place, pieces = 0, []
        while place < len(content):
            flags = content[place]
            start = place + (9 if flags & 2 else 2)
            place = start + int.from_bytes(content[place + 1:start], "big")
            self.count += 1
            number = self.count.to_bytes(8, "big")
            pieces.append(frame(b"\7MESSAGE" + number + box(
                bytes([flags & 1]) + content[start:place], b"CurveZMQMESSAGEC" + number,
                self.key), 0))
        self.socket.sendall(b"".join(pieces))

    def recv(self, _):
        """The content of the next frame."""
        content = read_frame(self.socket)[len(b"\7MESSAGE"):]
        return opened(content[8:], b"CurveZMQMESSAGES" + content[:8], self.key)[1:] or b"\0"

    def settimeout(self, seconds):
        self.socket.settimeout(seconds)

    def close(self):
        self.socket.close()


def bad_connect(endpoint, server, number):
    """One connection that comes to nothing, of the kind that the number says; returns when it is
    over."""
    kind = number % 8
    if kind == 0:
        try:
            KeyedLink(endpoint, server, pair()).close()
        except OSError:
            # Refused: its key is not known.
            pass
        return
    changed = bytearray(hello(server))
    changed[-1] ^= 1
    content = [
        hello(server), bytes(changed), hello(server)[:150],
        GREETING + command(b"HELLO", bytes(100)), GREETING + frame(b"EB1", 0),
        b"\xff" + bytes(8) + b"\x7f\x03\x01" + b"NULL".ljust(52, b"\0"),
        b"GET / HTTP/1.1\r\n\r\n",
    ][kind - 1]
    with tcp(endpoint) as link:
        try:
            link.sendall(content)
            # As far as the node goes along with it.
            link.recv(4_096)
        except OSError:
            pass
