"""What an operator does, in a browser. Each case gets a console of its own and a new page."""
import re

from consoles import report


def a_worker_is_answered(page, console):
    worker = console.work("The disk is full.", "No space on /srv.")
    page.open(console.url)
    page.choose("The disk is full.")
    page.until(lambda: "No space on /srv." in page.text("#detail"), "the failure reason")
    page.click("[data-option=retry]")
    page.sign("ada")
    page.until(lambda: "Undo" in page.text("#toasts"), "the time to undo")
    assert worker.answer() == ("retry", "ada")
    page.until(lambda: "Recovered: The disk is full." in page.text("#passing"), "the notice")
    page.until(lambda: "Recovered" in page.text(".decide"), "what came of it")
    page.until(lambda: "Nothing is waiting." in page.text("#empty"), "the empty list")


def an_answer_is_taken_back(page, console):
    [presentation] = console.ask(report("The wrong answer."))
    page.open(console.url)
    page.choose("The wrong answer.")
    page.click("[data-option=cancel]")
    page.sign("ada")
    page.click("#toasts button", "Undo")
    page.until(lambda: "Claimed by you" in page.text(".decide"), "it to be mine again")
    page.click("[data-option=skip]")
    assert presentation.answer() == ("skip", "ada")


def a_command_is_repeated(page, console):
    flag = f"{console.folder.name}/flag"
    worker = console.command("exec", "--", "sh", "-c", f"test -e {flag}")
    page.open(console.url)
    page.until(lambda: page.texts("#list .row"), "the command's error")
    open(flag, "w").close()
    page.press("j")
    page.until(lambda: page.text("#title"), "its detail")
    page.shown("")
    page.click(".options button", "Retry")
    page.sign("ada")
    assert worker.wait(20) == 0, worker.stderr.read()


def a_second_tab_sees_it_and_is_refused(page, console):
    first, second = console.ask(report("The first."), report("The second."))
    page.open(console.url)
    page.run("localStorage.setItem('errorbus.name', 'ada');"
             "localStorage.setItem('errorbus.undo', '0')")
    slow, quick = page.second_tab(console.url)
    page.choose("The first.")
    page.click("[data-option=retry]")
    assert first.answer() == ("retry", "ada")
    page.driver.switch_to.window(slow)
    page.until(lambda: not any("The first." in row for row in page.texts("#list .row")),
               "the other tab's answer")
    page.choose("The second.")
    # From here on this tab hears nothing, as on a slow link.
    page.part("state", "part.state.port.close()")
    page.expects("409")
    page.driver.switch_to.window(quick)
    page.choose("The second.")
    page.click("[data-option=skip]")
    assert second.answer() == ("skip", "ada")
    page.driver.switch_to.window(slow)
    page.click("[data-option=retry]")
    page.until(lambda: "Answered before: ada chose “Skip”" in page.text("#toasts [role=alert]"),
               "the refusal")


def a_note_is_seen_by_all(page, console):
    [question] = console.ask(report("Needs a note."))
    page.open(console.url)
    page.run("localStorage.setItem('errorbus.name', 'ada');"
             "localStorage.setItem('errorbus.undo', '0')")
    first, second = page.second_tab(console.url)
    page.choose("Needs a note.")
    page.driver.switch_to.window(first)
    page.choose("Needs a note.")
    page.press("n")
    page.until(lambda: page.text("#noteDialog"), "the form")
    page.press(*"called <b>Bob</b>, not 1", page.keys.TAB, page.keys.ENTER)
    page.until(lambda: "called <b>Bob</b>, not 1" in page.text(".notes li"), "the own note")
    page.until(lambda: "1 note" in page.text("#list .row .from"), lambda: page.text("#list .row"))
    page.driver.switch_to.window(second)
    page.until(lambda: "called <b>Bob</b>, not 1" in page.text(".notes li"), "the other's note")
    head = page.text(".notes .meta")
    assert "ada" in head and ("UTC" in head or "GMT" in head or "CE" in head), head
    page.until(
        lambda: not page.run("return document.querySelector('.notes li b b, .notes li p b b')"))
    # What has ended takes notes, too; a refused one stays in the form.
    page.click("[data-option=skip]")
    assert question.answer() == ("skip", "ada")
    page.until(lambda: page.text(".decide .outcome"), "the end")
    for number in range(49):
        console.call(f"/api/v1/presentations/{question.id}/note", {"text": f"{number}", "by": "x"})
    page.until(lambda: len(page.texts(".notes li")) == 50, "fifty notes")
    page.expects("409")
    page.click(".notes button")
    page.until(lambda: page.text("#noteDialog"), "the form again")
    page.press("z")
    page.click("#noteDialog [value=save]")
    page.until(lambda: "the limit of 50" in page.text("#noteProblem"), "the refusal")
    page.until(lambda: page.run("return document.querySelector('#noteText').value") == "z")
    page.press(page.keys.ESCAPE)
    page.until(lambda: not page.text("#noteDialog"), "the form to close")


