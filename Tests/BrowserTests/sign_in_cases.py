"""People who sign in at an identity provider: what each may do is what the console says."""
import json

from consoles import report
from providers import PASSWORD
from user_cases import disabled

USERS = {"script": "answer,destructive,silence", "anna": "answer"}
PEOPLE = {"anna": [], "board": ["viewers"], "eve": ["others"]}


def go_to_provider(page, console, place=""):
    page.expects(f"{console.provider.issuer}/static/")  # Its own pages lack fonts.
    page.driver.get(f"{console.address}/{place}")
    page.until(lambda: page.text("#doorSignIn") == "Sign in with Canaille", "the button")
    page.click("#doorSignIn a")


def sign_in(page, console, name, place=""):
    go_to_provider(page, console, place)
    for field, text in [("login", name), ("password", PASSWORD)]:
        page.click(f"input[name={field}]")
        page.press(*text, page.keys.ENTER)


def a_viewer_of_the_provider_cannot_answer(page, console):
    page.expects("401")
    [presentation] = console.ask(report("disk full"))
    # What was asked for before is shown after.
    sign_in(page, console, "board", f"#/inbox/{presentation.id}")
    page.until(lambda: page.text("#who") == "You: board", "the name")
    page.shown("disk full")
    page.until(lambda: disabled(page) == ["retry", "skip", "purge", "cancel"],
               lambda: disabled(page))
    page.press("1", "c", "s", "u")
    assert console.call("/api/v1/inbox")["openCount"] == 1
    address = page.driver.current_url
    assert "code=" not in address and "state=" not in address, address


def an_operator_of_the_provider_answers_and_signs_out(page, console):
    page.expects("401", "ERR_")
    question, = console.ask(report("disk full"))
    sign_in(page, console, "anna")
    page.until(lambda: page.text("#who") == "You: anna", "the name")
    page.run("localStorage.setItem('errorbus.undo', '0')")
    page.choose("disk full")
    page.until(lambda: disabled(page) == ["purge"], lambda: disabled(page))
    page.press("3")
    page.until(lambda: "destructive" in page.text("#toasts"), "the reason")
    page.press("1")
    assert question.answer() == ("retry", "anna")
    cookie = {"Cookie": f"{console.cookie}={page.driver.get_cookie(console.cookie)['value']}"}
    assert console.stream(cookie).status == 200
    page.click("#who")
    page.until(lambda: "have signed in" in page.text("#nameDialog"), "the dialog")
    page.click("#nameDialog button", "Sign out")
    # By way of the provider, which no longer knows the browser either.
    page.until(lambda: page.text("#doorTitle"), "the page to ask who it is")
    assert page.driver.current_url == f"{console.address}/", page.driver.current_url
    assert console.stream(cookie).status == 401
    page.click("#doorSignIn a")
    page.until(lambda: page.run("return document.querySelector('input[name=login]')"),
               "the provider to ask who it is")


def a_stranger_of_the_provider_is_refused(page, console):
    page.expects("401", "403")
    sign_in(page, console, "eve")
    page.until(lambda: "signed in there as eve" in page.text("#reason"), "the reason")
    page.until(lambda: page.text("h1") == "You are not signed in")
    page.until(lambda: not page.driver.get_cookie(console.cookie))


def without_the_provider_a_token_still_admits(page, console):
    page.expects("401", "502")
    console.provider.close()
    go_to_provider(page, console)
    page.until(lambda: "Connection refused" in page.text("#reason"), "the reason")
    page.click("a", "Back to the console")
    page.click("#doorToken")
    page.press(*console.tokens["anna"], page.keys.ENTER)
    page.until(lambda: page.text("#who") == "You: anna", "the name")


def a_claim_is_the_persons_and_not_a_namesakes(page, console):
    page.expects("401")
    console.ask(report("disk full"))
    sign_in(page, console, "anna")
    page.until(lambda: page.text("#who") == "You: anna", "the name")
    page.choose("disk full")
    page.press("c")
    page.until(lambda: "Claimed by you" in page.text(".decide"), "the claim")

    def shown_to(name, **who):
        me = json.dumps({"name": name, **who})
        page.part("state", f"Object.assign(part.state.me, {me})")
        page.part("frame", "part.schedule()")
        page.rest()
        return page.text(".decide")
    # The name changes, who it is does not.
    assert "Claimed by you" in shown_to("anna.b")
    assert "Claimed by anna" in shown_to("eve", person="another")
    assert "Claimed by anna" in shown_to("anna")


ALL = [a_viewer_of_the_provider_cannot_answer, an_operator_of_the_provider_answers_and_signs_out,
       a_claim_is_the_persons_and_not_a_namesakes,
       a_stranger_of_the_provider_is_refused, without_the_provider_a_token_still_admits]
for case in ALL:
    case.users, case.people = USERS, PEOPLE
