"""Links in the messages of a hook: each opens a page with one button, which answers."""
from consoles import report

USERS = {"script": "answer,destructive,silence", "oncall": "answer"}


def a_link_of_a_message_answers_by_its_button(page, console):
    page.expects("401", "409")
    question, = console.ask(report("disk full"))
    answers = console.receiver.message()["answers"]
    links = {answer["option"]: answer["link"] for answer in answers}
    assert list(links) == ["retry", "skip", "cancel"], links
    page.driver.get(links["retry"])
    page.until(lambda: page.text("#author") == "You answer as oncall.", "the page")
    assert page.text("h1") == "disk full"
    assert console.call("/api/v1/inbox")["openCount"] == 1
    page.click("#answer", "Retry")
    page.until(lambda: page.text("#outcome") == "Answered by oncall: Retry", "the outcome")
    assert question.answer() == ("retry", "oncall")
    assert not page.driver.get_cookie(console.cookie)
    # The others of the message have nothing left to answer, and lead to the console.
    page.driver.get(links["skip"])
    page.until(lambda: "oncall" in page.text("#reason"), "the reason")
    page.click("a", "Open in the console")
    page.until(lambda: page.text("#doorTitle"), "the page to ask who it is")
    assert question.id in page.driver.current_url, page.driver.current_url


ALL = [a_link_of_a_message_answers_by_its_button]
for case in ALL:
    case.users, case.linked = USERS, "oncall"
