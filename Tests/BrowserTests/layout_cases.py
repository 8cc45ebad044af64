"""Where things stand on the page: in sight, in reach, in place. As in cases.py."""
import pathlib

from consoles import report

CONTROLS = "header a, header button, .back, #list .row, .decide button, #toasts button"
LATEST = "#undos > :first-child button, #passing > :first-child p"
# Which of them would not be hit in their middle; `arguments[1]` says whether to scroll there.
MISSED = """
    return [...document.querySelectorAll(arguments[0])].filter((node) => {
      if (!node.checkVisibility()) return false;
      if (arguments[1]) node.scrollIntoView({ block: "nearest" });
      const box = node.getBoundingClientRect();
      const hit = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
      return !node.contains(hit);
    }).map((node) => node.textContent);"""
PLACES = """
    return [...document.querySelectorAll("header a, .options button, .decide .buttons button")]
      .map((node) => node.getBoundingClientRect().y);"""
SCROLL_TO_THE_END = """
    const detail = document.getElementById("detail");
    detail.scrollTop = detail.scrollHeight;"""
NOTICES = ["Taken back: it waits for another answer.", "One moment: the last answer is on its way.",
           "No reply from the console for 3 s. Still waiting: your answer may have"
           " arrived."]


def a_notice_covers_nothing(page, console):
    console.ask(report("Which is it?", failureReason="It is not known."),
                report("Another one.", severity="warning"))
    page.open(console.url)
    page.run("localStorage.setItem('errorbus.name', 'ada');"
             "localStorage.setItem('errorbus.undo', '60')")
    for width, height in ((780, 437), (390, 700), (640, 400), (320, 480), (1280, 800)):
        page.resize(width, height)
        page.open(console.url)
        page.choose("Another one.")
        page.click("[data-option=skip]")
        page.until(lambda: "Undo" in page.text("#toasts"), "the time to undo")
        page.press(page.keys.ESCAPE)
        page.choose("Which is it?")
        for count, notice in enumerate(["", *NOTICES]):
            if notice:
                page.part("news", f"part.toast('{notice}', 'warning')")
            page.until(lambda: len(page.texts(".toast")) == count + 1)
            missed = page.run(MISSED, LATEST, False) + page.run(MISSED, CONTROLS, True)
            assert not missed, (width, height, count, missed)
        page.click("#toasts button", "Undo")
        page.until(lambda: "Taken back" in page.text("#toasts"), "it taken back")


def the_help_has_its_button_in_sight(page, console):
    page.open(console.url)
    for width, height in ((1280, 600), (640, 600), (1280, 800)):
        page.resize(width, height)
        page.press("?")
        page.until(lambda: page.text("#helpDialog"), "the help")
        page.rest()
        missed = page.run(MISSED, "#helpDialog :is(h2, .buttons button)", False)
        assert not missed, (width, height, missed)
        page.click("#helpDialog button", "Close")
        page.until(lambda: not page.text("#helpDialog"), "it to be closed")


def the_silence_form_is_in_sight_as_a_whole(page, console):
    page.open(console.url)
    page.resize(1280, 800)
    page.go("silences")
    page.click("#newSilence")
    page.until(lambda: page.text("#silenceDialog"), "the form")
    page.rest()
    fields = "#silenceDialog :is(h2, #silenceComment, #silenceOption, .buttons button)"
    missed = page.run(MISSED, fields, False)
    assert not missed, missed
    # The last field is not cut by the buttons at the foot.
    low, foot = page.run("""
        const box = (selector) => document.querySelector(selector).getBoundingClientRect();
        return [box("#optionHint").bottom, box("#silenceDialog form > .buttons").top];""")
    assert low <= foot, (low, foot)


def assert_still(page, before, when):
    """Nothing is elsewhere than before, by more than a pixel may be rounded."""
    moved = [(old, new) for old, new in zip(before, page.run(PLACES), strict=True)
             if abs(old - new) > 1]
    assert not moved, (when, moved)


