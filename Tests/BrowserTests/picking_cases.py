"""Several rows that are selected, and answered or claimed together. As in cases.py."""
import pathlib

from axe_cases import Axe
from consoles import OPTIONS, report
from safety_cases import open_count, signed
from value_cases import asking

BOXES = ("return [...document.querySelectorAll('#list > li:not(.member) .pick input')]"
         ".filter((box) => box.checked).length")


SHIFT_X = ("document.activeElement.dispatchEvent(new KeyboardEvent('keydown',"
           " { key: 'X', shiftKey: true, bubbles: true }))")


# A request with the one id fails at a gateway, one with the other id gets no reply.
BROKEN = ("const [gateway, lost] = arguments; const send = window.fetch;"
          "window.fetch = (path, options) => {"
          " const { ids = [] } = JSON.parse(options?.body ?? '{}');"
          " if (ids.includes(gateway))"
          " return Promise.resolve(new Response('<h1>Bad gateway</h1>', { status: 502 }));"
          " return ids.includes(lost) ? Promise.reject(new TypeError('lost'))"
          " : send(path, options); }")


def count_of(page, text):
    page.until(lambda: page.text("#pickedCount") == text, text)


def acts(page):
    """Opens the dialog for what is selected, and waits until it was on the screen long enough."""
    page.click("#pickedOpen")
    page.until(lambda: page.text("#pickedBody"), "the dialog")
    opened = page.run("return performance.now()")
    page.until(lambda: page.run("return performance.now()") > opened + 450, "the time to read it")


def results(page):
    return sorted(page.texts("#pickedBody .act .outcome"))


def rows_of_many_groups_are_answered_together(page, console):
    same = console.ask(*[report("A pair.", severity="critical") for _ in range(2)])
    [one, other] = console.ask(report("A single one."), report("Left alone.", severity="info"))
    console.await_open(4)
    signed(page, console)
    page.row("Left alone.")
    page.press("j", "x")
    count_of(page, "2 selected")
    page.press("j", "x")
    count_of(page, "3 selected")
    page.until(lambda: page.run(BOXES) == 2)
    # What is in front of the person is answered by nothing of this.
    page.press("a")
    page.until(lambda: page.text("#pickedBody"), "the dialog")
    page.until(lambda: page.text("#pickedTitle") == "3 selected")
    page.press(page.keys.ESCAPE)
    page.until(lambda: not page.text("#pickedDialog"), "its end")
    acts(page)
    page.click("#pickedBody button", "Skip × 3")
    page.until(lambda: "have different texts" in page.text("#confirmDialog"), "the question")
    page.press(page.keys.ENTER)
    page.until(lambda: not page.text("#confirmDialog"), "Return to send nothing")
    assert open_count(console) == 4
    page.click("#pickedBody button", "Skip × 3")
    page.click("#confirmYes", "Skip × 3")
    assert {each.answer() for each in (*same, one)} == {("skip", "ada")}
    page.until(lambda: page.text("#pickedResult") == "3 answered.", "the result")
    page.until(lambda: results(page) == ["answered"] * 3, "the result of each")
    page.press(page.keys.ESCAPE)
    page.until(lambda: not page.text("#picked"), "nothing to be selected")
    assert open_count(console) == 1 and other.id


def a_box_keeps_the_focus_when_a_row_above_goes(page, console):
    texts = ["First of them.", "Second of them.", "Third of them."]
    console.ask(*[report(text, severity=severity)
                  for text, severity in zip(texts, ("critical", "error", "warning"))])
    console.await_open(3)
    signed(page, console)
    page.row(texts[2])
    page.press("j")
    page.until(lambda: page.text("#title") == texts[0], "the first one")
    page.run("document.querySelector('#list > li:last-child .pick input').focus()")
    page.press(page.keys.SPACE)
    count_of(page, "1 selected")
    first = page.part("state", "part.state.selected")
    console.call(f"/api/v1/presentations/{first}/answer", {"by": "bob", "option": "skip"})
    page.until(lambda: len(page.texts("#list .row")) == 2, "two rows")
    box = ("const node = document.activeElement; return [node.matches('.pick input'),"
           " node.checked, node.closest('li')?.querySelector('.title').textContent]")
    page.until(lambda: page.run(box) == [True, True, texts[2]], lambda: page.run(box))


