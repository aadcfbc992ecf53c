"""Reads the executable examples of a docs page.

An example is a run of fenced blocks under one heading (or since the last outcome):

    ```yaml file=leaf.yaml        a file; further words are options of the example (`home=none`, `run`, `nodes=2`)
    ```yaml result                the merged config of the last file
    ```text problems              one line for each problem: `file:line code`

Every other block is prose.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_FENCE = re.compile(r"^(?P<heading>#+ [^\n]+)$|^```(?P<info>[^\n`]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass
class Example:
    """The files of one example, in order, its options, and what is expected of it (None where the page is silent)."""

    heading: str
    line: int
    files: dict[str, str] = field(default_factory=dict)
    options: dict[str, str] = field(default_factory=dict)
    result: str | None = None
    problems: list[str] | None = None


def examples(page: str) -> Iterator[Example]:
    """The examples of a page, in order; a heading or a file after an outcome begins a new one."""
    current: Example | None = None
    heading = ""
    for block in _FENCE.finditer(page):
        if block["heading"]:
            if current:
                yield current
            current, heading = None, block["heading"].lstrip("#").strip()
            continue
        kind, _, words = str(block["info"]).partition(" ")
        options = dict(word.partition("=")[::2] for word in words.split())
        if kind == "yaml" and "file" in options:
            if current and (current.result is not None or current.problems is not None):
                yield current
                current = None
            current = current or Example(heading, page.count("\n", 0, block.start()) + 1)
            current.files[options.pop("file")] = block["body"]
            current.options |= options
        elif kind == "yaml" and "result" in options:
            _expect(current, block["body"]).result = block["body"]
        elif kind == "text" and "problems" in options:
            _expect(current, block["body"]).problems = block["body"].split("\n")[:-1]
    if current:
        yield current


def _expect(current: Example | None, body: str) -> Example:
    if current is None:
        raise ValueError(f"an outcome without files before it:\n{body}")
    return current
