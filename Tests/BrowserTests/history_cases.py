"""The history of the page: searched, in pages, and exported. As in cases.py."""
import pathlib
import urllib.parse

from axe_cases import Axe
from consoles import report
from filter_cases import filter_of
from safety_cases import signed
from value_cases import asking

CHIPS = ("return [...document.querySelectorAll('#pastChips .term span:first-child')]"
         ".map((node) => node.textContent)")


def titles(page):
    return sorted(page.texts("#past .title"))


def shows(page, *wanted):
    page.until(lambda: titles(page) == sorted(wanted), f"the rows {wanted}, not {titles(page)}")


def end(console, presentation, option, by):
    console.call(f"/api/v1/presentations/{presentation.id}/answer", {"option": option, "by": by})
    assert presentation.answer() == (option, by)


def ended_two(console):
    disk, mail = console.ask(report("The disk was full.", severity="critical"),
                             {**report("The mail was late."), "domain": "com.acme.mail"})
    console.await_open(2)
    end(console, disk, "skip", "ann")
    end(console, mail, "retry", "bea")
    return disk, mail


def the_history_is_searched(page, console):
    disk, _ = ended_two(console)
    page.open(console.url)
    page.click("[data-tab=history]")
    shows(page, "The disk was full.", "The mail was late.")
    page.until(lambda: "2 presentations" in page.text("#pastCount"),
               lambda: page.text("#pastCount"))
    for text, wanted in [
            ("by:ann", ["The disk was full."]),
            ("option:retry", ["The mail was late."]),
            ("domain:com.acme.*", ["The mail was late."]),
            ("severity:critical", ["The disk was full."]),
            ("severity:>=error", ["The disk was full.", "The mail was late."]),
            ("since:2w until:1h", []), ("since:30m", ["The disk was full.", "The mail was late."]),
            ("since:1h", ["The disk was full.", "The mail was late."]),
            ("until:2020-01-01", []),
            ("origin:worker-*", []),
            ("was full", ["The disk was full."]),
            ("by:ann by:bea", ["The mail was late."]),
            ("by:ann since:tomorrow", ["The disk was full."])]:
        page.go(f"history?{urllib.parse.urlencode({'filter': text})}")
        shows(page, *wanted)
    page.until(lambda: "“since:tomorrow” is not applied" in page.text("#pastNote"), "the note")
    page.expects("400")
    page.go("history?filter=end:nonsense")
    page.until(lambda: "allowed: recovered, not recovered" in page.text("#pastCount"),
               lambda: page.text("#pastCount"))
    page.go("history?" + urllib.parse.urlencode({"filter": 'end:"left open"'}))
    shows(page)
    head = "return document.querySelector('#past').closest('table').querySelector('th').textContent"
    zone = "Emulation.setTimezoneOverride"
    # A name that holds above times of winter and of summer.
    for name, text in [("Asia/Kolkata", "Opened (GMT+5:30)"),
                       ("America/New_York", "Opened (New York time)")]:
        page.driver.execute_cdp_cmd(zone, {"timezoneId": name})
        page.until(lambda: page.run(head) == text, lambda: page.run(head))
    page.run("localStorage.setItem('errorbus.zone', 'utc')")
    page.until(lambda: page.run(head) == "Opened (UTC)", "the zone of the times")
    page.go("history")
    shows(page, "The disk was full.", "The mail was late.")
    page.press("/", *"by:ann ")
    page.until(lambda: page.run(CHIPS) == ["by:ann"], "the chip")
    label = page.run("return document.querySelector('#pastChips .term').ariaLabel")
    assert label == "Remove by:ann from the search", label
    page.press(*"disk")
    shows(page, "The disk was full.")
    page.until(lambda: filter_of(page) == {"filter": ["by:ann disk"]})
    # Another term of the same kind takes its place.
    page.press(page.keys.ESCAPE, *"by:bea ")
    page.until(lambda: page.run(CHIPS) == ["by:bea"], "the other chip")
    shows(page, "The mail was late.")
    page.driver.refresh()
    shows(page, "The mail was late.")
    page.press("/", page.keys.BACKSPACE, *"by:carl ")
    page.until(lambda: "No presentation matches" in page.text("#pastCount"), "no match")
    page.press(page.keys.BACKSPACE)
    shows(page, "The disk was full.", "The mail was late.")
    row = next(text for text in page.texts("#past tr") if "disk" in text)
    assert "Skip by ann" in row.replace("\n", " "), row
    page.until(lambda: page.run("return [...document.querySelectorAll('#past td[title]')]"
                                ".map((node) => node.title).filter(Boolean).sort()")
               == ["retry", "skip"], "the ids of the options")
    # A row leads to the presentation, and back.
    page.click("#past a", "The disk was full.")
    page.until(lambda: page.text("#title") == "The disk was full.", "the detail")
    page.until(lambda: disk.id in page.run("return location.hash"))
    page.driver.back()
    shows(page, "The disk was full.", "The mail was late.")


