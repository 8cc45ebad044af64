"""Keys that come before the next frame, and replies that come late. As in cases.py."""
from browser import LOAD
from consoles import report
from safety_cases import open_count, signed

KEYS = ("for (const key of arguments[0]) document.activeElement.dispatchEvent("
        "new KeyboardEvent('keydown', { key, bubbles: true }))")


def hold(page, ending):
    """From now on the replies to posts to such paths wait; `window.held` has what lets each go
    on, and what is given to it is thrown as its failure. `window.posts` has all posts."""
    page.run("const [send, ending] = [window.fetch, arguments[0]];"
             "Object.assign(window, { held: [], posts: [], ending });"
             "window.fetch = async (path, options) => {"
             " if (options?.method !== 'POST') return send(path, options);"
             " window.posts.push(path);"
             " if (!window.ending || !path.endsWith(window.ending)) return send(path, options);"
             " const failure = await new Promise((go) => window.held.push(go));"
             " if (failure) throw failure;"
             " return send(path, options); }", ending)


def stage_of(console, presentation):
    return console.call(f"/api/v1/presentations/{presentation.id}")["stage"]


def a_number_behind_g_or_x_answers_nothing_unseen(page, console):
    console.ask(*[report("All alike.") for _ in range(3)])
    signed(page, console)
    page.choose("All alike.")
    page.until(lambda: "Skip × 3" in page.text(".options"), "the answer for all")
    hold(page, "")
    page.run(KEYS, ["g", "1"])
    page.rest()
    page.until(lambda: page.run("return window.posts") == [])
    page.until(lambda: "×" not in page.text(".options"), "the answer for one")
    page.click("#list .toggle")
    page.until(lambda: len(page.texts("#list .member")) == 3, "its members")
    page.press("j")
    page.until(lambda: page.texts("#list .member.chosen"), "a member to be chosen")
    page.press("g")
    page.until(lambda: "Skip × 3" in page.text(".options"), "the answer for all again")
    page.read()
    page.run(KEYS, ["x", "1"])
    page.rest()
    page.until(lambda: page.run("return window.posts") == [])
    page.until(lambda: "Skip × 2" in page.text(".options"), "the answer for the others")
    # Out and in again within one frame, the buttons are as before, and work.
    page.run(KEYS, ["x", "x"])
    page.rest()
    page.press("2")
    page.until(lambda: open_count(console) == 1, "the others to be answered")


def a_late_reply_leaves_the_next_silence_alone(page, console):
    console.ask(report("Silence this.", code=7), report("And that.", code=8))
    signed(page, console)
    page.choose("Silence this.")
    page.press("s", *"one")
    page.until(lambda: "1 open now" in page.text("#silencePreview"), "what it would silence")
    hold(page, "/silences")
    page.click("#silenceSave")
    page.until(lambda: page.run("return window.held.length") == 1, "it to be sent")
    # What is sent is not changed any more.
    page.press("2")
    page.until(lambda: page.run("return document.getElementById('silenceComment').value") == "one")
    page.press(page.keys.ESCAPE)
    page.until(lambda: not page.text("#silenceDialog"), "the form to close")
    page.choose("And that.")
    page.press("s", *"ticket 4")
    page.run("window.ending = null; window.held[0]()")
    page.until(lambda: "Silence 1 until" in page.text("#toasts"), "the first one")
    page.press("1")
    page.until(
        lambda: page.run("return document.getElementById('silenceComment').value") == "ticket 41")
    assert open_count(console) == 2
    page.click("#silenceSave")
    page.until(lambda: "Silence 2 until" in page.text("#toasts"), "the second one")
    page.until(lambda: not page.text("#silenceDialog"), "its form to close")


