"""What keeps a person from answering by mistake, or from not being able to. As in cases.py."""
import contextlib
import http.server
import threading

from consoles import OPTIONS, TOKEN, report


def signed(page, console, undo=0):
    page.open(console.url)
    page.run("localStorage.setItem('errorbus.name', 'ada');"
             "localStorage.setItem('errorbus.undo', arguments[0])", str(undo))


def open_count(console):
    return console.call("/api/v1/inbox?limit=1")["openCount"]


def a_group_opens_and_the_next_answer_goes_where_it_belongs(page, console):
    console.ask(*[report("The same thrice.", failureReason="Alike.") for _ in range(3)])
    [other] = console.ask(report("Payout of a million.", severity="warning"))
    signed(page, console)
    page.choose("The same thrice.")
    said = ("const [row, toggle] = ['.row', '.toggle'].map((part) =>"
            " document.querySelector(`#list .group ${part}`));"
            "return [row.ariaExpanded, toggle.ariaExpanded, toggle.ariaLabel]")
    page.until(lambda: page.run(said) == ["false", "false", "Each of the 3: The same thrice."],
               lambda: page.run(said))
    page.click("#list .toggle")
    page.until(lambda: len(page.texts("#list .member")) == 3, "its members")
    page.until(lambda: page.run(said)[:2] == ["true", "true"], lambda: page.run(said))
    page.press("j")
    page.until(lambda: page.texts("#list .member.chosen"), "a member to be chosen")
    page.choose("Payout of a million.")
    page.click("[data-option=skip]")
    assert other.answer() == ("skip", "ada")
    assert open_count(console) == 3
    page.choose("The same thrice.")
    page.press(page.keys.ESCAPE, page.keys.ARROW_LEFT)
    page.until(lambda: not page.texts("#list .member"), "the group to close")


def a_group_that_differs_is_not_answered_unseen(page, console):
    key = {"coalesceKey": "timeout"}
    cache = console.ask(*[report("Cache node 3 timed out.", **key) for _ in range(2)])
    ledger = console.ask(report("Partition 7 timed out.", severity="critical", **key))
    signed(page, console)
    page.until(lambda: "3 waiting in 1 row" in page.text("#count"), "one row for all")
    page.choose("timed out.")
    box = "return document.querySelector('.scope input').checked"
    page.until(lambda: not page.run(box), "ticked, though its members differ")
    shown = page.texts(".kinds .kind")
    assert len(shown) == 2 and "Partition 7" in shown[0] and "× 2" in shown[1], shown
    assert "a client without a name" in shown[0], shown
    page.until(lambda: [text.strip() for text in page.texts(".kind .varies")]
               == ["Partition 7", "Cache node 3"], lambda: page.texts(".kind .varies"))
    page.click(".scope")
    page.until(lambda: "Skip × 3" in page.text(".options"), "the answer for all")
    page.click("[data-option=skip]")
    page.until(lambda: "have different texts" in page.text("#confirmDialog"), "the confirmation")
    page.press(page.keys.ENTER)
    page.until(lambda: not page.text("#confirmDialog"), "Return to send nothing")
    assert open_count(console) == 3
    page.click("[data-option=skip]")
    page.click("#confirmYes", "Skip × 3")
    assert {each.answer() for each in cache + ledger} == {("skip", "ada")}


def a_long_text_that_differs_at_its_end_is_not_answered_unseen(page, console):
    console.ask(*[report(f"{'Partition ' * 120}{end}", coalesceKey="timeout") for end in "ab"])
    signed(page, console)
    page.until(lambda: "2 waiting in 1 row" in page.text("#count"), "one row for both")
    page.choose("Partition")
    page.until(lambda: "differ in what they say" in page.text(".decide"),
               lambda: page.text(".decide"))
    page.until(lambda: not page.run("return document.querySelector('.scope input').checked"),
               "ticked, though its members differ")