def what_is_refused_says_why(page, console):
    texts = ["First of them.", "Second of them.", "Third of them."]
    first, second, third = console.ask(*[report(text) for text in texts])
    console.await_open(3)
    signed(page, console)
    page.row(texts[2])
    page.press("j", "x", "j", "j")
    page.run(SHIFT_X)
    count_of(page, "3 selected")
    page.part("state", "part.state.port.close()")  # This tab gets no events from now on.
    console.call(f"/api/v1/presentations/{first.id}/claim",
                 {"by": "bea", "forMilliseconds": 600_000})
    console.call(f"/api/v1/presentations/{second.id}/answer", {"option": "retry", "by": "bob"})
    acts(page)
    page.expects("409", "404")
    page.click("#pickedBody button", "Skip × 3")
    page.click("#confirmYes", "Skip × 3")
    assert third.answer() == ("skip", "ada")
    page.until(lambda: page.text("#pickedResult").startswith("1 answered; 2 not: "), "the result")
    # The lines are drawn after their sum.
    page.until(lambda: [text for text in results(page) if text.startswith("not sent: ")][1:]
               and "answered" in results(page), "the result of each")
    lines = {line.split("\n")[1]: line for line in page.texts("#pickedBody .act")}
    assert "not sent: claimed by another person" in lines[texts[0]], lines
    assert "not sent: " in lines[texts[1]] and "answered" in lines[texts[2]], lines
    assert "not sent" not in lines[texts[2]], lines
    assert second.answer() == ("retry", "bob")


def what_was_not_done_is_not_counted(page, console):
    pair = console.ask(*[report("A pair.") for _ in range(2)])
    gateway, lost = console.ask(report("Behind a gateway."), report("Out of reach."))
    console.await_open(4)
    for each in pair:
        console.call(f"/api/v1/presentations/{each.id}/claim",
                     {"by": "ada", "forMilliseconds": 600_000})
    signed(page, console)
    page.row("Out of reach.")
    page.press("j", "x", page.keys.END)
    page.run(SHIFT_X)
    count_of(page, "4 selected")
    page.part("state", "part.state.port.close()")  # This tab gets no events from now on.
    console.call(f"/api/v1/presentations/{pair[1].id}/release", {"by": "ada"})
    page.run(BROKEN, gateway.id, lost.id)
    acts(page)
    page.click("#pickedBody button", "Release 2")
    page.until(lambda: page.text("#pickedResult") == "1 released; 1 not: no longer claimed.",
               "the release of one")
    page.until(lambda: results(page) == ["not sent: no longer claimed", "released"],
               "the result of each")
    page.click("#pickedBody button", "Claim 2")
    page.until(lambda: page.text("#pickedResult").startswith("0 claimed; 1 not: "), "no claim")
    result = page.text("#pickedResult")
    assert "The console answered 502." in result, result
    assert result.endswith("; 1 got no reply and may have arrived."), result
    page.until(lambda: "not sent: The console answered 502." in results(page),
               "the result of each")
    page.until(
        lambda: any(text.startswith("The console could not be reached.") for text in results(page)))


def a_range_is_claimed_and_released(page, console):
    presentations = console.ask(*[report(f"Number {number}.") for number in range(4)])
    console.await_open(4)
    signed(page, console)
    page.row("Number 3.")
    boxes = "document.querySelectorAll('#list .pick input')"
    page.run("const lines = [...document.querySelectorAll('#list > li')].sort((a, b) =>"
             " a.getBoundingClientRect().y - b.getBoundingClientRect().y);"
             "window.boxes = lines.map((line) => line.querySelector('.pick input'));"
             "window.boxes[0].click()")
    count_of(page, "1 selected")
    page.run("window.boxes[2].dispatchEvent(new MouseEvent('click',"
             " { shiftKey: true, bubbles: true, cancelable: true }))")
    count_of(page, "3 selected")
    page.until(lambda: page.run(f"return [...{boxes}].filter((box) => box.checked).length") == 3)
    acts(page)
    page.click("#pickedBody button", "Claim 3")
    page.until(lambda: page.text("#pickedResult") == "3 claimed.", "the claims")
    stages = [console.call(f"/api/v1/presentations/{each.id}")["stage"] for each in presentations]
    assert stages.count("claimed") == 3, stages
    page.until(lambda: "Release 3" in page.text("#pickedBody"), "what can be released")
    page.click("#pickedBody button", "Release 3")
    page.until(lambda: page.text("#pickedResult") == "3 released.", "the release")
    page.press(page.keys.ESCAPE)
    page.click("#pickedClear")
    page.until(lambda: not page.text("#picked"), "nothing to be selected")
    page.until(lambda: page.run(BOXES) == 0)
    # The focus does not go with the button.
    page.until(lambda: page.run("return Boolean(document.activeElement.closest('#list'))"))


