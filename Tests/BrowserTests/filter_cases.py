"""The filter of the inbox, its orders and its saved views. As in cases.py."""
import re
import pathlib
import urllib.parse

from browser import Page
from consoles import report
from safety_cases import open_count, signed

FIRST_ROWS = """
    return [...document.querySelectorAll("#list > li")]
      .sort((a, b) => a.getBoundingClientRect().y - b.getBoundingClientRect().y)
      .map((line) => line.querySelector(".title")?.textContent ?? line.textContent);"""


def address(page):
    return page.run("return location.hash")


def titles(page):
    return sorted(page.texts("#list .title"))


def chips(page):
    return page.run("return [...document.querySelectorAll('#chips .term span:first-child')]"
                    ".map((node) => node.textContent)")


def lines(page):
    """The rows and the headings of bands from top to bottom."""
    page.rest()
    return page.run(FIRST_ROWS)


def shows(page, *wanted):
    page.until(lambda: titles(page) == sorted(wanted), f"the rows {wanted}, not {titles(page)}")


def filter_of(page):
    _, _, query = address(page).partition("?")
    return urllib.parse.parse_qs(query)


def two_kinds(console):
    return console.ask(report("A grave one.", severity="critical"),
                       report("A small one.", severity="info"))


def a_filter_is_in_the_address(page, console):
    one, other = console.ask(report("A grave disk.", severity="critical", failureReason="Full."),
                             report("A small disk.", severity="info"))
    page.open(console.url)
    shows(page, "A grave disk.", "A small disk.")
    page.press("/", *"severity:critical ")
    page.until(lambda: chips(page) == ["severity:critical"], "the chip")
    page.until(lambda: page.run("return document.querySelector('#filter').value") == "")
    page.press(*"disk")
    shows(page, "A grave disk.")
    page.until(lambda: filter_of(page) == {"filter": ["severity:critical disk"]},
               lambda: address(page))
    sent = page.driver.current_url
    # Typing is one step back, and forward.
    page.driver.back()
    shows(page, "A grave disk.", "A small disk.")
    page.until(lambda: address(page) in ("", "#/inbox") and chips(page) == [])
    page.driver.forward()
    shows(page, "A grave disk.")
    page.driver.refresh()
    page.until(lambda: chips(page) == ["severity:critical"], "the chip after a reload")
    page.until(lambda: page.run("return document.querySelector('#filter').value") == "disk")
    shows(page, "A grave disk.")
    # What is chosen keeps the filter, in this view and after another.
    page.choose("A grave disk.")
    page.until(lambda: address(page).startswith(f"#/inbox/{one.id}?filter="), lambda: address(page))
    page.press("]", "[")
    page.until(lambda: page.text("#list"), "the inbox again")
    page.until(lambda: filter_of(page) == {"filter": ["severity:critical disk"]},
               lambda: address(page))
    # A permalink has none; one with a filter shows what that hides, and says so.
    page.open(f"{console.address}/#/inbox/{other.id}")
    page.shown("A small disk.")
    shows(page, "A grave disk.", "A small disk.")
    page.until(lambda: "hidden in the list" not in page.text("#detail .meta"))
    page.open(f"{console.address}/#/inbox/{other.id}?{sent.partition('?')[2]}")
    page.shown("A small disk.")
    shows(page, "A grave disk.")
    page.until(lambda: "hidden in the list by the filter" in page.text("#detail .meta"))
    # A colleague's browser shows the same.
    page.second_tab(sent)
    shows(page, "A grave disk.")
    page.go("inbox?filter=severity:info&show=ended&sort=nonsense")
    page.until(lambda: "0 ended" in page.text("#count"), "what has ended")
    page.until(lambda: page.run("return document.querySelector('#view').value") == "ended")
    page.go("inbox?filter=severity:info&sort=nonsense")
    page.until(lambda: page.run("return document.querySelector('#sort').value") == "gravity")
    page.go("inbox")
    shows(page, "A grave disk.", "A small disk.")


