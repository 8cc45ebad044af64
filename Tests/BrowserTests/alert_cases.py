"""What tells a person who looks elsewhere. As in cases.py."""
from urllib.parse import unquote

from browser import LOAD
from consoles import report
from safety_cases import signed

# In place of the browser's own: what is told, the tones, and where the person looks.
STUBS = """
    Object.assign(window, { told: [], pitches: [], away: AWAY, asked: 0 });
    window.Notification = class {
      static permission = 'BEFORE';
      static async requestPermission() {
        window.asked += 1;
        return this.permission = 'ANSWER';
      }
      constructor(title, options) {
        Object.assign(this, { title, ...options, isClosed: false });
        window.told.push(this);
      }
      close() { this.isClosed = true; }
    };
    window.AudioContext = class {
      currentTime = 0;
      async resume() {}
      async suspend() {}
      createGain() {
        const gain = { setValueAtTime() {}, linearRampToValueAtTime() {} };
        return { gain, connect: (next) => next };
      }
      createOscillator() {
        return { frequency: { set value(pitch) { window.pitches.push(pitch); } },
                 connect: (next) => next, start() {}, stop() { this.onended(); } };
      }
    };
    const hidden = () => window.away === 'hidden';
    Object.defineProperty(document, 'hidden', { get: hidden, configurable: true });
    document.hasFocus = () => !window.away;
"""


def stubs(before="default", answer="granted", away="false"):
    return STUBS.replace("BEFORE", before).replace("ANSWER", answer).replace("AWAY", away)


def opted_in(page, console, level, sound="", answer="granted"):
    signed(page, console)
    page.run(stubs(answer=answer))
    page.click("#who")
    page.until(lambda: page.text("#nameDialog"), "the dialog")
    choose(page, level)
    page.until(lambda: page.run("return window.asked") == 1, "the browser to be asked")
    if sound:
        choose(page, sound, "soundField")
        page.until(lambda: len(pitches(page)) == 1, "how it sounds")


def choose(page, level, field="alertField"):
    page.run("const field = document.getElementById(arguments[1]); field.value = arguments[0];"
             "field.dispatchEvent(new Event('change'))", level, field)


def save(page):
    page.click("#nameDialog [value=save]")
    page.until(lambda: not page.text("#nameDialog"), "the dialog to close")
    page.run("window.told = []; window.pitches = []")


def look(page, where):
    """The person looks at the page (False), at another window (True) or tab ('hidden')."""
    page.run("window.away = arguments[0]; if (!window.away) dispatchEvent(new Event('focus'))",
             where)


def told(page):
    return page.run("return window.told.map(({ title, body, tag, isClosed }) =>"
                    " ({ title, body, tag, isClosed }))")


def kept(page):
    return page.run("return ['errorbus.alerts', 'errorbus.sound']"
                    ".map((place) => localStorage.getItem(place))")


def pitches(page):
    return page.run("return window.pitches")


def bodies(page):
    return [each["body"] for each in told(page)]


def left(page, seconds, *presentations):
    """So much time is left of presentations now, as the page has it."""
    for each in presentations:
        page.part("state", f"part.state.items.get('{each.id}').deadline"
                           f" = Date.now() + part.state.skew + {seconds * 1000}")


def looked(page):
    """Waits until the page has looked for what is nearly over, after what was changed so far."""
    page.driver.execute_async_script(
        f"const done = arguments[0]; {LOAD} load('reminders').then(({{ remind }}) =>"
        " { remind(); done(); })")


def arrived(page, count):
    """Waits until so many presentations are in the page: by then all of them has been told."""
    page.until(lambda: page.part("state", "part.state.items.size") == count, f"{count} of them")


def icon(page):
    return unquote(page.run("return document.querySelector('link[rel=icon]').href"))