def a_group_is_answered_in_part(page, console):
    alike = console.ask(*[report("Some of these.") for _ in range(4)])
    signed(page, console)
    page.choose("Some of these.")
    page.click("#list .toggle")
    page.until(lambda: len(page.texts("#list .member")) == 4, "its members")
    members = page.run("return [...document.querySelectorAll('#list .member')]"
                       ".map((line) => line.dataset.row)")
    by_id = {each.id: each for each in alike}
    # One by the pointer, one by a key.
    page.run("document.querySelector('#list .member .pick input').click()")
    page.until(lambda: "Skip × 3" in page.text(".options"), "three of them")
    page.until(lambda: "Answer 3 of the 4" in page.text(".scope"), lambda: page.text(".scope"))
    page.press("j", "j", "x")
    page.until(lambda: page.run("return document.querySelectorAll("
                                "'#list .member .pick input:not(:checked)').length") == 2,
               "two left")
    page.press("k", "k")
    page.until(lambda: "Some of these." in page.text("#title"), "the group")
    page.until(lambda: "Skip × 2" in page.text(".options"), "two of them")
    page.click("[data-option=skip]", "× 2")
    assert {by_id[each].answer() for each in members[2:]} == {("skip", "ada")}
    # Those left out are open still, and a second click answers none of them.
    page.until(lambda: len(page.texts("#list .member")) == 2, "the rest")
    assert open_count(console) == 2
    page.until(lambda: page.text("#count").startswith("2 waiting in 1 row"), "one group still")


def a_group_that_differs_is_answered_in_part(page, console):
    key = {"coalesceKey": "part"}
    cache = console.ask(*[report("Cache node 3 is full.", **key) for _ in range(2)])
    ledger = console.ask(report("Partition 7 is full.", severity="critical", **key))
    signed(page, console)
    page.choose("is full.")
    page.until(lambda: len(page.texts(".kinds .kind")) == 2, "two texts")
    page.run("document.querySelector('.kinds .pick input').click()")
    page.until(lambda: "Delete it × 2" in page.text(".options"), "the others")
    page.click("[data-option=purge]", "× 2")
    page.until(lambda: "for 2 of 3" in page.text("#confirmTitle"), "the question")
    page.until(lambda: "cannot be undone" in page.text("#confirmText"))
    page.until(lambda: "have different texts" in page.text("#confirmText"))
    page.click("#confirmYes", "Delete it × 2")
    assert {each.answer() for each in cache} == {("purge", "ada")}
    assert open_count(console) == 1
    page.row("Partition 7 is full.")
    assert console.call("/api/v1/inbox?stage=open")["items"][0]["id"] == ledger[0].id


def a_destructive_option_of_a_group_asks(page, console):
    presentations = console.ask(*[report("Both are full.", failureReason=reason)
                              for reason in ("No space.", "No inodes.")])
    signed(page, console)
    page.choose("Both are full.")
    # What only the reports have is read, and unticks the box.
    page.until(lambda: "No inodes." in page.text(".kinds"), "why each failed")
    page.until(lambda: not page.run("return document.querySelector('.scope input').checked"))
    page.press("g")
    page.shown("Both are full.")
    page.click("[data-option=purge]", "× 2")
    page.until(lambda: "cannot be undone" in page.text("#confirmDialog"), "the warning")
    page.click("#confirmYes", "Delete it × 2")
    assert {each.answer() for each in presentations} == {("purge", "ada")}


def a_group_of_different_choices_is_no_group(page, console):
    other = [{"id": "retry", "title": "Delete the partition", "role": "destructive"}]
    key = {"coalesceKey": "timeout"}
    console.ask(report("A cache.", recoveryOptions=OPTIONS[:1], **key))
    console.ask(report("A ledger.", recoveryOptions=other, **key))
    signed(page, console)
    page.row("A ledger.")
    page.row("A cache.")
    group = console.call("/api/v1/inbox?stage=open")["groups"][0]["number"]
    # The interface too: an option that was not seen is not chosen for a group.
    page.expects("409")
    status = page.driver.execute_async_script(
        "const done = arguments[1]; fetch(`/api/v1/groups/${arguments[0]}/answer`, {"
        " method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify("
        " {option: 'retry', by: 'ada', title: 'Never shown', role: 'default'})})"
        ".then((response) => done(response.status));", group)
    assert status == 409, status
    assert open_count(console) == 2