def only_what_all_offer_can_be_chosen(page, console):
    other = [{"id": "retry", "title": "Retry with force", "role": "destructive"}, OPTIONS[1]]
    console.ask(report("One kind."), report("Another kind.", recoveryOptions=other))
    console.ask(report("A third kind.", recoveryOptions=other[:1]))
    console.await_open(3)
    signed(page, console)
    page.row("A third kind.")
    for kind in ("One kind.", "Another kind."):
        page.run("[...document.querySelectorAll('#list > li')].find((line) =>"
                 " line.textContent.includes(arguments[0])).querySelector('.pick input').click()",
                 kind)
    count_of(page, "2 selected")
    acts(page)
    page.until(lambda: page.texts("#pickedBody .options button") == ["Skip × 2"])
    page.press(page.keys.ESCAPE)
    page.run("[...document.querySelectorAll('#list > li')].find((line) =>"
             " line.textContent.includes('A third kind.')).querySelector('.pick input').click()")
    count_of(page, "3 selected")
    acts(page)
    page.until(lambda: "no option that all of them offer alike" in page.text("#pickedBody"))
    page.until(lambda: not page.texts("#pickedBody .options button"))


def many_options_for_a_selection_are_searched(page, console):
    racks = [{"id": f"rack-{index}", "title": f"Use rack {index}"} for index in range(1, 31)]
    both = console.ask(*[report(text, recoveryOptions=racks)
                         for text in ("One disk.", "Another disk.")])
    console.await_open(2)
    signed(page, console)
    selects(page, "One disk.", "Another disk.")
    page.choose("One disk.")
    acts(page)
    options = "#pickedBody .options button"
    page.until(lambda: len(page.texts(options)) == 30, "all of them")
    page.click("#pickedBody .optionSearch")
    page.press(*"rack 27")
    page.until(lambda: page.texts(options) == ["Use rack 27 × 2"], lambda: page.texts(options))
    # It stays while both are drawn again, and has nothing to do with the options behind it.
    console.call(f"/api/v1/presentations/{both[0].id}/note", {"text": "Which?", "by": "bea"})
    page.until(lambda: page.run("return document.querySelector('#detail .notes li') !== null"),
               "the note")
    page.press(page.keys.BACKSPACE)
    wanted = [f"Use rack {each} × 2" for each in (2, 12, *range(20, 30))]
    page.until(lambda: page.texts(options) == wanted, lambda: page.texts(options))
    behind = ("return [...document.querySelectorAll('#detail .options button')]"
              ".filter(({ hidden }) => !hidden).length")
    page.until(lambda: page.run(behind) == 30, lambda: page.run(behind))
    page.press("7", page.keys.ENTER, page.keys.ENTER)
    page.click("#confirmYes", "Use rack 27 × 2")
    assert {each.answer() for each in both} == {("rack-27", "ada")}


def answers_for_many_are_taken_back(page, console):
    console.ask(*[report(f"Number {number}.") for number in range(3)])
    console.await_open(3)
    signed(page, console, undo=60)
    page.row("Number 2.")
    page.press("j", "x", page.keys.END)
    page.run(SHIFT_X)
    count_of(page, "3 selected")
    acts(page)
    page.click("#pickedBody button", "Abort × 3")
    page.click("#confirmYes", "Abort × 3")
    page.until(lambda: page.text("#pickedResult") == "3 answered.", "the result")
    page.click("#pickedBody button", "Undo these answers")
    page.until(lambda: {item["stage"] for item in console.call(
        "/api/v1/inbox?stage=open")["items"]} == {"claimed"}, "all to be taken back")
    assert open_count(console) == 3


