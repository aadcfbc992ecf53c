"""The page of problems, by code: what each means, how it comes about, what to do."""

from __future__ import annotations

import os.path
import re

_INSTALLED = "problems.md"
_REPOSITORY = os.path.join("..", "..", "..", "docs", "problems.md")
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
    """The page as it is installed with the package; in a checkout, where people edit it."""
    beside = os.path.dirname(__file__)
    for name in (_INSTALLED, _REPOSITORY):
        try:
            with open(os.path.join(beside, name), encoding="utf-8") as file:
                return file.read()
        except FileNotFoundError:
            continue
    raise FileNotFoundError(f"{_INSTALLED} is not installed beside {__file__}")