def the_failure_of_a_silence_is_not_shown_in_the_next_form(page, console):
    console.ask(report("Silence this."))
    signed(page, console)
    page.choose("Silence this.")
    page.press("s", *"one")
    hold(page, "/silences")
    page.click("#silenceSave")
    page.until(lambda: page.run("return window.held.length") == 1, "it to be sent")
    page.press(page.keys.ESCAPE)
    page.until(lambda: not page.text("#silenceDialog"), "the form to close")
    page.press("s", *"two")
    page.run("window.ending = null; window.held[0](new TypeError('down'))")
    page.until(lambda: "could not be reached" in page.text("#toasts"), "the failure")
    page.until(lambda: not page.text("#silenceProblem"))
    page.click("#silenceSave")
    page.until(lambda: "Silence 1 until" in page.text("#toasts"), "the second one")


def an_undo_takes_back_only_what_was_answered(page, console):
    alike = console.ask(*[report("Three alike.") for _ in range(3)])
    signed(page, console, undo=60)
    page.choose("Three alike.")
    # Not the one on the screen.
    others = next(each for each in alike
                  if each.id != page.part("state", "part.state.shownID"))
    other = f"/api/v1/presentations/{others.id}"
    console.call(f"{other}/claim", {"by": "bob"})
    page.until(lambda: "Skip × 3" in page.text(".options"), "the answer for all")
    page.click("[data-option=skip]", "× 3")
    page.until(lambda: "1 not answered" in page.text("#toasts"), "the refusal")
    console.call(f"{other}/answer", {"by": "bob", "option": "skip", "undoMilliseconds": 60_000})
    page.until(lambda: "Undo all 2" in page.text(".decide"), "what is the own answer")
    page.until(lambda: page.part("state", "[...part.state.items.values()].filter("
                                 "(each) => each.stage === 'leaving').length") == 3, "bob's answer")
    page.rest()
    page.until(lambda: "Undo all 2" in page.text(".decide"), lambda: page.text(".decide"))
    page.press("u")
    page.until(lambda: "2 answers taken back" in page.text("#toasts"), "the undo")
    assert stage_of(console, others) == "leaving"


def an_answer_for_a_group_whose_reply_was_lost_counts_once(page, console):
    alike = console.ask(*[report("Three alike.") for _ in range(3)])
    signed(page, console)
    page.choose("Three alike.")
    page.until(lambda: "Skip × 3" in page.text(".options"), "the answer for all")
    page.run("const send = window.fetch; window.bodies = [];"
             "window.fetch = async (path, options) => {"
             " const reply = await send(path, options);"
             " if (options?.method !== 'POST') return reply;"
             " window.bodies.push(options.body);"
             " if (window.bodies.length === 1) throw new TypeError('lost');"
             " return reply; }")
    page.click("[data-option=skip]", "× 3")
    page.until(lambda: "Skip × 3: Three alike." in page.text("#toasts"), "the answers")
    page.until(lambda: "not answered" not in page.text("#toasts"), lambda: page.text("#toasts"))
    bodies = page.run("return window.bodies")
    assert len(bodies) == 2 and bodies[0] == bodies[1], bodies
    assert [each.answer() for each in alike] == [("skip", "ada")] * 3


def an_undo_of_one_leaves_the_undo_of_the_rest(page, console):
    alike = console.ask(*[report("Three alike.") for _ in range(3)])
    signed(page, console, undo=60)
    page.choose("Three alike.")
    page.click("[data-option=skip]", "× 3")
    page.until(lambda: "Undo" in page.text("#undos"), "the time to undo")
    page.until(lambda: "Undo all 3" in page.text(".decide"), "the held answers")
    console.call(f"/api/v1/presentations/{alike[2].id}/undo", {"by": "bob"})
    page.until(lambda: "bob took back your answer" in page.text("#toasts"), "who took it back")
    page.until(lambda: "Undo" in page.text("#undos"))
    page.press("u")
    page.until(lambda: "2 answers taken back" in page.text("#toasts"), "the undo of the rest")
    page.until(lambda: "Undo" not in page.text("#undos"))


