#!/usr/bin/env python3
"""Pictures of everything that the page can look like, to be looked at:

    scripts/python Tests/BrowserTests/gallery.py .build/debug/bus-node FOLDER [--only NAME]
"""
import argparse
import pathlib

from browser import Page
from consoles import Console, report
from made_up import reports
from value_cases import asking

SIZES = [("wide", 1440, 900), ("middle", 1024, 768), ("phone", 390, 844)]
SCHEMES = ["light", "dark"]
ATTACK = "<script>window.hacked=1</script> \u202egnihton eteled\u202c \u2066x\u2069 a\0b "


def nothing(page, console):
    page.until(lambda: "Nothing is waiting" in page.text("#empty"), "the empty list")


def one(page, console):
    console.ask(report("The volume /srv/archive has no space left.", severity="critical",
                       failureReason="Snapshots were kept for 90 days instead of 9.",
                       recoverySuggestion="Delete old snapshots, or attach another volume.",
                       userInfo={"host": "node-07", "attempt": 2}))
    page.choose("The volume")
    page.until(lambda: "node-07" in page.text("#detail"), "the report")


def waiting(page, console, count, seconds=60):
    console.fill(count)
    page.until(lambda: page.text("#count").startswith(f"{count:,} waiting".replace(",", "\u202f")),
               "all of them", seconds)


def fifty(page, console):
    waiting(page, console, 50)


def many(page, console):
    waiting(page, console, 500)


def ten_thousand(page, console):
    waiting(page, console, 10_000, 120)


def many_chosen(page, console):
    many(page, console)
    page.run("document.querySelector('#list .group .row').click()")
    page.shown("")


def expiring(page, console):
    console.ask(report("mx2.example.org takes no mail for now.", severity="warning",
                       onExpiry="skip"), deadline=200)
    console.ask(*[report("The queue is full.", onExpiry="retry") for _ in range(4)], deadline=90)
    console.ask(report("The lock of the ledger is held by import-3."), deadline=260)
    console.ask(report("Not soon, but some day.", onExpiry="retry"), deadline=9000)
    page.choose("mx2.example.org")


def leaving(page, console):
    console.ask(*[report("The same for all.") for _ in range(12)])
    page.run("localStorage.setItem('errorbus.undo', '30')")
    page.choose("The same for all.")
    page.click("[data-option=skip]")
    page.click("#confirmYes")
    page.until(lambda: "Undo all 12" in page.text(".decide"), "the time to undo")


def answered(page, console):
    console.work("The index is older than its table.", "It was not built again.")
    page.run("localStorage.setItem('errorbus.undo', '0')")
    page.choose("The index")
    page.click("[data-option=retry]")
    page.until(lambda: "Recovered" in page.text(".decide"), "what came of it")


def notices(page, console):
    console.ask(report("The index is older than its table."))
    console.fill(12)
    page.run("localStorage.setItem('errorbus.undo', '60')")
    page.choose("The index")
    page.click("[data-option=retry]")
    page.until(lambda: "Undo" in page.text("#undos"), "the time to undo")
    page.part("news", "[part.toast('recovered: The lock of the ledger is held.', 'good'),"
              "part.toast('bob took back your answer: ' + 'The feed has new columns. '.repeat(4),"
              "'warning')]")
    page.run("document.querySelector('#list .row').click()")
    page.shown("")


def claimed(page, console):
    [presentation] = console.ask(report("Only one of us."))
    console.await_open(1)
    console.call(f"/api/v1/presentations/{presentation.id}/claim",
                 {"by": "bea", "forMilliseconds": 600_000})
    page.choose("Only one of us.")
    page.until(lambda: "Claimed by bea" in page.text(".decide"), "the claim")


def handed_over(page, console):
    console.ask(report("Only one of us."))
    page.choose("Only one of us.")
    page.press("c")
    page.until(lambda: "Claimed by you" in page.text(".decide"), "the claim")
    page.press("h")
    page.until(lambda: page.text("#handDialog"), "the dialog for the other person")


def proposed(page, console):
    drop = {"id": "drop", "title": "Drop the table", "role": "destructive", "twoPeople": True}
    presentation, = console.ask(report("The table is damaged.", recoveryOptions=[
        drop, {"id": "retry", "title": "Retry", "role": "default"}]))
    console.await_open(1)
    console.call(f"/api/v1/presentations/{presentation.id}/answer",
                 {"option": "drop", "comment": "There is a copy of this night."})
    page.driver.delete_all_cookies()
    page.open(console.url_of(console.tokens["anna"]))
    page.choose("The table")
    page.until(lambda: "mia proposes" in page.text(".decide"), "the proposal")


proposed.users = {"mia": "answer,destructive", "anna": "answer,destructive"}