def selects(page, *texts):
    for text in texts:
        page.row(text)
        page.run("[...document.querySelectorAll('#list > li')].find((line) =>"
                 " line.textContent.includes(arguments[0])).querySelector('.pick input').click()",
                 text)
    count_of(page, f"{len(texts)} selected")


def ends(console, text, option="retry"):
    [item] = [item for item in console.call("/api/v1/inbox?stage=open")["items"]
              if item["description"] == text]
    console.call(f"/api/v1/presentations/{item['id']}/answer", {"option": option, "by": "bob"})


def a_comment_goes_with_the_answers_for_a_selection(page, console):
    texts = ["First of them.", "Second of them."]
    both = console.ask(*[report(text) for text in texts])
    console.await_open(2)
    signed(page, console)
    selects(page, *texts)
    acts(page)
    page.click("#pickedComment")
    page.press(*"The disk is new.")
    page.click("#pickedBody button", "Skip × 2")
    page.click("#confirmYes", "Skip × 2")
    assert {each.answer() for each in both} == {("skip", "ada")}
    for each in both:
        answer = console.call(f"/api/v1/presentations/{each.id}")["answer"]
        assert answer["comment"] == "The disk is new.", answer
    # The next answer has another one.
    value = "return document.getElementById('pickedComment').value"
    page.until(lambda: page.run(value) == "" and not page.text("#pickedCommentLine"))


def a_question_stays_until_all_that_are_selected_have_ended(page, console):
    texts = ["First of them.", "Second of them.", "Third of them."]
    console.ask(*[report(text) for text in texts])
    console.await_open(3)
    signed(page, console)
    selects(page, *texts)
    acts(page)
    page.click("#pickedBody button", "Skip × 3")
    page.until(lambda: "have different texts" in page.text("#confirmDialog"), "the question")
    page.until(lambda: not page.text("#confirmEnded"))
    # The one whose text it has ends first.
    [first] = [text for text in texts if text in page.text("#confirmText")]
    ends(console, first)
    page.until(lambda: page.text("#confirmEnded") == "1 of the 3 selected has ended meanwhile.",
               "what has ended")
    page.click("#confirmYes", "Skip × 3")
    page.until(lambda: page.text("#pickedResult") == "2 answered; 1 not: no longer open.",
               "the result")
    page.press(page.keys.ESCAPE)
    page.until(lambda: not page.text("#pickedDialog"), "the end of the dialog")
    console.ask(report("Fourth."), report("Fifth."))
    selects(page, "Fourth.", "Fifth.")
    acts(page)
    page.click("#pickedBody button", "Skip × 2")
    page.until(lambda: page.text("#confirmDialog"), "the question")
    page.until(lambda: not page.text("#confirmEnded"))
    for text in ("Fourth.", "Fifth."):
        ends(console, text)
    page.until(lambda: not page.text("#confirmDialog"), "the question to end")
    page.until(lambda: "all 2 selected have ended: nothing was sent" in page.text("#toasts"), "why")


def a_confirmation_that_is_refused_leads_back_to_its_option(page, console):
    texts = ["First of them.", "Second of them."]
    console.ask(*[report(text) for text in texts])
    console.await_open(2)
    signed(page, console)
    page.choose(texts[0])  # Behind the dialog are the same options.
    selects(page, *texts)
    acts(page)
    page.click("#pickedBody button", "Skip × 2")
    page.until(lambda: page.text("#confirmDialog"), "the confirmation")
    # Meanwhile the dialog is drawn again.
    for item in console.call("/api/v1/inbox?stage=open")["items"]:
        console.call(f"/api/v1/presentations/{item['id']}/claim",
                     {"by": "bea", "forMilliseconds": 600_000})
    page.until(lambda: page.text("#pickedBody").count("claimed by bea") == 2, "the claims")
    page.press(page.keys.ENTER)
    page.until(lambda: not page.text("#confirmDialog"), "Return to send nothing")
    place = ("const node = document.activeElement;"
             " return [node.dataset.key, node.closest('#pickedBody') !== null]")
    page.until(lambda: page.run(place) == ["option skip", True], lambda: page.run(place))


