"""A policy rule that is made of an answer, and tried. As in cases.py."""
from consoles import report
from safety_cases import signed


# The next trial is refused, as while another one is under way.
BUSY = ("const send = window.fetch; window.fetch = (path, ...rest) => {"
        " if (!path.endsWith('/rules/trial')) return send(path, ...rest);"
        " window.fetch = send;"
        " return Promise.resolve(new Response(JSON.stringify("
        "{ error: 'busy', message: 'another trial is under way' }), { status: 503 })); }")


def write(page, text):
    page.run("const field = document.getElementById('ruleText'); field.value = arguments[0];"
             "field.dispatchEvent(new Event('input', { bubbles: true }))", text)


def a_rule_is_made_of_an_answer_and_tried(page, console):
    page.expects("422")
    asked = console.ask(*[report("The disk is full.", userInfo={"host": "db-1"})] * 3)
    console.await_open(3)
    for presentation, option in zip(asked, ("retry", "retry", "skip")):
        console.call(f"/api/v1/presentations/{presentation.id}/answer",
                     {"option": option, "by": "bea"})
        assert presentation.answer() == (option, "bea")
    signed(page, console)
    page.go(f"inbox/{asked[0].id}")
    page.shown("The disk is full.")
    page.click(".decide button", "Make a rule")
    page.until(lambda: page.text("#ruleTitle"), "the form")
    rule = page.run("return document.getElementById('ruleText').value")
    for line in ("domain: org.example.tests", "userInfo.host: db-1", "option: retry"):
        assert f"      {line}\n" in rule, rule
    page.until(lambda: "as in 2 answers by people" in page.text("#ruleMade"),
               lambda: page.text("#ruleMade"))
    page.until(lambda: "asks no policy before this console" in page.text("#rulePlace"))
    page.until(lambda: "Would have answered 3: 2 as people did, 1 otherwise."
               in page.text("#ruleTrial"), "the trial")
    page.until(lambda: "people chose “Skip”: 1" in page.text("#ruleTrial"),
               lambda: page.text("#ruleTrial"))
    gap = page.run("const [text, trial] = ['ruleText', 'ruleTrial'].map((id) =>"
                   " document.getElementById(id).getBoundingClientRect());"
                   "return trial.top - text.bottom")
    assert gap > 8, gap
    # It is copied, which a notice in front of the dialog says.
    page.driver.execute_cdp_cmd("Browser.grantPermissions", {
        "origin": console.address,
        "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})
    page.click("#ruleCopy button")
    page.until(lambda: "Copied." in page.text("dialog #toasts"), "the copy")
    page.until(lambda: page.run("return navigator.clipboard.readText()") == rule)
    # What is changed is tried again; what is wrong is named by its line.
    write(page, rule.replace("option: retry", "option: wipe"))
    page.until(lambda: "matches and declines, its option not offered: 3" in page.text("#ruleTrial"),
               "the other trial")
    write(page, rule.replace("answer:", "anser:"))
    page.until(lambda: "anser: found unknown key" in page.text("#ruleProblem"), "the problem")
    page.until(lambda: "rule:" in page.text("#ruleProblem") and not page.text("#ruleTrial"))
    # Where another trial is under way, it is tried again.
    page.run(BUSY)
    write(page, rule)
    page.until(lambda: "under way" in page.text("#ruleProblem"), "another trial")
    page.until(lambda: "1 otherwise." in page.text("#ruleTrial"), "the trial after it")
    page.until(lambda: not page.text("#ruleProblem"))
    page.click("#ruleTrial a")
    page.until(lambda: not page.text("#ruleDialog"), "the form to go")
    page.until(lambda: "“Skip” by bea" in page.text(".decide"), "what was answered otherwise")


a_rule_is_made_of_an_answer_and_tried.journaled = True


def the_chosen_option_of_the_journal_has_its_title(page, console):
    page.open(console.url)
    # As the journal has one: its options by id, and the title of the one that was chosen.
    past = "{ options: ['retry', 'skip'], option: 'skip', optionTitle: 'Leave it out' }"
    for option, title in (("skip", "Leave it out"), ("retry", "retry")):
        found = page.part("text", f"part.titleIn({past}, '{option}')")
        assert found == title, (option, found)


def notices_are_in_front_of_a_dialog(page, console):
    [asked] = console.ask(report("The disk is full."))
    console.await_open(1)
    console.call(f"/api/v1/presentations/{asked.id}/answer", {"option": "retry", "by": "bea"})
    assert asked.answer() == ("retry", "bea")
    signed(page, console)
    page.driver.execute_cdp_cmd("Browser.grantPermissions", {
        "origin": console.address,
        "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})
    page.go(f"inbox/{asked.id}")
    page.shown("The disk is full.")
    page.click(".decide button", "Make a rule")
    page.click("#ruleCopy button")
    page.until(lambda: "Copied." in page.text("#ruleDialog #toasts"), "the notice")
    page.until(lambda: page.run("""
        const { left, top, width, height } = document.querySelector(".toast")
          .getBoundingClientRect();
        return document.elementFromPoint(left + width / 2, top + height / 2)
          .closest(".toast") !== null;"""))
    page.click("#toasts button", "Close")
    page.until(lambda: not page.texts(".toast"), "it to go")
    # What is not read there stays, in its place in the page.
    page.part("news", "part.toast('Refused.', 'error')")
    page.press(page.keys.ESCAPE)
    page.until(lambda: "Refused." in page.text("body > #toasts"), "the notice in the page")
    page.until(lambda: not page.text("#ruleDialog"))
    # So it does when a dialog was opened again before the page heard that it was closed.
    page.part("modal", "((dialog) => { part.openModal(dialog); dialog.close(); "
              "part.openModal(dialog); })(document.getElementById('helpDialog'))")
    page.until(lambda: "Refused." in page.text("#helpDialog #toasts"), "the notice in front")
    page.press(page.keys.ESCAPE)
    page.until(lambda: "Refused." in page.text("body > #toasts"), "the notice in the page again")


notices_are_in_front_of_a_dialog.journaled = True

ALL = [a_rule_is_made_of_an_answer_and_tried,
       the_chosen_option_of_the_journal_has_its_title, notices_are_in_front_of_a_dialog]