the_history_is_searched.journaled = True


def the_history_has_ends_in_words(page, console):
    ends = (("cancelled", "cancel", "Give it up."), ("recovered", "retry", "Try it again."))
    for _, option, title in ends:
        worker = console.work(title, "Whatever it takes.")
        console.await_open(1)
        [item] = console.call("/api/v1/inbox?stage=open")["items"]
        console.call(f"/api/v1/presentations/{item['id']}/answer", {"option": option, "by": "ann"})
        assert worker.answer() == (option, "ann")
    page.open(console.url)
    for ending, _, title in ends:
        page.until(lambda: [past["description"] for past in console.call(
            f"/api/v1/history?end={ending}")["presentations"]] == [title], f"the end {ending}")
        page.go(f"history?{urllib.parse.urlencode({'filter': f'end:{ending}'})}")
        shows(page, title)
        page.until(lambda: page.text("#past .badge") == ending, lambda: page.text("#past .badge"))


the_history_has_ends_in_words.journaled = True


def the_values_of_an_answer_are_shown_without_secrets(page, console):
    page.expects("ERR_")
    secret = "zqxj4711"
    values = {"path": "/data", "count": 4, "force": True, "pin": secret}
    given = "with count 4, force true, path “/data”, pin (secret) by ann"
    question, = console.ask(asking("No space."))
    console.await_open(1)
    console.call(f"/api/v1/presentations/{question.id}/answer",
                 {"option": "move", "by": "ann", "values": values})
    assert question.reply()["values"] == values

    def says(selector, text):
        page.until(lambda: text in page.text(selector), lambda: page.text(selector))
        page.until(lambda: secret not in page.run("return document.documentElement.outerHTML"))
    page.open(console.url)
    page.go("inbox?filter=%2Fdata&show=ended")
    page.until(lambda: page.texts("#list .title") == ["No space."], "the answer by its values")
    page.go("history?filter=%2Fdata")
    says("#past", f"Use another folder {given}")
    page.click("#past a", "No space.")
    says(".decide", f"“Use another folder” {given}")
    # The same of what only the journal has, and where the same error comes again.
    console.forget()
    page.open(console.url)
    page.go(f"inbox/{question.id}")
    page.until(lambda: "From the journal: it ended" in page.text("#detail"), "the past one")
    says("#detail", f"“Use another folder” {given}")
    page.go("history")
    says("#past", f"Use another folder {given}")
    console.ask(asking("No space."))
    page.go("inbox")
    page.choose("No space.")
    says(".earlier", f"Use another folder {given}")


the_values_of_an_answer_are_shown_without_secrets.journaled = True


