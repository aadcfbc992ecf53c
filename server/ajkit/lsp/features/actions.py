"""Code actions: the ways out of problems, and changes of what a template inherits."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ajkit.lsp import convert
from ajkit.lsp.acting.lift import lifts
from ajkit.lsp.acting.override import overrides
from ajkit.lsp.acting.silence import silenced
from ajkit.lsp.edits import can, workspace_edit
from ajkit.shared.problem import Fix

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ajkit.lsp.capabilities import Client
    from ajkit.lsp.session import Session
    from ajkit.lsp.view import View
    from ajkit.shared.problem import Problem

QUICKFIX, REWRITE, MOVE = "quickfix", "refactor.rewrite", "refactor.move"
LIMIT = 60
"""How many actions one answer holds."""
_INVOKED = 1


@dataclass(slots=True)
class _Action:
    """One action: a fix, its kind, the problems it solves, and why it cannot be had here, where that is so."""

    fix: Fix
    kind: str
    problems: list[Problem] = field(default_factory=list)
    refused: str | None = None


def code_actions(session: Session, client: Client, params: dict[str, Any]) -> list[dict[str, Any]] | None:
    """`textDocument/codeAction`: ways out of problems, overriding what is inherited, moving a key to a base."""
    view = session.view(params["textDocument"]["uri"])
    if view is None:
        return None
    if not client.has("textDocument", "codeAction", "codeActionLiteralSupport"):
        return []
    context = params.get("context") or {}
    first, last = params["range"]["start"], params["range"]["end"]
    start = convert.offset(view.text, first["line"], first["character"], session.encoding)
    end = convert.offset(view.text, last["line"], last["character"], session.encoding)
    only = context.get("only")
    found = _actions(session, view, start, end, exact=context.get("triggerKind") == _INVOKED or bool(only))
    sent = []
    for each in found:
        if _wanted(each.kind, only) and (made := _sent(session, client, each, context.get("diagnostics") or [])):
            sent.append(made)
        if len(sent) == LIMIT:
            break
    return sent


def _wanted(kind: str, only: Any) -> bool:
    return not only or any(kind == each or kind.startswith(f"{each}.") for each in only)


def _actions(session: Session, view: View, start: int, end: int, *, exact: bool) -> Iterator[_Action]:
    problems = _problems(session, view, start, end)
    yield from _fixes(problems)
    for problem in problems:
        edit = silenced(view.file, problem)
        if edit is not None:
            yield _Action(Fix(f"Ignore {problem.code} here", (edit,)), QUICKFIX, [problem])
    for override in overrides(view, start):
        yield _Action(Fix(override.title, (override.edit,)), REWRITE)
    for lift in lifts(session, view, start, exact=exact):
        yield _Action(Fix(lift.title, lift.edits), MOVE, refused=lift.refused)


def _problems(session: Session, view: View, start: int, end: int) -> list[Problem]:
    """The problems in a range of a file, those that other open templates show in it too."""
    found: dict[Problem, None] = {}
    for other in session.views():
        if other is view or any(part.file.path == view.path for part in other.resolved.everything):
            for each in other.problems:
                span = each.span
                if span is not None and span.path == view.path and span.start <= end and span.end >= start:
                    found[each] = None
    return list(found)


def _fixes(problems: list[Problem]) -> Iterator[_Action]:
    """The fixes of problems, preferred ones first; one that solves several problems is one action."""
    found: dict[tuple[Any, ...], _Action] = {}
    for problem in problems:
        for fix in problem.fixes:
            key = (fix.title, fix.edits, fix.creates)
            found.setdefault(key, _Action(fix, QUICKFIX)).problems.append(problem)
    yield from sorted(found.values(), key=lambda each: not each.fix.preferred)


def _sent(session: Session, client: Client, action: _Action, reported: list[Any]) -> dict[str, Any] | None:
    """An action as the client takes it; None for one that it could not even show as disabled."""
    fix, refused = action.fix, action.refused
    if fix.creates and not can(client, "create"):
        refused = "this editor cannot create files in an edit"
    made: dict[str, Any] = {"title": fix.title, "kind": action.kind}
    diagnostics = [each for each in reported if _is_about(each, action.problems, session.encoding)]
    if diagnostics:
        made["diagnostics"] = diagnostics
    if refused is not None:
        if not client.has("textDocument", "codeAction", "disabledSupport"):
            return None
        return made | {"disabled": {"reason": refused}}
    if fix.preferred and client.has("textDocument", "codeAction", "isPreferredSupport"):
        made["isPreferred"] = True
    return made | {"edit": workspace_edit(session, client, fix.edits, creates=fix.creates)}


def _is_about(reported: Any, problems: list[Problem], encoding: str) -> bool:
    """Whether a diagnostic that the client has is one of these problems."""
    return isinstance(reported, dict) and any(
        each.code == reported.get("code")
        and each.span
        and convert.lsp_range(each.span, encoding) == reported.get("range")
        for each in problems
    )