def an_undo_leaves_the_answer_that_came_in_its_place(page, console):
    alike = console.ask(*[report("Four alike.") for _ in range(4)])
    signed(page, console, undo=60)
    page.choose("Four alike.")
    again, claimed = [each for each in alike
                      if each.id != page.part("state", "part.state.shownID")][:2]
    # Open still, so that all stay one group.
    console.call(f"/api/v1/presentations/{claimed.id}/claim", {"by": "bob"})
    page.click("[data-option=skip]", "× 4")
    page.until(lambda: "1 not answered" in page.text("#toasts"), "the answers")
    path = f"/api/v1/presentations/{again.id}"
    console.call(f"{path}/undo", {"by": "bob"})
    console.call(f"{path}/claim", {"by": "bob", "takeOver": True})
    console.call(f"{path}/answer", {"by": "bob", "option": "skip", "undoMilliseconds": 60_000})
    page.until(lambda: page.part("state", f"part.state.items.get('{again.id}').answer?.by")
               == "bob", "bob's answer")
    page.press("u")
    page.until(lambda: "2 answers taken back" in page.text("#toasts"), "the undo of the others")
    assert stage_of(console, again) == "leaving"
    others = {stage_of(console, each) for each in alike if each is not again}
    assert others == {"claimed"}, others


def u_undoes_nothing_that_is_not_on_the_screen(page, console):
    [presentation] = console.ask(report("Bob's answer."))
    signed(page, console)
    page.choose("Bob's answer.")
    console.call(f"/api/v1/presentations/{presentation.id}/answer",
                 {"by": "bob", "option": "skip", "undoMilliseconds": 60_000})
    page.until(lambda: "by bob" in page.text(".decide"), "the other's answer")
    hold(page, "")
    page.press("]")
    page.until(lambda: page.text("#silences"), "another view")
    page.press("u")
    page.rest()
    page.until(lambda: page.run("return window.posts") == [])
    page.go(f"inbox/{presentation.id}")
    page.shown("Bob's answer.")
    page.press("u")
    page.until(lambda: stage_of(console, presentation) != "leaving", "the undo")


def u_does_not_change_its_meaning_when_time_runs_out(page, console):
    own, other = console.ask(report("The own one."), report("Bob's answer."))
    console.await_open(2)
    console.call(f"/api/v1/presentations/{other.id}/answer",
                 {"by": "bob", "option": "skip", "undoMilliseconds": 60_000})
    signed(page, console, undo=2)
    page.choose("The own one.")
    page.click("[data-option=skip]")
    page.until(lambda: "Undo" in page.text("#undos"), "the time to undo")
    page.choose("Bob's answer.")
    page.until(lambda: "Undo" not in page.text("#undos"), "the end of that time")
    page.press("u")
    page.until(lambda: "has just gone" in page.text("#toasts"), "why nothing is undone")
    assert stage_of(console, other) == "leaving"
    # A key meant for it later is for what is on the screen.
    page.part("state", "part.state.undoEnded = -Infinity")
    page.press("u")
    page.until(lambda: stage_of(console, other) != "leaving", "the undo")
    assert own.answer() == ("skip", "ada")


def u_does_not_change_its_meaning_after_an_undo(page, console):
    own, other = console.ask(report("The own one."), report("Bob's answer."))
    console.await_open(2)
    console.call(f"/api/v1/presentations/{other.id}/answer",
                 {"by": "bob", "option": "skip", "undoMilliseconds": 60_000})
    signed(page, console, undo=60)
    for is_own in (True, False):
        page.part("state", "part.state.undoEnded = -Infinity")
        page.run("document.querySelector('#passing').replaceChildren()")
        page.choose("The own one.")
        page.click("[data-option=skip]")
        page.until(lambda: "Undo" in page.text("#undos"), "the time to undo")
        page.choose("Bob's answer.")
        if is_own:
            page.press("u")
        else:
            console.call(f"/api/v1/presentations/{own.id}/undo", {"by": "bob"})
        page.until(lambda: "Undo" not in page.text("#undos"), "the undo")
        # However long the next key takes, it comes too early for what is on the screen.
        page.part("state", "part.state.undoEnded += 600000")
        page.press("u")
        page.until(lambda: "has just gone" in page.text("#toasts"), "why nothing is undone")
        assert stage_of(console, other) == "leaving"