def a_comment_goes_with_the_answer(page, console):
    [question] = console.ask(report("Needs a reason."))
    page.open(console.url)
    page.run("localStorage.setItem('errorbus.name', 'ada');"
             "localStorage.setItem('errorbus.undo', '0')")
    page.choose("Needs a reason.")
    page.press("m")
    page.press(*"the <b>disk</b>, not 1")
    # What is typed stays, with its cursor, while the presentation changes.
    console.call(f"/api/v1/presentations/{question.id}/note", {"text": "Seen.", "by": "bea"})
    page.until(lambda: "Seen." in page.text(".notes li"), "the note")
    page.press("!", page.keys.ENTER, *"two", page.keys.ESCAPE)
    page.click("[data-option=skip]")
    assert question.answer() == ("skip", "ada")
    comment = "the <b>disk</b>, not 1!\ntwo"
    page.until(lambda: comment in page.text(".decide .said"), "the comment")
    page.until(lambda: not page.run("return document.querySelector('.said b')"))
    answer = console.call(f"/api/v1/presentations/{question.id}")["answer"]
    assert answer["comment"] == comment, answer
    # What another person has answered, and may undo, has not ended.
    [held] = console.ask(report("Answered elsewhere."))
    page.choose("Answered elsewhere.")
    page.press("m", *"mine")
    console.call(f"/api/v1/presentations/{held.id}/answer",
                 {"option": "retry", "by": "bea", "undoMilliseconds": 60_000})
    page.until(lambda: "It is no longer open: this comment is not sent"
               in page.text(".decide .comment"), "what becomes of the comment")


def insert(page, selector, text):
    """Types what the driver has no keys for."""
    page.run("document.querySelector(arguments[0]).focus();"
             "document.execCommand('insertText', false, arguments[1])", selector, text)
    return page.run("return document.querySelector(arguments[0]).value", selector)


def a_text_is_as_long_as_the_server_counts_it(page, console):
    [question] = console.ask(report("Full of owls."))
    page.open(console.url)
    page.run("localStorage.setItem('errorbus.name', 'ada');"
             "localStorage.setItem('errorbus.undo', '0')")
    page.choose("Full of owls.")
    # Of characters, which a note has, each is one.
    page.press("n")
    page.until(lambda: page.text("#noteDialog"), "the form")
    page.until(lambda: insert(page, "#noteText", "🦉" * 1001) == "🦉" * 1000)
    # Within the text nothing fits either, and the cursor stays.
    page.run("document.querySelector('#noteText').setSelectionRange(0, 0)")
    page.press("x")
    left = page.run("const { value, selectionStart } = document.querySelector('#noteText');"
                    "return [value, selectionStart]")
    assert left == ["🦉" * 1000, 0], left
    page.click("#noteDialog [value=save]")
    page.until(lambda: page.text(".notes li"), "the note")
    notes = console.call(f"/api/v1/presentations/{question.id}")["notes"]
    assert notes[0]["text"] == "🦉" * 1000, notes
    # Of bytes, which a comment has, each is four.
    page.until(lambda: insert(page, "#comment", "🦉" * 600) == "🦉" * 512)
    page.click("[data-option=skip]")
    assert question.reply()["comment"] == "🦉" * 512
    # What is cut is cut between characters.
    page.until(lambda: page.part("text", "part.shown('🦉🦉🦉', 2)") == "🦉🦉…")
    page.until(lambda: page.part("text", "part.shown('🦉🦉🦉', 3)") == "🦉🦉🦉")


def a_claim_keeps_others_off(page, console):
    [presentation] = console.ask(report("Only one of us."))
    page.open(console.url)
    page.run("localStorage.setItem('errorbus.name', 'ada')")
    console.call(f"/api/v1/presentations/{presentation.id}/claim",
                 {"by": "bea", "forMilliseconds": 60000})
    page.choose("Only one of us.")
    page.until(lambda: "Claimed by bea" in page.text(".decide"), "bea's claim")
    page.until(
        lambda: page.run("return document.querySelector('[data-option=retry]').ariaDisabled"))
    page.click(".decide button", "Take over")
    page.until(lambda: "Claimed by you" in page.text(".decide"), "the claim taken over")
    page.click(".decide button", "Release")
    page.until(lambda: "Claim for" in page.text(".decide"), "the claim released")


