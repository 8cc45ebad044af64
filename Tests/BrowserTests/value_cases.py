"""Options that ask for values: the form, its inputs, and what the server refuses."""
import json
import pathlib
import subprocess

from consoles import report
from safety_cases import signed
from terminals import Terminal

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


# In each secret, and nowhere else.
MARK = "pl4nted"
# Refuses each folder that is not there, the last one by a status of its own.
SCRIPT = """
echo "$ERRORBUS_VALUE_PATH ${#ERRORBUS_VALUE_PIN}" >>"$1/given"
test -d "$ERRORBUS_VALUE_PATH" && exit
echo "no folder <$ERRORBUS_VALUE_PATH>, PIN <$ERRORBUS_VALUE_PIN>" >&2
test "$ERRORBUS_VALUE_PATH" = /terminal && exit 4
exit 3
"""


def with_all_presenters(console):
    """Starts the node again with a policy before its console and a terminal beside that."""
    console.stop()
    folder = pathlib.Path(console.folder.name)
    (folder / "policy.yaml").write_text(f"""\
rules:
  - match: {{ domain: bus-node.exec, code: 4 }}
    answer: {{ option: retry-with, values: {{ path: {folder} }} }}
""")
    file = folder / "topology.yaml"
    text = file.read_text()
    for place, more in (("      - console:\n", "      - policy: policy.yaml\n"),
                        ("    journal: ", f"      - terminal\n    events: {folder}/events\n")):
        assert text.count(place) == 1, text
        text = text.replace(place, more + place)
    file.write_text(text)
    terminal = Terminal()
    console.start(stdin=terminal.child, stderr=terminal.child)
    return terminal


def expect_no_secret(console, terminal, written):
    """Neither in that, nor in what processes wrote and showed."""
    folder = pathlib.Path(console.folder.name)
    written = {**written, "the terminal": terminal.screen}
    for file in filter(pathlib.Path.is_file, folder.iterdir()):
        written[file.name] = file.read_bytes().decode(errors="replace")
    for path in ("history", "audit", "inbox"):
        written[path] = json.dumps(console.call(f"/api/v1/{path}"))
    # What the command printed is its own.
    written["exec.log"] = "\n".join(line for line in written["exec.log"].splitlines()
                                    if not line.startswith("no folder"))
    found = [place for place, text in written.items() if MARK in text]
    assert not found, found
    assert "/page" in written["events"] and "central.sqlite" in written, written.keys()


def every_presenter_gives_a_command_its_values(page, console):
    terminal = with_all_presenters(console)
    folder = pathlib.Path(console.folder.name)
    with open(folder / "exec.log", "wb") as log:
        worker = subprocess.Popen(
            [console.binary, "exec", "--to", console.endpoint, "--log-level", "trace", "--field",
             "path=Folder", "--field", "pin=PIN:secret:optional", "--", "sh", "-c", SCRIPT, "sh",
             folder], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    signed(page, console)
    former = []

    def next_one(path):
        """What waits now: the values before it were refused, which is its reason."""
        def found():
            items = console.call("/api/v1/inbox?stage=open")["items"]
            return [item["id"] for item in items
                    if item["stage"] == "open" and item["id"] not in former]
        [one] = page.until(found, lambda: terminal.screen[-2000:])
        former.append(one)
        page.go(f"inbox/{one}")
        pin = "***" if path else ""
        page.until(lambda: f"no folder <{path}>, PIN <{pin}>" in page.text("#detail"), "the reason")
        return one
    one = next_one("")
    console.call(f"/api/v1/presentations/{one}/answer", {
        "option": "retry-with", "by": "ann", "values": {"path": "/http", "pin": f"{MARK}-http"}})
    one = next_one("/http")
    inbox = subprocess.run(
        [console.binary, "inbox", "answer", one, "retry-with", "--value", "path=/inbox",
         "--value-file", "pin=-", "--by", "bob", "--to", console.address, "--token-file",
         folder / "token"], input=f"{MARK}-inbox\n", capture_output=True, text=True, timeout=120)
    assert inbox.returncode == 0, inbox.stderr
    next_one("/inbox")
    page.click("[data-option=retry-with]")
    page.until(lambda: page.text("#valuesTitle"), "the form")
    page.press(*"/page", page.keys.TAB, *f"{MARK}-page", page.keys.ENTER)
    next_one("/page")
    page.until(lambda: "no folder </page>" in terminal.screen, lambda: terminal.screen[-2000:])
    shown = page.run("return document.documentElement.outerHTML")
    written = {"inbox": inbox.stdout + inbox.stderr, "page": shown}
    for process in (console.processes["central"], worker):
        for name in ("cmdline", "environ"):
            path = f"/proc/{process.pid}/{name}"
            written[path] = pathlib.Path(path).read_bytes().decode(errors="replace")
    for line, brings in (("retry-with", "1/2 Folder"), ("/terminal", "2/2 PIN"),
                         (f"{MARK}-terminal", "answered: retry-with")):
        terminal.enter(page, line, brings)
    # The last folder comes from the policy, without a PIN: none is left of an earlier run.
    assert worker.wait(120) == 0, terminal.screen[-2000:]
    given = (folder / "given").read_text()
    assert given == f" 0\n/http 12\n/inbox 13\n/page 12\n/terminal 16\n{folder} 0\n", given
    expect_no_secret(console, terminal, written)


every_presenter_gives_a_command_its_values.journaled = True


ALL = [values_are_given_in_a_form_by_keys_alone, a_form_is_left_by_escape,
       what_is_typed_after_the_end_acts_on_nothing, a_number_that_cannot_be_read_is_not_sent,
       a_secret_of_several_lines_is_not_joined, a_form_is_for_all_of_a_group,
       a_text_without_a_break_widens_nothing,
       every_presenter_gives_a_command_its_values]