def an_undo_that_fails_is_offered_again(page, console):
    console.ask(report("Not like this."))
    signed(page, console, undo=60)
    page.choose("Not like this.")
    hold(page, "/undo")
    page.click("[data-option=skip]")
    page.until(lambda: "Undo" in page.text("#undos"), "the time to undo")
    page.press("u")
    page.until(lambda: page.run("return window.held.length") == 1, "it to be sent")
    page.press("u")
    page.until(lambda: "on its way" in page.text("#toasts"), "why it is not sent twice")
    page.run("window.ending = null; window.held[0](new TypeError('down'))")
    page.until(lambda: "could not be reached" in page.text("#toasts"), "the failure")
    page.until(lambda: "Undo" in page.text("#undos"), lambda: page.text("#toasts"))
    page.press("u")
    page.until(lambda: "Taken back" in page.text("#toasts"), "the undo")
    page.until(lambda: "Undo" not in page.text("#undos"), "the notice to go")


def what_just_appeared_is_not_claimed_or_undone(page, console):
    first, second = console.ask(*[report("One after another.") for _ in range(2)])
    signed(page, console)
    page.choose("One after another.")
    hold(page, "")
    page.part("state", "(part.state.shownAt = performance.now(), document.body.dispatchEvent("
                       "new KeyboardEvent('keydown', { key: 'c', bubbles: true })))")
    page.until(lambda: "just appeared" in page.text("#toasts"), "the refusal")
    page.until(lambda: page.run("return window.posts") == [])
    for each in (first, second):
        console.call(f"/api/v1/presentations/{each.id}/answer",
                     {"by": "bob", "option": "skip", "undoMilliseconds": 60_000})
    page.until(lambda: "Undo all 2" in page.text(".decide"), "the held answers")
    page.part("state", "(part.state.shownAt = performance.now(), document.body.dispatchEvent("
                       "new KeyboardEvent('keydown', { key: 'u', bubbles: true })))")
    page.part("state", "(part.state.shownAt = performance.now(),"
                       "document.querySelector('[data-key=undo]').click())")
    page.rest()
    page.until(lambda: page.run("return window.posts") == [])


def a_group_that_cannot_be_read_is_not_taken_for_alike(page, console):
    console.ask(*[report("Both are full.", failureReason=reason)
                  for reason in ("No space.", "No inodes.")])
    signed(page, console)
    page.row("Both are full.")
    page.run("window.send = window.fetch; window.fetch = (path, options) =>"
             " path.includes('/groups/') && !window.mended"
             " ? Promise.reject(new TypeError('down')) : window.send(path, options)")
    page.choose("Both are full.")
    page.until(lambda: "still loading" in page.text(".decide"), lambda: page.text(".decide"))
    page.until(lambda: not page.run("return document.querySelector('.scope input').checked"))
    page.run("window.mended = true")
    page.until(lambda: "No inodes." in page.text(".kinds"), "it to be read again", 10)
    # What was read stays known when a later reading fails.
    page.run("window.mended = false")
    console.ask(report("Both are full.", failureReason="No quota."))
    page.until(lambda: "3 in this group" in page.text(".decide"), "another member")
    page.until(lambda: page.part("state", "part.state.groupDetails.isFailed"), "the failure", 10)
    page.rest()
    page.until(lambda: "No inodes." in page.text(".kinds"), lambda: page.text(".decide"))
    page.until(lambda: not page.run("return document.querySelector('.scope input').checked"))
    page.run("window.mended = true")
    page.until(lambda: "No quota." in page.text(".kinds"), "the third reason", 10)