def nothing_moves_for_a_notice(page, console):
    console.ask(report("Which is it?", failureReason="It is not known."))
    page.open(console.url)
    page.run("localStorage.setItem('errorbus.name', 'ada')")
    for width, height in ((780, 437), (390, 700), (640, 400), (1280, 800)):
        page.resize(width, height)
        page.open(console.url)
        page.choose("Which is it?")
        page.until(lambda: "It is not known." in page.text("#detail"), "the reason")
        for script in ("", SCROLL_TO_THE_END):
            page.run(script)
            before = page.run(PLACES)
            for notice in NOTICES:
                page.part("news", f"part.toast('{notice}', 'warning')")
                assert_still(page, before, (width, height, notice))
            while page.texts("#toasts button"):
                page.click("#toasts button", "Close")
                assert_still(page, before, (width, height, "closed"))


def everything_is_legible_and_reachable(page, console):
    console.ask(report("One with all.", severity="critical", failureReason="Because.",
                       onExpiry="skip", userInfo={"host": "a"}, underlyingErrors=[
                           {"domain": "below", "description": "Beneath."}]), deadline=200)
    for severity in ("error", "warning", "info", "debug"):
        console.ask(*[report(f"A {severity}.", severity=severity) for _ in range(3)])
    console.call("/api/v1/silences", {"match": {"domain": "nothing.*"}, "comment": "none",
                                      "by": "ada", "forMilliseconds": 60_000})
    page.open(console.url)
    page.run("localStorage.setItem('errorbus.name', 'ada')")
    problems = []
    for scheme in ("light", "dark"):
        for width, height in ((1280, 800), (390, 844), (320, 640), (640, 400)):
            page.resize(width, height, scheme)
            for view in ("inbox", "silences", "audit", "topology", "detail", "form"):
                page.go({"detail": "inbox", "form": "silences"}.get(view, view))
                if view == "detail":
                    page.choose("One with all.")
                if view == "form":
                    page.press("s")
                    page.until(lambda: page.text("#silenceDialog"), "the form")
                    page.click("#silenceAddInfo")
                page.rest()
                found = page.run((pathlib.Path(__file__).parent / "legible.js").read_text(),
                                 width < 760)
                problems += [f"{scheme} {width} {view}: {each}" for each in found]
                if view == "form":
                    page.press(page.keys.ESCAPE)
    assert not problems, "\n".join(sorted(set(problems))[:60])


def nothing_jumps(page, console):
    console.ask(*[report(f"Error {number}.", failureReason="Because.") for number in range(30)])
    for width in (1280, 390):
        page.resize(width, 844)
        page.open(console.url)
        page.row("Error ")  # Which rows are in sight is not given: they arrived in one burst.
        page.run("""
            window.shifts = [];
            new PerformanceObserver((list) => {
              for (const { value, sources } of list.getEntries()) {
                window.shifts.push([value, sources.map(({ node, previousRect, currentRect }) =>
                  `${node?.id || node?.className || node?.nodeName}`
                    + ` ${previousRect.top} to ${currentRect.top}`)]);
              }
            }).observe({ type: "layout-shift", buffered: true });
            const send = window.fetch;
            window.fetch = async (path, options) => {
              if (path.includes("presentations")) await new Promise((go) => setTimeout(go, 200));
              return send(path, options);
            };
            window.tops = {};
            const look = () => {
              for (const heading of document.querySelectorAll("#detail h3")) {
                if (!heading.checkVisibility()) continue; // What is hidden has no place.
                (window.tops[heading.textContent] ??= new Set()).add(heading.offsetTop);
              }
              requestAnimationFrame(look);
            };
            look();""")
        console.ask(report("One more."))
        page.run("document.querySelector('#list .row').click()")
        page.shown("Error")
        page.until(lambda: "Because." in page.text("#detail"), "the details")
        page.rest()
        shifts, moved = page.run(
            "return [window.shifts, Object.entries(window.tops)"
            ".filter(([, tops]) => tops.size > 1).map(([name]) => name)]")
        # The options are where they were, and nothing that is being read goes elsewhere.
        assert sum(value for value, _ in shifts) < 0.01 and not moved, (shifts, moved)