def the_filter_understands_terms(page, console):
    worker = console.work("From a worker.", "It says so.", "--name", "worker-7")
    soon, late = console.ask({**report("Soon over.", severity="critical", code=28,
                                       failureReason="rsync:\nNo space left on device"),
                              "deadlineMilliseconds": 200_000},
                             {**report("Has time.", severity="warning"), "domain": "com.acme.db"})
    signed(page, console)
    shows(page, "From a worker.", "Has time.", "Soon over.")
    console.call(f"/api/v1/presentations/{late.id}/claim",
                 {"by": "ada", "forMilliseconds": 600_000})
    page.until(lambda: "ada" in page.text("#list"), "the claim")
    key = console.call(f"/api/v1/presentations/{soon.id}")["groupKey"]
    for text, wanted in [
            ("severity:critical", ["Soon over."]),
            ("severity:critical severity:warning", ["Soon over.", "Has time."]),
            ("severity:>=error", ["Soon over.", "From a worker."]),
            ("origin:worker-*", ["From a worker."]),
            ("Origin:WORKER-7", ["From a worker."]),
            ("via:worker-7", ["From a worker."]),
            ("domain:com.acme.*", ["Has time."]),
            ("domain:*acme*", ["Has time."]),
            ("domain:acme", []),
            ("domain:org.example.tests*tests", []),
            ("code:2*", ["Soon over."]),
            (f"group:{key}", ["Soon over."]),
            (f"group:{key} group:none", ["Soon over."]),
            ("group:none", []),
            ("mine", ["Has time."]),
            ("unclaimed", ["Soon over.", "From a worker."]),
            ("expiring", ["Soon over."]),
            ("mine expiring", []),
            ("claimed:ADA", ["Has time."]),
            ("claimed:*", ["Has time."]),
            ("claimed:bea", []),
            ("option:purge code:28", ["Soon over."]),
            ("option:p*ge claimed:a*", ["Has time."]),
            ("option:none", []),
            ("proposed", []),
            ("unclaimed worker", ["From a worker."]),
            ('"a worker"', ["From a worker."]),
            ('"mine"', []),
            ('"no space" left', ["Soon over."]),
            ("time has", ["Has time."])]:
        page.go(f"inbox?{urllib.parse.urlencode({'filter': text})}")
        shows(page, *wanted)
    # What it does not understand is text, or is not applied; it says which.
    page.go("inbox?filter=colour:red")
    page.until(lambda: "“colour:red” is searched as text" in page.text("#filterNote"), "a note")
    page.until(lambda: "severity:critical" in page.text("#filterNote"),
               lambda: page.text("#filterNote"))
    shows(page)
    page.go("inbox?filter=severity:huge+origin:")
    page.until(lambda: "“severity:huge” is not applied: a severity is debug, info" in
               page.text("#filterNote"), "the other note")
    page.until(lambda: "“origin:” is not applied without a value" in page.text("#filterNote"))
    page.until(lambda: len(page.texts("#chips .unapplied")) == 2)
    shows(page, "From a worker.", "Has time.", "Soon over.")
    page.until(lambda: "filter hides" not in page.text("#count"), lambda: page.text("#count"))
    worker.process.kill()
    worker.process.wait()
    assert soon.id != late.id


def chips_are_removed_by_keys_and_by_the_pointer(page, console):
    keys = page.keys
    two_kinds(console)
    page.open(console.url)
    shows(page, "A grave one.", "A small one.")
    page.press("/", *"severity:critical unclaimed", keys.ENTER)
    page.until(lambda: chips(page) == ["severity:critical", "unclaimed"], "two chips")
    page.until(lambda: page.run("return document.activeElement.id") == "filter")
    page.press(keys.BACKSPACE)
    page.until(lambda: chips(page) == ["severity:critical"], "one chip")
    page.press(*"mine ")
    page.until(lambda: chips(page) == ["severity:critical", "mine"], "another")
    page.until(lambda: "Nothing matches the filter." in page.text("#empty"), "no match")
    # From the box to the first chip, and on to the next when that is gone.
    page.press(keys.TAB, keys.DELETE)
    page.until(lambda: chips(page) == ["mine"], "the first one removed")
    page.until(lambda: page.run("return document.activeElement.textContent") == "mine ✕",
               "the next one to have the focus")
    name = page.run("return document.activeElement.ariaLabel")
    assert name == "Remove mine from the filter", name
    page.press(keys.ENTER)
    page.until(lambda: chips(page) == [], "no chip")
    page.until(lambda: page.run("return document.activeElement.id") == "filter")
    shows(page, "A grave one.", "A small one.")
    page.press(*"severity:info ")
    shows(page, "A small one.")
    page.click("#chips .term")
    shows(page, "A grave one.", "A small one.")
    page.driver.back()
    shows(page, "A small one.")
    page.click("#filter")
    page.press(*"unclaimed ")
    page.click("#chips button", "Remove all")
    shows(page, "A grave one.", "A small one.")