def a_group_whose_members_end_is_not_read_again(page, console):
    presentations = console.ask(*[report("All are full.", failureReason=reason)
                                  for reason in ("No space.", "No inodes.", "No quota.")])
    signed(page, console)
    page.choose("All are full.")
    page.until(lambda: "No quota." in page.text(".kinds"), "the reasons")
    page.run("window.asked = []; window.send = window.fetch; window.fetch = (path, options) => {"
             " window.asked.push(path); return window.send(path, options); }")
    # As if they had been read long ago.
    page.part("state", "(part.state.groupDetails.readAt = -1e9, 0)")
    console.call(f"/api/v1/presentations/{presentations[0].id}/answer",
                 {"by": "bob", "option": "skip"})
    page.until(lambda: "2 in this group" in page.text(".decide"), "the end of one")
    page.rest()
    page.until(lambda: "No space." not in page.text(".kinds"), lambda: page.text(".kinds"))
    asked = [path for path in page.run("return window.asked") if "/groups/" in path]
    assert not asked, asked
    console.ask(report("All are full.", failureReason="No handles."))
    page.until(lambda: "No handles." in page.text(".kinds"), "what came to be read", 10)


def a_note_stays_with_its_presentation(page, console):
    first, second = console.ask(report("The first one."), report("The second one."))
    signed(page, console)
    page.choose("The first one.")
    page.press("n")
    page.until(lambda: page.text("#noteDialog"), "the form")
    page.press(*"Of the first.")
    hold(page, "/note")
    page.click("#noteDialog button", "Save")
    page.until(lambda: page.run("return window.held.length") == 1, "it to be sent")
    page.choose("The second one.")
    page.press("n")
    page.until(lambda: "last note is on its way" in page.text("#toasts"), "the refusal")
    page.until(lambda: not page.text("#noteDialog"))
    # The second attempt, which the page makes by itself, fails as well.
    page.run("window.held[0](new TypeError('down'))")
    page.until(lambda: page.run("return window.held.length") == 2, "it to be sent again")
    page.run("window.held[1](new TypeError('down'))")
    page.until(lambda: "could not be reached" in page.text("#noteDialog"), "the form again")
    page.until(lambda: "The first one." in page.text("#noteAbout"))
    page.until(
        lambda: page.run("return document.getElementById('noteText').value") == "Of the first.")
    page.run("window.ending = null")
    page.click("#noteDialog button", "Save")
    page.until(lambda: any("1 note" in row for row in page.texts("#list .row")), "the note")
    notes = [console.call(f"/api/v1/presentations/{each.id}")["notes"] for each in (first, second)]
    assert [[note["text"] for note in each] for each in notes] == [["Of the first."], []], notes
    page.press("n")
    page.until(lambda: "The second one." in page.text("#noteAbout"), "a form for the second")
    page.until(lambda: page.run("return document.getElementById('noteText').value") == "")


def a_silence_ends_no_more_than_it_said(page, console):
    console.ask(report("Only this.", code=7), report("And that.", code=8))
    signed(page, console)
    page.row("Only this.")
    page.choose("And that.")
    page.press("s", *"moving")
    page.until(lambda: "1 open now" in page.text("#silencePreview"), "what it would silence")
    page.click("#silenceOpen")
    page.until(lambda: "Also the 1 open now" in page.text("#silenceDialog"), "how many")
    hold(page, "/preview")
    page.click("[name=code]")
    page.press(page.keys.BACKSPACE, page.keys.ENTER)
    page.rest()
    page.until(
        lambda: not any(path.endswith("/silences") for path in page.run("return window.posts")))
    page.until(lambda: page.run("return window.held.length") > 0, "it to be counted")
    page.run("window.ending = null; window.held.forEach((go) => go())")
    page.until(lambda: "look at how many" in page.text("#silenceProblem"), "what to do")
    page.until(lambda: "Also the 2 open now" in page.text("#silenceDialog"), "how many now")
    assert open_count(console) == 2
    page.click("#silenceSave")
    page.until(lambda: open_count(console) == 0, "both to be silenced")


def a_preview_that_fails_is_no_problem_of_the_form(page, console):
    console.ask(report("Silence this."))
    signed(page, console)
    page.choose("Silence this.")
    hold(page, "/preview")
    page.press("s")
    page.until(lambda: page.run("return window.held.length") == 1, "it to be counted")
    page.run("window.ending = null; window.held[0](new TypeError('down'))")
    page.until(lambda: "1 open now" in page.text("#silencePreview"), "the next preview")
    page.until(lambda: not page.text("#silenceProblem"), lambda: page.text("#silenceProblem"))