def rows_are_comfortable_or_compact(page, console):
    words = "The index of the ledger is older than its table, and was not built again tonight. "
    console.ask(*[report(f"{number}. {words * 2}") for number in range(12)])
    console.await_open(12)
    page.open(console.url)
    page.run("localStorage.setItem('errorbus.name', 'ada')")
    page.row("11. ")
    sizes = """
        const lines = [...document.querySelectorAll("#list > li")]
          .map((line) => [line, line.getBoundingClientRect()])
          .sort(([, one], [, other]) => one.y - other.y);
        const gaps = lines.slice(1).map(([, box], index) => box.y - lines[index][1].bottom);
        const [line, { height }] = lines[0];
        const [title, from] = [".title", ".from"].map((part) =>
          line.querySelector(part).getBoundingClientRect());
        const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
        return [height / rem, title.height / rem, Math.max(...gaps.map(Math.abs)),
                from.bottom <= lines[0][1].bottom && title.top >= lines[0][1].top
                  && title.bottom <= from.top + 1];"""

    def are(height, least, most):
        page.rest()
        found = page.run(sizes)
        assert abs(found[0] - height) < 0.01 and least < found[1] < most, found
        assert found[2] < 1 and found[3], found
    legible = (pathlib.Path(__file__).parent / "legible.js").read_text()
    are(4.25, 2, 2.7)
    page.click("#who")
    page.until(lambda: page.text("#nameDialog"), "the dialog")
    page.run("document.getElementById('rowsField').value = 'compact'")
    page.click("#nameDialog button", "Save")
    page.until(lambda: page.run(sizes)[0] < 4, "low rows")
    are(3, 1, 1.4)
    page.driver.refresh()
    page.row("11. ")
    are(3, 1, 1.4)
    # The keyboard goes on as before.
    page.press(page.keys.END)
    page.until(lambda: page.text("#title").startswith(page.run(
        "return document.activeElement.querySelector('.title').textContent").split(" ")[0]),
        "the last one")
    page.press(page.keys.HOME)
    page.go("inbox")
    for width in (1280, 390, 320):
        page.resize(width, 844)
        are(3, 1, 1.4)
        page.until(lambda: not page.run(legible, width < 760),
                   lambda: page.run(legible, width < 760))


def a_title_ends_only_at_its_badge(page, console):
    title = "Reroute the mail of tonight"
    console.ask(*[report("The queue of the mail is full, and takes no more of it.",
                         onExpiry="on", recoveryOptions=[{"id": "on", "title": title}])] * 4,
                deadline=200)
    page.open(console.url)
    for width in (1024, 1440):
        page.resize(width, 800)
        page.row("The queue")
        page.until(lambda: title[:10] in page.text("#list .age"), "what will happen")
        page.rest()
        room = page.run("""
            const [title, badge, age] = [".title", ".badge", ".age"].map((part) =>
              document.querySelector(`#list ${part}`).getBoundingClientRect());
            return [badge.left - title.right, age.width - badge.width];""")
        assert 0 <= room[0] < 16 < room[1], (width, room)


def a_phone_has_room_for_the_title_of_an_end(page, console):
    title = "The queue of the mail is full, and takes no more of it tonight."
    question, _ = console.ask({**report(title), "domain": "com.acme.mail"},
                              {**report("It waits."), "domain": "com.acme.mail.archive"})
    console.await_open(2)
    page.open(console.url)
    page.resize(390, 844)
    sizes = """
        const [row, title, from] = [".row", ".title", ".from"].map((part) =>
          document.querySelector(`#list ${part}`));
        const code = from.lastChild;
        const { right } = from.getBoundingClientRect();
        return [row.clientWidth - title.clientWidth, title.scrollHeight - title.clientHeight,
          code.clientWidth / code.scrollWidth, code.getBoundingClientRect().right - right];"""
    page.row("It waits.")
    page.rest()
    _, _, shown, beyond = page.run(sizes)
    # The age beside it takes more room after ten seconds.
    assert shown > 0.9 and beyond < 1, (shown, beyond)
    console.call(f"/api/v1/presentations/{question.id}/answer", {"option": "skip", "by": "ada"})
    page.go("inbox?show=ended")
    page.until(lambda: "no result known" in page.text("#list .badge"), lambda: page.text("#list"))
    page.rest()
    rest, cut, shown, beyond = page.run(sizes)
    assert rest < 90 and cut <= 1 and shown > 0.7 and beyond < 1, (rest, cut, shown, beyond)