def noted(page, console):
    presentation, *_ = console.ask(*[report("The lock is held.") for _ in range(3)])
    console.await_open(3)
    for by, text in (("bea", "Called Bob, who looks."), ("carl", "It is free again.\n" * 4)):
        console.call(f"/api/v1/presentations/{presentation.id}/note", {"by": by, "text": text})
    page.go(f"inbox/{presentation.id}")
    page.until(lambda: "It is free again." in page.text("#detail"), "the notes")
    page.press("m", *"It is free again, see OPS-7.")


def differing(page, console):
    console.ask(*[report(f"Cannot copy segment {number} of 48 to the archive.", coalesceKey="copy",
                         severity="critical" if number == 7 else "error",
                         failureReason="No space." if number % 5 else "No such folder.")
                  for number in range(12)])
    page.until(lambda: "12 waiting in 1 row" in page.text("#count"), "one row for all")
    page.run("document.querySelector('#list .row').click()")
    page.until(lambda: page.texts(".kinds .varies"), "what differs")


def linked(page, console):
    console.ask(report("The volume /srv/archive has no space left.", severity="critical"))
    page.driver.get(console.receiver.message()["answers"][0]["link"])
    page.until(lambda: page.text("#answer"), "the button")


linked.users, linked.linked = {"script": "answer", "oncall": "answer"}, "oncall"


def hostile(page, console):
    console.ask(report(ATTACK * 8, failureReason="W" * 3_000, recoverySuggestion=ATTACK,
                       userInfo={ATTACK: ATTACK, "long": "y " * 2_000, "k" * 300: "v"},
                       underlyingErrors=[{"domain": ATTACK, "description": ATTACK * 3}],
                       recoveryOptions=[{"id": "retry", "title": ATTACK * 3, "role": "default"},
                                        {"id": "x", "title": "L" * 256}]))
    page.choose("<script>")
    page.until(lambda: "WWWW" in page.text("#detail"), "the long reason")


def thirty_options(page, console):
    options = [{"id": f"o{index}", "title": f"Use replica {index} of the cluster in rack {index}",
                "role": "default" if index == 1 else None} for index in range(1, 31)]
    console.ask(report("Which replica is to be the leader?", recoveryOptions=options))
    page.choose("Which replica")


def filtered(page, console):
    console.fill(40)
    page.until(lambda: page.text("#count").startswith("40 waiting"), "all of them")
    page.press("/", *"nothing like it")
    page.until(lambda: "Nothing matches" in page.text("#empty"), "no match")


def filtered_in_part(page, console):
    console.fill(60)
    page.until(lambda: page.text("#count").startswith("60 waiting"), "all of them")
    page.go("inbox?filter=severity:>=error+unclaimed+severity:huge&sort=count")
    page.until(lambda: page.text("#filterNote"), "the notes")


def filtered_group(page, console):
    console.fill(60)
    console.ask(*[report("The same for all.", severity="critical", code=code, coalesceKey="same")
                  for code in (1, 1, 2)])
    page.until(lambda: page.text("#count").startswith("63 waiting"), "all of them")
    page.go("inbox?filter=code:1")
    page.choose("The same for all.")
    page.until(lambda: page.text(".hiddenBox"), "what is hidden")


def filtered_overview(page, console):
    console.fill(60)
    page.until(lambda: page.text("#count").startswith("60 waiting"), "all of them")
    page.go("inbox?filter=severity:critical")


def saved_views(page, console):
    console.fill(60)
    page.run("localStorage.setItem('errorbus.views', JSON.stringify(["
             "{ name: 'Mail of tonight', filter: 'domain:*.mail unclaimed', sort: 'age',"
             " show: 'open' }, { name: 'W'.repeat(40), filter: 'origin:' + 'w'.repeat(200),"
             " sort: 'count', show: 'ended' }]))")
    page.go("inbox?filter=severity:critical+mine")
    page.press("v")
    page.until(lambda: page.text("#viewsDialog"), "the views")


def silence_form(page, console):
    console.fill(40)
    page.until(lambda: page.text("#count").startswith("40 waiting"), "all of them")
    page.run("document.querySelector('#list .row').click()")
    page.shown("")
    page.click(".decide button", "Silence like this")
    page.until(lambda: "open now" in page.text("#silencePreview"), "the preview")
    page.until(lambda: any("host" in chip for chip in page.texts(".chip")), "what narrows it")


def silence_form_refused(page, console):
    silence_form(page, console)
    page.click("#silenceAddInfo")
    page.press(*"host", page.keys.TAB, "x")
    page.run("const field = document.querySelector('[name=domain]'); field.value = '/[/';"
             "field.dispatchEvent(new Event('input', { bubbles: true }))")
    page.until(lambda: "allowed: a ]" in page.text("#domainProblem"), "the refusal")
    page.click("#silenceSave")
    page.until(lambda: page.text("#commentProblem"), "the other")


