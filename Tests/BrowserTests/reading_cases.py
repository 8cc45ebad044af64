"""What a person reads: texts of other languages, times, and marks. As in cases.py."""
import datetime
import json

from consoles import report

ARABIC = [{"id": "retry", "title": "إعادة المحاولة", "role": "default"},
          {"id": "skip", "title": "Skip"}]


def arabic_reads_from_right_to_left(page, console):
    console.ask(report("القرص ممتلئ.", recoveryOptions=ARABIC))
    page.open(console.url)
    page.choose("القرص ممتلئ.")
    style = ("const node = document.querySelector(arguments[0]);"
             "return getComputedStyle(node)[arguments[1]]")
    for selector, direction in (("#list .title", "rtl"), ("#title", "rtl"),
                                ("[data-option=retry]", "rtl"), ("[data-option=skip]", "ltr")):
        found = page.run(style, selector, "direction")
        assert found == direction, (selector, found)
    for option, side in (("retry", "marginLeft"), ("skip", "marginRight")):
        gap = page.run(style, f"[data-option={option}] kbd", side)
        assert float(gap.removesuffix("px")) > 0, (option, "no gap between number and title")


def a_row_that_comes_is_marked(page, console):
    console.ask(report("Here before."))
    page.open(console.url)
    page.row("Here before.")
    page.run("window.marked = []; new MutationObserver(() => window.marked.push("
             "...[...document.querySelectorAll('#list > li.fresh')].map((line) => line.innerText)))"
             ".observe(document.getElementById('list'),"
             " { subtree: true, childList: true, attributes: true, attributeFilter: ['class'] })")
    console.ask(report("Just come."))
    page.row("Just come.")
    page.until(lambda: any("Just come." in text for text in page.run("return window.marked")),
               "the mark of a new row")
    page.until(lambda: not any("Here before." in text for text in page.run("return window.marked")))


def only_what_comes_in_sight_is_marked(page, console):
    page.open(console.url)
    page.run("window.fresh = 0; new MutationObserver(() => window.fresh +="
             " document.querySelectorAll('#list > .member.fresh').length).observe("
             "document.getElementById('list'),"
             " { subtree: true, childList: true, attributes: true, attributeFilter: ['class'] })")
    console.ask(*[report("All alike.") for _ in range(3)])
    page.until(lambda: "3 waiting in 1 row" in page.text("#count"), "one row for all")
    page.until(lambda: page.part("state", "part.state.fresh.size") == 0,
               lambda: page.part("state", "[...part.state.fresh]"))
    page.click("#list .toggle")
    page.until(lambda: len(page.texts("#list .member")) == 3, "its members")
    page.rest()
    page.until(lambda: page.run("return window.fresh") == 0, "no mark of what came before")


def a_clock_that_was_wrong_comes_right(page, console):
    page.open(console.url)
    page.run("const send = window.fetch; window.wrong = true;"
             "window.fetch = async (path, options) => { const response = await send(path, options);"
             " const headers = response.headers; const hour = 3600_000;"
             " const late = { get: (name) => name !== 'Date' ? headers.get(name)"
             " : new Date(Date.parse(headers.get(name)) + hour).toUTCString() };"
             " if (window.wrong) Object.defineProperty(response, 'headers', { value: late });"
             " return response; }")

    def skew():
        page.part("api", "part.api('GET', 'me')")
        return page.part("state", "part.state.skew")
    page.until(lambda: skew() > 3_500_000, "an hour's difference")
    page.run("window.wrong = false")
    page.until(lambda: skew() == 0, "the clock to be right again")


def a_refusal_has_the_time_of_the_place(page, console):
    page.driver.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": "Asia/Kolkata"})
    [presentation] = console.ask(report("Answered before."))
    page.open(console.url)
    page.run("localStorage.setItem('errorbus.name', 'ada')")
    page.choose("Answered before.")
    page.part("state", "part.state.port.close()")  # This tab gets no events from now on.
    path = f"/api/v1/presentations/{presentation.id}"
    console.call(f"{path}/answer", {"option": "skip", "by": "bob"})
    page.expects("409")
    page.click("[data-option=retry]")
    page.until(lambda: "bob chose “Skip” at" in page.text("#toasts"), "the refusal in words")
    changed = datetime.datetime.fromisoformat(
        console.call(path)["changedAt"].replace("Z", "+00:00"))
    there = changed + datetime.timedelta(hours=5, minutes=30)
    page.until(lambda: f"{there:%H:%M}" in page.text("#toasts"),
               lambda: (there, page.text("#toasts")))