def the_buttons_for_what_is_selected_are_in_one_line(page, console):
    console.ask(*[report(f"Error {number}.") for number in range(120)])
    page.open(console.url)
    page.until(lambda: page.text("#count").startswith("120 waiting"), "all of them")
    page.press("j", "x", page.keys.END, "X")
    page.until(lambda: page.text("#pickedCount") == "120 selected", "the selection")
    page.press(page.keys.ESCAPE)
    for width in (1440, 1024, 390, 320):
        page.resize(width, 844)
        if width < 760:
            page.go("inbox")
        page.until(lambda: page.text("#picked"), "the bar")
        page.rest()
        tops = page.run("return ['pickedOpen', 'pickedClear'].map((id) =>"
                        " document.getElementById(id).getBoundingClientRect().top)")
        assert tops[0] == tops[1], (width, tops)


def a_phone_shows_no_keys_and_has_large_buttons(page, console):
    console.ask(*[report(f"Batch {number} could not be read.", coalesceKey="same")
                  for number in range(5)])
    page.open(console.url)
    page.run("localStorage.setItem('errorbus.name', 'ada');"
             "localStorage.setItem('errorbus.undo', '60')")
    page.open(console.url)
    page.resize(390, 844)
    page.choose("Batch ")
    page.until(lambda: page.text(".kinds"), "what differs")
    legible = (pathlib.Path(__file__).parent / "legible.js").read_text()
    found = page.run(legible, True)
    page.click("[data-option=skip]")
    page.until(lambda: "Undo" in page.text("#undos"), "the time to undo")
    page.part("news", "part.toast('Copied.', 'good')")
    page.rest()
    found += page.run(legible, True)
    assert not found, found
    page.until(lambda: not page.texts("main kbd, #toasts kbd"),
               lambda: page.texts("main kbd, #toasts kbd"))


def what_is_wrong_stays_until_it_is_closed(page, console):
    page.open(console.url)
    # All timers of the page run out at once from here on.
    page.run("const later = window.setTimeout;"
             "window.setTimeout = (work, ...rest) => later(work, 0, ...rest.slice(1))")
    for text in ("Refused.", "Refused.", "Failed."):
        page.part("news", f"part.toast('{text}', 'error')")
    for number in range(4):
        page.part("news", f"part.toast('Copied {number}.', 'good')")
    page.until(lambda: page.texts("#passing p") == ["Failed.", "Refused."], "the rest to go")
    page.part("news", "(part.toast('Being read.', 'good'),"
                      "document.querySelector('#passing button').focus())")
    page.rest()
    page.until(lambda: page.texts("#passing p") == ["Being read.", "Failed.", "Refused."])
    page.run("document.activeElement.blur()")
    page.until(lambda: page.texts("#passing p") == ["Failed.", "Refused."], "it to go")
    while page.texts("#passing button"):
        page.click("#passing button", "Close")
    page.until(lambda: page.texts("#passing p") == [])


# What the detail has, in the order of the document: its headings, and its other parts by a name.
PARTS = """
    return [...document.querySelectorAll("#detail > :is(h2, .meta, h3, .decide)")].map((node) =>
      (node.matches("h3") ? node.textContent : node.id || node.className));"""
# What of the facts is not above the options, and what of these is not in sight.
BELOW = """
    const [detail, decide] = ["#detail", ".decide"].map((part) => document.querySelector(part));
    const foot = decide.getBoundingClientRect();
    const isAbove = ({ bottom }) => bottom <= foot.top + 1;
    const problems = [...detail.children].filter((node) =>
      node.compareDocumentPosition(decide) & Node.DOCUMENT_POSITION_FOLLOWING
        && !isAbove(node.getBoundingClientRect()) && !isAbove(detail.getBoundingClientRect()))
      .map((node) => `not above: ${node.textContent}`);
    const { top, bottom } = decide.querySelector(".options button").getBoundingClientRect();
    if (foot.top < innerHeight * .3 || foot.bottom > innerHeight + 1) problems.push("the foot");
    if (top < foot.top || bottom > foot.bottom) problems.push("the first option");
    return problems;"""