def return_in_the_filter_goes_on_to_the_list(page, console):
    two_kinds(console)
    page.open(console.url)
    shows(page, "A grave one.", "A small one.")
    page.press("/", *"severity:info", page.keys.ENTER)
    page.until(lambda: chips(page) == ["severity:info"], "the chip")
    page.press(page.keys.ENTER)
    page.shown("A small one.")
    # What was typed and left is a chip, too.
    page.press("/", *"unclaimed", page.keys.TAB)
    page.until(lambda: chips(page) == ["severity:info", "unclaimed"], "both chips")


def a_key_that_ends_a_composition_leaves_no_field(page, console):
    options = [{"id": f"replica-{index}", "title": f"Rack {index}"} for index in range(9)]
    console.ask(report("One of nine racks.", recoveryOptions=options))
    signed(page, console)
    page.choose("One of nine racks.")
    is_there = "return document.activeElement.matches(arguments[0])"
    for key, field in (("/", "#filter"), ("f", ".optionSearch")):
        page.press(key, "r")
        page.until(lambda: page.run(is_there, field), field)
        page.run("for (const key of ['Enter', 'Escape'])"
                 " for (const how of [{ isComposing: true }, { keyCode: 229 }])"
                 "  document.activeElement.dispatchEvent(new KeyboardEvent('keydown',"
                 "   { key, ...how, bubbles: true, cancelable: true }))")
        page.rest()
        page.until(lambda: page.run(is_there, field), "the focus to stay")
        page.until(lambda: page.run("return document.activeElement.value") == "r")
        # Others leave it: the first empties it.
        page.press(page.keys.ESCAPE, page.keys.ESCAPE)
        page.until(lambda: not page.run(is_there, field), "the focus elsewhere")


def numbers_are_buttons_that_filter(page, console):
    worker = console.work("From a worker.", "It says so.", "--name", "worker-7")
    two_kinds(console)
    page.open(console.url)
    shows(page, "A grave one.", "A small one.", "From a worker.")
    page.until(lambda: page.texts(".tile"), "the numbers")
    page.click(".tile", "critical")
    shows(page, "A grave one.")
    page.until(lambda: page.texts(".tile[aria-pressed=true]") == ["critical\n1"], "it pressed")
    page.until(lambda: chips(page) == ["severity:critical"])
    page.click(".tile", "info")
    shows(page, "A grave one.", "A small one.")
    page.click(".tile", "worker-7")
    shows(page)
    page.click(".tile", "worker-7")
    # One without a name is called so, and found by what filters call it.
    page.click(".tile", "a client without a name")
    page.until(lambda: "origin:bare" in chips(page), lambda: chips(page))
    page.until(lambda: sum("a client without a name · " in row
                           for row in page.texts("#list .row")) == 2, "who asked, in the rows")
    page.click(".tile", "a client without a name")
    page.click(".tile", "info")
    shows(page, "A grave one.")
    # By keys, with the focus where it was.
    page.press(page.keys.ENTER)
    shows(page, "A grave one.", "A small one.")
    page.until(
        lambda: page.run("return document.activeElement.dataset.key") == "tile severity:info")
    page.go("topology")
    page.until(lambda: page.texts("#tables div"), "the tables")
    width = "getComputedStyle(document.querySelector('#tables div')).borderTopWidth"
    page.until(lambda: page.run(f"return {width}") == "0px", "no button, and none to look at")


def numbers_by_state_are_buttons_too(page, console):
    [claimed] = console.ask(report("Claimed."))
    console.ask(report("Left."))
    console.ask(report("In a hurry.", onExpiry="skip"), deadline=250)
    console.await_open(3)
    page.open(console.url)
    page.until(lambda: "expires soon\n1" in page.texts(".tile"), "what expires soon")
    page.until(lambda: "unclaimed\n3" in page.texts(".tile"), lambda: page.texts(".tile"))
    console.call(f"/api/v1/presentations/{claimed.id}/claim",
                 {"by": "bea", "forMilliseconds": 600_000})
    page.until(lambda: {"claimed by bea\n1", "unclaimed\n2"} <= set(page.texts(".tile")),
               "the claim")
    page.click(".tile", "claimed by bea")
    shows(page, "Claimed.")
    page.until(lambda: chips(page) == ["claimed:bea"], lambda: chips(page))
    page.click(".tile", "claimed by bea")
    page.click(".tile", "expires soon")
    shows(page, "In a hurry.")
    page.until(lambda: chips(page) == ["expiring"], lambda: chips(page))


