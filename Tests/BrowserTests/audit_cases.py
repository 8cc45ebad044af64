"""The audit of the page: searched, in pages, and exported. As in cases.py."""
import pathlib
import urllib.parse

from consoles import report
from filter_cases import filter_of
from history_cases import CHIPS, end, ended_two

AUDIT_CHIPS = CHIPS.replace("past", "audit")


def the_audit_is_exported(page, console):
    [disk] = console.ask(report("The disk was full."))
    console.await_open(1)
    end(console, disk, "skip", "ann")
    folder = pathlib.Path(console.folder.name) / "downloads"
    page.download_to(folder)
    page.open(console.url)
    page.go("audit")
    page.until(lambda: page.texts("#audit tr"), "the events")
    page.press("/", *"chose “Skip”")
    page.until(lambda: page.text("#auditCount") == "1 event", lambda: page.text("#auditCount"))
    for ending in ("csv", "json"):
        page.until(lambda: "chose" in page.run(
            "return document.getElementById(arguments[0]).href", f"audit-{ending}"))
        page.click(f"#audit-{ending}")
        text = page.downloaded(folder, ending)
        assert disk.id in text and "chose “Skip”" in text and "present," not in text, text
    page.press("/", *" nothing like it")
    page.until(lambda: "No event matches" in page.text("#auditCount"), "no match")
    page.until(lambda: not page.texts("#auditExports a"))


def audit_shows(page, text, count):
    page.until(lambda: page.text("#auditCount") == count, lambda: page.text("#auditCount"))
    page.until(lambda: page.run("return document.getElementById('auditQuery').value") == text,
               f"{text!r} in the box")


def the_search_of_the_audit_is_in_the_address(page, console):
    [disk] = console.ask(report("The disk was full."))
    console.await_open(1)
    end(console, disk, "skip", "ann")
    page.open(console.url)
    page.click("[data-tab=audit]")
    page.until(lambda: len(page.texts("#audit tr")) > 1, "the events")
    page.until(lambda: page.run("return location.hash") == "#/audit", "its address")
    page.press("/", *"chose “Skip”")
    audit_shows(page, "chose “Skip”", "1 event")
    page.until(lambda: filter_of(page) == {"filter": ["chose “Skip”"]}, "the search")
    # Typing is one step back, and forward.
    page.driver.back()
    page.until(lambda: len(page.texts("#audit tr")) > 1, "all events")
    page.until(lambda: page.run("return document.getElementById('auditQuery').value") == "")
    page.driver.forward()
    audit_shows(page, "chose “Skip”", "1 event")
    page.driver.refresh()
    audit_shows(page, "chose “Skip”", "1 event")
    # The other views do not have it, and its tab leads back to it.
    page.click("[data-tab=inbox]")
    page.until(lambda: filter_of(page) == {}, "the inbox without it")
    page.click("[data-tab=audit]")
    audit_shows(page, "chose “Skip”", "1 event")
    page.go(f"audit?{urllib.parse.urlencode({'filter': 'x' * 201})}")
    page.until(lambda: "more than 200 characters" in page.text("#toasts"), "the limit")
    page.until(lambda: len(page.texts("#audit tr")) > 1, "all events")


def the_audit_is_searched_by_terms(page, console):
    ended_two(console)
    page.open(console.url)
    page.go("audit")

    def has(wanted, unwanted):
        page.until(lambda: wanted in page.text("#audit") and unwanted not in page.text("#audit"),
                   lambda: page.text("#audit"))
    has("ann", "carl")
    has("bea", "carl")
    # Each event says what it is about, and names an option by its title and its id.
    row = next(text for text in page.texts("#audit tr") if "bea (person) chose" in text)
    assert "“Retry” (retry)" in row and "The mail was late." in row, row
    page.press("/", *"by:ann ")
    page.until(lambda: page.run(AUDIT_CHIPS) == ["by:ann"], "the chip")
    has("chose “Skip”", "bea")
    page.press(*"chose")
    page.until(lambda: filter_of(page) == {"filter": ["by:ann chose"]}, "the address")
    page.driver.refresh()
    page.until(lambda: page.run(AUDIT_CHIPS) == ["by:ann"], "the chip after a reload")
    has("chose “Skip”", "bea")
    # Another term of the same kind takes its place.
    page.press("/", page.keys.ESCAPE, *"by:bea ")
    page.until(lambda: page.run(AUDIT_CHIPS) == ["by:bea"], "the other chip")
    has("chose “Retry”", "ann")
    page.until(lambda: "by=bea" in page.run(
        "return document.getElementById('audit-csv').href"), "the address of the export")
    for text, wanted, unwanted in (("option:skip", "chose “Skip”", "chose “Retry”"),
                                   ("domain:com.acme.*", "The mail was late.", "The disk"),
                                   ("since:1h", "The mail was late.", "carl")):
        page.go(f"audit?{urllib.parse.urlencode({'filter': text})}")
        has(wanted, unwanted)
    page.go("audit?filter=since:30m")
    page.until(lambda: "ann (person)" in page.text("#audit"), "the last half hour")
    page.go("audit?filter=until:2020-01-01")
    page.until(lambda: "No event matches" in page.text("#auditCount"), "no match")
    # An event has no severity.
    page.go("audit?filter=severity:critical+since:tomorrow")
    page.until(lambda: "“since:tomorrow” is not applied" in page.text("#auditNote"), "the note")
    page.until(lambda: "“severity:critical” is searched as text" in page.text("#auditNote"),
               lambda: page.text("#auditNote"))