# What is not in sight when it has the focus.
HIDDEN = """
    const parts = "#detail :is(a, button, textarea, input, [tabindex='0'])";
    return [...document.querySelectorAll(parts)].filter((node) => {
      node.focus();
      const box = node.getBoundingClientRect();
      const hit = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
      return node.checkVisibility() && !node.contains(hit) && !hit?.contains(node);
    }).map((node) => node.textContent);"""


def the_facts_stand_above_the_options(page, console):
    why = {"failureReason": "It was written twice.", "recoverySuggestion": "Compare both.",
           "helpAnchor": "https://runbooks.example.org/409",
           "userInfo": {"host": "a", "log": "one\ntwo\n" * 20}}
    options = [{"id": f"rack-{number}", "title": f"Use rack {number}"} for number in range(30)]
    before, = console.ask(report("Which is it?"))
    console.await_open(1)
    console.call(f"/api/v1/presentations/{before.id}/answer", {"option": "skip", "by": "bob"})
    assert before.answer() == ("skip", "bob")
    again, _ = console.ask(report("Which is it?", **why),
                           report("Which of many?", recoveryOptions=options, **why))
    console.await_open(2)
    path = f"/api/v1/presentations/{again.id}"
    page.until(lambda: (console.call(path)["earlier"] or {}).get("count"), "the journal's record")
    page.open(console.url)
    page.run("localStorage.setItem('errorbus.name', 'ada')")
    page.open(console.url)
    reasons = ["title", "meta", "Why", "Try", "Runbook"]
    facts = ["Notes", "Context", "Path", "History", "Identity"]
    for width, height in ((1440, 900), (1024, 768), (390, 844)):
        for title, earlier in (("Which is it?", ["Earlier"]), ("Which of many?", [])):
            page.resize(width, height)
            page.go("inbox")
            page.choose(title)
            page.until(lambda: page.run(PARTS) == [*reasons, *earlier, "decide", *facts],
                       lambda: page.run(PARTS))
            for script in ("", SCROLL_TO_THE_END):
                page.run(script)
                page.until(lambda: not page.run(BELOW), lambda: (width, title, page.run(BELOW)))
            page.until(lambda: not page.run(HIDDEN), lambda: (width, title, page.run(HIDDEN)))
            # The next stops of Tab after the reasons are the earlier ones, then the options.
            page.run("document.getElementById('detail').scrollTop = 0;"
                     "document.querySelector('#detail [href]').focus()")
            inside = "return Boolean(document.activeElement.closest(arguments[0]))"
            page.until(lambda: page.press(page.keys.TAB) or page.run(inside, ".decide")
                       or not page.run(inside, ".earlier"), "the focus after the reasons")
            page.until(lambda: page.run(inside, ".decide"), "the focus at the options")


the_facts_stand_above_the_options.journaled = True


# The edges of the header, its tabs, and the content of the view that is shown.
EDGES = """
    const box = (node) => {
      const { left, right } = node.getBoundingClientRect();
      const { paddingLeft, paddingRight } = getComputedStyle(node);
      return [left + parseFloat(paddingLeft), right - parseFloat(paddingRight)];
    };
    const main = document.querySelector("main:not([hidden])");
    const [side, detail] = ["#inbox .tools", "#detail"].map((part) => document.querySelector(part));
    const column = main.id !== "inbox" ? box(main)
      : [side, detail].filter((node) => node.checkVisibility()).map(box)
        .reduce(([left], [, right]) => [left, right]);
    return {
      column, header: box(document.querySelector("header")),
      tabs: [...document.querySelectorAll("nav a")].flatMap(box),
    };"""