def numbers_are_of_what_the_list_shows(page, console):
    def headings():
        return page.run("return [...document.querySelectorAll('#detail h3')]"
                        ".map((node) => node.textContent)")

    def has(titles, tiles):
        page.until(lambda: [each for each in headings() if "Time" not in each] == titles, headings)
        page.until(lambda: sorted(page.texts(".tile")) == sorted(tiles),
                   lambda: page.texts(".tile"))
    page.open(console.url)
    page.go("inbox?show=ended")
    page.until(lambda: "with its answer and its result" in page.text("#detail"),
               lambda: page.text("#detail"))
    one, other, _ = console.ask(
        report("A grave one.", severity="critical"), report("A small one.", severity="info"),
        report("It waits.", severity="warning"))
    console.await_open(3)
    for presentation in (one, other):
        console.call(f"/api/v1/presentations/{presentation.id}/answer",
                     {"option": "skip", "by": "bea"})
    nameless = "a client without a name\n"
    has(["Ended, by severity", "Ended, by origin"],
        ["critical\n1", "info\n1", f"{nameless}2"])
    page.click(".tile", "critical")
    shows(page, "A grave one.")
    page.click(".tile", "critical")
    shows(page, "A grave one.", "A small one.")
    page.go("inbox")
    has(["Waiting, by severity", "Waiting, by origin"], ["warning\n1", f"{nameless}1"])


def an_empty_list_says_what_the_filter_hides(page, console):
    one, two = console.ask(report("The first."), report("The second."))
    page.open(console.url)
    shows(page, "The first.", "The second.")
    page.press("/", *"first")
    page.until(lambda: page.text("#count") == "1 waiting, the filter hides 1", "the count")
    page.press(*"ly severity:info ")
    page.until(lambda: "The filter hides 2 waiting presentations." in page.text("#empty"), "it")
    page.until(lambda: "0 rows. The filter hides 2 waiting presentations." in page.run(
        "return document.getElementById('news').textContent"), "it to be said")
    page.click("#empty button", "Remove the filter")
    shows(page, "The first.", "The second.")
    page.until(
        lambda: page.run("return document.activeElement.id") == "filter" and not filter_of(page))
    for each in (one, two):
        console.call(f"/api/v1/presentations/{each.id}/answer", {"option": "skip", "by": "bob"})
    page.press(*"third")
    # A filter that hides nothing is not why nothing is there.
    page.until(lambda: "Nothing is waiting." in page.text("#empty"), "the empty list")
    page.go("inbox?filter=third&show=ended")
    page.until(lambda: "The filter hides 2 ended presentations." in page.text("#empty"), "both")


def a_filter_decides_no_answer(page, console):
    alike = [report("The same.", code=code, coalesceKey="same") for code in (1, 1, 2)]
    first, second, hidden = console.ask(*alike)
    signed(page, console)
    page.until(lambda: "3 waiting in 1 row" in page.text("#count"), "one row for all")
    page.press("/", *"code:1 ")
    page.until(lambda: page.texts("#list .badge") == ["2 of 3"], "that there are more")
    page.choose("The same.")
    # The button answers all that it was drawn for, and says so.
    page.until(lambda: "Skip × 3" in page.text(".options"), "the answer for all")
    box = page.text(".hiddenBox")
    assert "The filter hides 1 of these 3. An answer for the group is for it as well." in box, box
    page.click(".hiddenBox button", "Leave out what is hidden")
    page.until(lambda: "Skip × 2" in page.text(".options"), "the answer for two")
    page.until(lambda: "It is left out" in page.text(".hiddenBox"))
    page.until(lambda: "Answer 2 of the 3 of the group" in page.text(".scope"))
    # The filter goes, the choice stays.
    page.click("#chips .term")
    page.until(lambda: page.texts("#list .badge") == ["× 3"], "all of them")
    page.until(lambda: not page.text(".hiddenBox"), "nothing to be hidden")
    page.until(lambda: "Skip × 2" in page.text(".options"))
    page.click("#filter")
    page.press(*"code:1 ", page.keys.ESCAPE)
    page.until(lambda: page.text(".hiddenBox"), "the note")
    page.click(".hiddenBox button", "Take in what is hidden")
    page.until(lambda: "Skip × 3" in page.text(".options"), "the answer for all")
    page.click(".hiddenBox button", "Leave out what is hidden")
    page.until(lambda: "Skip × 2" in page.text(".options"), "the answer for two")
    page.click("[data-option=skip]", "× 2")
    assert {first.answer(), second.answer()} == {("skip", "ada")}
    assert open_count(console) == 1
    # A link to a group shows it also where the filter hides all of it.
    number = console.call("/api/v1/inbox?stage=open")["groups"][0]["number"]
    page.go(f"inbox/g{number}?filter=code:1")
    page.driver.refresh()
    page.shown("The same.")
    page.until(
        lambda: page.texts("#list .row")
        == [] and "hidden in the list" in page.text("#detail .meta"))
    page.click("[data-option=retry]")
    assert hidden.answer() == ("retry", "ada")