def a_claim_is_prolonged_and_handed_over(page, console):
    [presentation] = console.ask(report("Hand me over."))
    path = f"/api/v1/presentations/{presentation.id}"
    page.open(console.url)
    page.run("localStorage.setItem('errorbus.name', 'ada')")
    until = console.call(f"{path}/claim", {"by": "ada", "forMilliseconds": 60_000})["claimedUntil"]
    page.choose("Hand me over.")
    page.until(lambda: "Claimed by you" in page.text(".decide"), "the claim")
    page.run("const send = window.fetch; window.bodies = [];"
             "window.fetch = (path, options) => {"
             " if (options?.body) window.bodies.push(options.body);"
             " return send(path, options); };")
    page.click(".decide button", "Prolong")
    page.until(lambda: console.call(path)["claimedUntil"] > until, "the claim to last longer")
    # A claim that another person has by then is not taken over.
    [sent] = page.run("return window.bodies;")
    assert '"takeOver":false' in sent, sent
    # One that is longer than 15 min is made no shorter.
    longer = console.call(f"{path}/claim", {"by": "ada", "forMilliseconds": 3_000_000})
    page.until(lambda: "for another 50 min" in page.text(".decide"), "the longer claim")
    page.click(".decide button", "Prolong")
    page.until(lambda: console.call(path)["revision"] > longer["revision"], "the claim again")
    page.until(lambda: "for another 50 min" in page.text(".decide"), "it to last as long")
    page.press("h")
    page.until(lambda: "Hand me over." in page.text("#handDialog"), "the form")
    page.press(page.keys.ESCAPE)
    page.until(lambda: not page.text("#handDialog"), "the form to close")
    assert console.call(path)["claimedBy"] == "ada"
    page.click(".decide button", "Hand over…")
    page.until(lambda: page.text("#handDialog"), "the form again")
    page.press(*"bea", page.keys.ENTER)
    page.until(lambda: "Claimed by bea" in page.text(".decide"), "bea's claim")
    page.until(
        lambda: page.run("return document.querySelector('[data-option=retry]').ariaDisabled"))
    page.press("h")
    page.until(lambda: "Claim it first" in page.text("#toasts"), "why not")
    page.go("audit")
    page.until(lambda: "Handed to bea by ada" in page.text("#audit"), "the audit")


def a_group_is_answered_at_once(page, console):
    presentations = console.ask(*[report("The same for all.") for _ in range(20)])
    page.open(console.url)
    page.until(lambda: "20 waiting in 1 row" in page.text("#count"), "one row for all")
    page.choose("The same for all.")
    page.click("[data-option=skip]", "× 20")
    page.sign("ada")
    # So many are answered by nothing that was pressed by mistake.
    page.until(lambda: "for 20 presentations at once" in page.text("#confirmText"), "the question")
    page.press(page.keys.ENTER)
    page.until(lambda: not page.text("#confirmDialog"), "Return to send nothing")
    page.click("[data-option=skip]", "× 20")
    page.expects("404")  # All of it may be leaving when the page reads its members.
    page.click("#confirmYes", "Skip × 20")
    assert {presentation.answer() for presentation in presentations} == {("skip", "ada")}


def a_group_says_what_differs_in_it(page, console):
    console.ask(*[report("Which disk?", code=code, userInfo={"disk": code}) for code in (1, 2)])
    page.open(console.url)
    page.until(lambda: "2 waiting in 1 row" in page.text("#count"), "one row for both")
    page.choose("Which disk?")
    page.until(lambda: "all have the same text, they differ in code and context."
               in page.text(".decide"), lambda: page.text(".decide"))


def reasons_that_differ_where_they_are_cut_are_not_equal(page, console):
    end = " It was full." * 100
    console.ask(*[report("Which disk?", failureReason=disk + end) for disk in ("A.", "B.")])
    page.open(console.url)
    page.until(lambda: "2 waiting in 1 row" in page.text("#count"), "one row for both")
    page.choose("Which disk?")
    page.until(lambda: "they differ in what they say" in page.text(".decide"),
               lambda: page.text(".decide"))
    page.until(lambda: not page.run("return document.querySelector('.scope input').checked"))


def the_keyboard_is_enough(page, console):
    keys = page.keys
    one, two = console.ask(report("Number one."), report("Number two.", severity="warning"))
    page.open(console.url)
    page.row("Number two.")
    page.press("?")
    page.until(lambda: page.text("#helpDialog"), "the help")
    page.press(keys.ESCAPE, "/", *"two", keys.ENTER)
    page.shown("Number two.")
    page.press("3")
    page.sign("ada")
    page.until(lambda: page.text("#confirmDialog"), "the confirmation")
    page.press(keys.ENTER)
    page.until(lambda: not page.text("#confirmDialog"), "Return to send nothing")
    page.press("3")
    page.until(lambda: page.text("#confirmDialog"), "the confirmation again")
    page.press(keys.TAB, keys.ENTER)
    found = two.answer()
    assert found == ("purge", "ada"), found
    page.press("/", keys.ESCAPE, keys.ESCAPE, keys.HOME)
    page.shown("Number one.")
    page.press("1")
    page.until(lambda: "Undo" in page.text("#toasts"), "the time to undo")
    page.press("u")
    page.until(lambda: "Claimed by you" in page.text(".decide"), "it taken back")
    page.read()
    page.press("4")
    assert one.answer() == ("cancel", "ada")
    page.expects("404")  # Without a journal there is no history.
    page.press("]", "]", "]")
    page.until(lambda: "chose “Abort” (cancel)" in page.text("#audit"), "the audit")
    page.press("]")
    page.until(lambda: "central" in page.text("#nodes"), "the topology")


