"""A presentation with many options, and the search in them. As in cases.py."""
import pathlib

from axe_cases import Axe
from consoles import report
from safety_cases import open_count, signed

HELD = ("return !document.activeElement.dispatchEvent(new KeyboardEvent('keydown',"
        " { key: 'Enter', repeat: true, bubbles: true, cancelable: true }))")
SHOWN = ("return [...document.querySelectorAll('.options button')]"
         ".filter((node) => node.checkVisibility()).map((node) => node.dataset.option)")


def many(count=30):
    options = [{"id": f"replica-{index}", "title": f"Use rack {2 * chr(64 + index)}"}
               for index in range(1, count)]
    return [*options, {"id": "drop", "title": "Drop the data", "role": "destructive"}]


def focused(page):
    return page.run("return document.activeElement.dataset.option"
                    " ?? document.activeElement.dataset.key")


def many_options_are_searched_by_keys(page, console):
    keys = page.keys
    question, = console.ask(report("Which copy leads?", recoveryOptions=many(27)))
    signed(page, console)
    page.row("Which copy leads?")
    page.press("j")
    page.shown("Which copy leads?")
    page.until(lambda: len(page.run(SHOWN)) == 27)
    page.press("f", *"rack cc")
    page.until(lambda: page.run(SHOWN) == ["replica-3"], "the one in rack C")
    page.until(lambda: "1 of 27 options" in page.text(".optionBox .hint"),
               lambda: page.text(".optionBox .hint"))
    # Return leads to it, and answers with nothing, however long it is held down.
    page.press(keys.ENTER)
    page.until(lambda: focused(page) == "replica-3" and page.run(HELD))
    # A number is for no option that is not to be seen.
    page.press("1")
    page.until(lambda: "hidden by the search" in page.text("#toasts"), "the reason")
    page.press(keys.ARROW_UP, keys.ESCAPE)
    page.until(lambda: len(page.run(SHOWN)) == 27, "all of them")
    # By id, and with arrows; it stays while the page draws again.
    page.press(*"replica-2")
    wanted = ["replica-2", *[f"replica-{each}" for each in range(20, 27)]]
    page.until(lambda: page.run(SHOWN) == wanted, "those with this in their id")
    page.run("localStorage.setItem('errorbus.name', 'eva');"
             "dispatchEvent(new StorageEvent('storage'))")
    page.rest()
    page.until(lambda: page.run(SHOWN) == wanted and focused(page) == "optionSearch")
    page.press(keys.ARROW_DOWN, keys.ARROW_DOWN)
    page.until(lambda: focused(page) == "replica-20")
    page.read()
    page.press(keys.ENTER)
    assert question.answer() == ("replica-20", "eva")


def a_destructive_option_that_was_searched_asks(page, console):
    question, = console.ask(report("What now?", recoveryOptions=many(12)))
    signed(page, console)
    page.choose("What now?")
    page.press("f", *"drop", page.keys.ENTER)
    page.until(lambda: focused(page) == "drop")
    page.press(page.keys.ENTER)
    page.until(lambda: "cannot be undone" in page.text("#confirmDialog"), "the question")
    page.press(page.keys.ENTER)
    page.until(lambda: not page.text("#confirmDialog"), "Return to send nothing")
    assert open_count(console) == 1
    page.click("[data-option=drop]")
    page.click("#confirmYes")
    assert question.answer() == ("drop", "ada")


def few_options_have_no_search(page, console):
    console.ask(report("Eight ways.", recoveryOptions=many(8)))
    console.ask(report("Nine ways.", recoveryOptions=many(9)))
    signed(page, console)
    page.choose("Eight ways.")
    page.until(lambda: not page.run("return document.querySelector('.optionSearch')"))
    page.choose("Nine ways.")
    page.until(lambda: page.run("return document.querySelector('.optionSearch').checkVisibility()"))


def many_options_are_legible_and_reachable(page, console):
    console.ask(report("Which copy leads?", recoveryOptions=many(27)))
    signed(page, console)
    page.choose("Which copy leads?")
    axe = Axe(page)
    legible = (pathlib.Path(__file__).parent / "legible.js").read_text()
    problems = []
    for text in ("", "rack cc"):
        page.press("f", *text)
        axe.look(f"options, {text}")
        for width, height in ((1440, 900), (390, 844), (320, 640)):
            page.resize(width, height)
            page.rest()
            problems += [f"{width} {text}: {each}" for each in page.run(legible, width < 760)]
        page.resize(1440, 900)
        page.press(page.keys.ESCAPE)
    axe.close()
    assert not problems, "\n".join(sorted(set(problems))[:60])


def options_stay_where_they_are_while_a_group_grows(page, console):
    alike = report("Which copy leads?", recoveryOptions=many(27))
    console.ask(alike, alike, report("Which disk goes?", recoveryOptions=many(27)))
    signed(page, console)
    page.row("Which disk goes?")
    page.choose("Which copy leads?")
    page.until(lambda: "× 2" in page.text(".options"), "the answer for both")
    scrolled = "return document.querySelector('.decide').scrollTop"
    page.run("document.querySelector('.decide').scrollTop = 60")
    page.until(lambda: page.run(scrolled) == 60, "more options than there is room for")
    console.ask(alike)
    page.until(lambda: "× 3" in page.text(".options"), "the answer for all three")
    page.until(lambda: page.run(scrolled) == 60, lambda: page.run(scrolled))
    # Those of another one are shown from the first on.
    page.choose("Which disk goes?")
    page.until(lambda: page.run(scrolled) == 0, lambda: page.run(scrolled))


ALL = [many_options_are_searched_by_keys, a_destructive_option_that_was_searched_asks,
       few_options_have_no_search, many_options_are_legible_and_reachable,
       options_stay_where_they_are_while_a_group_grows]
