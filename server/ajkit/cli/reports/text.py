"""Problems for people: `path:line:col: severity code: message`, the line with a caret, where else, a way out."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from click import style

from ajkit.cli.invocation import shown_path
from ajkit.cli.reports.masked import masked
from ajkit.cli.terminal import one_line, terminal_columns, visible, width, write
from ajkit.shared.problem import Severity
from ajkit.shared.template.secrets import MASK, spans

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ajkit.shared.problem import Problem
    from ajkit.shared.where import Span

COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFORMATION: "blue", Severity.HINT: "cyan"}
COMMAND_LINE = "command line"
ROOM, LEAST_ROOM = 120, 20
"""How much of a source line is shown, in characters: at most, and on the narrowest terminal."""


def report(problems: Iterable[Problem], folder: str, *, colour: bool | None = None) -> None:
    """Write problems to standard error; `colour` as for `write`."""
    columns = terminal_columns(sys.stderr)
    write("".join(rendered(each, folder, columns) for each in problems), err=True, colour=colour)


def rendered(problem: Problem, folder: str, columns: int | None = None) -> str:
    """One problem as lines of text, with styles, secrets masked.

    `columns` are those of the terminal that shows it: a source line that wrapped would part from its carets.
    """
    problem = masked(problem)
    word = style(problem.severity.value, fg=COLOURS[problem.severity], bold=True)
    said = f"{word} {style(problem.code, bold=True)}: {_beside(problem.message)}\n"
    if problem.span is None:
        return said
    lines = [f"{style(place(problem.span, folder), bold=True)}: {said}"]
    lines += _excerpt(problem.span, COLOURS[problem.severity], columns)
    for each in problem.related:
        if each.span != problem.span:
            lines.append(f"  {place(each.span, folder)}: {_beside(each.message)}\n")
    lines += [f"  {style('fix', fg='green')}: {_beside(each.title)}\n" for each in problem.fixes]
    return "".join(lines)


def _beside(message: str) -> str:
    """A message for a report: what it quotes may have several lines, and none of them may pass for another problem."""
    return visible(message).replace("\n", "\n    ")


def place(span: Span, folder: str) -> str:
    """Where a span begins: ``path:line:col``, one-based, columns in code points; an option has no line."""
    if not span.path.startswith("/"):
        return span.path
    first = span.first
    return f"{one_line(shown_path(span.path, folder))}:{first.line + 1}:{first.column + 1}"


def _excerpt(span: Span, colour: str, columns: int | None) -> list[str]:
    """The line a span begins in, secrets masked, and carets under what it covers of it."""
    first, last = span.first, span.last
    whole = span.text.line(first.line)
    if not whole.strip():
        return []
    until = last.column if last.line == first.line else len(whole.rstrip())
    line, start, end = _masked(whole, min(first.column, len(whole)), min(until, len(whole)))
    end = max(start, end)
    number = "" if span.path == COMMAND_LINE else str(first.line + 1)
    room = min(ROOM, max(LEAST_ROOM, columns - len(f"  {number} | ……"))) if columns else ROOM
    cut = max(0, start - room // 2) if len(line) > room else 0
    stop = cut + room
    end = min(end, stop)
    shown = [one_line(each) for each in (line[cut:start], line[start:end], line[end:stop])]
    lead = "…" if cut else ""
    tail = "…" if len(line) > stop else ""
    margin = " " * width(number)
    carets = "^" * max(1, width(shown[1]))
    bar = style("|", fg="blue")
    return [
        f"  {style(number, fg='blue')} {bar} {lead}{''.join(shown)}{tail}\n",
        f"  {margin} {bar} {' ' * width(lead + shown[0])}{style(carets, fg=colour, bold=True)}\n",
    ]


def _masked(line: str, start: int, end: int) -> tuple[str, int, int]:
    """A line with its secrets masked, and where a stretch of it is then."""
    for first, last in reversed(spans(line)):
        line = f"{line[:first]}{MASK}{line[last:]}"
        shorter = last - first - len(MASK)
        start = start - shorter if start >= last else min(start, first)
        end = end - shorter if end >= last else min(end, first + len(MASK))
    return line, start, end


def summary(problems: Sequence[Problem], checked: int) -> str:
    """How many problems of which kind there are, in words."""
    files = f"{checked} file{'' if checked == 1 else 's'}"
    if not problems:
        return f"no problems in {files}"
    counts = []
    for severity in Severity:
        count = sum(each.severity is severity for each in problems)
        if count:
            plain = {Severity.INFORMATION: "note"}.get(severity, severity.value)
            counts.append(f"{count} {plain}{'' if count == 1 else 's'}")
    return f"{', '.join(counts)} in {files}"
