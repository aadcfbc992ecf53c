"""The runner of console blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.docs.console import Terminal, commands, matches

if TYPE_CHECKING:
    from pathlib import Path

PAGE = """# Tour

```console
$ echo one
one
$ printf 'a\\nb\\n' |
>   cat
a
b
```

```console unchecked
$ rm -rf somewhere
```

```console
$ true
```
"""


def test_commands_are_read_with_what_they_print() -> None:
    first, second, third = commands(PAGE)
    assert (first.line, first.command, first.output) == (4, "echo one", "one\n")
    assert (second.line, second.command, second.output) == (6, "printf 'a\\nb\\n' |\n  cat", "a\nb\n")
    assert (third.line, third.command, third.output) == (17, "true", "")


@pytest.mark.parametrize(
    ("expected", "actual", "fits"),
    [
        ("a\n", "a\n", True),
        ("a\n", "a\nb\n", False),
        ("took ... ms\n", "took 12 ms\n", True),
        ("took ... ms\n", "took 12 s\n", False),
        ("a\n...\nz\n", "a\nb\nc\nz\n", True),
        ("a\n...\nz\n", "a\nz\n", True),
        ("a.c\n", "abc\n", False),
        ("", "", True),
        ("", "noise\n", False),
    ],
)
def test_ellipses_stand_for_any_text(expected: str, actual: str, fits: bool) -> None:
    assert matches(expected, actual) is fits


def test_a_terminal_remembers_where_it_is(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, {"PATH": "/usr/bin:/bin", "NAME": "x"})
    assert terminal.run('mkdir "$NAME" && cd "$NAME"') == ""
    assert terminal.folder == tmp_path / "x"
    assert terminal.run("pwd; echo wrong >&2; false") == f"{tmp_path}/x\nwrong\n"