def marks_stay_in_their_row_of_the_audit(page, console):
    [presentation] = console.ask(report("Stacked" + "\u0301" * 100 + "."))
    page.open(console.url)
    page.row("Stacked")
    console.call(f"/api/v1/presentations/{presentation.id}/answer", {"option": "skip", "by": "bob"})
    page.go("audit")
    page.until(lambda: "Stacked" in page.text("#audit"), "the audit")
    rows = [text for text in page.texts("#audit tr") if "Stacked" in text]
    assert rows and all(text.count("\u0301") == 8 for text in rows), rows


def a_client_without_a_name_may_have_gone(page, console):
    console.ask(report("From a script."))
    page.open(console.url)
    page.choose("From a script.")
    page.until(lambda: "may no longer be waiting" in page.text("#detail"), "the warning")


def all_reasons_of_a_group_are_named(page, console):
    page.open(console.url)
    refused = [("claimed", ""), ("answered", ""), ("claimed", ""), ("other", "It is late")]
    words = json.dumps([{"error": error, "message": message} for error, message in refused])
    found = page.part("sentences", f"part.refusedWords({words})")
    assert found == "2 claimed by another person, 1 answered before by another person, " \
        "1 It is late", found
    page.until(lambda: page.part("sentences", f"part.refusedWords({words}.slice(1, 2))") \
        == "answered before by another person")


def the_keyboard_skips_to_the_list(page, console):
    console.ask(report("First."), report("Second."))
    page.open(console.url)
    page.row("Second.")
    focus = "return document.activeElement.closest('#list, #empty')?.id"
    for view in ("inbox", "audit"):
        page.go(view)
        page.run("document.querySelector('.skip').focus()")
        page.press(page.keys.ENTER)
        page.until(lambda: page.run(focus) == "list", f"the focus in the list, from {view}")


def what_is_read_shows_the_focus(page, console):
    console.ask(report("First."))
    page.open(console.url)
    page.row("First.")
    page.press("j", page.keys.ENTER)
    page.shown("First.")
    page.until(lambda: page.run("return document.activeElement.id") == "detail", "the focus there")
    style = page.run("return getComputedStyle(document.activeElement).outlineStyle")
    assert style != "none", style


def caps_lock_takes_no_claim_over(page, console):
    [presentation] = console.ask(report("Claimed by another."))
    page.open(console.url)
    page.run("localStorage.setItem('errorbus.name', 'ann')")
    page.choose("Claimed by another.")
    console.call(f"/api/v1/presentations/{presentation.id}/claim",
                 {"by": "bea", "forMilliseconds": 600_000})
    page.until(lambda: "Claimed by bea" in page.text(".decide"), "bea's claim")
    page.read()
    press = "document.body.dispatchEvent(new KeyboardEvent('keydown', " \
        "{ key: 'C', shiftKey: %s, bubbles: true }))"
    page.expects("409")
    page.run(press % "false")
    page.until(lambda: "Claimed by bea" in page.text("#toasts"), "the refusal")
    page.until(lambda: "Claimed by bea" in page.text(".decide"))
    page.run(press % "true")
    page.until(lambda: "Claimed by you" in page.text(".decide"), "the claim taken over")


def brackets_of_other_keyboards_turn_the_views(page, console):
    page.open(console.url)
    tab = "return document.querySelector('[data-tab][aria-current]').dataset.tab"

    def is_taken(key, *modifiers):
        return page.run(
            "return !document.activeElement.dispatchEvent(new KeyboardEvent('keydown',"
            " { bubbles: true, cancelable: true, key: arguments[0], ...arguments[1] }))",
            key, dict.fromkeys(modifiers, True))

    # AltGr as Windows has it, and Option of a Mac.
    for modifiers, view in ((("ctrlKey", "altKey", "modifierAltGraph"), "silences"),
                            (("altKey",), "history")):
        taken = is_taken("]", *modifiers)
        assert taken, modifiers
        page.until(lambda: page.run(tab) == view, view)
    for key, modifiers in (("]", ["ctrlKey"]), ("]", ["ctrlKey", "altKey"]), ("]", ["metaKey"]),
                           ("?", ["altKey"]), ("s", ["ctrlKey", "altKey", "modifierAltGraph"])):
        taken = is_taken(key, *modifiers)
        assert not taken, (key, modifiers)


brackets_of_other_keyboards_turn_the_views.journaled = True