def what_has_ended_is_found_again(page, console):
    one, two = console.ask(report("The disk was full.", failureReason="Too many logs."),
                           report("The lease was over."))
    console.await_open(2)
    for presentation in (one, two):
        console.call(f"/api/v1/presentations/{presentation.id}/answer",
                     {"option": "skip", "by": "bea"})
    page.open(console.url)
    page.until(lambda: "Nothing is waiting." in page.text("#empty"), "the empty list")
    page.run("const view = document.getElementById('view'); view.value = 'ended';"
             "view.dispatchEvent(new Event('input'))")
    page.until(lambda: len(page.texts("#list .row")) == 2, "both ended")
    page.until(
        lambda: page.run("return document.getElementById('list').ariaLabel")
        == "Ended presentations")
    page.until(lambda: all("Skip by bea ·" in row for row in page.texts("#list .row")),
               lambda: page.texts("#list .row"))
    page.press("/", *"disk bea")
    page.until(lambda: len(page.texts("#list .row")) == 1, "the filter")
    page.choose("The disk was full.")
    page.until(lambda: "Too many logs." in page.text("#detail"), "the reason")
    page.until(lambda: "“Skip” by bea" in page.text(".decide"), lambda: page.text(".decide"))
    address = page.run("return location.href")
    assert address.endswith(f"#/inbox/{one.id}?filter=disk+bea&show=ended"), address
    page.driver.refresh()
    page.until(lambda: "Too many logs." in page.text("#detail"), "it after a reload")
    page.go("audit")
    page.until(lambda: "The lease was over." in page.text("#audit"), "the audit")
    page.press("/", *"disk")
    page.until(lambda: "The lease was over." not in page.text("#audit"), "the search")
    page.until(lambda: "The disk was full." in page.text("#audit"), lambda: page.text("#audit"))


def the_link_comes_back_after_a_restart(page, console):
    console.ask(report("Before the restart."))
    page.open(console.url)
    page.row("Before the restart.")
    page.expects("ERR_")
    console.stop()
    page.until(lambda: "No link" in page.text("#banner"), "the banner")
    console.start()
    page.until(lambda: not page.text("#banner"), "the link", seconds=40)
    [presentation] = console.ask(report("After the restart."))
    page.choose("After the restart.")
    page.click("[data-option=retry]")
    page.sign("ada")
    assert presentation.answer() == ("retry", "ada")


def return_follows_the_typing_at_once(page, console):
    console.ask(report("The grave one.", severity="critical"), report("The other."))
    page.open(console.url)
    page.row("The other.")
    # In one go: the list is not drawn in between.
    page.run("const filter = document.getElementById('filter'); filter.focus();"
             "filter.value = 'other'; filter.dispatchEvent(new Event('input'));"
             "filter.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }))")
    page.shown("The other.")


def home_follows_the_clearing_at_once(page, console):
    console.ask(report("The grave one.", severity="critical"), report("The other."))
    page.open(console.url)
    page.row("The other.")
    page.press("/", *"nothing like it")
    page.until(lambda: "Nothing matches" in page.text("#empty"), "no match")
    # In one go: the list is not drawn in between.
    page.run("for (const key of ['Escape', 'Escape', 'Home']) document.activeElement.dispatchEvent("
             "new KeyboardEvent('keydown', { key, bubbles: true }))")
    page.shown("The grave one.")


def a_silence_is_made_like_this(page, console):
    [presentation] = console.ask(report("The mirror is being moved.", code=7, onExpiry="skip",
                                    userInfo={"host": "a*b"}))
    console.ask(report("Something else.", code=8))
    page.open(console.url)
    page.run("localStorage.setItem('errorbus.name', 'ada')")
    page.choose("The mirror is being moved.")
    page.press("s")
    page.until(lambda: "1 open now" in page.text("#silencePreview"), "what it would silence")
    page.until(lambda: "The mirror is being moved." in page.text("#silencePreview"))
    page.until(lambda: page.run("return document.activeElement.id") == "silenceComment")
    page.click(".chip", "only host")
    # A text with * in it is matched as it stands, not as a pattern.
    page.until(lambda: "1 open now" in page.text("#silencePreview"), "the same")
    page.until(
        lambda: page.run("return document.querySelector('.infoLine .value').value") == "/^a\\*b$/")
    # So is one that the server would read as a list, a comparison or an expression.
    for text, pattern in (("a, b", "/^a, b$/"), ("<5", "/^<5$/"), ("/x/", "/^\\/x\\/$/"),
                          ("plain", "plain"), ("C:\\data", "C:\\data"),
                          ("\\\\host\\x", "/^\\\\\\\\host\\\\x$/"), ("\\/x", "/^\\\\\\/x$/"),
                          ("a\nb", "/^a\\nb$/")):
        page.until(lambda: page.part("patterns", f"part.literal({text!r})") == pattern, text)
    page.until(lambda: page.part("patterns", "part.parsedPattern('/a,b/, c')") == ["/a,b/", "c"])
    page.until(lambda: page.part("patterns", "part.parsedPattern('-28, 4*', true)") == [-28, "4*"])
    page.click("#silenceSave")
    page.until(lambda: "give a reason" in page.text("#commentProblem"), "what is missing")
    page.until(lambda: page.run("return document.activeElement.id") == "silenceComment")
    page.press(*"planned")
    page.click("#silenceOpen")
    page.click("#silenceSave")
    page.until(lambda: "1 open presentation ended at once" in page.text("#toasts"), "it to be made")
    answer = presentation.answer()
    assert answer and answer[0] == "skip", answer
    page.until(lambda: page.text("#silenceCount") == "1", "the count of silences")
    page.until(lambda: not any("mirror" in row for row in page.texts("#list .row")), "it to go")
    page.row("Something else.")
    page.click("#silenceLink")
    page.until(lambda: "planned" in page.text("#silences"), "the silence")
    shown = page.text("#silences")
    assert "org.example.tests" in shown and "1 answered" in shown and "by ada" in shown, shown
    page.click("#silences button", "End it now")
    page.until(lambda: "ended early by ada" in page.text("#silences"), "its end")
    page.until(lambda: not page.text("#silenceCount"), "no count")
    page.go("inbox")
    console.ask(report("The mirror is moved.", code=7))
    page.row("The mirror is moved.")


