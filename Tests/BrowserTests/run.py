#!/usr/bin/env python3
"""The operator's page in a real browser.

    scripts/python Tests/BrowserTests/run.py .build/debug/bus-node

Needs Chromium with its driver (apt-get install chromium chromium-driver), selenium, pyzmq, canaille
and axe-playwright-python, all of which scripts/setup browser installs.
"""
import argparse
import importlib
import sys
import traceback

from browser import Page
from consoles import Console

# The modules with cases, in the order in which they run.
MODULES = """
    cases layout_cases reading_cases safety_cases user_cases sign_in_cases value_cases filter_cases
    haste_cases history_cases picking_cases option_cases topology_cases alert_cases rule_cases
    link_cases letter_cases keyboard_cases axe_cases
""".split()


def run(case, binary):
    """Whether it passed."""
    wanted = {name: getattr(case, name, None)
              for name in (
                  "nodes", "users", "proxied", "people", "journaled", "linked", "hooked")}
    console, page = Console(binary, **wanted), None
    try:
        console.start()
        page = Page()
        case(page, console)
        complaints = page.complaints()
        assert not complaints, complaints
        return True
    except Exception:
        traceback.print_exc()
        print(console.log(), file=sys.stderr)
        return False
    finally:
        if page:
            page.close()
        console.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", help="bus-node")
    parser.add_argument("--only", default="", help="cases whose names contain this")
    arguments = parser.parse_args()
    counts = {"passed": 0, "failed": 0}
    every = [case for module in MODULES for case in importlib.import_module(module).ALL]
    for case in every:
        if arguments.only not in case.__name__:
            continue
        result = "passed" if run(case, arguments.binary) else "failed"
        counts[result] += 1
        print(f"{result}: {case.__name__.replace('_', ' ')}", flush=True)
    print("{passed} passed, {failed} failed".format(**counts))
    sys.exit(0 if counts["passed"] and not counts["failed"] else 1)


if __name__ == "__main__":
    main()