def silences(page, console):
    console.fill(40)
    for match, comment, option, long in [
            ({"domain": "org.example.storage", "code": [28, "5*"]}, "Volume is grown, OPS-311",
             "retry", 3_600_000),
            ({"origin": "worker-*", "severity": ">=warning", "userInfo": {"host": "/node-0[1-9]/"}},
             ATTACK * 3, None, 86_400_000),
            ({"domain": "org.example.mail"}, "mx2 moves to the new rack", None, 604_800_000)]:
        console.call("/api/v1/silences", {
            "match": match, "comment": comment, "by": "ada", "forMilliseconds": long,
            "option": option, "alsoOpen": True})
    console.call("/api/v1/silences/3/end", {"by": "bea"})
    page.go("silences")
    page.until(lambda: "Recently ended" in page.text("#silences"), "the silences")


def no_silences(page, console):
    page.go("silences")
    page.until(lambda: "No silence is active" in page.text("#silences"), "the empty list")


def picked(page, console):
    many(page, console)
    page.run("[...document.querySelectorAll('#list .pick input')].slice(0, 5)"
             ".forEach((box) => box.click())")
    page.until(lambda: page.text("#picked"), "the bar")


def picked_dialog(page, console):
    picked(page, console)
    page.click("#pickedOpen")
    page.until(lambda: page.text("#pickedBody"), "the dialog")


def compact(page, console):
    page.run("localStorage.setItem('errorbus.rows', 'compact')")
    page.driver.refresh()
    many(page, console)


def history(page, console):
    questions = console.ask(*[report(f"The disk of node {number} is full.") for number in range(9)])
    console.await_open(9)
    for question in questions[:7]:
        console.call(f"/api/v1/presentations/{question.id}/answer", {"option": "skip", "by": "bea"})
    page.go("history?filter=option:*+since:1h+severity:huge")
    page.until(lambda: page.texts("#past tr"), "the history")


history.journaled = True


def answered_otherwise(console):
    """The first of three equal ones, of which the last was answered in another way."""
    questions = console.ask(*[report("The disk is full.", userInfo={"host": "db-1"})] * 3)
    console.await_open(3)
    for question, option in zip(questions, ("retry", "retry", "skip")):
        console.call(f"/api/v1/presentations/{question.id}/answer", {"option": option, "by": "bea"})
    return questions[0]


def times_to_answer(page, console):
    answered_otherwise(console)
    console.fill(20)
    page.until(lambda: page.text("#count").startswith("20 waiting"), "the others")
    page.until(lambda: "3 answers" in page.text(".waits"), "the times")


times_to_answer.journaled = True


def rule_form(page, console):
    question = answered_otherwise(console)
    page.go(f"inbox/{question.id}")
    page.shown("The disk is full.")
    page.click(".decide button", "Make a rule")
    page.until(lambda: "1 otherwise" in page.text("#ruleTrial"), "the trial")


rule_form.journaled = True


def values_form(page, console):
    console.ask(asking("The folder cannot be written."))
    page.choose("The folder")
    page.click("[data-option=move]")
    page.until(lambda: page.text("#valuesDialog"), "the form")


def undelivered(page, console):
    console.ask(report("The disk is full."), report("The feed has new columns. " * 4))
    page.until(lambda: page.text("#letterNumber") == "2", "the count in the header")
    page.go("topology")
    page.until(lambda: "opened:" in page.text("#letters"), "the messages")


undelivered.hooked = True


def token_form(page, console):
    page.driver.delete_all_cookies()
    page.driver.refresh()
    page.until(lambda: page.text("#door"), "the form")


def audit(page, console):
    console.fill(60)
    page.go("audit")
    page.until(lambda: page.texts("#audit tr"), "the audit")


def topology(page, console):
    console.run("relay")
    console.fill(37)
    page.go("topology")
    page.until(lambda: "worker-3" in page.text("#nodes"), "the topology")


topology.nodes = {
    "relay": (["central", "standby"], True), "relay-us": (["central"], True),
    "worker-1": (["relay"], False), "worker-2": (["relay"], False),
    "worker-3": (["relay-us"], False), "standby": ([], True)}


def large_topology(page, console):
    page.go("topology")
    page.until(lambda: "more:" in page.text("#nodes"), "the topology")
    page.click(".fold")
    page.until(lambda: "batch-29" in page.text("#nodes"), "those that were folded")


large_topology.nodes = {**topology.nodes, "w" * 64: (["relay"], False),
                        **{f"batch-{number}": (["relay"], False) for number in range(30)}}