def what_comes_is_told_who_looks_elsewhere(page, console):
    console.ask(report("Was open before.", severity="critical"))
    opted_in(page, console, "error")
    page.until(lambda: told(page), "what they look like")
    save(page)
    page.row("Was open before.")
    look(page, False)
    console.ask(report("Seen here.", severity="critical"))
    arrived(page, 2)
    look(page, "hidden")
    console.ask(report("Not grave.", severity="warning"))
    arrived(page, 3)
    page.until(lambda: told(page) == [])
    console.ask(report("x" * 300, userInfo={"password": "hunter2"}))
    arrived(page, 4)
    [one] = told(page)
    assert one["title"].startswith("error: "), one
    assert one["body"] == "x" * 200 + "…", one
    # Another window in front is elsewhere, too.
    look(page, True)
    [graver] = console.ask(report("Graver.", severity="critical"))
    arrived(page, 5)
    page.until(lambda: [each["body"] for each in told(page)][1:] == ["Graver."])
    page.until(lambda: told(page)[0]["tag"] != told(page)[1]["tag"])
    # It leads to the presentation.
    page.run("window.told[1].onclick()")
    page.shown("Graver.")
    page.until(lambda: page.run("return location.hash") == f"#/inbox/{graver.id}")
    page.until(lambda: told(page)[1]["isClosed"])
    # What was answered waits no longer, and who is back needs none.
    [again] = console.ask(report("Answered by bob."))
    arrived(page, 6)
    console.call(f"/api/v1/presentations/{again.id}/answer", {"option": "skip", "by": "bob"})
    page.until(lambda: told(page)[2]["isClosed"], "it to be taken back")
    page.until(lambda: not told(page)[0]["isClosed"])
    look(page, False)
    page.until(lambda: all(each["isClosed"] for each in told(page)))

def what_was_open_when_the_page_came_is_not_told(page, console):
    opted_in(page, console, "warning")
    save(page)
    console.ask(report("Was open before."))
    arrived(page, 1)
    page.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {
        "source": stubs(before="granted", away="true")})
    page.driver.refresh()
    page.until(lambda: page.text("#link") == "live", "the page again")
    page.row("Was open before.")
    page.until(lambda: told(page) == [])
    console.ask(report("Has come since."))
    arrived(page, 2)
    page.until(lambda: [each["body"] for each in told(page)] == ["Has come since."])


def a_burst_is_told_once(page, console):
    opted_in(page, console, "warning", sound="warning")
    save(page)
    look(page, "hidden")
    console.ask(*[report(f"Burst {number}.", severity="warning") for number in range(8)],
                report("The last of it.", severity="critical"))
    arrived(page, 9)
    page.until(lambda: told(page)[-1]["title"] == "4 more presentations wait", "the rest in one")
    all_told = told(page)
    assert len({each["tag"] for each in all_told}) == 6, all_told
    assert [each["title"].startswith("warning: ") for each in all_told[:6]] == [True] * 5 + [False]
    assert all_told[-1]["body"] == "The gravest: critical", all_told[-1]
    # One tone for all, and a higher one.
    page.until(lambda: len(pitches(page)) > 1, "the tones")
    tones = pitches(page)
    assert len(tones) < 5 and tones[0] < tones[-1], tones


def each_severity_notifies_and_sounds_as_chosen(page, console):
    keys = page.keys
    signed(page, console)
    page.run(stubs())
    page.click("#who")
    page.until(lambda: page.text("#nameDialog"), "the dialog")
    # By keys alone; each choice is tried at once.
    page.run("document.querySelector('#alertField').focus()")
    page.press(keys.ARROW_DOWN, keys.ARROW_DOWN, keys.TAB)
    page.until(lambda: page.run("return document.activeElement.id") == "soundField")
    page.press(keys.ARROW_DOWN)
    page.until(lambda: len(pitches(page)) == 1, "how it sounds")
    save(page)
    page.until(lambda: kept(page) == ["error", "critical"], lambda: kept(page))
    look(page, True)
    console.ask(report("Mild.", severity="warning"))
    arrived(page, 1)
    console.ask(report("Notifies alone."))
    arrived(page, 2)
    page.until(lambda: bodies(page) == ["Notifies alone."] and pitches(page) == [])
    page.until(lambda: not page.run("return window.told[0].silent"), "the sound of the system")
    console.ask(report("Both.", severity="critical"))
    arrived(page, 3)
    page.until(lambda: len(pitches(page)) == 1, "the tone")
    page.until(lambda: page.run("return window.told[1].silent"), "one sound alone")
    # The tone without notifications.
    look(page, False)
    page.click("#who")
    page.until(lambda: page.text("#nameDialog"), "the dialog")
    choose(page, "")
    choose(page, "info", "soundField")
    save(page)
    page.until(lambda: kept(page) == ["", "info"], lambda: kept(page))
    look(page, True)
    page.run("localStorage.removeItem('errorbus.toned.any')")
    console.ask(report("Sounds alone.", severity="info"))
    arrived(page, 4)
    page.until(lambda: len(pitches(page)) == 1, "the tone")
    page.until(lambda: told(page) == [])


