"""What axe-core finds on the page, in each of its states, sizes and schemes. As in cases.py."""
import importlib.util
import pathlib
import sys

from consoles import report

# The package is only where axe.min.js is: what else it has would need Playwright.
PACKAGE = importlib.util.find_spec("axe_playwright_python") or sys.exit(
    "axe-core is missing. Run: scripts/python -m pip install --no-deps axe-playwright-python")
AXE = (pathlib.Path(PACKAGE.origin).parent / "axe.min.js").read_text(encoding="utf-8")
# Of every impact: what is minor or moderate is no more to be there than what is serious.
FIND = """
    const done = arguments[0];
    axe.run(document, { resultTypes: ["violations"] }).then(
      ({ violations }) => done(violations.flatMap(
        ({ id, impact, nodes }) => nodes.map(({ target, failureSummary }) =>
          `${impact} ${id}: ${target.join(" ")}: ${failureSummary.replace(/\\s+/g, " ")}`))),
      (error) => done([`axe failed: ${error}`]));"""
SIZES = [("light", 1440, 900), ("light", 1024, 768), ("light", 390, 844),
         ("dark", 1440, 900), ("dark", 390, 844)]


class Axe:
    """Collects what is found, so that one run tells everything."""

    def __init__(self, page):
        self.page, self.problems = page, []

    def look(self, name):
        """At what is shown now: in each size and scheme."""
        page = self.page
        for scheme, width, height in SIZES:
            page.resize(width, height, scheme)
            page.rest()
            if not page.run("return Boolean(window.axe)"):
                page.run(AXE)
            self.problems += [f"{name}, {scheme}, {width} wide: {each}"
                              for each in page.driver.execute_async_script(FIND)]
        page.resize(*SIZES[0][1:])

    def close(self):
        assert not self.problems, "\n".join(["axe-core found:", *self.problems])


def opened(page, console):
    page.open(console.url)
    page.run("localStorage.setItem('errorbus.name', 'ada');"
             "localStorage.setItem('errorbus.undo', '0')")
    page.open(console.url)
    return Axe(page)


def axe_finds_nothing_in_an_empty_inbox(page, console):
    axe = opened(page, console)
    page.until(lambda: "Nothing is waiting" in page.text("#empty"), "the empty list")
    axe.look("empty inbox")
    for view, part in (("audit", "#auditCount"), ("silences", "#silences"),
                       ("topology", "#nodes")):
        page.go(view)
        page.until(lambda: page.text(part), view)
        axe.look(f"empty {view}")
    axe.close()


def axe_finds_nothing_where_a_token_is_asked_for(page, console):
    page.expects("401")
    page.driver.get(console.address)
    page.until(lambda: page.text("#doorTitle"), "the door")
    axe = Axe(page)
    axe.look("the door")
    axe.close()
    # What is behind takes no focus.
    for _ in range(4):
        page.press(page.keys.TAB)
        page.until(lambda: page.run("return document.activeElement === document.body"
                        " || document.getElementById('door').contains(document.activeElement)"))
    page.click("#doorToken")
    page.press(*console.token, page.keys.ENTER)
    page.until(lambda: page.text("#link") == "live", "the page to be linked")
    page.press("?")
    page.until(lambda: page.text("#helpDialog"), "the keys to work")
    page.press(page.keys.ESCAPE)
    page.click("[data-tab=audit]")
    page.until(lambda: page.text("#auditCount"), "the header to work")


def axe_finds_nothing_in_the_inbox(page, console):
    asked = console.ask(
        report("One with all.", severity="critical", failureReason="Because.\n" * 20,
               recoverySuggestion="Try again.", onExpiry="skip", userInfo={"host": "a"},
               underlyingErrors=[{"domain": "below", "description": "Beneath."}]), deadline=200)
    for severity in ("error", "warning", "info", "debug"):
        console.ask(*[report(f"A {severity}.", severity=severity) for _ in range(3)])
    path = f"/api/v1/presentations/{asked[0].id}"
    axe = opened(page, console)
    page.row("One with all.")
    axe.look("inbox")
    page.choose("A warning.")
    page.press(page.keys.ARROW_RIGHT)
    axe.look("a group")
    page.choose("One with all.")
    page.until(lambda: "Because." in page.text("#detail"), "the reason")
    axe.look("one chosen")
    page.click("[data-option=purge]")
    page.until(lambda: page.text("#confirmDialog"), "the confirmation")
    axe.look("a confirmation")
    page.press(page.keys.ESCAPE)
    page.until(lambda: not page.text("#confirmDialog"), "its end")
    console.call(f"{path}/claim", {"by": "bea", "forMilliseconds": 600_000})
    page.until(lambda: "Claimed by bea" in page.text(".decide"), "the claim")
    axe.look("one that another claimed")
    page.go("inbox?filter=severity:warning+claimed:bea+severity:huge")
    page.until(lambda: page.text("#filterNote"), "the notes of the filter")
    axe.look("a filter")
    axe.close()