def no_link(page, console):
    many(page, console)
    page.run("document.querySelector('#list .row').click()")
    page.shown("")
    console.stop()
    page.until(lambda: "No link" in page.text("#banner"), "the banner")


def help_dialog(page, console):
    page.press("?")
    page.until(lambda: page.text("#helpDialog"), "the help")


def name_dialog(page, console):
    page.click("#who")
    page.until(lambda: page.text("#nameDialog"), "the dialog for a name")


# Every view: its address, what is in it once it is drawn, and how it is opened from there.
VIEWS = {
    "inbox": ("inbox", "#list .row, #empty", None),
    "chosen": ("inbox", "#title", lambda page: page.run(
        "(document.querySelector('#list .single .row') ??"
        " document.querySelector('#list .row')).click()")),
    "ended": ("inbox?show=ended", "#list .row, #empty", None),
    "silences": ("silences", "#silences .card, #silences .quiet", None),
    "history": ("history", "#pastCount", None),
    "audit": ("audit", "#auditCount", None),
    "topology": ("topology", "#nodes .node", None),
    "nodes": ("topology", "#nodes .node", lambda page: page.run(
        "document.getElementById('nodes').scrollIntoView()")),
    "help": ("inbox", "#helpDialog", lambda page: page.press("?")),
    "settings": ("inbox", "#nameDialog", lambda page: page.click("#who")),
}


def every_view(count):
    """All views of a console where so many wait, up to 60 have ended, and up to 12 silences are."""
    def scene(page, console):
        ended = console.ask(*[report(f"Segment {number} could not be copied to the archive.")
                              for number in range(min(count, 60))])
        console.await_open(len(ended))
        for number, question in enumerate(ended):
            console.call(f"/api/v1/presentations/{question.id}/answer", {
                "option": ("retry", "skip", "purge")[number % 3], "by": "bea"})
        for number in range(min(count, 12)):
            console.call("/api/v1/silences", {
                "match": {"origin": f"nothing-{number}", "severity": ">=warning"}, "by": "ada",
                "comment": "The volume is grown, OPS-311.", "forMilliseconds": 3_600_000})
        if count > 1:
            console.run("relay")
        # None of them may expire before the last one is there.
        console.ask(*[{**each, "deadlineMilliseconds": 3_600_000} for each in reports(count)])
        if count:
            number = f"{count:,}".replace(",", "\u202f")
            page.until(lambda: page.text("#openCount") == number, "all of them")
            page.until(lambda: page.text("#letterNumber"), "the messages that were not delivered")
        for name, (place, part, then) in VIEWS.items():
            if name == "chosen" and count == 0:
                continue
            page.resize(1440, 900)
            page.press(page.keys.ESCAPE)
            page.go(place)
            if then:
                then(page)
            page.until(lambda: any(page.texts(part)), name)
            yield f"{name}-{count}"
    scene.__name__ = f"every_view_{count}"
    scene.hooked = scene.journaled = True
    scene.nodes = topology.nodes if count > 1 else None
    return scene


SCENES = [*map(every_view, (0, 1, 50, 500, 10_000)),
          nothing, one, fifty, many, ten_thousand, many_chosen, expiring, leaving, answered,
          notices, claimed, handed_over, proposed, noted, differing, linked, hostile,
          thirty_options, filtered, filtered_in_part, filtered_group, filtered_overview,
          saved_views, silences, no_silences, silence_form, silence_form_refused, picked,
          picked_dialog, compact, history, audit, topology, large_topology, no_link, help_dialog,
          name_dialog, times_to_answer, rule_form, values_form, undelivered, token_form]


def take(page, folder, name):
    for size, width, height in [*SIZES, ("zoomed", 640, 400)]:
        for scheme in SCHEMES if size != "zoomed" else ["light"]:
            # 200 % on a screen of 1280 by 800.
            page.resize(width, height, scheme, 2 if size == "zoomed" else 1)
            page.rest()
            page.save(folder / f"{name}-{size}-{scheme}.png")


def photograph(scene, binary, folder):
    wanted = {name: getattr(scene, name, None)
              for name in ("nodes", "users", "journaled", "linked", "hooked")}
    console = Console(binary, **wanted)
    page = Page()
    try:
        console.start()
        page.open(console.url)
        page.run("localStorage.setItem('errorbus.name', 'ada')")
        page.open(console.url)
        for name in scene(page, console) or [scene.__name__]:  # Some have several states.
            take(page, folder, name)
    finally:
        page.close()
        console.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", help="bus-node")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--only", default="", help="scenes whose names contain this")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for scene in SCENES:
        if arguments.only in scene.__name__:
            photograph(scene, arguments.binary, arguments.folder)
            print(f"{arguments.folder}/{scene.__name__}-*.png", flush=True)


if __name__ == "__main__":
    main()
