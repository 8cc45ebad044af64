#!/usr/bin/env python3
"""The operator's page in a real browser.

    scripts/python Tests/BrowserTests/run.py .build/debug/bus-node
    scripts/python Tests/BrowserTests/run.py --mock

Needs Chromium with its driver (apt-get install chromium chromium-driver), selenium and pyzmq.
"""
import argparse
import sys
import traceback

import cases
import layout_cases
import safety_cases
from browser import Page
from consoles import MockConsole, RealConsole


def run(case, make_console):
    """Whether it passed."""
    console, page = make_console(), None
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
    parser.add_argument("binary", nargs="?", help="bus-node")
    parser.add_argument("--mock", action="store_true", help="against mock_console.py instead")
    parser.add_argument("--only", help="cases whose names contain this")
    arguments = parser.parse_args()
    if arguments.mock == bool(arguments.binary):
        parser.error("either bus-node or --mock")
    make_console = MockConsole if arguments.mock else lambda: RealConsole(arguments.binary)
    real_only = cases.REAL_ONLY | safety_cases.REAL_ONLY
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for case in cases.ALL + layout_cases.ALL + safety_cases.ALL:
        if (arguments.only or "") not in case.__name__:
            continue
        if case in (real_only if arguments.mock else cases.MOCK_ONLY):
            result = "skipped"
        else:
            result = "passed" if run(case, make_console) else "failed"
        counts[result] += 1
        print(f"{result}: {case.__name__.replace('_', ' ')}", flush=True)
    print("{passed} passed, {failed} failed, {skipped} skipped".format(**counts))
    sys.exit(0 if counts["passed"] and not counts["failed"] else 1)


if __name__ == "__main__":
    main()
