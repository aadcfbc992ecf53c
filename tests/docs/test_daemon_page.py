"""`docs/daemon.md` names every code of the wire, every setting and every state, and no others."""

from __future__ import annotations

import re

from ajkit.daemon.settings import read_settings
from ajkit.shared.contract import REFUSALS
from ajkit.shared.job.execution import JobState
from tests.repository import ROOT

PAGE = (ROOT / "docs/daemon.md").read_text("utf-8")


class Seen(dict[str, str]):
    """An environment that remembers which variables were looked for."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def get(self, name: str, default: str = "") -> str:  # type: ignore[override]
        self.names.add(name)
        return default


def test_every_code_of_the_wire() -> None:
    rows = re.findall(r"^\| `([a-z-]+\.[a-z-]+)` \| (\d+) \| (.*) \|$", PAGE, flags=re.MULTILINE)
    assert rows == [(code, str(each.status), each.title) for code, each in REFUSALS.items()]


def test_every_setting() -> None:
    seen = Seen()
    read_settings("/state", seen)
    assert set(re.findall(r"^\| `(AJ_\w+)`", PAGE, flags=re.MULTILINE)) == seen.names


def test_every_state() -> None:
    words = set(re.findall(r"\w+", PAGE.partition("## The states of a job")[2].partition("\n## ")[0]))
    assert {each.value for each in JobState} - words == set()