def long_values_are_cut_in_a_row(page, console):
    path = "/" + "x" * 2000
    question, = console.ask(asking("No space.", maxLength=4096))
    console.await_open(1)
    console.call(f"/api/v1/presentations/{question.id}/answer", {
        "option": "move", "by": "ann", "values": {"path": path, "force": True}})
    page.open(console.url)
    for width in (1280, 390):
        page.resize(width, 844)
        page.go("history")
        page.until(lambda: "xxx… by ann" in page.text("#past"), lambda: page.text("#past"))
        page.until(lambda: not page.overflows(), f"nothing beyond the edge at {width}")
        page.click("#past a", "No space.")
        page.until(lambda: f"path “{path}” by ann" in page.text(".decide"),
                   lambda: page.text(".decide"))
        page.until(lambda: not page.overflows(), f"nothing beyond the edge at {width}")


long_values_are_cut_in_a_row.journaled = True


def the_history_is_read_in_pages(page, console):
    console.ask(*[report("Of many.", code=number) for number in range(230)])
    console.await_open(230)
    group = console.call("/api/v1/inbox?stage=open&limit=1")["groups"][0]["number"]
    console.call(f"/api/v1/groups/{group}/answer",
                 {"option": "skip", "by": "bob", "count": 230})
    console.await_past("history", 230)
    page.open(console.url)
    page.go("history")
    page.until(lambda: page.text("#pastCount") == "the newest 100", "the first page")
    seen = []

    def rows():
        return page.run("return [...document.querySelectorAll('#past .title')]"
                        ".map((node) => node.dataset.key)")
    for count in (100, 100, 30):
        page.until(lambda: len(rows()) == count and not set(rows()) & set(seen), f"{count} others")
        seen += rows()
        if count == 100:
            page.click("#pages a", "Older")
    assert len(set(seen)) == 230
    page.until(lambda: page.texts("#pages a") == ["Newest"], lambda: page.texts("#pages a"))
    page.driver.refresh()
    page.until(lambda: rows() == seen[200:], "the same page after a reload")
    page.driver.back()
    page.until(lambda: rows() == seen[100:200], "the page before")
    page.click("#pages a", "Newest")
    page.until(lambda: rows() == seen[:100], "the first page again")
    # What is exported is all that matches, with what the rows have, as far as the server gives it.
    page.until(lambda: "the newest 10\u202f000 at most" in page.text("#exports"),
               lambda: page.text("#exports"))
    page.go("history?filter=option:skip")
    page.until(lambda: "option=skip" in page.run(
        "return document.getElementById('export-csv').href"), "the address of the export")
    for format, begin in (("csv", "openedAt"), ("json", "{")):
        text = page.driver.execute_async_script(
            "const done = arguments[1];"
            "fetch(document.getElementById(`export-${arguments[0]}`).href)"
            ".then((reply) => reply.text()).then(done);", format)
        assert text.lstrip("\ufeff").startswith(begin), text[:200]
        assert text.count("Of many.") == 230, format


the_history_is_read_in_pages.journaled = True


def a_node_without_a_journal_says_so(page, console):
    page.expects("404")
    page.open(console.url)
    page.go("history")
    page.until(lambda: "has no journal, so it keeps no history" in page.text("#pastCount"), "why")
    page.until(lambda: not page.texts("#exports a") and not page.texts("#past tr"))


def the_history_shows_hostile_text_as_text(page, console):
    attack = "<img src=x onerror=window.hacked=1>"
    [presentation] = console.ask(report(f"{attack} \u202egnihton"))
    console.await_open(1)
    end(console, presentation, "skip", attack)
    page.open(console.url)
    page.go(f"history?{urllib.parse.urlencode({'filter': f'by:{attack[:4]} x'})}")
    page.until(lambda: "No presentation matches" in page.text("#pastCount"), "no match")
    page.go("history")
    page.until(lambda: attack in page.text("#past") and "⟨U+202E⟩" in page.text("#past"), "it")
    page.until(lambda: page.run("return window.hacked") is None)
    page.until(lambda: not page.run("return document.querySelectorAll('main img').length"))


the_history_shows_hostile_text_as_text.journaled = True


