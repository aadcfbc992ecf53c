"""Comments that speak to aj: the first line that makes a file ours, and what silences a warning where it stands."""

from __future__ import annotations

import pytest

from ajkit.shared.template.comments import ignores, modeline
from ajkit.shared.where import Text


@pytest.mark.parametrize(
    ("content", "ours"),
    [
        ("# aj: template\nconfig: {}\n", True),
        ("#aj:template", True),
        ("\ufeff# aj: template  \r\nconfig: {}\n", True),
        ("config: {}\n# aj: template\n", False),
        ("# aj: templates\n", False),
        ("", False),
    ],
)
def test_the_first_line_can_make_a_file_ours(content: str, ours: bool) -> None:
    assert modeline(Text("/w/x.yaml", content)) is ours


@pytest.mark.parametrize(
    ("content", "silenced"),
    [
        ("a: 1 # aj: ignore[x.y]\nb: 2\n", {0: {"x.y"}}),
        ("# aj: ignore[x.y]\n\n# because\na: 1\nb: 2\n", {0: {"x.y"}, 3: {"x.y"}}),
        ("# aj: ignore[x.y, x.z]\na: 1 # aj: ignore[p.q]\n", {0: {"x.y", "x.z"}, 1: {"x.y", "x.z", "p.q"}}),
        ("a: b#aj: ignore[x.y]\n", {}),
        ("a: 1 # ignore[x.y]\n", {}),
        ("a: '# aj: ignore[x.y]' # aj: ignore[p.q]\n", {0: {"p.q"}}),
        ("a: |\n  b # aj: ignore[x.y]\nc: 1 # aj: ignore[p.q]\n", {2: {"p.q"}}),
        ('a: "b\n  # aj: ignore[x.y]\n  c" # aj: ignore[p.q]\n', {2: {"p.q"}}),
        ("a: [1, # aj: ignore[x.y]\n  2]\n", {0: {"x.y"}}),
    ],
)
def test_a_comment_silences_its_line_or_the_next(content: str, silenced: dict[int, set[str]]) -> None:
    assert ignores(Text("/w/x.yaml", content)) == silenced