def one_of_a_group_is_answered_alone(page, console):
    key = {"coalesceKey": "many"}
    one, *others = console.ask(report("Only me.", **key), *[report("Not us.", **key)] * 2)
    signed(page, console)
    page.until(lambda: "3 waiting in 1 row" in page.text("#count"), "one row for all")
    page.press("/", *"only")
    page.until(lambda: page.texts("#list .badge") == ["1 of 3"], "that there are more")
    page.choose("Only me.")
    page.until(lambda: "The filter hides 2 of these 3." in page.text(".hiddenBox"))
    page.click("[data-option=skip]")
    assert one.answer() == ("skip", "ada")
    assert open_count(console) == len(others) == 2


def the_list_is_ordered(page, console):
    console.ask(report("Grave, no hurry.", severity="critical"), deadline=9000)
    console.await_open(1)
    console.ask(*[report("Three of them.") for _ in range(3)], deadline=5000)
    console.await_open(4)
    console.ask(report("Small, in a hurry.", severity="info"), deadline=1000)
    page.open(console.url)
    shows(page, "Grave, no hurry.", "Three of them.", "Small, in a hurry.")
    gravity = ["Grave, no hurry.", "Three of them.", "Small, in a hurry."]
    page.until(lambda: lines(page) == gravity, lambda: lines(page))
    page.press("o", page.keys.ARROW_DOWN)
    page.until(lambda: lines(page) == gravity[::-1], "the soonest first")
    page.until(lambda: filter_of(page) == {"sort": ["deadline"]})
    page.press(page.keys.ARROW_DOWN)
    page.until(lambda: lines(page) == gravity, "the oldest first")
    page.press(page.keys.ARROW_DOWN)
    page.until(lambda: lines(page)[0] == "Three of them.", "the largest first")
    page.press(page.keys.ESCAPE, page.keys.HOME)
    page.shown("Three of them.")
    page.driver.refresh()
    page.until(lambda: lines(page)[:1] == ["Three of them."], "the same after a reload")
    page.until(lambda: filter_of(page) == {"sort": ["count"]})
    page.driver.back()
    page.driver.back()
    page.until(lambda: lines(page) == gravity[::-1], "the step before")
    page.go("inbox?show=ended&sort=count")
    page.until(lambda: page.run("return document.querySelector('#sort').disabled"), "one order")
    page.until(
        lambda: "by the time of" in page.run("return document.querySelector('#sort').title"))
    chosen = "return document.querySelector('#sort').selectedOptions[0].textContent"
    page.until(lambda: page.run(chosen) == "Latest end first", "the order of what has ended")
    page.go("inbox?sort=count")
    page.until(lambda: page.run(chosen) == "Largest group", "the order of before")