def the_audit_finds_what_it_shows(page, console):
    console.ask(report("Cannot write /srv/data: \"quota\"."))
    page.open(console.url)
    page.row("Cannot write")
    page.go("audit")
    for text in ('/srv/data: "quota"', "offering"):
        page.run("const box = document.getElementById('auditQuery'); box.value = arguments[0];"
                 "box.dispatchEvent(new Event('input'))", text)
        page.until(lambda: "1 event" in page.text("#auditCount"), f"{text} to be found")
    page.run("document.getElementById('auditQuery').value = 'none';"
             "document.getElementById('auditQuery').dispatchEvent(new Event('input'))")
    page.until(lambda: "No event matches" in page.text("#auditCount"), "nothing to be found")


def a_list_is_read_in_pages_after_many_ends(page, console):
    page.open(console.url)
    console.ask(*[report(f"Old {number}.") for number in range(400)])
    for _ in range(5):
        ended = console.ask(*[report("Late.") for _ in range(450)])
        for presentation in ended:
            console.call(f"/api/v1/presentations/{presentation.id}/answer",
                         {"option": "skip", "by": "bob"})
    after, begun, ids = 0, "", []
    for _ in range(3):
        answer = console.call(f"/api/v1/inbox?stage=open&limit=200&after={after}{begun}")
        if not begun or answer["isReset"]:
            begun, ids = f"&begun={answer['latest']}", []
        ids += [item["id"] for item in answer["items"]]
        after = answer["revision"]
        if answer["isLast"]:
            break
    assert len(ids) == len(set(ids)) == 400, len(ids)
    # One that began before those ends may lack some.
    assert console.call(f"/api/v1/inbox?after={answer['latest'] - 7000}")["isReset"]


def the_groups_are_read_once(page, console):
    console.ask(*[report(f"Error {number}.") for number in range(598)],
                *[report("The same.") for _ in range(2)])
    console.await_open(600)
    page.open(console.url)
    page.until(lambda: "600 waiting in 599 rows" in page.text("#count"), "all of them")
    pages = page.run("return performance.getEntriesByType('resource').map(({ name }) => name)"
                     ".filter((name) => name.includes('/inbox?'))")
    assert len(pages) > 1, pages
    assert ["groups=none" in each for each in pages] == [False] + [True] * (len(pages) - 1), pages
    # What comes later makes and ends groups without them.
    console.ask(report("The same."))
    page.until(lambda: "601 waiting in 599 rows" in page.text("#count"), "one more in the group")


def what_scrolls_can_have_the_focus(page, console):
    short_lines = "\n".join(str(number) for number in range(40))
    console.ask(report("Much to read.", failureReason=short_lines,
                       userInfo={"log": "one\n" + "wide " * 60}))
    page.open(console.url)
    page.choose("Much to read.")
    page.until(lambda: "39" in page.text("#detail"), "the reason")
    stuck = ("return [...document.querySelectorAll('#detail .foreign, main:not([hidden])')]"
             ".filter((node) => /auto|scroll/.test(getComputedStyle(node).overflowY)"
             " && node.clientHeight > 0 && (node.scrollHeight > node.clientHeight + 1"
             " || node.scrollWidth > node.clientWidth + 1) && node.tabIndex < 0)"
             ".map((node) => node.textContent.slice(0, 40))")
    page.until(lambda: page.run(stuck) == [])
    page.until(lambda: page.texts("#detail [tabindex='0'].foreign"), "nothing that scrolls")
    page.go("topology")
    page.until(lambda: page.text("#nodes"), "the topology")
    page.until(
        lambda: page.run("return document.querySelector('[data-panel=topology]').tabIndex") == 0)


def a_text_of_many_lines_is_shown_in_lines(page, console):
    tail = "\n".join(f"line {number}" for number in range(40))
    console.ask(report("The command failed.", failureReason=tail, recoverySuggestion="Look.",
                       userInfo={"log": tail}))
    page.open(console.url)
    page.choose("The command failed.")
    page.until(lambda: "line 39" in page.text("#detail"), "the reason")
    font = "return getComputedStyle(document.querySelector('#detail .lines')).fontFamily"
    page.until(lambda: "monospace" in page.run(font))
    height = "return document.querySelector('#detail .lines').clientHeight"
    page.until(lambda: len(page.texts("#detail > .block")) == 1, "a text of one line is as it was")
    cut = page.run(height)
    page.click("#detail > .block button", "Show all 40 lines")
    page.until(lambda: page.run(height) > 2 * cut, "all of it")
    # It stays so while the page draws again.
    page.run("localStorage.setItem('errorbus.name', 'ada');"
             "dispatchEvent(new StorageEvent('storage'))")
    page.rest()
    page.until(lambda: page.run(height) > 2 * cut)
    page.click("#detail > .block button", "Show fewer lines")
    page.until(lambda: page.run(height) == cut, "its frame")
    page.until(lambda: page.texts("#detail > .block button")[1:] == ["Copy"])
    page.until(lambda: "Show all 40 lines" in page.text(".pairs .block"),
               lambda: page.text(".pairs .block"))


