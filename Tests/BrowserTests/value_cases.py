"""Options that ask for values: the form, its inputs, and what the server refuses."""
from consoles import report
from safety_cases import signed

FIELDS = [
    {"name": "path", "label": "Folder", "kind": "text", "required": True, "pattern": "/*",
     "maxLength": 40},
    {"name": "count", "label": "Count", "kind": "number", "required": True, "default": 3, "min": 1,
     "max": 9, "whole": True},
    {"name": "mode", "label": "Mode", "kind": "choice", "choices": ["fast", "safe"]},
    {"name": "force", "label": "Force it", "kind": "boolean", "required": True},
    {"name": "pin", "label": "PIN", "kind": "secret"}]


def asking(description, **path):
    """path: what differs of the first field."""
    fields = [{**FIELDS[0], **path}, *FIELDS[1:]]
    return report(description, recoveryOptions=[
        {"id": "move", "title": "Use another folder", "fields": fields},
        {"id": "cancel", "title": "Abort", "role": "cancel"}])


def kinds(page):
    return page.run("return [...document.querySelectorAll('#valuesFields input, select')]"
                    ".filter((node) => node.closest('#valuesFields'))"
                    ".map((node) => `${node.name} ${node.type} ${node.ariaRequired}`)")


def focused(page):
    return page.run("return document.activeElement.name")


def values_are_given_in_a_form_by_keys_alone(page, console):
    page.expects("422")
    question, = console.ask(asking("No space."))
    signed(page, console)
    page.row("No space.")
    page.press("j")
    page.shown("No space.")
    page.until(lambda: "Use another folder…" in page.text(".options"),
               lambda: page.text(".options"))
    page.press("1")
    page.until(lambda: page.text("#valuesTitle") == "Use another folder", "the form")
    page.until(
        lambda: kinds(page) == ["path text true", "count number false", "mode select-one false",
                           "force checkbox true", "pin password false"], lambda: kinds(page))
    labels = page.texts("#valuesFields label > span[dir]")
    assert labels == ["Folder *", "Count *", "Mode", "Force it", "PIN"], labels
    page.until(lambda: "at most 40 characters, matches /*" in page.text("#hint-path"),
               lambda: page.text("#hint-path"))
    page.until(lambda: focused(page) == "path")
    # A value that does not fit: the server says so beside it, and what was typed stays.
    page.press(*"data", page.keys.TAB, page.keys.TAB, page.keys.TAB, " ", page.keys.TAB,
               *"zqxj", page.keys.ENTER)
    page.until(lambda: 'Found "data"' in page.text("#problem-path"), "the refusal")
    page.until(lambda: focused(page) == "path")
    left = page.run("return [...document.querySelectorAll('#valuesFields input')]"
                    ".map((node) => node.type === 'checkbox' ? node.checked : node.value)")
    assert left == ["data", "3", True, "zqxj"], left
    page.until(lambda: page.run("return document.querySelector('[name=path]').ariaInvalid"))
    page.press(page.keys.HOME, "/", page.keys.ENTER)
    page.until(lambda: "with count 3, force true, path “/data”" in page.text(".decide"),
               "the answer")
    page.until(lambda: "pin (secret)" in page.text(".decide") and "zqxj" not in page.text("body"))
    # Nothing of it stays in the page.
    page.until(lambda: "zqxj" not in page.run("return document.documentElement.outerHTML"))
    page.until(lambda: question.reply().get("values") == {
        "path": "/data", "count": 3, "force": True, "pin": "zqxj"}, "the values at the client")


def a_form_is_left_by_escape(page, console):
    console.ask(asking("No space."))
    signed(page, console)
    page.choose("No space.")
    page.press("1")
    page.until(lambda: page.text("#valuesTitle"), "the form")
    page.press("x", page.keys.ESCAPE)
    page.until(lambda: not page.text("#valuesDialog"), "the form to go")
    assert console.call("/api/v1/inbox")["openCount"] == 1
    page.until(
        lambda: not page.run("return document.querySelector('#valuesFields').children.length"))


def what_is_typed_after_the_end_acts_on_nothing(page, console):
    console.ask(asking("No space."))
    console.ask(asking("No file."))
    signed(page, console)
    page.choose("No space.")
    page.press("1")
    page.until(lambda: page.text("#valuesTitle"), "the form")
    page.press("4", "7")
    items = {item["description"]: item["id"] for item in console.call("/api/v1/inbox")["items"]}
    console.call(
        f"/api/v1/presentations/{items['No space.']}/answer", {"option": "cancel", "by": "zoe"})
    page.until(lambda: "Meanwhile" in page.text("#valuesProblem"), "the reason")
    page.until(lambda: not page.text("#valuesFields") and not page.text("#valuesSend"))
    page.press("1", "2", "c", "u", "s", "j", page.keys.ENTER)
    other, = [item for item in console.call("/api/v1/inbox")["items"] if item["stage"] == "open"]
    assert other["id"] == items["No file."] and not other.get("claimedBy"), other
    page.until(lambda: page.text("#valuesProblem"), "the form closed")
    page.press(page.keys.ESCAPE)
    page.until(lambda: not page.text("#valuesDialog"), "the form to go")


def pasted(page, text):
    """Whether the page lets the text be pasted into the secret."""
    return page.run(
        "const data = new DataTransfer(); data.setData('text/plain', arguments[0]);"
        " return document.querySelector('[name=pin]').dispatchEvent(new ClipboardEvent('paste',"
        " { clipboardData: data, bubbles: true, cancelable: true }));", text)


