"""`docs/merge.md` says what the engine does: each of its examples is resolved and compared."""

from __future__ import annotations

import json

import pytest
import yaml

from ajkit.shared.files import MemoryFiles
from ajkit.shared.template.resolve import resolve
from tests.docs.pages import Example, examples
from tests.repository import ROOT

PAGE = list(examples((ROOT / "docs/merge.md").read_text("utf-8")))


@pytest.mark.parametrize("example", PAGE, ids=lambda example: f"line-{example.line}")
def test_the_page_says_what_happens(example: Example) -> None:
    files = MemoryFiles({f"/page/{name}": text for name, text in example.files.items()})
    resolved = resolve(files, f"/page/{[*example.files][-1]}", None)
    assert example.result is not None, "a group of files on this page shows what becomes of them"
    expected = yaml.safe_load(example.result)
    assert resolved.config == expected
    assert json.dumps(resolved.config) == json.dumps(expected), "the order of the keys differs"
    found = [
        f"{each.span.path.removeprefix('/page/')}:{each.span.first.line + 1} {each.code}"
        for each in resolved.problems
        if each.span
    ]
    assert found == (example.problems or [])


def test_the_page_shows_every_rule() -> None:
    assert len(PAGE) >= 15