def a_silence_says_how_it_ends_what_is_open(page, console):
    asked = console.ask(report("One.", onExpiry="skip"), report("Two."), report("Three."))
    console.await_open(3)
    page.open(console.url)
    page.run("localStorage.setItem('errorbus.name', 'ada')")
    page.choose("One.")
    page.press("s")
    page.until(lambda: "3 open now match." in page.text("#silencePreview"), "what matches")
    page.until(lambda: "Also the 3 open now: 1 answered, 2 withheld" in page.text("#silenceDialog"),
               "how they would end")
    console.call(f"/api/v1/presentations/{asked[2].id}/claim", {"by": "bob"})
    page.until(lambda: "1 answered, 1 withheld, 1 left to people" in page.text("#silenceDialog"),
               "that the claimed one would stay")
    page.until(lambda: "that a person has claimed" in page.text("#silenceLeft"), "why")
    page.press(*"planned")
    page.run("document.getElementById('silenceOption').focus()")
    page.press(*"retry")
    page.until(lambda: "Also the 3 open now: 2 answered, 1 left" in page.text("#silenceDialog"),
               "what the option changes")
    page.click("#silenceOpen")
    page.click("#silenceSave")
    page.until(lambda: "2 open presentations ended at once" in page.text("#toasts"), "it")
    assert [each.answer()[0] for each in asked[:2]] == ["retry", "retry"]


def a_silence_is_refused_beside_its_field(page, console):
    page.open(console.url)
    page.run("localStorage.setItem('errorbus.name', 'ada')")
    page.press("s")
    page.until(lambda: "Fill in at least one" in page.text("#silencePreview"), "the hint")
    page.press(*"why not")
    page.rest()
    page.expects("400")
    page.click("#silenceSave")
    page.until(lambda: page.text("#matchProblem"), "that everything is refused")
    page.click("[name=domain]")
    page.press(*"/[/")
    page.until(lambda: page.text("#domainProblem"), "the server's refusal beside the field")
    page.until(lambda: "until this is mended" in page.text("#silencePreview"), "no preview")
    page.until(
        lambda: page.run("return document.querySelector('[name=domain]').ariaInvalid") == "true")
    page.click("#silenceSave")
    page.until(lambda: not page.run("return document.getElementById('silenceSave').disabled"),
               "the answer")
    page.until(lambda: page.text("#domainProblem") and page.text("#silenceDialog"),
               "it must stay open")
    page.press(page.keys.ESCAPE)
    page.until(lambda: not page.text("#silenceDialog"), "the form to close")
    assert console.call("/api/v1/silences")["silences"] == []


def a_group_is_taken_back_at_once(page, console):
    page.expects("404")  # All of a group may be leaving when the page reads its members.
    presentations = console.ask(*[report("Too soon for all.") for _ in range(20)])
    page.open(console.url)
    page.run("localStorage.setItem('errorbus.name', 'ada');"
             "localStorage.setItem('errorbus.undo', '30')")
    page.until(lambda: "20 waiting in 1 row" in page.text("#count"), "one row for all")
    page.choose("Too soon for all.")
    page.run("window.asked = []; const send = window.fetch;"
             "window.fetch = (path, options) => {"
             " if (options.method === 'POST') window.asked.push(path);"
             " return send(path, options); }")
    page.click("[data-option=cancel]", "× 20")
    page.click("#confirmYes", "Abort × 20")
    page.until(lambda: "Undo all 20" in page.text(".decide"), "the time to undo")
    page.press("u")
    page.until(lambda: "20 answers taken back" in page.text("#toasts"), "it taken back")
    page.until(lambda: "Retry × 20" in page.text(".options"), "all of them open again")
    asked = page.run("return window.asked")
    assert [path.rsplit("/", 1)[1] for path in asked] == ["answer", "undo"], asked
    page.click("[data-option=skip]", "× 20")
    page.click("#confirmYes", "Skip × 20")
    page.until(lambda: "Undo all 20" in page.text(".decide"), "the time to undo again")
    page.read()
    page.click(".decide button", "Undo only this one")
    page.until(lambda: "Undo all 19" in page.text(".decide") or "Retry" in page.text(".options"),
               "one taken back")
    items = console.call("/api/v1/inbox?stage=open")["items"]
    stages = [item["stage"] for item in items]
    assert stages.count("leaving") == 19, stages
    assert len(presentations) == 20