def what_is_read_stays_while_others_act(page, console):
    tail = "\n".join(f"line {number}" for number in range(40))
    [presentation] = console.ask(report("The command failed.", failureReason=tail))
    page.open(console.url)
    page.choose("The command failed.")
    page.until(lambda: "line 39" in page.text("#detail"), "the reason")
    page.until(lambda: page.text("#detail .notes"), "the rest")
    page.run("const text = document.querySelector('#detail .lines');"
             "text.scrollTop = 100; text.focus({ preventScroll: true })")
    path = f"/api/v1/presentations/{presentation.id}/note"
    console.call(path, {"by": "bob", "text": "Seen."})
    page.until(lambda: "Seen." in page.text(".notes"), "the note")
    place = ("const text = document.querySelector('#detail .lines');"
             "return [text.scrollTop, text === document.activeElement]")
    page.until(lambda: page.run(place) == [100, True], lambda: page.run(place))


def the_facts_are_in_the_order_of_their_use(page, console):
    worker = console.work("No space left.", "The disk is full.", "--name", "worker-7",
                          "--suggestion", "Delete logs.", "--code", "28", "--info", "host=db-1")
    page.open(console.url)
    page.choose("No space left.")
    page.until(lambda: "The disk is full." in page.text("#detail"), "the reason")
    found = page.run("return [...document.querySelectorAll('#detail > h3')]"
                     ".map((node) => node.textContent)")
    after = [each for each in found if each in ("Notes", "Context", "Path", "History", "Identity")]
    assert after == ["Notes", "Context", "Path", "History", "Identity"], found
    assert found.index("Notes") >= 2, found
    head = page.text("#detail .meta")
    assert "from worker-7" in head and head.rstrip().endswith("28"), head
    worker.process.kill()
    worker.process.wait()


def an_address_in_the_context_is_a_link(page, console):
    address = "https://graphs.example/d/disk?host=db-1"
    console.ask(report("The disk is full.", userInfo={
        "graph": address, "script": "javascript:alert(1)", "log": f"see {address}"}))
    page.open(console.url)
    page.choose("The disk is full.")
    links = ("return [...document.querySelectorAll('.pairs dd a')]"
             ".map(({ href, rel, target }) => [href, rel, target])")
    page.until(lambda: page.run(links) == [[address, "noopener noreferrer", "_blank"]],
               lambda: page.run(links))


def a_number_has_all_its_digits(page, console):
    order = 1234567890123456789
    console.ask(report("An order is stuck.", userInfo={
        "order": order, "lines": {"orders": [-order, 7]}, "share": 0.25}))
    page.open(console.url)
    page.choose("An order is stuck.")
    page.until(lambda: page.text("#detail").count(str(order)) == 2, lambda: page.text("#detail"))
    page.until(lambda: "0.25" in page.text(".pairs"), lambda: page.text(".pairs"))
    page.press("s")
    page.until(lambda: f"only order {order}" in page.texts("#silenceNarrow .chip"),
               lambda: page.texts("#silenceNarrow .chip"))


def times_name_their_zone(page, console):
    page.driver.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": "Asia/Kolkata"})
    console.ask(report("When was it?", onExpiry="skip"), deadline=36_000)
    page.open(console.url)
    page.choose("When was it?")
    page.until(lambda: page.texts("#detail .history time"), "the history")
    # What will happen is named with it: a finger reaches no title.
    page.until(lambda: page.text(".expiry").endswith(" GMT+5:30."), lambda: page.text(".expiry"))

    def titles_are(known):
        titles = page.run("return [...document.querySelectorAll('time')].map(({ title }) => title)")
        return titles and all(known(each) for each in titles)
    year = f"{datetime.datetime.now():%Y}"
    page.until(lambda: titles_are(
        lambda each: year in each and ("+5:30" in each or "IST" in each)), "the zone in the titles")
    opened = page.run("return [...document.querySelectorAll('.pairs dt')].find((name) =>"
                      " name.textContent === 'Opened').nextSibling.textContent")
    assert year in opened and f"{year}-" not in opened, opened
    page.run("localStorage.setItem('errorbus.name', 'ada')")
    page.click("#who")
    page.until(lambda: "UTC+05:30" in page.text("#zoneNote"), "the zone")
    day = "part.SEARCHES.audit.query({ terms: ['since:2026-11-01'], typed: '' }, 1).get('since')"
    page.until(lambda: page.part("past-filter", day) == "2026-10-31T18:30:00.000Z")
    # With the day that it names.
    end = day.replace("since", "until")
    page.until(lambda: page.part("past-filter", end) == "2026-11-01T18:30:00.000Z")
    # In UTC all times are, also those that a person types.
    page.click("#zoneField")
    page.click("#nameDialog [value=save]")
    page.until(lambda: titles_are(lambda each: "UTC" in each), "UTC")
    page.until(lambda: page.text(".expiry").endswith(" UTC."), lambda: page.text(".expiry"))
    page.until(lambda: page.part("past-filter", day) == "2026-11-01T00:00:00.000Z")
    page.until(lambda: page.part("past-filter", end) == "2026-11-02T00:00:00.000Z")
    page.driver.refresh()
    page.until(lambda: page.texts("#detail .history time"), "the history again")
    page.until(lambda: titles_are(lambda each: "UTC" in each), "UTC")


