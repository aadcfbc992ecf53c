"""Problems as GitHub workflow commands, which annotate the lines of a change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ajkit.cli.invocation import shown_path
from ajkit.shared.problem import Severity

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ajkit.shared.problem import Problem

COMMANDS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFORMATION: "notice",
    Severity.HINT: "notice",
}
_DATA = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY = {**_DATA, ":": "%3A", ",": "%2C"}


def github_report(problems: Iterable[Problem], folder: str) -> str:
    """One command a line; lines and columns count from 1."""
    return "".join(f"{_command(each, folder)}\n" for each in problems)


def _command(problem: Problem, folder: str) -> str:
    properties = {"title": problem.code}
    if problem.span is not None:
        first, last = problem.span.first, problem.span.last
        properties = {
            "file": shown_path(problem.span.path, folder),
            "line": str(first.line + 1),
            "endLine": str(last.line + 1),
            "title": problem.code,
        }
        if first.line == last.line:
            # GitHub refuses columns on annotations of several lines.
            properties["col"] = str(first.column + 1)
            properties["endColumn"] = str(max(last.column, first.column + 1))
    written = ",".join(f"{key}={_escaped(value, _PROPERTY)}" for key, value in properties.items())
    return f"::{COMMANDS[problem.severity]} {written}::{_escaped(problem.message, _DATA)}"


def _escaped(text: str, escapes: dict[str, str]) -> str:
    return "".join(escapes.get(each, each) for each in text)
