"""A console with users: each sees all, does what the file says, and is out when removed."""
from browser import LOAD, Page
from consoles import Console, report

USERS = {"script": "answer,destructive,silence", "anna": "answer", "board": "see",
         "night": "silence"}


def disabled(page):
    """The options that cannot be chosen."""
    return page.run("return [...document.querySelectorAll('.options [aria-disabled=true]')]"
                    ".map((node) => node.dataset.option)")


def sign_out(page):
    page.click("#who")
    page.until(lambda: "belongs to your token" in page.text("#nameDialog"), "the dialog")
    page.click("#nameDialog button", "Sign out")
    page.until(lambda: page.text("#doorTitle"), "the page to ask for a token")


def is_empty(page, seconds, which="document"):
    """Waits until nothing of what was shown is in the document, which asks for a token."""
    page.until(lambda: page.run(f"return {which}.querySelector('#door:not([hidden])') !== null"),
               f"{which} to ask for a token", seconds)
    text = page.run(f"return {which}.documentElement.outerHTML")
    left = [word for word in ("disk full", "central", "anna") if word in text]
    assert not left, left


def a_viewer_sees_and_cannot_answer(page, console):
    page.expects("403")
    console.ask(report("disk full"))
    page.open(console.url_of(console.tokens["board"]))
    page.choose("disk full")
    page.until(lambda: "not answer them" in page.text(".decide"), lambda: page.text(".decide"))
    page.until(lambda: disabled(page) == ["retry", "skip", "purge", "cancel"],
               lambda: disabled(page))
    page.press("1", "c", "s", "u")
    page.until(lambda: not page.text("#silenceDialog"))
    page.until(lambda: not page.text("#nameDialog"))
    # What the page does not offer the server refuses too.
    item = console.call("/api/v1/inbox")["items"][0]
    status = page.driver.execute_async_script(
        "const done = arguments[1]; fetch(`/api/v1/presentations/${arguments[0]}/answer`, {"
        "method: 'POST', headers: {'Content-Type': 'application/json'},"
        "body: JSON.stringify({option: 'retry'})}).then(({status}) => done(status));", item["id"])
    assert status == 403, status
    assert console.call("/api/v1/inbox")["openCount"] == 1


def an_operator_answers_under_the_own_name(page, console):
    question, = console.ask(report("disk full"))
    page.open(console.url_of(console.tokens["anna"]))
    page.until(lambda: page.text("#who") == "You: anna", "the user's name")
    page.choose("disk full")
    page.until(lambda: disabled(page) == ["purge"], lambda: disabled(page))
    page.until(lambda: "destructive option" in page.text(".decide"), lambda: page.text(".decide"))
    page.press("3")
    page.until(lambda: "destructive" in page.text("#toasts"), "the reason")
    assert console.call("/api/v1/inbox")["openCount"] == 1
    page.run("localStorage.setItem('errorbus.undo', '0')")
    page.press("1")
    assert question.answer() == ("retry", "anna")


