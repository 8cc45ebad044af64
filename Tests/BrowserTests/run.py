#!/usr/bin/env python3
"""The operator's page in a real browser.

    scripts/python Tests/BrowserTests/run.py .build/debug/bus-node

Needs Chromium with its driver (apt-get install chromium chromium-driver), selenium, pyzmq, canaille
and axe-playwright-python, all of which scripts/setup browser installs.
"""
import argparse
import sys
import traceback

import alert_cases
import axe_cases
import cases
import filter_cases
import haste_cases
import history_cases
import layout_cases
import link_cases
import option_cases
import picking_cases
import reading_cases
import rule_cases
import safety_cases
import sign_in_cases
import topology_cases
import user_cases
import value_cases
from browser import Page
from consoles import Console


def run(case, binary):
    """Whether it passed."""
    wanted = {name: getattr(case, name, None)
              for name in ("nodes", "users", "proxied", "people", "journaled", "linked")}
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
    for case in (cases.ALL + layout_cases.ALL + reading_cases.ALL + safety_cases.ALL
                 + user_cases.ALL + sign_in_cases.ALL + value_cases.ALL + filter_cases.ALL
                  + haste_cases.ALL + history_cases.ALL + picking_cases.ALL + option_cases.ALL
                  + topology_cases.ALL + alert_cases.ALL + rule_cases.ALL + link_cases.ALL
                 + axe_cases.ALL):
        if arguments.only not in case.__name__:
            continue
        result = "passed" if run(case, arguments.binary) else "failed"
        counts[result] += 1
        print(f"{result}: {case.__name__.replace('_', ' ')}", flush=True)
    print("{passed} passed, {failed} failed".format(**counts))
    sys.exit(0 if counts["passed"] and not counts["failed"] else 1)


if __name__ == "__main__":
    main()
