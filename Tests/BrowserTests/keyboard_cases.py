"""Each task of the page by real keys alone: without a pointer, and without a script that acts. What
other modules have by keys alone is not here again: values, the search of options, the terms of a
filter, and moving, answering, confirming and undoing (the_keyboard_is_enough). As in cases.py."""
import pathlib

from consoles import report
from filter_cases import filter_of, shows, two_kinds
from history_cases import ended_two
from letter_cases import receiver
from providers import PASSWORD
from user_cases import disabled

STOPS_MAX = 120  # So many presses of Tab lead to any place of a page.
FOCUSED = ("const node = document.activeElement;"
           "return node.matches(arguments[0]) && node.textContent.includes(arguments[1])")
THERE = ("return [...document.querySelectorAll(arguments[0])].some((node) =>"
         " node.checkVisibility() && node.textContent.includes(arguments[1]))")


def pointer(*_, **__):
    raise AssertionError("a case by keys alone uses the pointer, or a script in its place")


def by_keys(page, url, name="ada", undo=0):
    """Opens the page as one who has given a name; from then on there are only keys."""
    page.open(url)
    page.run("if (arguments[0]) localStorage.setItem('errorbus.name', arguments[0]);"
             "localStorage.setItem('errorbus.undo', arguments[1])", name, str(undo))
    page.click = page.choose = page.go = pointer


def tab_to(page, selector, containing="", back=False):
    """Presses Tab, or Shift and Tab, until the focus is there."""
    what = f"{selector} with \"{containing}\""
    page.until(lambda: page.run(THERE, selector, containing), what)
    for _ in range(STOPS_MAX):
        if page.run(FOCUSED, selector, containing):
            return
        if back:
            page.chord(page.keys.SHIFT, page.keys.TAB)
        else:
            page.press(page.keys.TAB)
    where = page.run("return document.activeElement.outerHTML.slice(0, 200)")
    raise AssertionError(f"Tab does not lead to {what}, at last to {where}")


def enter(page, selector, containing="", back=False):
    """Goes to a button or a link by Tab, and presses Return."""
    tab_to(page, selector, containing, back)
    page.press(page.keys.ENTER)


def first_row(page, text):
    """Goes to the first row, and waits until it was on the screen long enough to be answered."""
    page.row(text)
    page.press("j")
    page.shown(text)