def a_group_has_its_gravest_severity(page, console):
    console.ask(report("Growing worse.", severity="info"))
    console.ask(report("Growing worse.", severity="critical"))
    console.ask(report("An error.", severity="error"))
    page.open(console.url)
    page.until(lambda: len(page.texts("#list .row")) == 2, "two rows")
    page.choose("Growing worse.")
    marks = page.texts("#list .mark")
    assert marks == ["‼", "✕"], marks
    page.until(lambda: "critical" in page.text("#detail .meta .badge"))


def a_permalink_shows_why_also_after_a_reload(page, console):
    [presentation] = console.ask(report("Look here.", failureReason="There is a reason."))
    page.open(console.url)
    page.row("Look here.")
    for _ in range(5):
        page.open(console.url.split("?")[0] + f"#/inbox/{presentation.id}")
        page.until(lambda: "There is a reason." in page.text("#detail"), "the reason", 5)
        page.driver.refresh()
        page.until(lambda: "There is a reason." in page.text("#detail"), "the reason again", 5)


def a_refused_answer_leaves_the_facts(page, console):
    [presentation] = console.ask(report("Two at it.", failureReason="The very reason."))
    signed(page, console)
    page.choose("Two at it.")
    page.until(lambda: "The very reason." in page.text("#detail"), "the reason")
    page.part("state", "part.state.port.close()")  # This tab gets no events from now on.
    console.call(f"/api/v1/presentations/{presentation.id}/answer", {"option": "skip", "by": "bob"})
    page.expects("409")
    page.click("[data-option=retry]")
    page.until(lambda: "bob chose “Skip” at" in page.text("#toasts"), "the refusal in words")
    page.until(lambda: "The very reason." in page.text("#detail"), "the reason to be there")


def details_that_cannot_be_read_are_missed(page, console):
    console.ask(report("Half of it.", failureReason="Read at last."))
    page.open(console.url)
    page.row("Half of it.")
    page.run("const send = window.fetch; window.broken = true; window.fetch = (path, options) =>"
             " window.broken && path.includes('presentations')"
             " ? Promise.reject(new TypeError('down')) : send(path, options)")
    page.click("#list .row", "Half of it.")
    page.until(lambda: "could not be loaded" in page.text("#detail"), "that something is missing")
    page.run("window.broken = false")
    page.click("#detail button", "Read again")
    page.until(lambda: "Read at last." in page.text("#detail"), "the reason")


def seven_tabs_are_live(page, console):
    presentations = console.ask(*[report(f"Question {number}.") for number in range(7)])
    signed(page, console)
    tabs = [page.driver.current_window_handle]
    while len(tabs) < 7:
        tabs.append(page.second_tab(console.url)[1])
    for number, tab in enumerate(tabs):
        page.driver.switch_to.window(tab)
        page.choose(f"Question {number}.")
        page.click("[data-option=retry]")
        assert presentations[number].answer() == ("retry", "ada"), number
    for tab in tabs:
        page.driver.switch_to.window(tab)
        page.until(lambda: "Nothing is waiting." in page.text("#empty"), "the others' answers")
    console.ask(report("One for all."))
    for tab in tabs[1:]:
        page.driver.switch_to.window(tab)
        page.row("One for all.")
        page.driver.close()
    page.driver.switch_to.window(tabs[0])
    console.ask(report("One more, for who is left."))
    page.row("One more, for who is left.")


def without_a_shared_worker_it_is_live_too(page, console):
    page.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument",
                                {"source": "delete globalThis.SharedWorker;"})
    [presentation] = console.ask(report("By itself."))
    signed(page, console)
    page.choose("By itself.")
    page.click("[data-option=retry]")
    assert presentation.answer() == ("retry", "ada")
    console.ask(report("And another."))
    page.row("And another.")


