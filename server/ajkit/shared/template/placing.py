"""From findings to problems: the place that a key path leads to, and the edits there that mend it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ajkit.shared.problem import Edit, Fix, problem
from ajkit.shared.template.scripts import SCRIPTS, doubles_dollars, single_dollars, texts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ajkit.shared.problem import Finding, Problem
    from ajkit.shared.template.resolve import Resolved
    from ajkit.shared.where import Json, Origin, Span


def placed(resolved: Resolved, finding: Finding) -> Iterator[Problem]:
    """The problem of a finding; and what is behind it, where an unquoted word became something else than text."""
    span = resolved.span(finding.path, on_key=finding.on_key)
    leaf = None if span.path == resolved.path else resolved.name
    winner = resolved.winner(finding.path)
    quote = _quote(winner) if winner and finding.wants_text else ()
    yield problem(
        finding.code,
        finding.message,
        span,
        fixes=quote or (_fixes(resolved, finding, span) if winner and winner.label == span.path else ()),
        severity=finding.severity,
        keypath=finding.path,
        leaf=leaf,
    )
    if winner and quote and (becomes := _spelled(winner.value)) != winner.written:
        yield problem(
            "yaml.implicit-type",
            f"an unquoted {winner.written} means {becomes} in YAML 1.1: put it in quotes to keep the text",
            span,
            fixes=quote,
            keypath=finding.path,
            leaf=leaf,
        )


def _fixes(resolved: Resolved, finding: Finding, span: Span) -> tuple[Fix, ...]:
    """What mends a finding on a value that is there."""
    if finding.code == "shell.amlt-escape":
        return _dollars(resolved, span)
    new = finding.suggest
    if new is None:
        return ()
    if finding.on_key:
        beside = resolved.winner((*finding.path[:-1], new))
        if beside is not None and beside.label == span.path:
            return ()  # the key that is meant stands there as well
    return (Fix(f"Replace with `{new}`", (Edit(span, new),), preferred=True),)


def _dollars(resolved: Resolved, span: Span) -> tuple[Fix, ...]:
    """Every ``$$NAME`` of the commands that one file writes with a single ``$``: the slip is reported once."""
    places = [path for script in SCRIPTS for path, text in texts(resolved.config, script) if doubles_dollars(text)]
    winners = [winner for path in places if (winner := resolved.winner(path)) and winner.label == span.path]
    edits = dict.fromkeys(Edit(each.span, single_dollars(each.span.written)) for each in winners if each.span)
    return (Fix("Write a single `$`", tuple(edits), preferred=True),) if edits else ()


def _quote(origin: Origin) -> tuple[Fix, ...]:
    """The fix that makes text of a value that has neither quotes nor a tag."""
    raw, span = origin.written, origin.span
    if not raw or isinstance(origin.value, str) or span is None or span.written != raw:
        return ()
    return (Fix("Quote value", (Edit(span, f'"{raw}"'),), preferred=True),)


def _spelled(value: Json) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