def a_page_that_loads_says_so(page, console):
    page.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": (
        "const send = window.fetch; window.fetch = async (path, options) => {"
        " if (path.includes('/inbox?') && !window.loaded) {"
        "  await new Promise((go) => { window.go = go; }); window.loaded = true; }"
        " return send(path, options); }")})
    console.ask(report("Comes at last."))
    console.await_open(1)
    page.driver.get(console.url)
    page.until(lambda: page.run("return Boolean(window.go)"), "the list to be asked for")
    page.until(lambda: page.text("#count") == "Loading…", "that it loads")
    page.until(lambda: not page.text("#empty"))
    page.run("window.go()")
    page.until(lambda: page.text("#count") == "1 waiting", "the number")


def a_page_opened_again_has_its_parts_already(page, console):
    def sizes():
        """How much of each part came over the network, in bytes."""
        return page.run("return performance.getEntriesByType('resource')"
                        ".filter(({ name }) => new URL(name).pathname.startsWith('/page/'))"
                        ".map((part) => part.transferSize)")
    page.open(console.url)
    page.until(lambda: len(sizes()) > 50 and all(sizes()), sizes)
    page.open(console.url)
    page.until(lambda: len(sizes()) > 50 and not any(sizes()), sizes)


def an_answer_that_is_not_on_disk_yet_is_a_warning(page, console):
    console.ask(report("The disk is full."))
    page.open(console.url)
    page.choose("The disk is full.")
    words = "Answered by ann, but not on disk yet"
    page.part(
        "store", "load('state').then(({ state }) => { part.apply({"
        " items: [...state.items.values()].map((item) => ({ ...item, stage: 'answered',"
        f"  ending: 'not on disk yet', outcome: '{words}', answer: {{ option: 'skip', by: 'ann' }},"
        "  revision: item.revision + 1 })), revision: state.resume, openCount: 0, isLast: true })"
        " })")
    page.until(lambda: page.text("#detail .outcome.warning") == words,
               lambda: page.text("#detail .outcome"))
    page.run("const view = document.getElementById('view'); view.value = 'ended';"
             "view.dispatchEvent(new Event('input'))")
    page.until(lambda: page.texts("#list .badge.warning") == ["not on disk yet"],
               lambda: page.texts("#list .badge"))
    # A row of the history without an end has its stage there.
    for ending, tone in (("answered", "debug"), (None, "info"), ("not on disk yet", "warning")):
        given = json.dumps({"stage": "answered", "ending": ending})
        page.until(lambda: page.part("store", f"part.endingOf({given})[1]") == tone, ending)


ALL = [arabic_reads_from_right_to_left, a_row_that_comes_is_marked,
       only_what_comes_in_sight_is_marked,
       a_clock_that_was_wrong_comes_right, a_refusal_has_the_time_of_the_place,
       marks_stay_in_their_row_of_the_audit, a_client_without_a_name_may_have_gone,
       all_reasons_of_a_group_are_named, the_keyboard_skips_to_the_list,
       what_is_read_shows_the_focus,
       caps_lock_takes_no_claim_over, brackets_of_other_keyboards_turn_the_views,
       the_audit_finds_what_it_shows,
       a_list_is_read_in_pages_after_many_ends, the_groups_are_read_once,
       what_scrolls_can_have_the_focus, a_text_of_many_lines_is_shown_in_lines,
       what_is_read_stays_while_others_act,
       the_facts_are_in_the_order_of_their_use, an_address_in_the_context_is_a_link,
       a_number_has_all_its_digits, times_name_their_zone, a_page_that_loads_says_so,
       a_page_opened_again_has_its_parts_already, an_answer_that_is_not_on_disk_yet_is_a_warning]