def a_reset_of_the_stream_is_read_anew(page, console):
    # As if so much had ended between the list and the stream that the console has forgotten it.
    page.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": (
        "delete globalThis.SharedWorker; const Own = EventSource;"
        "window.EventSource = class extends Own {"
        " addEventListener(name, listener) {"
        "  super.addEventListener(name, ({ data, lastEventId }) => listener({ lastEventId,"
        "   data: name === 'hello' && window.hasEnded"
        "    ? JSON.stringify({ ...JSON.parse(data), isReset: true }) : data })); } }")})
    console.ask(report("Waits still."))
    page.open(console.url)
    page.row("Waits still.")
    page.part("state", "[...part.state.items.values()].forEach((item) => part.state.items.set("
                       "'ended', { ...item, id: 'ended', group: 999, description: 'Has ended.' }))")
    page.row("Has ended.")
    page.run("window.hasEnded = true")
    page.part("link", "part.connect()")
    page.until(lambda: len(page.texts("#list .row")) == 1, lambda: page.texts("#list .row"))
    page.row("Waits still.")
    console.ask(report("Came later."))
    page.row("Came later.")


def nothing_waits_after_exactly_500_ends(page, console):
    console.ask(*[report("One of very many.") for _ in range(500)])
    page.until(lambda: open_count(console) == 500, "all of them to be open")
    [group] = console.call("/api/v1/inbox?limit=1")["groups"]
    console.call(f"/api/v1/groups/{group['number']}/answer",
                 {"option": "skip", "by": "bob", "count": 500})
    page.until(lambda: open_count(console) == 0, "all of them to have ended")
    page.open(console.url)
    page.until(lambda: "Nothing is waiting." in page.text("#empty"), "the empty list")
    console.ask(report("After the quiet."))
    page.row("After the quiet.")
    page.until(lambda: "After the quiet." in page.run(
        "return document.getElementById('news').textContent"), "it to be announced")


@contextlib.contextmanager
def another_site(link):
    """A page with a link, at another site: localhost is another one than 127.0.0.1."""
    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *arguments):
            pass

        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(f'<link rel=icon href="data:,"><a href="{link}">the link</a>'.encode())
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://localhost:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


def a_link_on_another_site_leads_to_it(page, console):
    [presentation] = console.ask(report("Linked to.", failureReason="From afar."))
    home = console.url.split("?")[0]
    with another_site(f"{home}#/inbox/{presentation.id}") as site:
        # Without the token the page asks for it, and goes on to what was linked to.
        page.expects("401")
        page.driver.get(site)
        page.click("a", "the link")
        page.until(lambda: "needs its token" in page.text("#door"), "the door")
        page.click("#doorToken")
        page.press(*TOKEN, page.keys.ENTER)
        page.shown("Linked to.")
        assert TOKEN not in page.driver.current_url
        page.until(lambda: not page.text("#door"))
        assert page.complaints() == []
        page.expected = []
        # With it, it is there at once, and after a reload.
        page.driver.get(site)
        page.click("a", "the link")
        page.shown("Linked to.")
        page.until(lambda: "From afar." in page.text("#detail"), "the reason")
        page.driver.refresh()
        page.until(lambda: "From afar." in page.text("#detail"), "the reason after a reload")


def the_door_keeps_what_was_asked_for(page, console):
    [presentation] = console.ask(report("Behind the door."))
    page.expects("401")
    page.driver.get(console.url.split("?")[0] + f"#/inbox/{presentation.id}")
    page.until(lambda: page.text("#door"), "the door")
    page.press(*"wrong", page.keys.ENTER)
    page.until(lambda: "wrong" in page.driver.current_url or page.text("#door"), "the door again")
    page.until(lambda: page.text("#door"), "the door again")
    page.click("#doorToken")
    page.press(*TOKEN, page.keys.ENTER)
    page.shown("Behind the door.")