def the_history_is_legible_and_reachable(page, console):
    ended_two(console)
    signed(page, console)
    axe = Axe(page)
    legible = (pathlib.Path(__file__).parent / "legible.js").read_text()
    problems = []
    for place, count in (("history", "#pastCount"),
                         ("history?filter=by:ann+severity:huge+a:b", "#pastCount"),
                         ("history?filter=by:none", "#pastCount"),
                         ("audit?filter=by:ann+since:huge+a:b", "#auditCount")):
        page.go(place)
        page.until(lambda: page.text(count), "the list")
        page.rest()
        axe.look(place)
        for scheme in ("light", "dark"):
            for width, height in ((1440, 900), (780, 437), (390, 844), (320, 640)):
                page.resize(width, height, scheme)
                page.rest()
                found = page.run(legible, width < 760)
                problems += [f"{scheme} {width} {place}: {each}" for each in found]
    axe.close()
    assert not problems, "\n".join(sorted(set(problems))[:60])


the_history_is_legible_and_reachable.journaled = True


def a_phone_names_the_zone_of_the_times(page, console):
    ended_two(console)
    page.driver.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": "Asia/Kolkata"})
    page.open(console.url)
    page.resize(390, 844)
    for view, text in (("history", "Opened (GMT+5:30)"), ("audit", "Time (GMT+5:30)")):
        page.go(view)
        head = f"[data-panel={view}] th"
        page.until(lambda: page.texts(head)[:1] == [text], lambda: page.texts(head))
        # The others take no room.
        widths = f"return [...document.querySelectorAll('{head}')].map((node) => node.offsetWidth)"
        first, *others = page.run(widths)
        assert first > 40 and set(others) == {1}, (view, first, others)


a_phone_names_the_zone_of_the_times.journaled = True


def chart_text(page):
    return page.run("return document.getElementById('chart').getAttribute('aria-label') ?? ''")


def choose_span(page, span):
    page.run("const node = document.getElementById('span'); node.value = arguments[0];"
             "node.dispatchEvent(new Event('input', { bubbles: true }))", span)


def the_chart_reaches_back_and_has_the_times_to_answer(page, console):
    questions = console.ask(report("One.", severity="critical"), report("Two."), report("Three."))
    page.open(console.url)
    page.row("Three.")
    page.until(lambda: page.text("#span") and "In the last hour: 3 presented" in chart_text(page),
               "the last hour, and the choice of another time")
    page.until(lambda: not page.text(".waits"), lambda: page.text(".waits"))
    # The choice stands beside the numbers.
    bottom, right, top, left = page.run(
        "const [text, choice] = ['chartText', 'span'].map((id) =>"
        " document.getElementById(id).getBoundingClientRect());"
        "return [text.bottom, text.right, choice.top, choice.left]")
    assert top < bottom and left >= right, (bottom, right, top, left)
    for question in questions[:2]:
        console.call(f"/api/v1/presentations/{question.id}/answer", {"option": "skip", "by": "ada"})
    page.until(lambda: "2 answered" in chart_text(page), "the answers")
    for span, words, count in (
            ("24h", "24 hours", 48), ("7d", "7 days", 56), ("30d", "30 days", 60)):
        choose_span(page, span)
        page.until(lambda: f"In the last {words}: 3 presented, 2 answered" in chart_text(page),
                   f"the chart of {words}")
        page.until(lambda: page.run(
            "return document.querySelectorAll('#chart .presented').length") == count)
    # Beside the chart it stands in words, and where nothing is chosen how long answers took.
    page.until(lambda: "2 answered" in page.text(".chart figcaption"),
               lambda: page.text(".chart figcaption"))
    page.until(lambda: "of the last 30 days" in page.text("#detail"), "the times")
    tiles = page.texts(".waits div")
    # Of so few there are no nine of ten.
    assert tiles[0].startswith("all · 2 answers\n") and "9 of 10" not in tiles[0], tiles
    assert sorted(tile.split("\n")[0] for tile in tiles[1:]) == [
        "critical · 1 answer", "error · 1 answer", "org.example.tests · 2 answers"], tiles
    # A client without a link reports no result: that is no failure.
    page.until(lambda: "2 no result known" in page.text("#chartText")
               and "0 not recovered" in page.text("#chartText"), lambda: page.text("#chartText"))
    page.until(lambda: page.run("return document.querySelectorAll('#chart .unknown').length") > 0)
    axe = Axe(page)
    axe.look("times to answer")
    axe.close()