def what_expires_soon_is_in_front(page, console):
    critical, = console.ask(report("Grave, no hurry.", severity="critical"), deadline=900)
    small, = console.ask(report("Small, in a hurry.", severity="info"), deadline=250)
    page.open(console.url)
    page.run("localStorage.setItem('errorbus.name', 'ada');"
             "localStorage.setItem('errorbus.undo', '60')")
    others = ["Others, gravest first", "Grave, no hurry."]
    page.until(lambda: lines(page) == ["Expires soon", "Small, in a hurry.", *others], "the band")
    urgent, = console.ask(report("Most urgent.", severity="debug"), deadline=200)
    soon = ["Expires soon", "Most urgent.", "Small, in a hurry."]
    page.until(lambda: lines(page) == [*soon, *others], "the most urgent first")
    # Keys go through it in this order, and the headings are no rows.
    page.press(page.keys.HOME)
    page.shown("Most urgent.")
    page.press("j")
    page.until(lambda: page.text("#title") == "Small, in a hurry.", "the next")
    page.press("j")
    page.until(lambda: page.text("#title") == "Grave, no hurry.", "the one below the band")
    page.until(
        lambda: page.run("return document.querySelectorAll('#list > [role=none]').length") == 2)
    # So it is in every order, but that by the deadline, which has them in front by itself.
    for sort, text in (("age", "Others, oldest first"), ("count", "Others, largest group first")):
        page.go(f"inbox?sort={sort}")
        page.until(lambda: lines(page) == [*soon, text, "Grave, no hurry."], lambda: lines(page))
    page.go("inbox?sort=deadline")
    page.until(lambda: lines(page) == [*soon[1:], "Grave, no hurry."], lambda: lines(page))
    page.go("inbox")
    page.until(lambda: lines(page) == [*soon, *others], "the band again")
    # An answer that can be undone leaves its row in place.
    page.choose("Small, in a hurry.")
    page.click("[data-option=skip]")
    page.until(lambda: "leaving" in page.text("#list"), "the answer")
    page.until(lambda: lines(page) == [*soon, *others], lambda: lines(page))
    assert critical.id != small.id != urgent.id


def a_group_says_how_many_of_it_expire_soon(page, console):
    console.ask(report("Two of them."), deadline=5000)
    console.ask(report("Two of them."), deadline=200)
    page.open(console.url)
    page.until(lambda: "1 of 2: expires in 4 min" in page.text("#list .age"),
               lambda: page.text("#list .age"))
    page.click("#list .toggle")
    page.until(lambda: len(page.texts("#list .member")) == 2, "the members")
    # Of the member with the later deadline the detail says when the first of the group expires.
    page.click("#list .member:not(:has(.near))")
    page.until(lambda: re.search(r"this one expires in 1 h.*; the first of the group in \d min\.$",
                                 page.text(".expiry")), lambda: page.text(".expiry"))
    page.until(lambda: [text for text in page.texts("#list .member .age") if "expires in" in text],
               lambda: page.texts("#list .member .age"))
    console.ask(report("One of one."), deadline=200)
    page.until(lambda: any("One of one." in row and "expires in" in row
                           for row in page.texts("#list .row")), "no number for one alone")


def no_row_moves_while_a_person_may_click(page, console):
    console.ask(report("Grave, no hurry.", severity="critical"), deadline=900)
    console.ask(report("Not yet.", severity="info"), deadline=315)
    page.open(console.url)
    shows(page, "Grave, no hurry.", "Not yet.")
    page.part("state", "part.state.isPressing = true")
    page.until(lambda: page.texts("#list .age.near"), "the row to say that its deadline is near")
    page.until(lambda: lines(page) == ["Grave, no hurry.", "Not yet."], lambda: lines(page))
    page.part("state", "part.state.isPressing = false")
    page.until(lambda: lines(page) == ["Expires soon", "Not yet.", "Others, gravest first",
                                       "Grave, no hurry."], "the row to go to the front")