def a_fault_of_the_page_ends_it(page, console):
    console.ask(report("Whatever it is."))
    signed(page, console)
    page.choose("Whatever it is.")
    page.expects("TypeError")
    page.part("state", "part.state.items.set('broken',"
                       "{ id: 'broken', stage: 'open', severity: 'error' })")
    console.ask(report("Another one."))
    page.until(lambda: "This page has a fault" in page.text("#banner"), "the banner")
    page.run("document.querySelector('[data-option=retry]').click()")
    page.press("1")
    page.until(lambda: "has a fault" in page.text("#toasts"), "the refusal")
    assert open_count(console) == 2
    page.click("#banner button", "Reload")
    page.row("Another one.")
    page.until(lambda: not page.text("#banner"), "no banner")


def a_button_answers_only_what_it_was_drawn_for(page, console):
    one, two = console.ask(report("The first one."), report("The second one."))
    signed(page, console)
    page.choose("The first one.")
    page.row("The second one.")
    # What is chosen changes, and the button is clicked before anything is drawn.
    page.part("state", f"(part.state.selected = '{two.id}',"
                       "document.querySelector('[data-option=retry]').click())")
    page.until(lambda: "The screen has changed" in page.text("#toasts"), "the refusal")
    assert open_count(console) == 2
    assert one.id != two.id


def a_late_response_does_not_set_the_clock(page, console):
    page.open(console.url)
    page.run("const send = window.fetch; window.late = 0;"
             "window.fetch = async (path, options) => { const response = await send(path, options);"
             " if (path.includes('chart')) { await new Promise((go) => setTimeout(go, 3500));"
             " window.late += 1; } return response; }")
    page.until(lambda: page.run("return window.late") > 0, "a late response")
    page.until(lambda: page.part("state", "part.state.skew") == 0)


def requests_that_time_out_are_no_link(page, console):
    page.open(console.url)
    page.run("window.send = window.fetch; window.fetch = () =>"
             " Promise.reject(new DOMException('too late', 'TimeoutError'))")
    page.until(lambda: page.text("#link") == "no link", "the link to be taken for lost", 30)
    page.run("window.fetch = window.send")
    page.until(lambda: page.text("#link") == "live", "the link", 30)


def an_undo_by_another_is_shown(page, console):
    [presentation] = console.ask(report("Ann's answer."))
    signed(page, console, undo=60)
    page.choose("Ann's answer.")
    page.click("[data-option=retry]")
    page.until(lambda: "Undo" in page.text("#toasts"), "the time to undo")
    console.call(f"/api/v1/presentations/{presentation.id}/undo", {"by": "bob"})
    page.until(lambda: "bob took back your answer" in page.text("#toasts"), "who took it back")
    page.until(lambda: "Undo" not in page.text("#toasts"))


def a_destructive_option_says_where(page, console):
    workers = [console.work("Delete the cache?", "It is stale.", "--name", name)
               for name in ("db-1", "db-2")]
    signed(page, console)
    page.until(lambda: "2 waiting in 1 row" in page.text("#count"), "one row for both")
    page.choose("Delete the cache?")
    page.until(lambda: "Delete it × 2" in page.text(".options"), "the answer for both")
    page.read()
    page.press("3")
    page.until(lambda: page.text("#confirmDialog"), "the question")
    text = page.text("#confirmText")
    assert "They come from db-1, db-2." in text or "They come from db-2, db-1." in text, text
    page.press(page.keys.ESCAPE)
    page.until(lambda: not page.text("#confirmDialog"), "it to close")
    page.press("g")
    page.until(lambda: "×" not in page.text(".options"), "the answer for one")
    page.read()
    page.press("3")
    page.until(lambda: "It comes from db-" in page.text("#confirmText"), "the question for one")
    page.press(page.keys.ESCAPE)
    for worker in workers:
        worker.process.kill()
        worker.process.wait()