def what_helped_before_is_shown(page, console):
    page.open(console.url)
    page.run("localStorage.setItem('errorbus.name', 'ada');"
             "localStorage.setItem('errorbus.undo', '0')")
    for count, option in enumerate(("retry", "retry", "skip")):
        lease = f"Lease {count} is over."
        worker = console.work(lease, "The clock jumped.", "--coalesce-key", "lease")
        page.choose(lease)
        page.click(f"[data-option={option}]")
        assert worker.answer() == (option, "ada")
        page.until(lambda: not page.texts("#list .row"), "the empty list")
    context = {"host": "db-1", "shards": [{"id": 1}], "log": "one\n" + "two " * 60}
    console.ask({**report("The lease is over."), "domain": "bus-node.present", "userInfo": context,
                 "coalesceKey": "lease", "helpAnchor": "https://runbooks.example/lease"})
    page.choose("The lease is over.")
    page.until(lambda: "The same 3 times in the last 7 days." in page.text(".earlier"), "earlier")
    first, second = page.texts(".earlier ul li")
    assert "recovered 2 of 2" in first and "recovered 1 of 1" in second, (first, second)
    page.until(
        lambda: len(page.texts(".earlier ol li")) == 3 and "by ada" in page.text(".earlier ol"))
    # Structures and lines are in their form, and are copied as they are shown.
    shards, host, log = sorted(page.texts(".pairs dd .foreign")[:3])
    assert (host, log[:4]) == ("db-1", "one\n") and '"id": 1' in shards, (host, log, shards)
    page.driver.execute_cdp_cmd("Browser.grantPermissions", {
        "origin": console.address,
        "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})
    page.click(".copy", "Copy all as JSON")
    page.until(lambda: "Copied." in page.text("#toasts"), "the copy")
    page.until(lambda: '"log": "one\\ntwo' in page.run("return navigator.clipboard.readText()"))
    page.click(".copy", "Copy link")
    place = page.run("return location.hash")
    page.until(lambda: page.run("return navigator.clipboard.readText()")
               == f"{console.address}/{place}", "the address")
    runbook = "https://runbooks.example/lease"
    page.until(lambda: page.run(f"return Boolean(document.querySelector('a[href=\"{runbook}\"]'))"))


what_helped_before_is_shown.journaled = True


def what_the_inbox_has_forgotten_is_in_the_journal(page, console):
    [presentation] = console.ask(report("The disk was full.", failureReason="Too many logs."))
    console.await_open(1)
    path = f"/api/v1/presentations/{presentation.id}"
    console.call(f"{path}/note", {"text": "It was the rotation.", "by": "bea"})
    console.call(f"{path}/answer", {"option": "skip", "by": "bea", "comment": "Too full."})
    assert presentation.answer() == ("skip", "bea")
    [kept] = console.call("/api/v1/history")["presentations"]
    assert kept["id"] == presentation.id and kept["option"] == "skip", kept
    console.forget()
    past = console.call(path)
    assert past["archived"] and past["history"] and "report" not in past, past
    page.open(console.url)
    page.go(f"inbox/{presentation.id}")
    page.until(lambda: "From the journal: it ended" in page.text("#detail"), "the past one")
    text = page.text("#detail")
    page.until(lambda: page.text("#title") == "The disk was full." and "“Skip” by bea" in text,
               lambda: text)
    assert "cannot be answered" in text and "It was the rotation." in text, text
    assert "Too many logs." in text, text
    page.until(lambda: page.text("#detail .said") == "Too full.", lambda: text)
    page.until(lambda: page.texts("#detail .history li"), lambda: text)
    page.until(lambda: not page.texts(".decide") and "Write a note" not in text, lambda: text)
    page.expects("404")
    page.go("inbox/00000000-0000-4000-8000-000000000000")
    page.until(lambda: "This presentation is not here" in page.text("#detail"), "none")


what_the_inbox_has_forgotten_is_in_the_journal.journaled = True


def what_is_applied_on_expiry_is_shown(page, console):
    [presentation] = console.ask(report("Soon it decides itself.", onExpiry="skip"), deadline=6)
    console.ask(report("Not for a long time.", onExpiry="retry"), deadline=36_000)
    page.open(console.url)
    page.choose("Not for a long time.")
    page.until(lambda: "“Retry” is applied in" in page.text(".expiry"),
               lambda: page.text(".expiry"))
    page.choose("Soon it decides itself.")
    page.until(lambda: "Without an answer “Skip” is applied in" in page.text(".expiry"))
    marks = page.texts("#list .age.near")
    assert len(marks) == 1 and marks[0].strip().startswith("Skip in"), marks
    assert presentation.answer()[0] == "skip"
    page.until(lambda: not page.texts("#list .age.near"), "the mark to go")


def the_topology_is_live(page, console):
    console.run("relay")
    console.work("It is not in the file.", "Nor is its name.", "--name", "nightly-import")
    page.open(console.url)
    page.go("topology")
    node = "#nodes .node"
    page.until(lambda: any("worker-1" in text for text in page.texts(node)), "the nodes")

    def state_of(name):
        return next(text for text in page.texts(node) if text.split("\n")[1:2] == [name]
                    or name in text.split("\n")[0:2])
    assert "this node" in state_of("central") and "up" in state_of("central")
    assert "unreachable" in state_of("relay-us") and "link down" in state_of("relay-us")
    assert "not known" in state_of("worker-3")
    assert "not in the topology file" in state_of("nightly-import")
    page.until(lambda: "link up for" in state_of("relay"), "the first link to be up")
    assert "to standby: link not in use" in state_of("relay").replace("\n", " "), state_of("relay")
    page.until(lambda: "1 not in use" in page.text("#nodes .count"),
               lambda: page.text("#nodes .count"))
    console.run("relay-us")
    console.stop("relay")
    page.until(lambda: "link up for" in state_of("relay-us"), "the link to be up")
    page.until(lambda: "unreachable" in state_of("relay"), "the other to be down")
    page.until(lambda: "relay unreachable" in page.run(
        "return document.getElementById('news').textContent"), "it to be said")
    asked = page.run("return performance.getEntriesByType('resource')"
                     ".filter((each) => each.name.endsWith('/status')).length")
    page.go("audit")
    page.until(lambda: page.run("return performance.getEntriesByType('resource')"
                                ".filter((each) => each.name.includes('/audit')).length") > 1,
               "seconds to pass elsewhere", 15)
    after = page.run("return performance.getEntriesByType('resource')"
                     ".filter((each) => each.name.endsWith('/status')).length")
    assert after <= asked + 1, "the topology is read though no page shows it"
    page.go("topology")
    page.expects("ERR_")
    console.stop()
    page.until(lambda: "No link" in page.text("#banner"), "the banner")
    page.until(lambda: "not known" in state_of("relay-us"), "unknown states")


the_topology_is_live.nodes = {
    "relay": (["central", "standby"], True), "relay-us": (["central"], True),
    "worker-1": (["relay"], False), "worker-3": (["relay-us"], False), "standby": ([], True)}

def what_a_hop_changed_is_shown(page, console):
    console.ask(report("Changed on its way.", changes=[
        {"by": "bare", "severityBefore": "warning", "addedOptions": ["retry"]},
        {"by": "elsewhere", "redacted": ["secret"]}]))
    page.open(console.url)
    page.choose("Changed on its way.")
    page.until(lambda: "added the option retry" in page.text(".hops"), "what was changed")
    page.until(lambda: "a client without a name" in page.text(".hops"), "who asked")
    page.until(lambda: "changed the severity from warning" in page.text(".hops"),
               lambda: page.text(".hops"))
    page.until(lambda: "secret" not in page.text(".hops"), lambda: page.text(".hops"))


def a_worker_is_in_the_topology(page, console):
    worker = console.work("Is the disk full?", "No one has answered yet.")
    page.open(console.url)
    page.row("Is the disk full?")
    page.go("topology")

    def stranger():
        return next((text for text in page.texts("#nodes .node")
                     if "not in the topology file" in text), "")
    page.until(lambda: "link up for" in stranger() and "1 open" in stranger(), "its link")
    [own] = [text for text in page.texts("#nodes .node") if "this node" in text]
    assert "1 open" in own, own
    worker.process.kill()
    worker.process.wait()
    page.until(lambda: "link up" not in stranger(), "its link to be down")


def hostile_text_stays_text(page, console):
    page.open(console.url)
    attack = "<script>window.hacked=1</script><img src=x onerror=window.hacked=1>"
    bidi = "\u202egnihton eteled\u202c \u2066x\u2069 \u200bhidden"
    options = [{"id": "retry", "title": f"Retry {attack}"},
               {"id": "cancel", "title": f"{bidi} Abort", "role": "cancel"}]
    console.ask(report("Stacked" + "\u0301" * 100 + "."))
    page.row("Stacked")
    stacked = next(text for text in page.texts("#list .title") if "Stacked" in text)
    assert stacked.count("\u0301") == 8, "marks that reach over other rows"
    console.ask(report(
        f"{attack} {bidi}", failureReason="W" * 10_000, recoverySuggestion=f"a\0b {attack}",
        userInfo={attack: attack, "__proto__": "x", "long": "y " * 5_000},
        underlyingErrors=[{"domain": attack, "description": f"{bidi} {attack}"}],
        recoveryOptions=options))
    page.choose("<script>window.hacked=1</script>")
    page.until(lambda: "WWWW" in page.text("#detail"), "the long reason")
    shown = page.text("#detail")
    assert "⟨U+202E⟩" in shown and "⟨U+0000⟩" in shown and "⟨U+200B⟩" in shown
    page.until(lambda: not re.search("[\u202a-\u202e\u2066-\u2069\u200b\0]", page.run(
        "return document.body.textContent")))
    page.until(lambda: page.run("return window.hacked") is None)
    page.until(
        lambda: page.run("return document.querySelectorAll('main img, main script').length") == 0)
    for width in (1280, 390):
        page.resize(width, 844)
        page.until(lambda: page.run(
            "return document.documentElement.scrollWidth <= innerWidth"), "nothing too wide")


def ten_thousand_scroll(page, console):
    page.open(console.url)
    console.ask(*[report(f"Error {number:05}.") for number in range(10_000)])
    page.until(lambda: page.text("#count").startswith("10\u202f000 waiting"), "all of them", 120)
    lines = "return document.querySelectorAll('#list > li').length"
    slowest = page.driver.execute_async_script("""
        const done = arguments[0];
        const scroller = document.getElementById("scroller");
        let [last, slowest, step] = [performance.now(), 0, 0];
        const frame = (time) => {
          slowest = Math.max(slowest, time - last);
          last = time;
          step += 1;
          scroller.scrollTop = scroller.scrollHeight * step / 60;
          if (step < 60) requestAnimationFrame(frame); else done(slowest);
        };
        requestAnimationFrame(frame);""")
    print(f"    slowest of 60 frames: {slowest:.0f} ms", flush=True)
    page.until(lambda: page.run(lines) < 100, "more rows than are in sight")
    page.row("Error 09")  # Those of the last socket; in which order they came is not given.
    assert slowest < 1000, f"a frame took {slowest:.0f} ms"
    page.press(page.keys.HOME)
    # They come by many sockets: which is the first is not given.
    page.until(lambda: page.text("#title").startswith("Error 0"), "the detail of the first")
    # With the full stop: an id may have those digits too.
    page.press("/", *"07777.", page.keys.ENTER)
    page.shown("Error 07777.")


def the_network_goes_and_comes(page, console):
    page.open(console.url)
    page.expects("ERR_INTERNET_DISCONNECTED")

    def network(is_there):
        page.driver.execute_cdp_cmd("Network.enable", {})
        page.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {
            "offline": not is_there, "latency": 0, "downloadThroughput": -1,
            "uploadThroughput": -1})
    network(False)
    page.until(lambda: page.text("#link") == "no link", "the link to be lost")
    # No other attempt comes by itself.
    page.until(lambda: page.part("state", "!part.state.attempt"
                                 " && (clearTimeout(part.state.retryTimer), true)"), "a pause")
    network(True)
    page.until(lambda: page.text("#link") == "live", "the link")
    # A console on this machine is there without a network.
    page.run("const send = window.fetch; window.replies = [];"
             "window.fetch = async (path, options) => {"
             " const reply = await send(path, options); window.replies.push(path);"
             " return reply; }; window.dispatchEvent(new Event('offline'))")
    page.until(lambda: page.run("return window.replies.includes('/api/v1/me')"), "a look")
    page.rest()
    page.until(lambda: page.text("#link") == "live")
    console.ask(report("Without a network."))
    page.row("Without a network.")


def block(page, *parts):
    page.expects("ERR_BLOCKED_BY_CLIENT")
    page.driver.execute_cdp_cmd("Network.enable", {})
    page.driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": list(parts)})


def a_page_that_lacks_a_part_waits_for_its_console(page, console):
    page.expects("ERR_CONNECTION_REFUSED")
    # Its pauses end when this case says so.
    clock = page.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {
        "source": "window.setTimeout = (run, _, ...all) => { window.due = () => run(...all); };"})
    block(page, "*/text.js")
    page.driver.get(console.url)
    page.until(lambda: page.run("return Boolean(window.due)"), "a pause")
    page.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", clock)
    console.stop()
    block(page)
    page.run("const { due } = window; window.due = null; due()")
    page.until(lambda: page.run("return Boolean(window.due)")
               and "did not arrive" in page.text(".missing"), "the next pause, with the note")
    console.start()
    page.run("window.due()")
    page.until(lambda: not page.text(".missing"), "the page to be loaded again")
    page.until(lambda: page.text("#link") == "live", "the page to be linked")


