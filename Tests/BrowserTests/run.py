#!/usr/bin/env python3
"""The operator's page in a real browser.

    scripts/python Tests/BrowserTests/run.py .build/debug/bus-node

Needs what scripts/setup browser installs: Chromium (its headless shell where there is one) and its
driver, selenium, pyzmq, canaille and axe-playwright-python.
"""
import argparse
import concurrent.futures
import contextlib
import importlib
import io
import os
import sys
import traceback

from browser import SHELL, WHOLE, Page
from consoles import Console

# The modules with cases, in the order in which they run.
MODULES = """
    cases layout_cases reading_cases safety_cases user_cases sign_in_cases value_cases filter_cases
    haste_cases history_cases audit_cases picking_cases option_cases topology_cases alert_cases
    rule_cases link_cases letter_cases keyboard_cases axe_cases
""".split()


def every():
    """Module and name of each case: what another process needs to run it."""
    return [(module, case.__name__)
            for module in MODULES for case in importlib.import_module(module).ALL]


def run(module, name, binary):
    """Whether a case passed, and what is to be read about it."""
    case = getattr(importlib.import_module(module), name)
    wanted = {each: getattr(case, each, None)
              for each in (
                  "nodes", "users", "proxied", "people", "journaled", "linked", "hooked")}
    console, page, said = Console(binary, **wanted), None, io.StringIO()
    try:
        with contextlib.redirect_stderr(said):
            console.start()
            page = Page(kind=WHOLE if getattr(case, "hides", False) else SHELL)
            case(page, console)
        complaints = page.complaints()
        assert not complaints, complaints
        page.close()
        return True, said.getvalue()
    except Exception:
        if page:
            page.quit()  # What it was doing must not be in the way of the next case.
        return False, f"{said.getvalue()}{traceback.format_exc()}{console.log()}\n"
    finally:
        console.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", help="bus-node")
    parser.add_argument("--only", default="", help="cases whose names contain this")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(),
                        help="cases at a time (one for each processor)")
    arguments = parser.parse_args()
    passed_count, failed = 0, []
    with concurrent.futures.ProcessPoolExecutor(arguments.jobs) as pool:
        running = {pool.submit(run, module, name, arguments.binary): name
                   for module, name in every() if arguments.only in name}
        for ended in concurrent.futures.as_completed(running):
            passed, said = ended.result()
            print(said, end="", file=sys.stderr)
            name = running[ended].replace("_", " ")
            print(f"{'passed' if passed else 'failed'}: {name}", flush=True)
            if passed:
                passed_count += 1
            else:
                failed.append(name)
    print(f"{passed_count} passed, {len(failed)} failed", *failed, sep="; ")
    sys.exit(0 if passed_count and not failed else 1)


if __name__ == "__main__":
    main()