# What in a view with one column does not begin or end with it.
ASTRAY = """
    const main = document.querySelector("main.page:not([hidden])");
    if (!main) return [];
    const { paddingLeft, paddingRight } = getComputedStyle(main);
    const left = main.getBoundingClientRect().left + parseFloat(paddingLeft);
    const right = main.getBoundingClientRect().right - parseFloat(paddingRight);
    return [...main.querySelectorAll(":scope > *, #silences > *, #letters > *")].filter((node) => {
      if (!node.checkVisibility() || node.matches(".sr, .quiet")) return false;
      const box = node.getBoundingClientRect();
      return Math.abs(box.left - left) > 1 || Math.abs(box.right - right) > 1;
    }).map((node) => `${node.tagName} ${node.id || node.className}`);"""


def all_views_share_one_grid(page, console):
    asked = console.ask(report("Waits."), report("Ended."))
    console.await_open(2)
    console.call(f"/api/v1/presentations/{asked[1].id}/answer", {"option": "skip", "by": "bob"})
    for comment in ("The volume is grown.", "mx2 moves."):
        console.call("/api/v1/silences", {"match": {"domain": "nothing.*"}, "comment": comment,
                                          "by": "ada", "forMilliseconds": 3_600_000})
    page.open(console.url)
    views = {"inbox": "#list .row", "inbox?show=ended": "#list .row", "silences": "#silences .card",
             "history": "#past tr", "audit": "#audit tr",
             "topology": "#letters .card", f"inbox/{asked[0].id}": "#title"}
    page.until(lambda: page.text("#letterNumber"), "a message that was not delivered")
    page.until(lambda: page.text("#silenceCount") == "2", "the silences")
    for width, height in ((1440, 900), (1024, 768), (390, 844)):
        page.resize(width, height)
        edges = {}
        for view, part in views.items():
            page.go(view)
            page.until(lambda: page.text(part), view)
            page.rest()
            page.until(lambda: not page.run(ASTRAY), lambda: (width, view, page.run(ASTRAY)))
            edges[view] = page.run(EDGES)
        first = edges["inbox"]
        assert first["column"] == first["header"], (width, first)
        differing = {view: each for view, each in edges.items() if each != first}
        assert not differing, (width, first, differing)


all_views_share_one_grid.hooked = True
all_views_share_one_grid.journaled = True

# What of the list, a table and the context does not stand where its neighbours do.
CROOKED = """
    const boxOf = (node) => node.getBoundingClientRect();
    const seen = (part) => [...document.querySelectorAll(part)].filter((node) =>
      node.checkVisibility() && node.textContent);
    const problems = [];
    const differ = (what, values, most = 1) => {
      if (Math.max(...values) - Math.min(...values) > most) problems.push([what, ...values]);
    };
    differ("ages", arguments[0] ? [] : seen("#list .age").map((age) => boxOf(age).right));
    if (seen("#silenceLink").length > 0) {
      differ("count", ["count", "silenceLink"].map((id) => {
        const range = document.createRange();
        range.selectNodeContents(document.getElementById(id));
        return range.getBoundingClientRect().bottom;
      }));
    }
    for (const entry of seen("#past .entry")) {
      const [mark, title, from] = [".mark", ".title", ".foreign"].map((part) =>
        boxOf(entry.querySelector(part)));
      differ("entry", [title.left, from.left]);
      if (mark.top > title.top + 6 || mark.right > title.left) problems.push(["mark", mark.top]);
    }
    for (const line of seen("#detail .block:not(:has(.lines))")) {
      differ("copy", [...line.children].map((node) => (boxOf(node).top + boxOf(node).bottom) / 2),
             4);
    }
    for (const card of seen("#letters .card")) {
      const gaps = [...card.children].slice(1).map((node) =>
        boxOf(node).top - boxOf(node.previousSibling).bottom);
      differ("card", gaps, 5);
    }
    for (const node of seen(".tree .node")) {
      const joined = node.parentElement.querySelector(":scope > ul > .joined");
      const rise = joined && parseFloat(getComputedStyle(joined, "::before").top);
      if (joined && boxOf(joined).top + rise < boxOf(node).bottom - 1) {
        problems.push(["tree", rise]);
      }
    }
    return problems;"""