def a_group_number_of_another_life_means_nothing(page, console):
    key = {"coalesceKey": "mixed"}
    console.ask(report("One text.", **key), report("Another text.", **key))
    signed(page, console)
    page.choose(" text.")
    page.press("g")
    page.until(lambda: "Skip × 2" in page.text(".options"), "the answer for both")
    page.expects("ERR_", "404")
    console.stop()
    page.until(lambda: page.text("#link") == "no link", "the link to be lost", 30)
    console.start()
    page.until(lambda: page.text("#link") == "live", "the link", 60)
    key = {"coalesceKey": "other"}
    console.ask(report("A third text.", **key), report("A fourth text.", **key))
    page.until(lambda: "2 in 1" in page.text("#count") or "2 waiting in 1 row"
               in page.text("#count"), "the first group of this life", 30)
    page.rest()
    if page.text("#title"):
        page.until(lambda: not page.run("return document.querySelector('.scope input').checked"))
    page.until(lambda: not page.run("return location.hash").split("/")[-1].startswith("g"))
    page.until(lambda: "×" not in page.text(".options"), lambda: page.text(".options"))


def the_name_is_that_of_all_tabs(page, console):
    [question] = console.ask(report("Who is it?"))
    signed(page, console)
    page.open(console.url)
    page.until(lambda: page.text("#who") == "You: ada", "the name")
    first, _ = page.second_tab(console.url)
    page.run("localStorage.setItem('errorbus.name', 'bob')")
    page.driver.close()
    page.driver.switch_to.window(first)
    page.until(lambda: page.text("#who") == "You: bob", "the name of the other tab")
    page.choose("Who is it?")
    page.press("1")
    assert question.answer() == ("retry", "bob")


def a_right_click_does_not_stop_the_drawing(page, console):
    console.ask(report("Pressed."))
    signed(page, console)
    page.choose("Pressed.")
    page.run("document.querySelector('[data-option=retry]').dispatchEvent("
             "new PointerEvent('pointerdown', { button: 2, bubbles: true }))")
    page.until(lambda: not page.part("state", "part.state.isPressing"))
    page.run("document.querySelector('[data-option=retry]').dispatchEvent("
             "new PointerEvent('pointerdown', { button: 0, bubbles: true }))")
    page.until(lambda: page.part("state", "part.state.isPressing"))
    page.run("window.dispatchEvent(new Event('blur'))")
    page.until(lambda: not page.part("state", "part.state.isPressing"), "the end of it")


def another_meaning_of_the_buttons_has_to_be_read(page, console):
    console.ask(*[report("All alike.") for _ in range(2)])
    signed(page, console)
    page.choose("All alike.")
    page.until(lambda: "Skip × 2" in page.text(".options"), "the answer for both")
    page.read()
    hold(page, "")

    def change(fields):
        """What an event changes of what is shown, and the key of an option in the next frame."""
        since = page.part("state", "part.state.shownAt")
        page.driver.execute_async_script(
            "const [fields, done] = arguments;"
            f"{LOAD} Promise.all([load('state'), load('store')])"
            ".then(([{ state }, { apply }]) => {"
            " const items = [...state.items.values()].map((item) => ({ ...item, ...fields,"
            "  revision: item.revision + 1 }));"
            " state.details.revision += 1;"
            " apply({ items, groups: [...state.groups.values()], revision: state.resume,"
            "  openCount: 2, isLast: true });"
            " requestAnimationFrame(() => requestAnimationFrame(() => {"
            "  document.body.dispatchEvent(new KeyboardEvent('keydown',"
            "   { key: '2', bubbles: true })); done(); })); })", fields)
        return page.part("state", "part.state.shownAt") > since
    options = page.part("state", "part.state.decision.item.options")
    until = "2099-01-01T00:00:00.000Z"
    proposal = {"id": "P", "option": "skip", "by": "bob", "since": until, "until": until,
                "values": {}, "secrets": []}
    other = {**proposal, "id": "Q", "values": {"path": "/b"}}
    for fields in ({"options": options[::-1]}, {"options": options},
                   {"options": [{**each, "role": "destructive"} for each in options]},
                   {"options": options}, {"proposal": proposal}, {"proposal": other},
                   {"proposal": None}):
        assert change(fields), fields
        page.until(lambda: "just appeared" in page.text("#toasts"), "the refusal")
        page.until(
            lambda: page.run("return window.posts") == [] and not page.text("#confirmDialog"))
        page.read()
    # In a group that grows the buttons mean the same.
    since = page.part("state", "part.state.shownAt")
    console.ask(report("All alike."))
    page.until(lambda: "Skip × 3" in page.text(".options"), "the answer for all three")
    page.until(lambda: page.part("state", "part.state.shownAt") == since)
    page.press("2")
    page.until(lambda: page.run("return window.posts"), "it to be sent")