def disabled_buttons_say_why(page, console):
    page.expects("ERR_")
    [presentation] = console.ask(report("disk full"))
    page.open(console.url_of(console.tokens["anna"]))
    page.choose("disk full")

    def reasons(selector="main button"):
        buttons = page.run(
            "return [...document.querySelectorAll(arguments[0])].filter((each) =>"
            " each.checkVisibility() && each.ariaDisabled).map((each) => [each.textContent,"
            " each.title, each.ariaDescription])", selector)
        assert all(title and title == said for _, title, said in buttons), buttons
        return [title for _, title, _ in buttons]
    no_silence = "You may not make or end silences."
    assert reasons() == ["You may not choose a destructive option.", no_silence], reasons()
    # By keys and by a finger the reason can be reached; nothing else happens.
    page.read()
    page.run("document.querySelector('[data-option=purge]').focus()")
    page.until(lambda: page.run("return document.activeElement.dataset.option") == "purge")
    page.press(page.keys.ENTER)
    page.until(lambda: "You may not choose a destructive option." in page.text("#toasts"), "why")
    page.run("document.querySelector('[data-key=silence]').click()")
    page.until(lambda: no_silence in page.text("#toasts"), "why no silence")
    page.until(lambda: not page.text("#confirmDialog") and not page.text("#silenceDialog"))
    # With a dialog it is in front of that.
    page.run("document.querySelector('#list .pick input').click()")
    page.click("#pickedOpen")
    page.until(lambda: page.text("#pickedBody .destructive"), "the options of what is selected")
    page.run("document.querySelector('#pickedBody .destructive').click()")
    page.until(lambda: "You may not choose a destructive option." in page.text("dialog #toasts"),
               "why, in the dialog")
    page.press(page.keys.ESCAPE)
    page.click("#pickedClear")
    page.until(lambda: not page.text("#picked"), "nothing to be selected")
    path = f"/api/v1/presentations/{presentation.id}"
    console.call(f"{path}/claim", {"forMilliseconds": 60000})
    page.until(lambda: "Claimed by script: take it over first." in reasons(".options button"),
               "the claim as the reason")
    console.call(f"{path}/release", {})
    page.until(lambda: len(reasons()) == 2, "the release")
    console.call("/api/v1/silences", {"match": {"domain": "x"}, "comment": "known",
                                      "forMilliseconds": 60000})
    page.go("silences")
    page.until(lambda: reasons() == [no_silence] * 2, "why the silence cannot be ended")
    page.go(f"inbox/{presentation.id}")
    console.stop()
    page.until(lambda: "No link to the console: nothing can be sent now."
               in reasons(".options button"), "the lost link as the reason", 30)


def a_removed_user_is_out(page, console):
    page.expects("401", "ERR_")
    console.ask(report("disk full"))
    page.open(console.url_of(console.tokens["anna"]))
    page.choose("disk full")
    page.hide(console.url.split("?")[0])
    page.row("disk full")
    console.remove("anna")
    is_empty(page, 10, "opener.document")
    page.until(lambda: page.run("return opener.document.hidden"))
    is_empty(page, 1)
    page.click("#doorToken")
    page.press(*console.tokens["board"], page.keys.ENTER)
    page.until(lambda: page.text("#who") == "You: board", "another user")


def one_user_takes_no_streams_from_others(page, console):
    page.expects("429")
    page.open(console.url_of(console.tokens["anna"]))
    streams = console.streams(12, console.tokens["board"])
    page.driver.get(console.url_of(console.tokens["anna"]))
    page.until(lambda: page.text("#link") == "live", "anna's link")
    console.ask(report("disk full"))
    page.row("disk full")
    page.driver.delete_all_cookies()
    page.driver.get(console.url_of(console.tokens["board"]))
    page.until(lambda: "event streams of board: the limit of 12" in page.text("#banner"),
               "why there is no link")
    streams.pop().close()
    page.until(lambda: page.text("#link") == "live", "the link", 40)


def signing_out_ends_all_of_the_session(page, console):
    page.expects("401", "ERR_")
    console.ask(report("disk full"))
    page.open(console.url_of(console.tokens["anna"]))
    page.choose("disk full")
    cookie = {"Cookie": f"{console.cookie}={page.driver.get_cookie(console.cookie)['value']}"}
    own = console.stream(cookie)
    assert own.status == 200
    others, = console.streams(1, console.tokens["anna"])
    page.hide(console.url.split("?")[0])
    sign_out(page)
    own.read()  # Until the server ends it.
    is_empty(page, 5, "opener.document")
    page.until(lambda: page.run("return opener.document.hidden"))
    # The cookie is of no use to one who kept it; the token is, until it is replaced.
    assert console.stream(cookie).status == 401
    console.ask(report("memory full"))
    while b"memory full" not in others.readline():
        pass
    # Who signs in in one tab is in in all.
    page.click("#doorToken")
    page.press(*console.tokens["board"], page.keys.ENTER)
    page.until(lambda: page.text("#who") == "You: board", "another user")
    page.until(lambda: page.run("return opener.document.getElementById('who').textContent")
               == "You: board", "the other tab")