def may_copy(page, console):
    page.driver.execute_cdp_cmd("Browser.grantPermissions", {
        "origin": console.address,
        "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})


def copied(page, text, place="#toasts"):
    page.until(lambda: "Copied." in page.text(place), "the copy")
    page.until(lambda: page.run("return navigator.clipboard.readText()") == text,
               lambda: page.run("return navigator.clipboard.readText()"))


def the_history_is_exported_by_keys_alone(page, console):
    disk, _ = ended_two(console)
    folder = pathlib.Path(console.folder.name) / "downloads"
    page.download_to(folder)
    by_keys(page, console.url)
    page.press("]", "]")
    page.until(lambda: page.text("#pastCount") == "2 presentations",
               lambda: page.text("#pastCount"))
    page.press("/", *"by:ann ", page.keys.ESCAPE)
    page.until(lambda: page.texts("#past .title") == ["The disk was full."], "the search")
    for ending, begin in (("csv", "openedAt"), ("json", "{")):
        page.until(lambda: "by=ann" in page.run(
            "return document.getElementById(arguments[0]).href", f"export-{ending}"))
        enter(page, f"#export-{ending}")
        text = page.downloaded(folder, ending)
        assert text.startswith(begin), text[:200]
        assert "The disk was full." in text and "The mail was late." not in text, text
    # A row leads to its presentation.
    enter(page, "#past a", "The disk was full.", back=True)
    page.until(lambda: page.text("#title") == "The disk was full.", "the detail")
    page.until(lambda: disk.id in page.run("return location.hash"), "its address")


the_history_is_exported_by_keys_alone.journaled = True


def a_rule_is_made_by_keys_alone(page, console):
    keys = page.keys
    asked = console.ask(*[report("The disk is full.", userInfo={"host": "db-1"})] * 2)
    console.await_open(2)
    for presentation in asked:
        console.call(f"/api/v1/presentations/{presentation.id}/answer",
                     {"option": "retry", "by": "bea"})
        assert presentation.answer() == ("retry", "bea")
    may_copy(page, console)
    by_keys(page, console.url)
    page.press("]", "]")
    enter(page, "#past a", "The disk is full.")
    page.shown("The disk is full.")
    enter(page, ".decide button", "Make a rule")
    page.until(lambda: page.text("#ruleTitle"), "the form")
    page.until(lambda: "Would have answered 2: 2 as people did" in page.text("#ruleTrial"),
               "the trial")
    text = "return document.getElementById('ruleText').value"
    page.until(lambda: page.run("return document.activeElement.id") == "ruleText", "the focus")
    changed = page.run(text).replace("option: retry", "option: wipe")
    page.chord(keys.CONTROL, "a")
    page.press(changed.replace("\n", keys.ENTER))
    page.until(lambda: page.run(text) == changed, lambda: page.run(text))
    page.until(lambda: "matches and declines, its option not offered: 2" in page.text("#ruleTrial"),
               "the other trial")
    enter(page, "#ruleCopy button")
    copied(page, changed, "dialog #toasts")
    enter(page, "#ruleDialog button", "Close")
    page.until(lambda: not page.text("#ruleDialog"), "the form to close")
    page.until(lambda: page.run("return document.activeElement.dataset.key") == "rule",
               "the focus where it was")


a_rule_is_made_by_keys_alone.journaled = True


def undelivered_messages_are_sent_again_by_keys_alone(page, console):
    question, = console.ask(report("The disk is full."))
    by_keys(page, console.url)
    page.until(lambda: page.text("#letterNumber") == "1", "the count in the header")
    page.press("[")
    page.until(lambda: "opened: The disk is full." in page.text("#letters"), "the message")
    enter(page, "#letters a")
    page.until(lambda: question.id in page.run("return location.hash"), "its presentation")
    page.press("[")
    page.until(lambda: page.text("#letters"), "the list again")
    with receiver(console.hook) as taken:
        enter(page, "#letters button", "Send again")
        page.until(lambda: taken, "the receiver to have it")
        page.until(lambda: not page.text("#letters") and not page.text("#letterCount"),
                   "nothing to be listed")
    assert len(taken) == 1 and b"The disk is full." in taken[0], taken
    page.until(lambda: page.run("return document.activeElement.id") == "letters",
               "the focus where the list was")


undelivered_messages_are_sent_again_by_keys_alone.hooked = True
undelivered_messages_are_sent_again_by_keys_alone.journaled = True


def a_token_signs_in_and_out_by_keys_alone(page, console):
    page.expects("401")
    page.click = page.choose = page.go = pointer
    page.driver.get(console.address)
    tab_to(page, "#doorToken")
    page.press(*console.tokens["anna"], page.keys.ENTER)
    page.until(lambda: page.text("#who") == "You: anna", "the user's name")
    enter(page, "#who")
    page.until(lambda: "belongs to your token" in page.text("#nameDialog"), "the dialog")
    enter(page, "#nameDialog button", "Sign out")
    page.until(lambda: page.text("#doorTitle"), "the page to ask for a token")


a_token_signs_in_and_out_by_keys_alone.users = {"script": "answer", "anna": "answer"}


def a_provider_signs_in_by_keys_alone(page, console):
    page.expects("401", f"{console.provider.issuer}/static/")  # Its own pages lack fonts.
    page.click = page.choose = page.go = pointer
    page.driver.get(console.address)
    enter(page, "#doorSignIn a")
    for field, text in (("login", "anna"), ("password", PASSWORD)):
        tab_to(page, f"input[name={field}]")
        page.press(*text, page.keys.ENTER)
    page.until(lambda: page.text("#who") == "You: anna", "the name")


a_provider_signs_in_by_keys_alone.users = {"script": "answer", "anna": "answer"}
a_provider_signs_in_by_keys_alone.people = {"anna": []}


def a_person_chooses_a_name_and_how_the_page_works_by_keys_alone(page, console):
    keys = page.keys
    question, = console.ask(report("Not by a slip."))
    by_keys(page, console.url, name=None, undo=5)
    page.row("Not by a slip.")
    enter(page, "#who")
    page.until(lambda: page.text("#nameDialog"), "the dialog")
    tab_to(page, "#nameField")
    page.press(*"eva")
    tab_to(page, "#undoField")
    page.chord(keys.CONTROL, "a")
    page.press("0")
    tab_to(page, "#rowsField")
    page.press(keys.ARROW_DOWN)
    tab_to(page, "#keysField")
    page.press(keys.SPACE)
    enter(page, "#nameDialog button", "Save")
    page.until(lambda: page.text("#who") == "You: eva", "the name")
    page.until(lambda: page.run("return document.body.className").split() == ["compact", "keyless"],
               lambda: page.run("return document.body.className"))
    # Without keys of one character Tab and Return do the rest; to the list leads the first Tab.
    page.driver.refresh()
    page.row("Not by a slip.")
    page.press(keys.TAB)
    page.until(lambda: page.run(FOCUSED, ".skip", ""), "the link to the list")
    page.press(keys.ENTER)
    enter(page, "#list .row")
    page.shown("Not by a slip.")
    page.press("1")
    enter(page, "[data-option=skip]")
    assert question.answer() == ("skip", "eva")


def a_group_is_answered_in_part_by_keys_alone(page, console):
    alike = console.ask(*[report("Some of these.") for _ in range(4)])
    by_keys(page, console.url, undo=30)
    page.until(lambda: "4 waiting in 1 row" in page.text("#count"), "one row for all")
    first_row(page, "Some of these.")
    page.press(page.keys.ARROW_RIGHT)
    page.until(lambda: len(page.texts("#list .member")) == 4, "its members")
    page.press("j", "x", "k")
    page.until(lambda: "Skip × 3" in page.text(".options"), "three of them")
    # For one alone, and for these again.
    page.press("g")
    page.until(lambda: "×" not in page.text(".options"), "one alone")
    page.press("g")
    page.until(lambda: "Skip × 3" in page.text(".options"), "three of them again")
    page.read()
    page.press("2")
    # The notice can be reached as well.
    enter(page, "#toasts button", "Undo")
    page.until(lambda: "3 answers taken back" in page.text("#toasts"), "them taken back")
    items = console.call("/api/v1/inbox")["items"]
    assert len(items) == len(alike) and {item["stage"] for item in items} <= {"open", "claimed"}


def rows_are_selected_and_answered_by_keys_alone(page, console):
    keys = page.keys
    texts = ["First of them.", "Second of them.", "Third of them."]
    questions = console.ask(*[report(text) for text in texts])
    console.await_open(3)
    by_keys(page, console.url)
    page.row(texts[2])
    page.press("j", "x")
    page.until(lambda: page.text("#pickedCount") == "1 selected", "one selected")
    enter(page, "#pickedClear")
    page.until(lambda: not page.text("#picked"), "nothing to be selected")
    page.press("x", "j", "j")
    page.chord(keys.SHIFT, "x")
    page.until(lambda: page.text("#pickedCount") == "3 selected", "a range")
    page.press("a")
    page.until(lambda: page.text("#pickedBody"), "the dialog")
    opened = page.run("return performance.now()")
    page.until(lambda: page.run("return performance.now()") > opened + 450, "the time to read it")
    enter(page, "#pickedBody button", "Claim 3")
    page.until(lambda: page.text("#pickedResult").startswith("3 claimed"),
               lambda: page.text("#pickedResult"))
    enter(page, "#pickedBody button", "Skip × 3")
    page.until(lambda: "have different texts" in page.text("#confirmDialog"), "the question")
    page.press(keys.TAB, keys.ENTER)
    assert {question.answer() for question in questions} == {("skip", "ada")}
    page.until(lambda: page.text("#pickedResult") == "3 answered.", "the result")
    page.press(keys.ESCAPE)
    page.until(lambda: not page.text("#picked"), "nothing to be selected")


def a_claim_is_taken_and_given_by_keys_alone(page, console):
    shift = page.keys.SHIFT
    [presentation] = console.ask(report("Only one of us."))
    path = f"/api/v1/presentations/{presentation.id}"
    by_keys(page, console.url)
    first_row(page, "Only one of us.")
    page.press("c")
    page.until(lambda: "Claimed by you" in page.text(".decide"), "the claim")
    until = console.call(path)["claimedUntil"]
    page.read()
    page.chord(shift, "c")
    page.until(lambda: console.call(path)["claimedUntil"] > until, "the claim to last longer")
    page.press("h")
    page.until(lambda: page.text("#handDialog"), "the form")
    page.press(*"bea", page.keys.ENTER)
    page.until(lambda: "Claimed by bea" in page.text(".decide"), "bea's claim")
    page.read()
    page.chord(shift, "c")
    page.until(lambda: "Claimed by you" in page.text(".decide"), "the claim taken over")
    page.read()
    page.press("c")
    page.until(lambda: "Claim for" in page.text(".decide"), "the claim released")
    assert console.call(path).get("claimedBy") is None


def a_narrow_window_keeps_the_focus_by_keys_alone(page, console):
    keys = page.keys
    console.ask(*[report(f"Number {number}.") for number in range(3)])
    console.await_open(3)
    page.resize(390, 844)
    by_keys(page, console.url)
    page.until(lambda: len(page.texts("#list .row")) == 3, "three rows")
    place = "return document.activeElement.closest('#list li')?.ariaPosInSet"
    page.press("j", "j")
    page.until(lambda: page.run(place) == "2", lambda: page.run(place))
    page.press(keys.ENTER)
    page.until(lambda: page.text("#title"), "the detail")
    page.until(lambda: page.run("return document.activeElement.id") == "detail", "the focus there")
    page.press(keys.ESCAPE)
    page.until(lambda: page.run(place) == "2", "the focus in its row again")
    page.press("j")
    page.until(lambda: page.run(place) == "3", lambda: page.run(place))
    page.press(keys.ENTER)
    page.until(lambda: page.text("#title"), "the detail")
    enter(page, "#detail .back")
    page.until(lambda: page.run(place) == "3", "the focus in that row again")


def a_note_and_a_comment_are_written_by_keys_alone(page, console):
    keys = page.keys
    [question] = console.ask(report("Needs a reason."))
    by_keys(page, console.url)
    first_row(page, "Needs a reason.")
    page.press("n")
    page.until(lambda: page.text("#noteDialog"), "the form")
    page.press(*"called Bob", keys.TAB, keys.ENTER)
    page.until(lambda: "called Bob" in page.text(".notes li"), "the note")
    page.press("m", *"not 1", keys.ESCAPE, "2")
    assert question.answer() == ("skip", "ada")
    page.until(lambda: "not 1" in page.text(".decide .said"), "the comment")


def a_silence_is_made_and_ended_by_keys_alone(page, console):
    keys = page.keys
    [presentation] = console.ask(report("The mirror is being moved.", onExpiry="skip"))
    by_keys(page, console.url)
    first_row(page, "The mirror is being moved.")
    page.press("s")
    page.until(lambda: "1 open now" in page.text("#silencePreview"), "what it would silence")
    page.until(lambda: page.run("return document.activeElement.id") == "silenceComment")
    page.press(*"planned")
    tab_to(page, "[name=duration]", back=True)
    page.press(keys.ARROW_RIGHT)
    page.until(lambda: page.run(
        "return document.querySelector('[name=duration]:checked').value") == "14400000", "4 h")
    tab_to(page, "#silenceOpen", back=True)
    page.press(keys.SPACE)
    enter(page, "#silenceSave")
    page.until(lambda: "1 open presentation ended at once" in page.text("#toasts"), "it to be made")
    answer = presentation.answer()
    assert answer and answer[0] == "skip", answer
    page.press("]")
    page.until(lambda: "planned" in page.text("#silences"), "the silence")
    enter(page, "#silences button", "End it now")
    page.until(lambda: "ended early by ada" in page.text("#silences"), "its end")
    for button in ("Another like it", "New silence"):
        enter(page, "main button", button, back=True)
        page.until(lambda: page.text("#silenceDialog"), "the form")
        page.press(keys.ESCAPE)
        page.until(lambda: not page.text("#silenceDialog"), "it to close")


def the_list_is_arranged_by_keys_alone(page, console):
    keys = page.keys
    two_kinds(console)
    by_keys(page, console.url)
    shows(page, "A grave one.", "A small one.")
    tab_to(page, "#span")
    page.press(keys.ARROW_DOWN)
    page.until(lambda: "In the last 24 hours: 2 presented" in page.run(
        "return document.getElementById('chart').getAttribute('aria-label') ?? ''"), "the chart")
    enter(page, ".tile", "info")
    shows(page, "A small one.")
    page.press("o", keys.ARROW_DOWN, keys.ESCAPE)
    page.until(lambda: filter_of(page) == {"filter": ["severity:info"], "sort": ["deadline"]},
               lambda: filter_of(page))
    page.press("v")
    tab_to(page, "#viewName")
    page.press(*"Small", keys.ENTER)
    page.until(lambda: "Small" in page.text("#viewList [aria-current]"), "the view")
    page.press(keys.ESCAPE)
    page.until(lambda: not page.text("#viewsDialog"), "it to close")
    page.press("v")
    enter(page, ".view", "Everything that waits")
    shows(page, "A grave one.", "A small one.")
    page.press("v")
    enter(page, ".view", "Small")
    shows(page, "A small one.")
    page.press("v")
    enter(page, "#viewList button", "Remove")
    page.until(lambda: "Small" not in page.text("#viewList"), "it to be removed")
    enter(page, "#viewsDialog button", "Close")
    page.until(lambda: not page.text("#viewsDialog"), "it to close")
    # The ended ones.
    page.press("o")
    page.chord(keys.SHIFT, keys.TAB)
    page.press(keys.ARROW_DOWN)
    page.until(lambda: filter_of(page).get("show") == ["ended"], lambda: filter_of(page))


the_list_is_arranged_by_keys_alone.journaled = True


def two_people_decide_by_keys_alone(page, console):
    options = [{"id": "drop", "title": "Drop the table", "twoPeople": True},
               {"id": "retry", "title": "Retry"}]
    question, = console.ask(report("disk full", recoveryOptions=options))
    path = f"/api/v1/presentations/{question.id}/answer"
    by_keys(page, console.url_of(console.tokens["anna"]), name=None)
    first_row(page, "disk full")
    page.press("1")
    page.until(lambda: "You propose" in page.text(".decide"), "the own proposal")
    page.until(lambda: disabled(page) == ["drop"], lambda: disabled(page))
    page.read()
    page.press("u")
    page.until(lambda: "needs two people" in page.text(".decide"), "it withdrawn")
    console.call(path, {"option": "drop"})
    page.until(lambda: "script proposes" in page.text(".decide"), "the other proposal")
    page.read()
    page.press("1")
    page.until(lambda: "second person" in page.text("#confirmDialog"), "the confirmation")
    page.press(page.keys.TAB, page.keys.ENTER)
    reply = question.reply()
    assert [reply["option"], reply["by"], reply["second"]] == ["drop", "script", "anna"], reply


two_people_decide_by_keys_alone.users = {"script": "answer", "anna": "answer"}


def the_other_views_lead_on_by_keys_alone(page, console):
    questions = console.ask(report("The disk is full."), report("The lease is over."))
    console.await_open(2)
    console.call(f"/api/v1/presentations/{questions[0].id}/answer", {"option": "skip", "by": "bea"})
    by_keys(page, console.url)
    page.row("The lease is over.")
    page.press("[", "[")
    page.until(lambda: "The lease is over." in page.text("#audit"), "the audit")
    page.press("/", *"disk")
    page.until(lambda: "The lease is over." not in page.text("#audit"), "the search")
    enter(page, "#audit a")
    page.until(lambda: page.text("#title") == "The disk is full.", "the detail")
    page.press("[")
    names = "return document.querySelectorAll('#nodes .node').length"
    page.until(lambda: 0 < page.run(names) < 12, "a part of the nodes")
    enter(page, "[data-key='fold central']")
    page.until(lambda: page.run(names) == 13, "all of them")
    enter(page, "[data-key='node central']", back=True)
    shows(page, "The lease is over.")


the_other_views_lead_on_by_keys_alone.journaled = True
the_other_views_lead_on_by_keys_alone.nodes = {
    f"worker-{number}": (["central"], False) for number in range(12)}


def texts_are_shown_and_copied_by_keys_alone(page, console):
    [presentation] = console.ask(report("A long reason.", failureReason="Because.\n" * 20))
    may_copy(page, console)
    by_keys(page, console.url)
    first_row(page, "A long reason.")
    enter(page, "#detail button", "Show all")
    page.until(lambda: "Show fewer lines" in page.text("#detail"), "the whole text")
    enter(page, "#detail button", "Copy link")
    address = f"{console.address}/#/inbox/{presentation.id}"
    copied(page, address)


def a_link_of_a_message_answers_by_keys_alone(page, console):
    question, = console.ask(report("disk full"))
    answers = console.receiver.message()["answers"]
    links = {answer["option"]: answer["link"] for answer in answers}
    page.click = page.choose = page.go = pointer
    page.driver.get(links["retry"])
    enter(page, "#answer")
    page.until(lambda: page.text("#outcome") == "Answered by oncall: Retry", "the outcome")
    assert question.answer() == ("retry", "oncall")


a_link_of_a_message_answers_by_keys_alone.users = {"script": "answer", "oncall": "answer"}
a_link_of_a_message_answers_by_keys_alone.linked = "oncall"

ALL = [the_history_is_exported_by_keys_alone, a_rule_is_made_by_keys_alone,
       undelivered_messages_are_sent_again_by_keys_alone, a_token_signs_in_and_out_by_keys_alone,
       a_provider_signs_in_by_keys_alone,
       a_person_chooses_a_name_and_how_the_page_works_by_keys_alone,
       a_group_is_answered_in_part_by_keys_alone, rows_are_selected_and_answered_by_keys_alone,
       a_claim_is_taken_and_given_by_keys_alone, a_narrow_window_keeps_the_focus_by_keys_alone,
       a_note_and_a_comment_are_written_by_keys_alone,
       a_silence_is_made_and_ended_by_keys_alone, the_list_is_arranged_by_keys_alone,
       two_people_decide_by_keys_alone, the_other_views_lead_on_by_keys_alone,
       texts_are_shown_and_copied_by_keys_alone, a_link_of_a_message_answers_by_keys_alone]