def a_page_that_lacks_a_part_is_loaded_again(page, console):
    for part in "text.js", "base.css":
        block(page, f"*/{part}")
        page.driver.get(console.url)
        page.until(lambda: "did not arrive" in page.text(".missing"), "a note of it")
        block(page)
        page.until(lambda: not page.text(".missing"), "the page to be loaded again")
        page.until(lambda: page.text("#link") == "live", "the page to be linked")


ALL = [a_worker_is_answered, an_answer_is_taken_back, a_command_is_repeated,
       a_page_that_lacks_a_part_is_loaded_again,
       a_page_that_lacks_a_part_waits_for_its_console,
       a_second_tab_sees_it_and_is_refused, a_claim_keeps_others_off,
       a_claim_is_prolonged_and_handed_over,
       a_note_is_seen_by_all, a_comment_goes_with_the_answer,
       a_text_is_as_long_as_the_server_counts_it, a_group_is_answered_at_once,
       a_group_says_what_differs_in_it, reasons_that_differ_where_they_are_cut_are_not_equal,
       a_group_is_taken_back_at_once, a_silence_is_made_like_this,
       a_silence_says_how_it_ends_what_is_open, a_silence_is_refused_beside_its_field,
       what_helped_before_is_shown,
       what_the_inbox_has_forgotten_is_in_the_journal,
       what_is_applied_on_expiry_is_shown,
       the_keyboard_is_enough, return_follows_the_typing_at_once,
       home_follows_the_clearing_at_once, the_topology_is_live,
       what_a_hop_changed_is_shown, a_worker_is_in_the_topology,
       the_link_comes_back_after_a_restart, the_network_goes_and_comes,
       what_has_ended_is_found_again, hostile_text_stays_text,
       ten_thousand_scroll]