def what_an_earlier_page_kept_is_read(page, console):
    signed(page, console)
    for alerts, sound, found in (("error", "on", "error"), ("error", "off", ""), ("", "on", ""),
                                 ("warning", "critical", "critical")):
        page.run("localStorage.setItem('errorbus.alerts', arguments[0]);"
                 "localStorage.setItem('errorbus.sound', arguments[1])", alerts, sound)
        page.driver.refresh()
        page.until(lambda: page.text("#link") == "live", "the page again")
        page.until(lambda: kept(page) == [alerts, found], lambda: kept(page))
        page.click("#who")
        page.until(lambda: page.text("#nameDialog"), "the dialog")
        shown = "return ['alertField', 'soundField'].map((id) => document.getElementById(id).value)"
        page.until(lambda: page.run(shown) == [alerts, found], lambda: page.run(shown))
        page.press(page.keys.ESCAPE)
        page.until(lambda: not page.text("#nameDialog"), "the dialog to close")


def what_is_nearly_over_is_recalled_once(page, console):
    opted_in(page, console, "error", sound="error")
    save(page)
    look(page, "hidden")
    one, mild = console.ask(report("Decides itself.", onExpiry="skip"),
                            report("Mild.", severity="warning"))
    arrived(page, 2)
    page.until(lambda: bodies(page) == ["Decides itself."], lambda: told(page))
    # In the band of what expires soon, and not yet in the last minutes.
    left(page, 200, one)
    looked(page)
    page.until(lambda: len(told(page)) == 1)
    page.run("for (const key of ['any', 'critical'])"
             " localStorage.removeItem(`errorbus.toned.${key}`); window.pitches = []")
    left(page, 110, one, mild)
    page.until(lambda: len(told(page)) == 2, "the reminder")
    page.until(lambda: told(page)[1]["title"] == "Expires soon: error, a client without a name",
               lambda: told(page))
    said = told(page)[1]["body"]
    assert said.startswith("Without an answer “Skip” is applied at "), said
    assert said.endswith(".\nDecides itself."), said
    # It takes the place of the first one, with a sign.
    page.until(lambda: told(page)[0]["tag"] == told(page)[1]["tag"])
    page.until(lambda: page.run("return window.told[1].renotify"))
    page.until(lambda: len(pitches(page)) == 1, "the tone")
    left(page, 100, one, mild)
    looked(page)
    page.until(lambda: len(told(page)) == 2)
    # It leads there, and goes with what it is about.
    page.run("window.told[1].onclick()")
    page.until(lambda: page.run("return location.hash") == f"#/inbox/{one.id}")


def a_reminder_goes_with_what_it_is_about(page, console):
    opted_in(page, console, "error")
    save(page)
    look(page, "hidden")
    near, far = console.ask(*[report("Equal.") for _ in range(2)])
    arrived(page, 2)
    left(page, 110, near)
    page.until(lambda: len(told(page)) == 3, "the reminder")
    page.until(lambda: not told(page)[2]["isClosed"])
    console.call(f"/api/v1/presentations/{near.id}/answer", {"option": "skip", "by": "bob"})
    # Though another member of its group waits.
    page.until(lambda: told(page)[2]["isClosed"], "it to be taken back")
    # What came with little time left has it in its first one, and no second one.
    console.ask(report("In haste.", onExpiry="retry"), deadline=90)
    page.until(lambda: len(told(page)) == 4, "it")
    page.until(lambda: "“Retry” is applied at" in told(page)[3]["body"], lambda: told(page)[3])
    looked(page)
    # What is seen here needs none, also later.
    look(page, False)
    left(page, 110, far)
    looked(page)
    look(page, "hidden")
    left(page, 100, far)
    looked(page)
    page.until(lambda: len(told(page)) == 4, lambda: told(page))


def what_another_person_has_claimed_is_not_recalled(page, console):
    opted_in(page, console, "error")
    save(page)
    [one] = console.ask(report("In good hands."))
    arrived(page, 1)
    console.call(f"/api/v1/presentations/{one.id}/claim", {"by": "bob"})
    stage = f"part.state.items.get('{one.id}').stage"
    page.until(lambda: page.part("state", stage) == "claimed", "the claim")
    look(page, "hidden")
    left(page, 110, one)
    looked(page)
    page.until(lambda: told(page) == [])
    # Released, it waits for any person again.
    console.call(f"/api/v1/presentations/{one.id}/release", {"by": "bob"})
    page.until(lambda: page.part("state", stage) == "open", "its release")
    left(page, 100, one)
    page.until(lambda: len(told(page)) == 1, "the reminder")
    looked(page)
    page.until(lambda: len(told(page)) == 1)


