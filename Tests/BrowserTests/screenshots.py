#!/usr/bin/env python3
"""The picture of a running console, for the README: screenshots.py URL FOLDER"""
import pathlib
import sys

from browser import Page


def main(url, folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    page = Page()
    page.open(url)
    page.resize(1280, 800)
    page.go("inbox")
    page.click("#list .row")
    page.shown("")
    page.rest()
    page.save(folder / "console.png")
    print(folder / "console.png")
    page.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
