"""Messages of hooks that their receivers did not take. As in cases.py."""
import contextlib
import http.server
import threading

from axe_cases import Axe
from consoles import report
from safety_cases import signed
from user_cases import USERS


@contextlib.contextmanager
def receiver(port):
    """Takes what a hook sends, into a list."""
    taken = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *arguments):
            pass

        def do_POST(self):
            taken.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield taken
    finally:
        server.shutdown()
        server.server_close()


def undelivered_messages_are_listed_and_sent_again(page, console):
    page.expects("ERR_")
    question, = console.ask(report("The disk is full."))
    signed(page, console)
    page.until(lambda: page.text("#letterNumber") == "1", "the count in the header")
    console.stop()
    console.start()
    page.open(console.url)
    page.until(lambda: page.text("#letterNumber") == "1", "the count after a restart")
    page.click("[data-tab=topology]")
    page.until(lambda: "opened: The disk is full." in page.text("#letters"), "the message")
    text = page.text("#letters")
    # An id is shortened to its end, as in lists at a shell: those of one minute begin alike.
    page.until(lambda: page.text("#letters a") == question.id[-8:], lambda: text)
    assert "ops" in text and "ago" in text and "after 1 try" in text, text
    gap = page.run("const [letters, nodes] = ['letters', 'nodes'].map((id) =>"
                   " document.getElementById(id).getBoundingClientRect());"
                   "return nodes.top - letters.bottom")
    assert gap > 8, gap
    axe = Axe(page)
    axe.look("undelivered messages")
    axe.close()
    # Where nothing takes it still, it is one with another number.
    page.click("#letters button", "Send again")
    page.until(lambda: [letter["number"] for letter in console.call("/api/v1/notify")["dead"]]
               == [2], "it to fail again")
    page.until(lambda: page.run("return document.querySelector('#letters button')?.dataset.key")
               == "letter 2", "the new one to be listed")
    page.click("#letters a")
    page.until(lambda: question.id in page.run("return location.hash"), "its presentation")
    page.go("topology")
    with receiver(console.hook) as taken:
        page.click("#letters button", "Send again")
        page.until(lambda: taken, "the receiver to have it")
        page.until(lambda: not page.text("#letters") and not page.text("#letterCount"),
                   "nothing to be listed")
    assert len(taken) == 1 and b"The disk is full." in taken[0], taken


undelivered_messages_are_listed_and_sent_again.hooked = True
undelivered_messages_are_listed_and_sent_again.journaled = True


def many_messages_leave_the_nodes_in_reach(page, console):
    page.expects("ERR_")
    console.ask(*[report(f"The disk {number} is full.") for number in range(9)])
    signed(page, console)
    page.until(lambda: page.text("#letterNumber") == "9", "the count in the header")
    page.go("topology")
    page.until(lambda: len(page.texts("#letters .letters li")) == 3, "the first ones")
    page.until(lambda: len(page.texts("#letters .card")) == 1, "one card, for their failure")
    page.until(lambda: len(page.texts("#letters .problem")) == 1, "the failure once")
    page.click("#letters button", "6 later ones")
    page.until(lambda: len(page.texts("#letters .letters li")) == 9, "all of them")
    page.until(lambda: page.run("return document.activeElement.dataset.key").startswith("fold"))
    page.click("#letters button", "6 later ones")
    page.until(lambda: len(page.texts("#letters .letters li")) == 3, "the first ones again")
    # Those of one failure are sent again one by one, or all at once.
    with receiver(console.hook) as taken:
        page.click("#letters button", "Send again")
        page.until(lambda: page.text("#letterNumber") == "8", "one of them to be gone")
        page.click("#letters button", "Send all 8 again")
        page.until(lambda: len(taken) == 9, "the receiver to have all")
        page.until(lambda: "8 messages sent again to ops" in page.text("#toasts"),
                   lambda: page.text("#toasts"))
        page.until(lambda: not page.text("#letters") and not page.text("#letterCount"),
                   "nothing to be listed")


many_messages_leave_the_nodes_in_reach.hooked = True


def who_may_not_send_again_is_shown_no_messages(page, console):
    console.ask(report("The disk is full."))
    page.open(console.url_of(console.tokens["board"]))
    page.until(lambda: console.call("/api/v1/notify")["dead"], "the dead letter")
    page.go("topology")
    page.until(lambda: page.text("#who") == "You: board" and page.text("#nodes"), "the topology")
    page.until(lambda: not page.text("#letters") and not page.text("#letterCount"))


who_may_not_send_again_is_shown_no_messages.hooked = True
who_may_not_send_again_is_shown_no_messages.users = USERS

ALL = [undelivered_messages_are_listed_and_sent_again, many_messages_leave_the_nodes_in_reach,
       who_may_not_send_again_is_shown_no_messages]