def a_hidden_tab_without_a_stream_notices_the_end(page, console):
    page.expects("401", "ERR_")
    page.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument",
                                {"source": "delete globalThis.SharedWorker;"})
    console.ask(report("disk full"))
    page.open(console.url_of(console.tokens["anna"]))
    page.choose("disk full")
    page.hide(console.url.split("?")[0])
    page.until(lambda: page.run("return opener.performance.getEntriesByType('resource')"
                                ".filter(({name}) => name.endsWith('/me')).length") > 1,
               "it to look for itself")
    console.remove("anna")
    is_empty(page, 120, "opener.document")
    page.until(lambda: page.run("return opener.document.hidden"))


def signing_out_asks_for_a_token(page, console):
    page.expects("401")
    page.open(console.url_of(console.tokens["anna"]))
    page.until(lambda: page.text("#who") == "You: anna", "the user's name")
    sign_out(page)
    page.until(lambda: not page.driver.get_cookie(console.cookie))


def a_link_does_not_change_the_user(page, console):
    page.expects("409", "401", "favicon.ico")  # A problem is no page, and names no icon.
    page.open(console.url_of(console.tokens["anna"]))
    page.driver.get(console.url_of(console.tokens["board"]))
    page.until(lambda: "signed in as anna, and the link is for board" in page.text("body"),
               "the refusal")
    page.open(console.url.split("?")[0])
    page.until(lambda: page.text("#who") == "You: anna", lambda: page.text("#who"))
    sign_out(page)
    page.open(console.url_of(console.tokens["board"]))
    page.until(lambda: page.text("#who") == "You: board", lambda: page.text("#who"))


def consoles_on_one_host_keep_their_own_tokens(page, console):
    page.expects("401")
    other = Console(console.binary, users=USERS)
    try:
        other.start()
        page.open(console.url_of(console.tokens["anna"]))
        page.open(other.url_of(other.tokens["board"]))
        page.open(console.url.split("?")[0])
        page.until(lambda: page.text("#who") == "You: anna", lambda: page.text("#who"))
        sign_out(page)
        page.open(other.url.split("?")[0])
        page.until(lambda: page.text("#who") == "You: board", lambda: page.text("#who"))
    finally:
        other.close()


def one_whom_the_proxy_names_signs_out_there(page, console):
    page.expects("ERR_")
    question, = console.ask(report("disk full"))
    page.open(console.proxy.url)
    page.until(lambda: page.text("#who") == "You: anna", "the user's name")
    page.run("localStorage.setItem('errorbus.undo', '0')")
    page.choose("disk full")
    page.press("1")
    assert question.answer() == ("retry", "anna")
    page.click("#who")
    page.until(lambda: "have signed in" in page.text("#nameDialog"), "the dialog")
    page.click("#nameDialog button", "Sign out")
    page.until(lambda: page.driver.current_url == console.proxy.url + "signed-out", "the proxy")


one_whom_the_proxy_names_signs_out_there.proxied = "anna"


def a_silence_of_one_who_may_not_answer_withholds(page, console):
    console.ask(report("disk full"))
    page.open(console.url_of(console.tokens["night"]))
    page.choose("disk full")
    page.press("s")
    page.until(lambda: "only withholds" in page.text("#silenceDialog"), "the form")
    page.until(lambda: page.run("return document.getElementById('silenceOption').disabled"))