def axe_finds_nothing_in_long_texts(page, console):
    long = "delete\u202c the \u2066archive\u2069 "
    console.ask(report(long * 12, userInfo={long: long, "k" * 250: long * 9, "short": "y " * 900}))
    axe = opened(page, console)
    page.choose("delete")
    page.until(lambda: "kkkk" in page.text("#detail"), "the context")
    axe.look("long texts")
    legible = (pathlib.Path(__file__).parent / "legible.js").read_text()
    for width in (1440, 1024, 390):
        page.resize(width, 844)
        page.rest()
        axe.problems += [f"{width}: {each}" for each in page.run(legible, width < 760)]
    axe.close()


def axe_finds_nothing_in_what_ended(page, console):
    command = console.command("exec", "--", "sh", "-c", "echo Why. >&2; exit 3")
    axe = opened(page, console)
    page.choose("sh")
    axe.look("a failed command")
    page.click("[data-option=retry]")
    page.until(lambda: "ailed again" in page.text(".decide"), "what came of it")
    axe.look("one that failed again")
    page.go("inbox?show=ended")
    page.until(lambda: page.texts("#list .row"), "the ended ones")
    axe.look("the ended ones")
    page.go("audit")
    page.until(lambda: page.texts("#audit tr"), "the audit")
    axe.look("audit")
    command.kill()
    command.communicate()
    axe.close()


def axe_finds_nothing_in_the_other_views(page, console):
    console.ask(report("Which is it?"))
    for comment in ("The volume is grown.", "mx2 moves."):
        console.call("/api/v1/silences", {"match": {"domain": "nothing.*", "code": [28, "5*"]},
                                          "comment": comment, "by": "ada",
                                          "forMilliseconds": 3_600_000})
    console.call("/api/v1/silences/1/end", {"by": "bea"})
    axe = opened(page, console)
    page.go("silences")
    page.until(lambda: "Recently ended" in page.text("#silences"), "the silences")
    axe.look("silences")
    page.press("s")
    page.until(lambda: page.text("#silenceDialog"), "the form")
    axe.look("the form of a silence")
    page.press(page.keys.ESCAPE)
    page.go("audit")
    page.until(lambda: page.texts("#audit tr"), "the audit")
    axe.look("audit")
    page.go("topology")
    page.until(lambda: "worker" in page.text("#nodes"), "the topology")
    axe.look("topology")
    axe.close()


axe_finds_nothing_in_the_other_views.nodes = {"relay": (["central"], True),
                                              "worker": (["relay"], False)}


def axe_finds_nothing_in_the_dialogs(page, console):
    console.fill(5)
    axe = opened(page, console)
    page.run("localStorage.setItem('errorbus.views', JSON.stringify([{ name: 'Of one',"
             " filter: 'origin:' + 'w'.repeat(290), sort: 'age', show: 'open' }]))")
    page.until(lambda: page.texts("#list .row"), "the rows")
    for key, dialog in (("?", "#helpDialog"), ("v", "#viewsDialog"), (None, "#nameDialog")):
        if key:
            page.press(key)
        else:
            page.click("#who")
        page.until(lambda: page.text(dialog), dialog)
        axe.look(dialog)
        page.press(page.keys.ESCAPE)
        page.until(lambda: not page.text(dialog), "its end")
    page.part("news", "part.toast('Refused.', 'error')")
    axe.look("a notice")
    axe.close()


def axe_finds_nothing_in_the_dialogs_for_answers(page, console):
    answered, _ = console.ask(report("Answered."), report("Selected."))
    console.await_open(2)
    console.call(f"/api/v1/presentations/{answered.id}/answer", {"option": "retry", "by": "bea"})
    assert answered.answer() == ("retry", "bea")
    axe = opened(page, console)
    page.row("Selected.")
    page.press("j", "x")
    page.until(lambda: page.text("#pickedCount") == "1 selected", "the selection")
    page.press("a")
    page.until(lambda: page.text("#pickedBody"), "the dialog for the selection")
    page.part("news", "part.toast('Refused.', 'error')")
    axe.look("the dialog for a selection")
    page.press(page.keys.ESCAPE)
    page.until(lambda: not page.text("#pickedDialog"), "its end")
    page.choose("Selected.")
    page.press("c")
    page.until(lambda: "Claimed by you" in page.text(".decide"), "the claim")
    page.press("h")
    page.until(lambda: page.text("#handDialog"), "the dialog for the other person")
    axe.look("the dialog that hands a claim over")
    page.press(page.keys.ESCAPE)
    page.until(lambda: not page.text("#handDialog"), "its end")
    page.go(f"inbox/{answered.id}")
    page.shown("Answered.")
    page.click(".decide button", "Make a rule")
    page.until(lambda: page.text("#ruleTrial"), "the trial")
    axe.look("the dialog for a rule")
    axe.close()


axe_finds_nothing_in_the_dialogs_for_answers.journaled = True

ALL = [axe_finds_nothing_in_an_empty_inbox, axe_finds_nothing_where_a_token_is_asked_for,
       axe_finds_nothing_in_the_inbox, axe_finds_nothing_in_long_texts,
       axe_finds_nothing_in_what_ended, axe_finds_nothing_in_the_other_views,
       axe_finds_nothing_in_the_dialogs, axe_finds_nothing_in_the_dialogs_for_answers]
