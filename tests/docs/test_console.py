"""The runner of console blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.docs.console import Saved, Terminal, Typed, matches, steps

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

```yaml file=a/b.yaml
key: 1
```

```console
$ true
```
"""


def test_a_page_is_read_as_what_its_reader_does() -> None:
    assert list(steps(PAGE)) == [
        Typed(4, "echo one", "one\n"),
        Typed(6, "printf 'a\\nb\\n' |\n  cat", "a\nb\n"),
        Saved("a/b.yaml", "key: 1\n"),
        Typed(21, "true", ""),
    ]


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


def test_files_are_saved_where_one_is(tmp_path: Path) -> None:
    Terminal(tmp_path, {}).save("a/b.yaml", "key: 1\n")
    assert (tmp_path / "a/b.yaml").read_text() == "key: 1\n"
