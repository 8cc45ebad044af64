"""The topology of many nodes: folded, on one screen. As in cases.py."""
import pathlib

from axe_cases import Axe
from consoles import report
from filter_cases import filter_of

RELAYS = [f"relay-{number}" for number in range(8)]
HEIGHT = "return document.getElementById('nodes').getBoundingClientRect().height"


def names(page):
    return page.texts("#nodes .node strong")


def box(page, name):
    """The text of a node's box."""
    return page.run(
        "return [...document.querySelectorAll('#nodes .node')].find((node) =>"
        " node.querySelector('strong')?.textContent === arguments[0])?.innerText", name)


def many_nodes_fit_one_screen(page, console):
    console.run("relay-5")
    page.open(console.url)
    page.go("topology")
    page.until(lambda: "500 nodes" in page.text("#nodes .count"), "the nodes")
    page.until(lambda: "link up" in (box(page, "relay-5") or ""), "the relay to be up")
    page.rest()
    page.until(lambda: page.run(HEIGHT) < 800, lambda: page.run(HEIGHT))
    found = names(page)
    assert set(RELAYS) <= set(found) and len(found) < 500 / 8, found
    # Those that are broken come first; the rest of each is in its box, by number and state.
    assert found.index("relay-5") > found.index("relay-7"), found
    text = box(page, "relay-0")
    assert "more:" in text and "not known" in text, text
    before = len(found)
    page.run("document.querySelector(\"[data-key='fold relay-0']\").focus()")
    page.press(page.keys.ENTER)
    page.until(lambda: len(names(page)) > before + 50, "those below it")
    page.until(lambda: page.run("return document.activeElement.dataset.key") == "fold relay-0",
               "the focus where it was")
    page.until(lambda: page.run("return document.activeElement.ariaExpanded") == "true")
    page.click("[data-key='fold relay-0']")
    page.until(lambda: len(names(page)) == before, "them to be folded")
    axe = Axe(page)
    axe.look("a large topology")
    legible = (pathlib.Path(__file__).parent / "legible.js").read_text()
    problems = []
    for width, height in ((1440, 900), (390, 844), (320, 640)):
        page.resize(width, height)
        page.rest()
        problems += [f"{width}: {each}" for each in page.run(legible, width < 760)]
    axe.close()
    assert not problems, "\n".join(sorted(set(problems))[:60])


many_nodes_fit_one_screen.nodes = {
    **{relay: (["central"], True) for relay in RELAYS},
    **{f"worker-{number:03}": ([RELAYS[number % 8]], False) for number in range(491)}}


# The next reads of the status give this one.
STATUS = ("const [status, send] = [arguments[0], window.fetch];"
          "window.fetch = (path, ...rest) => (path === '/api/v1/status'"
          " ? Promise.resolve(new Response(JSON.stringify(status))) : send(path, ...rest))")


def many_levels_fit_one_screen(page, console):
    def node(name, parent=None, state="up"):
        return {"name": name, "next": [parent] if parent else [], "state": state, "listen": []}

    nodes, broken = [node("central")], "worker-3-4-2"
    for region in range(8):
        nodes.append(node(f"region-{region}", "central"))
        for site in range(10):
            nodes.append(node(f"site-{region}-{site}", f"region-{region}"))
            names_below = [f"worker-{region}-{site}-{number}" for number in range(5)]
            nodes += [node(name, f"site-{region}-{site}",
                           "unreachable" if name == broken else "up") for name in names_below]
    page.open(console.url)
    page.run(STATUS, {"node": "central", "version": "1", "startedAt": "2026-11-22T10:00:00.000Z",
                      "tables": {}, "topology": {"nodes": nodes, "links": []}})
    page.go("topology")
    page.until(lambda: "489 nodes" in page.text("#nodes .count"), "the nodes")
    page.rest()
    page.until(lambda: page.run(HEIGHT) < 800, lambda: page.run(HEIGHT))
    # What is broken is in sight with those above it, and the rest is folded.
    way = ["central", "region-3", "site-3-4", broken]
    page.until(lambda: names(page)[:4] == way, lambda: names(page))
    found = names(page)
    assert len(found) <= 24 and {f"region-{each}" for each in range(8)} <= set(found), found
    page.click("[data-key='fold region-0']")
    page.until(lambda: "site-0-9" in names(page), "its sites")
    page.until(lambda: "5 more: 5 up" in (box(page, "site-0-9") or ""), "those below them folded")
    page.click("[data-key='fold site-0-9']")
    page.until(lambda: "worker-0-9-4" in names(page), "its workers")