def a_secret_of_several_lines_is_not_joined(page, console):
    console.ask(asking("No space."))
    signed(page, console)
    page.choose("No space.")
    page.press("1")
    page.until(lambda: page.text("#valuesTitle"), "the form")
    page.until(lambda: not pasted(page, "-----BEGIN\nkey\n"), "the refusal")
    page.until(lambda: "--value-file" in page.text("#problem-pin"), "the reason")
    # One line is taken, with the end of it, as a file has it.
    page.until(lambda: pasted(page, "4711\r\n"), "one line to be taken")
    page.until(lambda: not page.text("#problem-pin"), "the reason to go")


def a_number_that_cannot_be_read_is_not_sent(page, console):
    question, = console.ask(asking("No space."))
    signed(page, console)
    page.choose("No space.")
    page.press("1")
    page.until(lambda: page.text("#valuesTitle"), "the form")
    page.press(*"/data", page.keys.TAB)
    page.until(lambda: focused(page) == "count")
    page.chord(page.keys.CONTROL, "a")
    page.press("5", "e", page.keys.ENTER)
    page.until(lambda: "expected a number" in page.text("#problem-count"), "the problem")
    page.until(lambda: focused(page) == "count")
    assert console.call("/api/v1/inbox")["openCount"] == 1
    # It can be mended.
    page.press(page.keys.BACKSPACE, page.keys.ENTER)
    assert question.reply()["values"]["count"] == 5


def a_form_is_for_all_of_a_group(page, console):
    questions = console.ask(*[asking("No space.") for _ in range(2)])
    signed(page, console)
    page.until(lambda: "2 waiting in 1 row" in page.text("#count"), "one row for both")
    page.choose("No space.")
    page.until(lambda: page.run("return document.querySelector('.scope input')?.checked"), "all")
    page.press("1")
    page.until(lambda: page.text("#valuesTitle") == "Use another folder × 2", "the form")
    page.press(*"data", page.keys.ENTER)
    page.until(lambda: 'Found "data"' in page.text("#problem-path"), "the refusal")
    page.press(page.keys.HOME, "/", page.keys.ENTER)
    for question in questions:
        values = question.reply()["values"]
        assert values == {"path": "/data", "count": 3, "force": False}, values


def a_text_without_a_break_widens_nothing(page, console):
    field = {"name": "path", "label": "L" * 100, "kind": "text", "pattern": "x" * 100}
    console.ask(report("No-break." + "W" * 100, recoveryOptions=[
        {"id": "drop", "title": "D" * 100, "role": "destructive"},
        {"id": "move", "title": "M" * 100, "fields": [field]}]))
    signed(page, console)
    page.choose("No-break.")
    page.until(lambda: page.text(".hops"), "the path")
    # From a process with a name as long as it may be.
    page.part("store", "load('state').then(({ state }) => { state.details.revision += 1;"
                       " const items = [...state.items.values()].map((item) => ({ ...item,"
                       "  path: ['w'.repeat(64)], revision: item.revision + 1 }));"
                       " part.apply({ items, revision: state.resume, openCount: 1,"
                       "  isLast: true }); })")
    page.until(lambda: "w" * 64 in page.text(".hops"), lambda: page.text(".hops"))
    for option, dialog in ((None, None), ("drop", "#confirmDialog"), ("move", "#valuesDialog")):
        if dialog:
            page.click(f"[data-option={option}]")
            page.until(lambda: page.text(dialog), dialog)
        for width, height in ((390, 844), (1280, 800)):
            page.resize(width, height)
            page.rest()
            page.until(lambda: not page.overflows(), f"{dialog} to fit {width} pixels")
        if dialog:
            page.press(page.keys.ESCAPE)
            page.until(lambda: not page.text(dialog), "it to close")


def a_command_gets_its_values_from_the_page(page, console):
    script = ('test -d "$ERRORBUS_VALUE_PATH" && test ${#ERRORBUS_VALUE_PIN} = 4 && exit;'
              ' echo "no folder <$ERRORBUS_VALUE_PATH>" >&2; exit 3')
    worker = console.command("exec", "--field", "path=Folder", "--field", "pin=PIN:secret", "--",
                             "sh", "-c", script)
    signed(page, console)
    former = None

    def next_one():
        items = console.call("/api/v1/inbox?stage=open")["items"]
        return [item["id"] for item in items if item["stage"] == "open" and item["id"] != former]

    # A folder that the command refuses is asked for again, with its reason.
    for before, path in (("", "/nowhere"), ("/nowhere", console.folder.name)):
        [former] = page.until(next_one, "the command's error")
        page.go(f"inbox/{former}")
        page.until(lambda: f"no folder <{before}>" in page.text("#detail"), "the reason")
        page.click("[data-option=retry-with]")
        page.until(lambda: page.text("#valuesTitle"), "the form")
        page.press(*path, page.keys.TAB, *"zqxj", page.keys.ENTER)
    assert worker.wait(20) == 0, worker.stderr.read()
    assert "zqxj" not in worker.stderr.read()
    page.until(lambda: "zqxj" not in page.run("return document.documentElement.outerHTML"))


ALL = [values_are_given_in_a_form_by_keys_alone, a_form_is_left_by_escape,
       what_is_typed_after_the_end_acts_on_nothing, a_number_that_cannot_be_read_is_not_sent,
       a_secret_of_several_lines_is_not_joined, a_form_is_for_all_of_a_group,
       a_text_without_a_break_widens_nothing,
       a_command_gets_its_values_from_the_page]
