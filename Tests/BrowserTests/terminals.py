"""A terminal of a node."""
import fcntl
import os
import struct
import termios
import threading


class Terminal:
    """What a person would see and type."""

    def __init__(self):
        self.parent, self.child = os.openpty()
        self.screen = ""
        # Wide enough that no text of a test is broken.
        fcntl.ioctl(self.child, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        while True:
            self.screen += os.read(self.parent, 4096).decode(errors="replace")

    def enter(self, page, line, brings):
        """Types a line once the prompt is at the end of the screen: one before is ignored. Waits
        for what it brings there."""
        # Or with a line above the prompt that was written again, and the cursor behind the prompt.
        page.until(lambda: self.screen.endswith(("> ", "\x1b8")), lambda: self.screen[-2000:])
        before = len(self.screen)
        os.write(self.parent, f"{line}\n".encode())
        page.until(lambda: brings in self.screen[before:], lambda: self.screen[-2000:])
