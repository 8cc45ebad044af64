"""Links in the messages of a hook: to what each is about, and to a page that answers."""
from consoles import report
from filter_cases import chips, shows

USERS = {"script": "answer,destructive,silence", "oncall": "answer"}


def a_link_of_a_message_answers_by_its_button(page, console):
    page.expects("401", "409")
    question, = console.ask(report("disk full"))
    answers = console.receiver.message()["answers"]
    links = {answer["option"]: answer["link"] for answer in answers}
    assert list(links) == ["retry", "skip", "cancel"], links
    page.driver.get(links["retry"])
    page.until(lambda: page.text("#author") == "You answer as oncall.", "the page")
    page.until(lambda: page.text("h1") == "disk full")
    page.until(lambda: "from a client without a name" in page.text("#origin"),
               lambda: page.text("#origin"))
    assert console.call("/api/v1/inbox")["openCount"] == 1
    page.click("#answer", "Retry")
    page.until(lambda: page.text("#outcome") == "Answered by oncall: Retry", "the outcome")
    assert question.answer() == ("retry", "oncall")
    page.until(lambda: not page.driver.get_cookie(console.cookie))
    # The others of the message have nothing left to answer, and lead to the console.
    page.driver.get(links["skip"])
    page.until(lambda: "oncall" in page.text("#reason"), "the reason")
    page.click("a", "Open in the console")
    page.until(lambda: page.text("#doorTitle"), "the page to ask who it is")
    assert question.id in page.driver.current_url, page.driver.current_url


def a_link_shows_what_its_button_is_about(page, console):
    question, = console.ask(report("disk full " * 150, failureReason="cp: failed\nNo space left",
                                   recoverySuggestion="Free some."))
    answers = console.receiver.message()["answers"]
    [link] = [answer["link"] for answer in answers if answer["option"] == "retry"]
    page.resize(390, 500)
    page.driver.get(link)
    page.until(lambda: page.text("#why") == "cp: failed\nNo space left", lambda: page.text("#why"))
    page.until(lambda: page.text("#suggestion") == "Free some.", "the suggestion")
    page.until(lambda: page.run("const { scrollWidth, clientWidth } ="
                                " document.querySelector('.door');"
                                " return scrollWidth <= clientWidth"), "it to fit the phone")
    # However long the texts are, the button can be reached.
    page.click("#answer", "Retry")
    page.until(lambda: "Answered by oncall" in page.text("#outcome"), "the outcome")
    assert question.answer() == ("retry", "oncall")


def a_link_of_a_digest_opens_its_group(page, console):
    page.expects("401")
    console.ask(*[report("Three alike.") for _ in range(3)], report("Another one."))
    message = {"count": 0}
    while message["count"] < 2:
        message = console.receiver.message()
    # In a browser that does not know the console, which asks who it is.
    page.driver.get(message["link"])
    page.until(lambda: page.text("#door"), "the door")
    page.click("#doorToken")
    page.press(*console.token, page.keys.ENTER)
    shows(page, "Three alike.")
    page.until(lambda: chips(page) == [f"group:{message['group']}"], lambda: chips(page))
    # The list is of the group, also after what the message came for.
    console.ask(report("Three alike."))
    page.until(lambda: "4 waiting" in page.text("#count"), "a later member")
    shows(page, "Three alike.")


ALL = [a_link_of_a_message_answers_by_its_button, a_link_shows_what_its_button_is_about,
       a_link_of_a_digest_opens_its_group]
for case in ALL:
    case.users, case.linked = USERS, "oncall"