def what_belongs_together_is_in_line(page, console):
    console.ask(*[report("The same.") for _ in range(3)])
    one, *_ = console.ask(report("A single one.", userInfo={"host": "a", "attempt": 2}),
                          report("A hook's message with so many words that they take two lines in a"
                                 " card."))
    console.await_open(5)
    console.call("/api/v1/silences", {"match": {"domain": "nothing.*"}, "comment": "none",
                                      "by": "ada", "forMilliseconds": 3_600_000})
    page.open(console.url)
    page.until(lambda: any("many words" in letter["title"] for letter in
                           console.call("/api/v1/notify")["dead"]), "what was not delivered")
    page.until(lambda: page.text("#silenceLink"), "the silence")
    parts = {"inbox": "#list .group", f"inbox/{one.id}": "#detail .copy", "history": "#past tr",
             "topology": "#nodes .joined"}
    for width, height in ((1440, 900), (1024, 768), (390, 844)):
        page.resize(width, height)
        for view, part in parts.items():
            page.go(view)
            page.until(lambda: page.texts(part), view)
            page.rest()
            page.until(lambda: not page.run(CROOKED, width < 760),
                       lambda: (width, view, page.run(CROOKED, width < 760)))


def an_empty_view_says_so_in_its_middle(page, console):
    page.open(console.url)
    parts = {"inbox": ("#detail > .quiet", ".reader"), "silences": ("#silences > .quiet", "main"),
             "history": ("#pastCount", "main"), "audit": ("#auditCount", "main")}
    for width in (1440, 390):
        page.resize(width, 844)
        for view, (part, around) in parts.items():
            if view == "inbox" and width < 760:
                part, around = "#empty", ".side"
            page.go(view)
            page.until(lambda: page.text(part), view)
            page.rest()
            page.until(lambda: page.run("""
                const [part, around] = [...arguments].map((each) =>
                  [...document.querySelectorAll(each)].find((node) => node.checkVisibility()));
                const words = document.createRange();
                words.selectNodeContents(part);
                const [one, other] = [words, around].map((each) => each.getBoundingClientRect())
                  .map(({ left, right }) => (left + right) / 2);
                return Math.abs(one - other) < 16;""", part, around), (width, view))


an_empty_view_says_so_in_its_middle.journaled = True


def the_tabs_are_in_one_line_with_large_numbers(page, console):
    page.open(console.url)
    for width in (1440, 1024, 390, 360):
        page.resize(width, 844)
        page.rest()
        tops, cut = page.run("""
            for (const [id, text] of arguments[0]) {
              const node = document.getElementById(id);
              node.textContent = text;
              for (const each of [node, node.parentElement]) each.hidden = false;
            }
            const tabs = [...document.querySelectorAll("nav a, nav .pill")];
            return [tabs.filter((tab) => tab.matches("a")).map((tab) => tab.offsetTop),
              tabs.filter((tab) => tab.scrollWidth > tab.clientWidth)
                .map((tab) => tab.textContent)];""",
            [["openCount", "10\u202f000"], ["silenceCount", "12"], ["letterNumber", "200"]])
        assert len(set(tops)) == 1 and not cut, (width, tops, cut)


what_belongs_together_is_in_line.hooked = True
what_belongs_together_is_in_line.journaled = True
what_belongs_together_is_in_line.nodes = {
    "relay": (["central"], True), "worker": (["relay"], False)}

ALL = [everything_is_legible_and_reachable, nothing_jumps, a_notice_covers_nothing,
       the_help_has_its_button_in_sight, the_silence_form_is_in_sight_as_a_whole,
       nothing_moves_for_a_notice,
       rows_are_comfortable_or_compact, a_title_ends_only_at_its_badge,
       a_phone_has_room_for_the_title_of_an_end,
       the_buttons_for_what_is_selected_are_in_one_line,
       a_phone_shows_no_keys_and_has_large_buttons, what_is_wrong_stays_until_it_is_closed,
       the_facts_stand_above_the_options, all_views_share_one_grid,
       what_belongs_together_is_in_line, an_empty_view_says_so_in_its_middle,
       the_tabs_are_in_one_line_with_large_numbers]