def views_are_saved_in_the_browser(page, console):
    keys = page.keys
    two_kinds(console)
    page.open(console.url)
    shows(page, "A grave one.", "A small one.")
    page.press("v")
    page.until(lambda: page.text("#viewsDialog"), "the views")
    page.until(lambda: page.run("return document.querySelector('#viewSave').ariaDisabled"),
               "nothing to save")
    page.click(".view", "Errors and graver")
    shows(page, "A grave one.")
    page.until(lambda: filter_of(page) == {"filter": ["severity:>=error"]}, lambda: address(page))
    page.press("/", keys.BACKSPACE, *"severity:info ", keys.ESCAPE, "o", keys.ARROW_DOWN,
               keys.ESCAPE)
    page.until(lambda: filter_of(page) == {"filter": ["severity:info"], "sort": ["deadline"]}, "it")
    page.press("v")
    page.until(lambda: page.text("#viewsDialog"), "the views")
    now = page.text("#viewNow")
    assert "severity:info · soonest deadline" in now, now
    page.click("#viewName")
    page.press(keys.ENTER)
    page.until(lambda: "Give the view a name." in page.text("#viewProblem"), "what is missing")
    page.press(*"<b>Small</b>", keys.ENTER)
    page.until(lambda: "<b>Small</b>" in page.text("#viewList [aria-current]"), "the view")
    page.until(lambda: page.text("#viewsDialog"), "the dialog stays")
    page.press(keys.ESCAPE)
    page.go("inbox")
    shows(page, "A grave one.", "A small one.")
    page.driver.refresh()
    shows(page, "A grave one.", "A small one.")
    page.press("v")
    page.until(lambda: "<b>Small</b>" in page.text("#viewList"), "it after a reload")
    page.click(".view", "<b>Small</b>")
    shows(page, "A small one.")
    page.until(lambda: filter_of(page) == {"filter": ["severity:info"], "sort": ["deadline"]})
    page.driver.back()
    shows(page, "A grave one.", "A small one.")
    # At most 20; the same name again is the same view.
    page.run("localStorage.setItem('errorbus.views', JSON.stringify([...Array(25).keys()].map("
             "(each) => ({ name: `V${each}`, filter: 'grave', sort: 'age', show: 'open' }))))")
    page.go("inbox?filter=mine")
    page.press("v")
    page.until(lambda: len(page.texts(".view")) == 25, "20 and the given ones")
    page.click("#viewName")
    page.press(*"W", keys.ENTER)
    page.until(lambda: "At most 20 views" in page.text("#viewProblem"), "the limit")
    page.press(keys.BACKSPACE, *"V3", keys.ENTER)
    page.until(lambda: not page.text("#viewProblem"), "it to be replaced")
    page.click("#viewList li button", "Remove")
    page.until(lambda: len(page.texts(".view")) == 24, "one removed")
    kept = page.run("return JSON.parse(localStorage.getItem('errorbus.views'))")
    assert len(kept) == 19 and kept[-1] == {"name": "V3", "filter": "mine", "sort": "gravity",
                                            "show": "open"}, kept
    page.press(keys.ESCAPE)
    # What is no view is not taken for one.
    page.run("localStorage.setItem('errorbus.views', arguments[0])",
             '[1, null, {"name": "x"}, {"name": "y", "filter": "", "sort": "__proto__",'
             ' "show": "open"}]')
    page.press("v")
    page.until(lambda: len(page.texts(".view")) == 5, "the given ones alone")


def views_are_kept_by_the_console(page, console):
    page.expects("ERR_")
    url, keys = console.url_of(console.tokens["anna"]), page.keys
    console.call("/api/v1/views", {"name": "Night", "filter": "severity:info", "isForTeam": True})
    page.open(url)
    page.go("inbox?filter=severity:critical")
    page.press("v")
    page.until(lambda: "for everyone" in page.text("#viewList"), "the view of the team")
    page.until(lambda: not page.text("#viewTeamLine"))
    page.click("#viewName")
    page.press(*"Grave", keys.ENTER)
    page.until(lambda: "Grave" in page.text("#viewList [aria-current]"), "the view")
    page.until(lambda: page.run("return localStorage.getItem('errorbus.views')") is None)
    assert console.call("/api/v1/views")["own"] == []
    other = Page()
    try:
        other.open(url)
        other.press("v")
        other.until(lambda: "Grave" in other.text("#viewList"), "it in another browser")
        other.click(".view", "Grave")
        other.until(lambda: filter_of(other) == {"filter": ["severity:critical"]}, "its filter")
        other.press("v")
        other.click("#viewList li button", "Remove")
        other.until(lambda: "Grave" not in other.text("#viewList"), "it to be removed")
        other.until(lambda: "Night" in other.text("#viewList"))
    finally:
        other.close()
    # Without a link this browser keeps what is saved, also by the name of one of the console.
    console.stop()
    for name in ("Later", "Grave"):
        page.click("#viewName")
        page.press(*name, keys.ENTER)
        page.until(lambda: any(name in text and "in this browser" in text
                               for text in page.texts("#viewList .view")), f"the view {name}")
    kept = page.run("return JSON.parse(localStorage.getItem('errorbus.views'))")
    assert [view["name"] for view in kept] == ["Later", "Grave"], kept


views_are_kept_by_the_console.journaled = True
views_are_kept_by_the_console.users = {"script": "answer,administer", "anna": "answer"}


def a_view_for_everyone_is_in_the_audit(page, console):
    keys = page.keys
    two_kinds(console)
    page.open(console.url)
    page.go("inbox?filter=severity:info")
    page.press("v")
    page.until(lambda: page.text("#viewTeamLine"), "the views for everyone")
    page.click("#viewTeam")
    page.click("#viewName")
    page.press(*"Night", keys.ENTER)
    # Where all share one token, the person gives a name first.
    page.sign("ada")
    page.until(lambda: "for everyone" in page.text("#viewList"), "the view")
    page.click("#viewList li button", "Remove")
    page.until(lambda: "for everyone" not in page.text("#viewList"), "it to be removed")
    page.press(keys.ESCAPE)
    page.go("audit")
    page.until(lambda: "View Night for everyone removed by ada" in page.text("#audit"), "the end")
    page.until(lambda: "View Night saved for everyone by ada" in page.text("#audit"),
               lambda: page.text("#audit"))


