#!/usr/bin/env python3
"""Pictures of a running console, for the README: screenshots.py URL FOLDER"""
import pathlib
import sys

from browser import Page

# Name, width, height, colour scheme, view, whether the first row is open.
PICTURES = [
    ("console", 1280, 800, "light", "inbox", True),
    ("console-dark", 1280, 800, "dark", "inbox", True),
    ("console-overview", 1280, 800, "light", "inbox", False),
    ("console-audit", 1280, 800, "light", "audit", False),
    ("console-topology", 1280, 800, "dark", "topology", False),
    ("console-phone", 390, 844, "light", "inbox", False),
    ("console-phone-dark", 390, 844, "dark", "inbox", True),
]


def main(url, folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    page = Page()
    page.open(url)
    for name, width, height, scheme, view, is_open in PICTURES:
        page.resize(width, height, scheme)
        page.run("location.hash = arguments[0]", f"#/{view}")
        if is_open:
            page.click("#list .row")
            page.shown("")
        page.until(lambda: page.run("return document.getAnimations().length === 0"), "it to rest")
        page.save(folder / f"{name}.png")
        print(folder / f"{name}.png")
    page.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