the_chart_reaches_back_and_has_the_times_to_answer.journaled = True


def times_to_answer_have_the_gravest_first(page, console):
    questions = console.ask(report("One.", severity="critical"), report("Two."), report("Three."))
    page.open(console.url)
    page.row("Three.")
    for question in questions:
        console.call(f"/api/v1/presentations/{question.id}/answer", {"option": "skip", "by": "ada"})
    page.until(lambda: "3 answers" in page.text(".waits"), "the times")
    words = [tile.split()[0] for tile in page.texts(".waits div")]
    assert words == ["all", "critical", "error", "org.example.tests"], words
    # The number of answers is in one line, and the note has room above it.
    lines = page.run("return [...document.querySelectorAll('.waits .number')]"
                     ".map((node) => node.getClientRects().length)")
    assert lines == [1] * 4, lines
    gap = page.run("const note = document.querySelector('.waits + .soft');"
                   "return note.getBoundingClientRect().top"
                   " - note.previousElementSibling.getBoundingClientRect().bottom")
    assert gap > 8, gap


times_to_answer_have_the_gravest_first.journaled = True


def of_ten_answers_there_is_the_time_of_nine(page, console):
    questions = console.ask(*[report("Of ten.", code=number) for number in range(10)])
    console.await_open(10)
    page.open(console.url)
    for count, question in enumerate(questions, 1):
        console.call(f"/api/v1/presentations/{question.id}/answer", {"option": "skip", "by": "ada"})
        if count < 9:
            continue
        page.until(lambda: f"all · {count} answers" in page.text(".waits")
                   and ("9 of 10 within" in page.text(".waits")) == (count == 10),
                   lambda: page.text(".waits"))


of_ten_answers_there_is_the_time_of_nine.journaled = True


def answers_without_a_known_result_are_no_failures(page, console):
    console.ask(*[report("Of three.", code=number) for number in range(3)])
    console.await_open(3)
    signed(page, console)
    page.row("Of three.")
    group = console.call("/api/v1/inbox?stage=open")["groups"][0]["number"]
    console.call(f"/api/v1/groups/{group}/answer",
                 {"option": "skip", "by": "ada", "seen": console.call("/api/v1/inbox")["revision"]})
    page.until(lambda: "no result known" in page.text("#toasts").lower()
               and "not recovered" not in page.text("#toasts"), lambda: page.text("#toasts"))


def without_a_journal_the_chart_is_of_the_last_hour(page, console):
    page.open(console.url)
    page.until(lambda: "In the last hour:" in chart_text(page), "the chart")
    page.until(lambda: not page.text("#span"), lambda: page.text("#span"))
    page.until(lambda: "last hour" in page.text(".chart figcaption"),
               lambda: page.text(".chart figcaption"))


ALL = [the_history_is_searched, the_history_has_ends_in_words,
       the_values_of_an_answer_are_shown_without_secrets, long_values_are_cut_in_a_row,
       the_history_is_read_in_pages,
       a_node_without_a_journal_says_so,
       the_history_shows_hostile_text_as_text, the_history_is_legible_and_reachable,
       a_phone_names_the_zone_of_the_times,
       the_chart_reaches_back_and_has_the_times_to_answer,
       times_to_answer_have_the_gravest_first,
       of_ten_answers_there_is_the_time_of_nine, answers_without_a_known_result_are_no_failures,
       without_a_journal_the_chart_is_of_the_last_hour]