def searches_with_the_same_ends_differ(page, console):
    texts = ["red green one", "red two", "green three", "red green four"]
    for count, text in enumerate(texts, 1):
        console.ask(report(text))
        console.await_past("audit", count)
    page.open(console.url)
    for word, wanted, unwanted in (("red", "red two", "green three"),
                                   ("green", "green three", "red two")):
        page.go(f"audit?filter={word}")
        page.until(lambda: wanted in page.text("#audit") and unwanted not in page.text("#audit"),
                   lambda: page.text("#audit"))


def times_of_yesterday_have_their_day(page, console):
    console.ask(report("Of today."))
    console.await_past("audit", 1)
    page.open(console.url)
    page.go("audit")
    page.until(lambda: page.text("#audit td"), "the event")
    page.run("const Today = Date; window.Date = class extends Today {"
             " constructor(...given) { super(...(given.length ? given : [Date.now()])); }"
             " static now() { return Today.now() + 864e5; } }")
    page.go("silences")
    page.until(lambda: not page.text("#audit"), "another view")
    page.go("audit")
    page.until(lambda: page.text("#audit td")[:3] in
               ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"), lambda: page.text("#audit td"))


def the_audit_is_read_in_pages(page, console):
    console.ask(*[report("Of many.", code=number) for number in range(210)])
    console.await_past("audit", 210)
    page.open(console.url)
    page.go("audit")

    def shows_page(count, rows):
        page.until(lambda: page.text("#auditCount") == count, lambda: page.text("#auditCount"))
        page.until(lambda: len(page.texts("#audit tr")) == rows, f"{rows} events")
    shows_page("the newest 200", 200)
    page.click("#auditPages a", "Older")
    shows_page("the last 10", 10)
    page.until(lambda: page.texts("#auditPages a") == ["Newest"],
               lambda: page.texts("#auditPages a"))
    page.driver.refresh()
    shows_page("the last 10", 10)
    page.click("#auditPages a", "Newest")
    shows_page("the newest 200", 200)


def only_the_result_of_a_search_is_said(page, console):
    console.ask(report("The disk was full."))
    console.await_past("audit", 1)
    page.open(console.url)
    page.run("window.said = []; const news = document.getElementById('news');"
             " new MutationObserver(() => window.said.push(news.textContent))"
             ".observe(news, { childList: true })")

    def said():
        return [text for text in page.run("return window.said") if "event" in text]
    page.click("[data-tab=audit]")
    page.until(lambda: said() == ["1 event"], said)
    live = ("return document.getElementById(arguments[0])"
            ".closest('[role=status], [role=alert], [aria-live]') === null")
    page.until(lambda: page.run(live, "auditCount") and page.run(live, "pastCount"),
               "the counts to be no live regions")
    # What comes by itself is only shown.
    console.ask(report("The mail was late."))
    page.until(lambda: page.text("#auditCount") == "2 events", lambda: page.text("#auditCount"))
    page.until(lambda: said() == ["1 event"], said)
    page.press("/", *"qzq")
    page.until(lambda: said()[-1] == "No event matches the search.", said)
    page.press(page.keys.ESCAPE)
    page.until(lambda: said()[-1] == "2 events", said)
    # A refusal that begins by itself, and its end.
    page.run("window.send = fetch; window.fetch = (path, options) => path.includes('/audit?')"
             " ? Promise.resolve(Response.json({ message: 'No event can be read.' },"
             " { status: 503 })) : window.send(path, options)")
    page.until(lambda: said()[-1] == "No event can be read.", said)
    page.run("window.fetch = window.send")
    page.until(lambda: said()[-1] == "2 events", said)


def a_long_event_is_cut_with_a_sign(page, console):
    page.open(console.url)
    event = "{ sentence: 'x'.repeat(599) + '\\u{1F600}'.repeat(9) }"
    found = page.part("sentences", f"part.auditText({event})")
    assert found == "x" * 599 + "\U0001F600…", found


ALL = [the_audit_is_exported, the_search_of_the_audit_is_in_the_address,
       the_audit_is_searched_by_terms, searches_with_the_same_ends_differ,
       times_of_yesterday_have_their_day,
       the_audit_is_read_in_pages, only_the_result_of_a_search_is_said,
       a_long_event_is_cut_with_a_sign]