def a_confirmation_ends_with_its_presentation(page, console):
    [presentation] = console.ask(report("Ended meanwhile."))
    signed(page, console)
    page.choose("Ended meanwhile.")
    page.click("[data-option=purge]")
    page.until(lambda: page.text("#confirmDialog"), "the confirmation")
    console.call(f"/api/v1/presentations/{presentation.id}/answer", {"option": "skip", "by": "bob"})
    page.until(lambda: not page.text("#confirmDialog"), "the confirmation to close")
    page.until(lambda: "answered with “Skip” by bob" in page.text("#toasts"),
               lambda: page.text("#toasts"))


def what_is_being_sent_says_so(page, console):
    console.ask(report("Slowly."))
    signed(page, console)
    page.choose("Slowly.")
    page.run("const send = window.fetch; window.fetch = (path, options) =>"
             " options.method === 'POST' ? new Promise(() => {}) : send(path, options)")
    page.click("[data-option=skip]")
    page.until(lambda: "Sending…" in page.text("[data-option=skip]"), "that it is sent")
    page.until(lambda: "No reply from the console" in page.text("#toasts"), "the warning", 8)


def a_cancelled_one_is_no_failure(page, console):
    worker = console.work("Give it up.", "Whatever it takes.")
    signed(page, console)
    page.choose("Give it up.")
    page.click("[data-option=cancel]")
    assert worker.answer() == ("cancel", "ada")
    page.until(lambda: "Cancelled" in page.text(".decide"), "what came of it")
    page.until(lambda: "Cancelled: Give it up." in page.text("#toasts"), "the news of it")


def a_skipped_one_is_no_failure(page, console):
    console.command("exec", "--", "sh", "-c", "echo Why. >&2; exit 3")
    signed(page, console)
    page.choose("exit 3")
    page.click("[data-option=skip]")
    page.until(lambda: page.text(".decide .outcome.debug") == "Not recovered", "its end")
    page.until(lambda: "Not recovered: " in page.text("#toasts .debug"), "the news of it")


def an_empty_text_has_another_in_its_place(page, console):
    options = [{"id": "retry", "title": "  "}, {"id": "skip", "title": "S" * 200 + " end"}]
    console.ask(report("\u200b ", code=5, recoveryOptions=options, coalesceKey="empty"))
    page.open(console.url)
    page.choose("org.example.tests 5")
    buttons = page.texts(".options button")
    assert buttons[0].endswith("retry") and buttons[1].endswith(" end"), buttons


def a_claim_of_a_quarter_of_an_hour_is_one(page, console):
    console.ask(report("Mine."))
    signed(page, console)
    page.choose("Mine.")
    page.press("c")
    page.until(lambda: "Claimed by you for another 15 min" in page.text(".decide"), "the claim")
    console.ask(*[report("All of us.") for _ in range(2)])
    page.choose("All of us.")
    page.until(lambda: "Claim only this one" in page.text(".decide"), lambda: page.text(".decide"))


