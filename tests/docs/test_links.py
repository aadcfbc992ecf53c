"""Links of the documentation: every file and every heading they name is there."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.repository import files, named

if TYPE_CHECKING:
    from pathlib import Path

_FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_QUOTED = re.compile(r"`[^`\n]*`")
_LINK = re.compile(r"!?\[[^\]\n]*\]\(([^)\s]+)(?: \"[^\"]*\")?\)")
PAGES = [path for path in files(".md") if "node_modules" not in path.parts]


def anchors(text: str) -> set[str]:
    """The anchors that code hosts give the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", _FENCED.sub("", text), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_links_lead_somewhere(page: Path) -> None:
    text = _QUOTED.sub("", _FENCED.sub("", page.read_text("utf-8")))
    broken = []
    for link in _LINK.findall(text):
        if re.match(r"[a-z]+:", link):
            continue
        target, _, anchor = link.partition("#")
        other = (page.parent / target).resolve() if target else page
        if not other.exists() or (anchor and anchor not in anchors(other.read_text("utf-8"))):
            broken.append(link)
    assert broken == []