def two_people_decide_together(page, console):
    options = [{"id": "drop", "title": "Drop the table", "twoPeople": True},
               {"id": "retry", "title": "Retry"}]
    question, = console.ask(report("disk full", recoveryOptions=options))
    page.open(console.url_of(console.tokens["anna"]))
    page.run("localStorage.setItem('errorbus.undo', '0')")
    page.choose("disk full")
    page.until(lambda: "“Drop the table” needs two people" in page.text(".decide"),
               lambda: page.text(".decide"))
    page.press("1")
    page.until(lambda: "You propose" in page.text(".decide"), "the own proposal")
    page.until(lambda: page.driver.execute_async_script(
        "const done = arguments[0];"
        f"{LOAD} Promise.all([load('filter'), load('state')])"
        ".then(([{ filter }, { state }]) => {"
        " const [{ item }] = state.rows; const before = state.typed;"
        " state.typed = 'proposed'; const isFound = filter().matches(item);"
        " state.typed = before; done(isFound); }, (error) => done(String(error)));") is True)
    page.until(lambda: disabled(page) == ["drop"], lambda: disabled(page))
    page.read()
    page.press("1")
    page.until(lambda: "another person has to confirm it" in page.text("#toasts"), "the reason")
    other = Page()
    try:
        other.open(console.url)
        other.choose("disk full")
        other.until(lambda: "anna proposes" in other.text(".decide"),
                    lambda: other.text(".decide"))
        other.until(lambda: "Confirm: Drop the table" in other.text(".options"),
                    lambda: other.text(".options"))
        other.press("u")
        other.until(lambda: "needs two people" in other.text(".decide"), "the end of the proposal")
        other.read()
        other.press("1")
        page.until(lambda: "script proposes" in page.text(".decide"), "the other proposal")
        page.until(lambda: "script proposes" in page.text("#toasts"), "the news of it")
        page.read()
        page.press("1")
        page.until(lambda: "second person" in page.text("#confirmDialog"), "the confirmation")
        page.click("#confirmYes")
        reply = question.reply()
        assert [reply["option"], reply["by"], reply["second"]] == ["drop", "script", "anna"], reply
        other.until(lambda: "by script and anna" in other.text(".decide"), "both names")
    finally:
        other.close()


def a_group_confirms_what_is_on_the_screen(page, console):
    move = {"id": "move", "title": "Move it", "twoPeople": True, "fields": [
        {"name": "path", "label": "Folder", "kind": "text", "required": True}]}
    alike = console.ask(*[report("disk full", recoveryOptions=[move]) for _ in range(3)])
    console.await_open(3)

    def propose(each, path):
        console.call(f"/api/v1/presentations/{each.id}/answer",
                     {"option": "move", "values": {"path": path}})
    for each in alike:
        propose(each, "/a")
    page.open(console.url_of(console.tokens["anna"]))
    page.run("localStorage.setItem('errorbus.undo', '0')")
    page.choose("disk full")
    page.until(lambda: "Confirm: Move it × 3" in page.text(".options"), "the confirmation for all")
    shown = page.part("state", "part.state.shownID")
    replaced, gone = [each for each in alike if each.id != shown]
    for each in (replaced, gone):
        console.call(f"/api/v1/presentations/{each.id}/decline", {})
    propose(replaced, "/b")
    # Other values for one of them, and none for another: neither is what the screen shows.
    page.until(lambda: "Confirm: Move it × 1" in page.text(".options"), "the confirmation for one")
    page.read()
    page.press("1")
    page.until(lambda: "/a" in page.text("#confirmDialog"), "the values that are confirmed")
    page.click("#confirmYes")
    [question] = [each for each in alike if each.id == shown]
    assert question.reply()["second"] == "anna"
    left = {item["id"]: item.get("proposal") for item in
            console.call("/api/v1/inbox?stage=open")["items"]}
    assert set(left) == {replaced.id, gone.id}, left
    assert left[replaced.id]["values"] == {"path": "/b"} and left[gone.id] is None, left