def many_reminders_are_one(page, console):
    opted_in(page, console, "error")
    save(page)
    many = console.ask(*[report(f"Late {number}.") for number in range(7)],
                       report("The last of it.", severity="critical"))
    arrived(page, 8)
    look(page, "hidden")
    # At one moment, so that one look finds them all.
    page.part("state", "part.state.items.forEach((item) =>"
                       " { item.deadline = Date.now() + part.state.skew + 110000; })")
    page.until(lambda: told(page), "the reminders")
    page.until(lambda: len(told(page)) == 6, lambda: told(page))
    page.until(lambda: told(page)[-1]["title"] == "3 more presentations expire within 2 min",
               lambda: told(page))
    page.until(lambda: len({each["tag"] for each in told(page)}) == 6)
    for each in many:
        console.call(f"/api/v1/presentations/{each.id}/answer", {"option": "skip", "by": "bob"})
    page.until(lambda: all(each["isClosed"] for each in told(page)), "them to be taken back")


def a_refusal_of_notifications_says_what_to_do(page, console):
    opted_in(page, console, "critical", answer="denied")
    page.until(lambda: "Allow them in its settings" in page.text("#alertNote"), "what to do")
    choose(page, "")
    page.until(lambda: not page.text("#alertNote"), "nothing to do")
    choose(page, "critical")
    # A browser of a phone has them, and none for a page.
    page.run("window.Notification = class { static permission = 'granted';"
             " constructor() { throw new TypeError('Illegal constructor'); } }")
    choose(page, "error")
    page.until(lambda: "shows no notifications of a page" in page.text("#alertNote"), "why not")
    page.click("#nameDialog button", "Cancel")
    page.until(lambda: not page.text("#nameDialog"), "the dialog to close")
    page.until(lambda: page.run("return localStorage.getItem('errorbus.alerts')") is None)


def what_came_while_the_console_restarted_notifies(page, console):
    opted_in(page, console, "error")
    save(page)
    look(page, "hidden")
    worker = console.work("Comes back.", "It waits.", "--severity", "error")
    arrived(page, 1)
    console.ask(report("Gone by then."))
    arrived(page, 2)
    page.expects("ERR_")
    page.run("window.send = fetch; window.fetch = () => Promise.reject(new TypeError('down'))")
    console.stop()
    page.until(lambda: page.text("#link") == "no link", "the link to be lost")
    console.start()
    console.ask(report("Came meanwhile."))
    console.await_open(2)
    page.run("window.fetch = window.send")
    page.until(lambda: page.text("#link") == "live", "the link")
    page.until(lambda: bodies(page) == ["Comes back.", "Gone by then.", "Came meanwhile."],
               lambda: told(page))
    page.until(lambda: [each["isClosed"] for each in told(page)] == [False, True, False],
               lambda: told(page))
    back = next(item["id"] for item in console.call("/api/v1/inbox?stage=open")["items"]
                if item["description"] == "Comes back.")
    console.call(f"/api/v1/presentations/{back}/answer", {"option": "skip", "by": "bob"})
    assert worker.answer() == ("skip", "bob")
    page.until(lambda: told(page)[0]["isClosed"], "it to be taken back")


def the_icon_says_what_is_open(page, console):
    page.open(console.url)
    page.until(lambda: "#6a7180" in icon(page) and "></text>" in icon(page), "none open")
    console.ask(report("Mild.", severity="warning"))
    page.until(lambda: "#f0b429" in icon(page) and ">1</text>" in icon(page), "one open")
    page.run("Object.defineProperty(document, 'hidden', { get: () => true, configurable: true });"
             "window.requestAnimationFrame = () => 0")
    alike = console.ask(*[report("Grave.") for _ in range(99)])
    page.until(lambda: "#c3271b" in icon(page) and ">99+</text>" in icon(page), "an error")
    console.call(f"/api/v1/presentations/{alike[0].id}/answer", {"option": "skip", "by": "bob"})
    page.until(lambda: ">99</text>" in icon(page), "one less")


ALL = [what_comes_is_told_who_looks_elsewhere, what_was_open_when_the_page_came_is_not_told,
       a_burst_is_told_once, each_severity_notifies_and_sounds_as_chosen,
       what_an_earlier_page_kept_is_read, what_is_nearly_over_is_recalled_once,
       a_reminder_goes_with_what_it_is_about, what_another_person_has_claimed_is_not_recalled,
       many_reminders_are_one, a_refusal_of_notifications_says_what_to_do,
       what_came_while_the_console_restarted_notifies, the_icon_says_what_is_open]
