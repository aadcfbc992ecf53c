"""Problems as a JUnit file: one test case per file, failed by errors (and by warnings where they count)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from ajkit.cli.invocation import shown_path
from ajkit.cli.reports.text import place

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ajkit.shared.problem import Problem

# XML 1.0 has no way at all to write these.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
UNPLACED = "aj"


def junit_report(
    problems: Sequence[Problem], checked: Iterable[str], folder: str, fails: Callable[[Problem], bool]
) -> str:
    """The report as one XML document; `checked` are the paths looked at, `fails` says which problems fail a file."""
    by_file: dict[str, list[Problem]] = {shown_path(path, folder): [] for path in checked}
    for each in problems:
        by_file.setdefault(shown_path(each.span.path, folder) if each.span else UNPLACED, []).append(each)
    failed = sum(any(map(fails, found)) for found in by_file.values())
    lines = ['<?xml version="1.0" encoding="UTF-8"?>']
    totals = f'tests="{len(by_file)}" failures="{failed}" errors="0"'
    lines.append(f"<testsuites {totals}>")
    lines.append(f'  <testsuite name="aj check" {totals}>')
    for path, found in by_file.items():
        case = f'    <testcase classname="aj" name={_attribute(path)}'
        if not found:
            lines.append(f"{case}/>")
            continue
        lines.append(f"{case}>")
        blocking = [each for each in found if fails(each)]
        if blocking:
            lines.append(
                f"      <failure type={_attribute(blocking[0].code)} message={_attribute(blocking[0].message)}>"
                f"{_lines(blocking, folder)}</failure>"
            )
        if others := [each for each in found if not fails(each)]:
            lines.append(f"      <system-out>{_lines(others, folder)}</system-out>")
        lines.append("    </testcase>")
    lines += ["  </testsuite>", "</testsuites>", ""]
    return "\n".join(lines)


def _lines(problems: Iterable[Problem], folder: str) -> str:
    said = (
        f"{f'{place(each.span, folder)}: ' if each.span else ''}{each.severity.value} {each.code}: {each.message}"
        for each in problems
    )
    return escape(_clean("\n".join(said)))


def _attribute(text: str) -> str:
    return quoteattr(_clean(text))


def _clean(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)