a_view_for_everyone_is_in_the_audit.journaled = True


def a_hostile_address_is_text(page, console):
    console.ask(report("Whatever it is."))
    page.open(console.url)
    shows(page, "Whatever it is.")
    attack = "<img src=x onerror=window.hacked=1>"
    query = urllib.parse.urlencode({
        "filter": f'origin:"{attack}" {attack} severity:{attack[:8]} __proto__:x \u202ex',
        "sort": attack, "show": "constructor"})
    page.go(f"inbox?{query}")
    page.until(lambda: len(chips(page)) == 2, "the terms")
    page.until(lambda: attack in chips(page)[0], lambda: chips(page))
    page.until(lambda: "is not applied" in page.text("#filterNote"), "the note")
    page.until(lambda: page.run("return window.hacked") is None)
    page.until(lambda: not page.run("return document.querySelectorAll('main img').length"))
    page.press("v")
    page.until(lambda: attack in page.text("#viewNow"), "what would be saved")
    page.until(lambda: page.run("return window.hacked") is None)
    page.press(page.keys.ESCAPE)
    # Many stars cost nothing, too much is not applied and says so.
    page.go(f"inbox?{urllib.parse.urlencode({'filter': 'domain:' + '*a' * 140 + '*'})}")
    page.until(lambda: "Nothing matches" in page.text("#empty"), "no match")
    page.go(f"inbox?filter={'x' * 301}")
    page.until(lambda: "more than 300 characters: none is applied" in page.text("#toasts"), "why")
    shows(page, "Whatever it is.")


def filters_are_legible_and_reachable(page, console):
    console.ask(report("In a hurry.", onExpiry="skip"), deadline=250)
    console.ask(*[report("The same.", code=code, coalesceKey="same") for code in (1, 1, 2)])
    page.open(console.url)
    page.run("localStorage.setItem('errorbus.name', 'ada'); localStorage.setItem('errorbus.views',"
             " JSON.stringify([{ name: 'W'.repeat(40), filter: 'origin:' + 'w'.repeat(200),"
             " sort: 'count', show: 'ended' }]))")
    legible = (pathlib.Path(__file__).parent / "legible.js").read_text()
    problems = []
    for scheme in ("light", "dark"):
        for width, height in ((1440, 900), (1024, 768), (390, 844), (320, 640)):
            page.resize(width, height, scheme)
            for view in ("", "?filter=unclaimed+code:1+severity:huge+a:b", "?filter=nothing+mine",
                         "views", "group"):
                query = {"views": "", "group": "?filter=code:1"}.get(view, view)
                page.go(f"inbox{query}")
                page.rest()
                if view == "views":
                    page.press("v")
                    page.until(lambda: page.text("#viewsDialog"), "the views")
                if view == "group":
                    page.choose("The same.")
                    page.until(lambda: page.text(".hiddenBox"), "what is hidden")
                page.rest()
                found = page.run(legible, width < 760)
                problems += [f"{scheme} {width} {view}: {each}" for each in found]
                if view == "views":
                    page.press(page.keys.ESCAPE)
    assert not problems, "\n".join(sorted(set(problems))[:60])


ALL = [a_filter_is_in_the_address, the_filter_understands_terms,
       chips_are_removed_by_keys_and_by_the_pointer, return_in_the_filter_goes_on_to_the_list,
       a_key_that_ends_a_composition_leaves_no_field,
       numbers_are_buttons_that_filter, numbers_by_state_are_buttons_too,
       numbers_are_of_what_the_list_shows,
       an_empty_list_says_what_the_filter_hides, a_filter_decides_no_answer,
       one_of_a_group_is_answered_alone, the_list_is_ordered,
       what_expires_soon_is_in_front, a_group_says_how_many_of_it_expire_soon,
       no_row_moves_while_a_person_may_click,
       views_are_saved_in_the_browser, views_are_kept_by_the_console,
       a_view_for_everyone_is_in_the_audit, a_hostile_address_is_text,
       filters_are_legible_and_reachable]