def a_group_is_claimed_and_released_at_once(page, console):
    ours = console.ask(*[report("For one of us.") for _ in range(3)])
    console.await_open(3)
    console.call(f"/api/v1/presentations/{ours[1].id}/claim", {"by": "bob"})

    def holders():
        items = [console.call(f"/api/v1/presentations/{each.id}") for each in ours]
        return [item["claimedBy"] for item in items]

    signed(page, console)
    page.choose("For one of us.")
    page.until(lambda: "Claim all 3" in page.text(".decide"), "the claim of all")
    page.press("c")
    page.until(lambda: "1 not claimed: claimed by another" in page.text("#toasts"), "the rest")
    assert holders() == ["ada", "bob", "ada"], holders()
    page.click(".decide button", "Take over all 3")
    page.until(lambda: "Release all 3" in page.text(".decide"), "all to be mine")
    assert holders() == ["ada"] * 3, holders()
    page.press("h")
    page.until(lambda: page.text("#handDialog"), "the question for the person")
    page.press(*"bea", page.keys.ENTER)
    page.until(lambda: holders() == ["bea"] * 3, "all to be handed over")
    page.click(".decide button", "Take over all 3")
    page.until(lambda: "Prolong all 3" in page.text(".decide"), "all to be mine again")
    page.press("c")
    page.until(lambda: "Claim all 3" in page.text(".decide"), "all to be free")
    assert holders() == [None] * 3, holders()
    # A member alone, by its own row; then without it, by the group's.
    page.click("#list .toggle")
    page.until(lambda: len(page.texts("#list .member")) == 3, "its members")
    page.press("j")
    page.until(lambda: page.texts("#list .member.chosen"), "a member to be chosen")
    page.read()
    page.press("c")
    page.until(lambda: "Claimed by you" in page.text(".decide"), "one claim")
    assert holders().count("ada") == 1, holders()
    page.press("c")
    page.until(lambda: "Claim only this one" in page.text(".decide"), "its release")
    assert holders() == [None] * 3, holders()
    page.press("x", "k")
    page.until(lambda: "Claim 2 of 3" in page.text(".decide"), "the claim of two")
    page.read()
    page.press("c")
    page.until(lambda: "Release 2 of 3" in page.text(".decide"), "two to be mine")
    assert holders().count("ada") == 2, holders()


def a_key_hands_over_no_group_that_is_not_claimed_whole(page, console):
    ours = console.ask(*[report("For one of us.") for _ in range(3)])
    console.await_open(3)
    console.call(f"/api/v1/presentations/{ours[0].id}/claim", {"by": "ada"})
    signed(page, console)
    page.choose("For one of us.")
    page.until(lambda: "Claim all 3" in page.text(".decide"), "the claim of all")
    page.until(lambda: page.part("state", "part.state.decision?.claims.mine") == 1, "the claim")
    page.press("h")
    page.until(lambda: "Claim it first" in page.text("#toasts"), "the refusal")
    page.until(lambda: not page.text("#handDialog"))
    items = [console.call(f"/api/v1/presentations/{each.id}") for each in ours]
    assert [item["claimedBy"] for item in items] == ["ada", None, None], items


def a_stream_too_many_says_why(page, console):
    page.expects("429")
    streams = console.streams(56)
    page.driver.get(console.url)
    page.until(lambda: "event streams from 127.0.0.1: the limit of 56" in page.text("#banner"),
               "why there is no link")
    for stream in streams:
        stream.close()
    page.until(lambda: page.text("#link") == "live", "the link", 40)


ALL = [a_group_opens_and_the_next_answer_goes_where_it_belongs, a_group_is_answered_in_part,
       a_group_that_differs_is_answered_in_part,
       a_long_text_that_differs_at_its_end_is_not_answered_unseen,
       a_group_that_differs_is_not_answered_unseen, a_destructive_option_of_a_group_asks,
       a_group_of_different_choices_is_no_group, a_group_has_its_gravest_severity,
       a_permalink_shows_why_also_after_a_reload, a_refused_answer_leaves_the_facts,
       details_that_cannot_be_read_are_missed, seven_tabs_are_live,
       without_a_shared_worker_it_is_live_too, a_reset_of_the_stream_is_read_anew,
       nothing_waits_after_exactly_500_ends,
       a_link_on_another_site_leads_to_it, the_door_keeps_what_was_asked_for,
       a_fault_of_the_page_ends_it, a_button_answers_only_what_it_was_drawn_for,
       a_late_response_does_not_set_the_clock, requests_that_time_out_are_no_link,
       an_undo_by_another_is_shown,
       a_destructive_option_says_where,
       a_confirmation_ends_with_its_presentation, what_is_being_sent_says_so,
       a_cancelled_one_is_no_failure, a_skipped_one_is_no_failure,
       an_empty_text_has_another_in_its_place,
       a_claim_of_a_quarter_of_an_hour_is_one, a_group_is_claimed_and_released_at_once,
       a_key_hands_over_no_group_that_is_not_claimed_whole, a_stream_too_many_says_why]