def many_roots_hide_nothing_that_is_broken(page, console):
    page.open(console.url)
    found = page.part("forest", """(() => {
        const node = (name, next, state = "up") => ({ name, next, state });
        const roots = [...Array(30)].map((_, root) => node(`root-${root}`, []));
        const below = roots.flatMap(({ name }) => [node(`${name}-a`, [name]),
          node(`${name}-b`, [name], name === "root-3" ? "unreachable" : "up")]);
        return [...part.inSight(part.forest([...roots, ...below], []))]
          .map((member) => member.node.name);
      })()""")
    assert len(found) == 13 and found[0] == "root-3" and "root-3-b" in found, found


def many_roots_fit_one_screen(page, console):
    def node(name, parent=None, state="up"):
        return {"name": name, "next": [parent] if parent else [], "state": state, "listen": []}

    nodes = [node(f"root-{number:03}", state="unreachable" if number == 377 else "up")
             for number in range(400)]
    nodes += [node(f"leaf-{number}", f"root-{number}", "unreachable" if number == 200 else "up")
              for number in range(200, 299)]
    nodes.append(node("central"))
    page.open(console.url)
    page.run(STATUS, {"node": "central", "version": "1", "startedAt": "2026-11-22T10:00:00.000Z",
                      "tables": {}, "topology": {"nodes": nodes, "links": []}})
    page.go("topology")
    page.until(lambda: "500 nodes" in page.text("#nodes .count"), "the nodes")
    page.rest()
    page.until(lambda: page.run(HEIGHT) < 800, lambda: page.run(HEIGHT))
    # What is broken first, then as the file has them; this node in any case.
    shown = ["root-377", "root-200", "leaf-200", *[f"root-{number:03}" for number in range(9)],
             "central"]
    page.until(lambda: names(page) == shown, lambda: names(page))
    fold = "[data-key='fold ']"
    page.until(lambda: "487 more: 487 up" in page.text(fold), lambda: page.text(fold))
    page.click(fold)
    page.until(lambda: len(names(page)) == 402, lambda: len(names(page)))
    page.until(lambda: page.run("return document.activeElement.dataset.key") == "fold ",
               "the focus where it was")
    page.until(lambda: "1 more: 1 up" in (box(page, "root-298") or ""), "its leaf folded")
    page.click(fold)
    page.until(lambda: names(page) == shown, lambda: names(page))


def a_broken_root_comes_first(page, console):
    page.open(console.url)
    page.go("topology")
    page.until(lambda: "unreachable" in (box(page, "spare") or ""), "the other root")
    page.until(lambda: names(page) == ["spare", "central"], "it in front of the one that is up")


a_broken_root_comes_first.nodes = {"spare": ([], True)}


def a_node_leads_to_its_presentations(page, console):
    console.ask(report("From a client."))
    worker = console.work("From a worker.", "It says so.", "--name", "nightly-import")
    page.open(console.url)
    page.row("From a worker.")
    page.go("topology")
    page.until(lambda: "1 open" in (box(page, "nightly-import") or ""), "what waits there")
    page.click("[data-key='node nightly-import']")
    page.until(lambda: page.texts("#list .title") == ["From a worker."], "its presentation")
    page.until(lambda: filter_of(page) == {"filter": ["via:nightly-import"]})
    page.driver.back()
    page.until(lambda: page.text("#nodes"), "the topology again")
    page.click("[data-key='node central']")
    page.until(lambda: len(page.texts("#list .title")) == 2, "all")
    worker.process.kill()
    worker.process.wait()


ALL = [many_nodes_fit_one_screen, many_levels_fit_one_screen,
       many_roots_hide_nothing_that_is_broken, many_roots_fit_one_screen, a_broken_root_comes_first,
       a_node_leads_to_its_presentations]