def buttons_of_another_kind_have_to_be_read(page, console):
    both = console.ask(*[report("One of two.") for _ in range(2)])
    signed(page, console, undo=60)
    page.choose("One of two.")
    page.until(lambda: "Skip × 2" in page.text(".options"), "the answer for both")
    page.read()
    since = page.part("state", "part.state.shownAt")
    shown = page.part("state", "part.state.shownID")
    [other] = [each.id for each in both if each.id != shown]
    console.call(f"/api/v1/presentations/{other}/answer", {"option": "skip", "by": "bob"})
    page.until(lambda: page.text(".options") and "× 2" not in page.text(".options"),
               "the answer for one")
    page.until(lambda: page.part("state", "part.state.shownAt") > since)
    page.click("[data-option=retry]")
    page.until(lambda: "leaves in" in page.text(".decide"), "the time to undo")
    since = page.part("state", "part.state.shownAt")
    console.call(f"/api/v1/presentations/{shown}/undo", {"by": "bob"})
    page.until(lambda: "Skip" in page.text(".options"), "the options again")
    page.until(lambda: page.part("state", "part.state.shownAt") > since)


def buttons_that_come_back_have_to_be_read(page, console):
    console.ask(report("Still here."))
    signed(page, console)
    page.choose("Still here.")
    page.click("[data-tab=silences]")
    page.until(lambda: page.text("[data-panel=silences]"), "another view")
    page.read()
    hold(page, "")
    page.run("addEventListener('popstate', () => document.body.dispatchEvent("
             "new KeyboardEvent('keydown', { key: '2', bubbles: true })), { once: true });"
             "history.back()")
    page.until(lambda: "just appeared" in page.text("#toasts"), "the refusal")
    page.until(lambda: page.run("return window.posts") == [])
    page.read()
    page.press("2")
    page.until(lambda: page.run("return window.posts"), "it to be sent")


def a_held_answer_is_lost_with_the_life_of_its_console(page, console):
    console.work("Clear the cache?", "It is stale.")
    signed(page, console, undo=60)
    page.choose("Clear the cache?")
    page.click("[data-option=skip]")
    page.until(lambda: "leaves in" in page.text(".decide"), "the time to undo")
    page.expects("ERR_")
    process = console.processes.pop("central")
    process.kill()
    process.wait()
    console.start()
    page.until(lambda: "The console restarted: your answer is lost." in page.text("#toasts"),
               "the notice", seconds=40)
    page.choose("Clear the cache?")
    page.until(lambda: "Skip" in page.text(".options"), "the options again")


def a_dialog_ends_with_the_life_of_its_console(page, console):
    worker = console.work("Clear the cache?", "It is stale.")
    signed(page, console)
    page.choose("Clear the cache?")
    page.click("[data-option=purge]")
    page.until(lambda: page.text("#confirmDialog"), "the question")
    page.expects("ERR_")
    console.stop()
    console.start()
    page.until(lambda: "the console was restarted: nothing was sent" in page.text("#toasts"),
               "the end of the question")
    page.until(lambda: not page.text("#confirmDialog"))
    page.choose("Clear the cache?")
    page.click("[data-option=skip]")
    assert worker.answer() == ("skip", "ada")


