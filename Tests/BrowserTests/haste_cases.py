"""Keys that come before the next frame, and replies that come late. As in cases.py."""
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
    assert page.run("return window.posts") == []
    page.until(lambda: "×" not in page.text(".options"), "the answer for one")
    page.click("#list .toggle")
    page.until(lambda: len(page.texts("#list .member")) == 3, "its members")
    page.press("j")
    page.until(lambda: page.texts("#list .member.chosen"), "a member to be chosen")
    page.press("g")
    page.until(lambda: "Skip × 3" in page.text(".options"), "the answer for all again")
    page.until(lambda: page.part("state", "performance.now() - part.state.shownAt") > 400, "rest")
    page.run(KEYS, ["x", "1"])
    page.rest()
    assert page.run("return window.posts") == []
    page.until(lambda: "Skip × 2" in page.text(".options"), "the answer for the others")
    # Out and in again within one frame, the buttons are as before, and work.
    page.run(KEYS, ["x", "x"])
    page.rest()
    page.press("2")
    page.until(lambda: open_count(console) == 1, "the others to be answered")


ALL = [a_number_behind_g_or_x_answers_nothing_unseen]