def a_form_stays_until_all_that_are_selected_have_ended(page, console):
    console.ask(*[asking(text) for text in ("One folder.", "Another folder.")])
    console.await_open(2)
    signed(page, console)
    selects(page, "One folder.", "Another folder.")
    acts(page)
    page.click("#pickedBody button", "Use another folder… × 2")
    page.until(lambda: page.text("#valuesTitle"), "the form")
    first = page.text("#valuesText").strip("“”")
    ends(console, first, "cancel")
    page.until(lambda: page.text("#valuesEnded") == "1 of the 2 selected has ended meanwhile.",
               "what has ended")
    page.until(lambda: page.text("#valuesSend") and page.text("#valuesFields"))
    for item in console.call("/api/v1/inbox?stage=open")["items"]:
        ends(console, item["description"], "cancel")
    page.until(lambda: "all 2 selected have ended" in page.text("#valuesProblem"), "the reason")
    page.until(lambda: not page.text("#valuesSend") and not page.text("#valuesEnded"))


def a_member_that_is_left_out_is_not_selected(page, console):
    console.ask(*[report("Three alike.") for _ in range(3)])
    console.await_open(3)
    signed(page, console)
    page.choose("Three alike.")
    page.press(page.keys.ESCAPE, page.keys.ARROW_RIGHT)
    page.until(lambda: len(page.texts("#list .member")) == 3, "its members")
    page.press("x")
    count_of(page, "3 selected")
    page.press("j", "x")
    count_of(page, "2 selected")
    acts(page)
    page.click("#pickedBody button", "Skip × 2")
    page.until(lambda: page.text("#pickedResult") == "2 answered.", "the result")
    assert open_count(console) == 1


def different_reasons_are_asked_about(page, console):
    pair = console.ask(*[report("A pair.", failureReason=reason)
                         for reason in ("No space.", "No quota.")])
    console.await_open(2)
    signed(page, console)
    page.row("A pair.")
    page.press("j", "x")
    count_of(page, "2 selected")
    acts(page)
    page.until(lambda: sorted(page.texts("#pickedBody .why")) == ["No quota.", "No space."],
               lambda: page.text("#pickedBody"))
    page.click("#pickedBody button", "Skip × 2")
    page.until(lambda: "have different texts" in page.text("#confirmDialog"), "the question")
    page.click("#confirmYes", "Skip × 2")
    assert [each.answer() for each in pair] == [("skip", "ada")] * 2


def selecting_is_legible_and_reachable(page, console):
    console.ask(*[report(f"Number {number}.", severity=severity) for number, severity in
                  enumerate(("critical", "error", "warning", "info", "debug"))])
    console.await_open(5)
    signed(page, console)
    page.row("Number 4.")
    page.press("j", "x", page.keys.END)
    page.run(SHIFT_X)
    count_of(page, "5 selected")
    page.go("inbox")
    axe = Axe(page)
    legible = (pathlib.Path(__file__).parent / "legible.js").read_text()
    problems = []
    for name in ("bar", "dialog"):
        if name == "dialog":
            acts(page)
            page.press(page.keys.TAB)
        axe.look(name)
        for scheme in ("light", "dark"):
            for width, height in ((1440, 900), (390, 844), (320, 640)):
                page.resize(width, height, scheme)
                page.rest()
                problems += [f"{scheme} {width} {name}: {each}"
                             for each in page.run(legible, width < 760)]
        page.resize(1440, 900)
    axe.close()
    assert not problems, "\n".join(sorted(set(problems))[:60])


ALL = [rows_of_many_groups_are_answered_together, what_is_refused_says_why,
       different_reasons_are_asked_about,
       a_box_keeps_the_focus_when_a_row_above_goes,
       what_was_not_done_is_not_counted, a_range_is_claimed_and_released,
       only_what_all_offer_can_be_chosen, many_options_for_a_selection_are_searched,
       answers_for_many_are_taken_back,
       a_comment_goes_with_the_answers_for_a_selection,
       a_question_stays_until_all_that_are_selected_have_ended,
       a_confirmation_that_is_refused_leads_back_to_its_option,
       a_form_stays_until_all_that_are_selected_have_ended,
       a_member_that_is_left_out_is_not_selected, selecting_is_legible_and_reachable]