def a_part_of_the_changes_is_not_all_that_was_seen(page, console):
    console.ask(*[report("Both of us.") for _ in range(2)])
    signed(page, console)
    page.choose("Both of us.")
    page.until(lambda: "Skip × 2" in page.text(".options"), "the answer for both")
    before = page.part("state", "part.state.decision.seen")
    assert before == console.call("/api/v1/inbox")["revision"], before

    def hear(by, is_last):
        page.part("store", "load('state').then(({ state }) => part.apply({"
                  f" items: [], groups: [...state.groups.values()], revision: {before} + {by},"
                  f" openCount: 2, isLast: {is_last} }}))")
        page.rest()
        return page.part("state", "part.state.decision.seen") - before
    assert hear(5, "false") == 0
    assert hear(9, "true") == 9


def keys_of_one_character_can_be_turned_off(page, console):
    keys = page.keys
    console.ask(report("Not by a slip."))
    signed(page, console)
    page.click("#who")
    page.until(lambda: page.text("#nameDialog"), "the dialog")
    page.until(lambda: page.run("return document.querySelector('#keysField').checked"))
    page.click("#keysField")
    page.click("#nameDialog [value=save]")
    page.until(lambda: not page.text("#nameDialog"), "it to close")
    page.choose("Not by a slip.")
    hold(page, "")
    page.press("1", "c", "u", "n", "s", "]", "?")
    page.rest()
    page.until(lambda: page.run("return window.posts") == [])
    page.until(lambda: not page.run("return document.querySelector('dialog[open]')"))
    page.until(lambda: page.run("return location.hash").startswith("#/inbox/"))
    page.until(lambda: page.texts("main kbd") == [])
    # Other keys do what they did, and the choice survives a reload.
    page.press(keys.ESCAPE)
    page.until(lambda: page.run("return document.activeElement.closest('#list')?.id") == "list",
               "the focus in the list")
    page.driver.refresh()
    page.row("Not by a slip.")
    page.press("?")
    page.rest()
    page.until(lambda: not page.text("#helpDialog"))
    page.click("#helpButton")
    page.until(lambda: "are turned off" in page.text("#helpDialog"), "why")
    page.press(keys.ESCAPE)
    page.click("#who")
    page.click("#keysField")
    page.click("#nameDialog [value=save]")
    page.until(lambda: not page.text("#nameDialog"), "it to close")
    page.press("?")
    page.until(lambda: page.text("#helpDialog"), "the help")


ALL = [a_number_behind_g_or_x_answers_nothing_unseen, a_late_reply_leaves_the_next_silence_alone,
       the_failure_of_a_silence_is_not_shown_in_the_next_form,
       an_undo_takes_back_only_what_was_answered,
       an_answer_for_a_group_whose_reply_was_lost_counts_once,
       an_undo_of_one_leaves_the_undo_of_the_rest,
       an_undo_leaves_the_answer_that_came_in_its_place,
       u_undoes_nothing_that_is_not_on_the_screen,
       u_does_not_change_its_meaning_when_time_runs_out,
       u_does_not_change_its_meaning_after_an_undo, an_undo_that_fails_is_offered_again,
       what_just_appeared_is_not_claimed_or_undone,
       a_group_that_cannot_be_read_is_not_taken_for_alike,
       a_group_whose_members_end_is_not_read_again, a_note_stays_with_its_presentation,
       a_silence_ends_no_more_than_it_said, a_preview_that_fails_is_no_problem_of_the_form,
       a_group_number_of_another_life_means_nothing,
       the_name_is_that_of_all_tabs, a_right_click_does_not_stop_the_drawing,
       another_meaning_of_the_buttons_has_to_be_read, buttons_of_another_kind_have_to_be_read,
       buttons_that_come_back_have_to_be_read, a_dialog_ends_with_the_life_of_its_console,
       a_held_answer_is_lost_with_the_life_of_its_console,
       a_part_of_the_changes_is_not_all_that_was_seen, keys_of_one_character_can_be_turned_off]