def the_second_person_sees_all_of_a_long_value(page, console):
    move = {"id": "move", "title": "Move it", "twoPeople": True, "fields": [
        {"name": "path", "label": "Folder", "kind": "text"}]}
    question, = console.ask(report("disk full", recoveryOptions=[move]))
    console.await_open(1)
    path = f"/{'x' * 2000}/etc"
    console.call(f"/api/v1/presentations/{question.id}/answer",
                 {"option": "move", "values": {"path": path}})
    page.open(console.url_of(console.tokens["anna"]))
    page.choose("disk full")
    for width in (1280, 390):
        page.resize(width, 844)
        page.until(lambda: f"“Move it” with path “{path}”" in page.text(".proposal"),
                   lambda: page.text(".proposal"))
        page.until(lambda: not page.overflows(), f"nothing beyond the edge at {width}")
        page.read()
        page.click("[data-option=move]")
        page.until(lambda: f"with path “{path}”; you confirm it" in page.text("#confirmDialog"),
                   lambda: page.text("#confirmDialog"))
        page.until(lambda: not page.overflows(), f"nothing beyond the edge at {width}")
        page.press(page.keys.ESCAPE)
        page.until(lambda: not page.text("#confirmDialog"), "the confirmation to go")


def a_confirmation_ends_with_its_proposal(page, console):
    drop = {"id": "drop", "title": "Drop the table", "twoPeople": True}
    question, = console.ask(report("disk full", recoveryOptions=[drop]))
    console.await_open(1)
    path = f"/api/v1/presentations/{question.id}"
    console.call(f"{path}/answer", {"option": "drop"})
    page.open(console.url_of(console.tokens["anna"]))
    page.choose("disk full")
    page.read()
    page.press("1")
    page.until(lambda: "script proposes" in page.text("#confirmDialog"), "the confirmation")
    console.call(f"{path}/decline", {})
    # Proposed once more: it is not what the question is about.
    console.call(f"{path}/answer", {"option": "drop"})
    page.until(lambda: not page.text("#confirmDialog"), "the end of the confirmation")
    page.until(lambda: "the proposal of script was withdrawn" in page.text("#toasts"),
               lambda: page.text("#toasts"))


def a_claim_is_handed_to_a_user_who_may_answer(page, console):
    page.expects("409", "403")
    console.ask(report("disk full"))
    page.open(console.url_of(console.tokens["anna"]))
    page.choose("disk full")
    page.press("c")
    page.until(lambda: "Claimed by you" in page.text(".decide"), "the claim")
    for name, reason in (("bob", "bob, who is no user of this console"),
                         ("board", "board may not answer"), ("script", None)):
        page.press("h")
        page.until(lambda: page.text("#handDialog"), "the form")
        page.press(*name, page.keys.ENTER)
        if reason:
            page.until(lambda: reason in page.text("#toasts"), reason)
        else:
            page.until(lambda: "Claimed by script" in page.text(".decide"), "the other's claim")


ALL = [a_viewer_sees_and_cannot_answer, disabled_buttons_say_why,
       a_claim_is_handed_to_a_user_who_may_answer,
       an_operator_answers_under_the_own_name,
       a_removed_user_is_out, one_user_takes_no_streams_from_others, signing_out_asks_for_a_token,
       signing_out_ends_all_of_the_session, a_hidden_tab_without_a_stream_notices_the_end,
       consoles_on_one_host_keep_their_own_tokens, a_link_does_not_change_the_user,
       one_whom_the_proxy_names_signs_out_there, a_silence_of_one_who_may_not_answer_withholds,
       two_people_decide_together, a_confirmation_ends_with_its_proposal,
       the_second_person_sees_all_of_a_long_value, a_group_confirms_what_is_on_the_screen]
for case in ALL:
    case.users = USERS
for case in (a_removed_user_is_out, signing_out_ends_all_of_the_session,
             a_hidden_tab_without_a_stream_notices_the_end):
    case.hides = True
