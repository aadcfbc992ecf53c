"""The page of problems, by code: what each means, how it comes about, what to do."""

from __future__ import annotations

import re

from ajkit.disk import problems_page

_HEADING = re.compile(r"^## (?P<codes>[^\n]*)$", re.MULTILINE)


def sections() -> dict[str, str]:
    """The section of every code in Markdown, its heading first; in the order of the page."""
    page = _read()
    found: dict[str, str] = {}
    headings = list(_HEADING.finditer(page))
    for heading, following in zip(headings, [*headings[1:], None], strict=True):
        end = following.start() if following else len(page)
        found[heading["codes"].strip()] = page[heading.start() : end].strip() + "\n"
    return found


def _read() -> str:
    path = problems_page()
    if path is None:
        raise FileNotFoundError("problems.md is not installed with ajkit")
    with open(path, encoding="utf-8") as file:
        return file.read()
