"""Code actions asked for at a cursor, chosen by title, and applied to the files they change."""

from __future__ import annotations

import copy
from typing import Any

from ajkit.lsp import convert
from ajkit.lsp.diagnostics import diagnostic
from tests.lsp.fixture import Editor, editor, short

ACTIONS: dict[str, Any] = {
    "textDocument": {
        "codeAction": {
            "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix", "refactor"]}},
            "isPreferredSupport": True,
            "disabledSupport": True,
        }
    },
    "workspace": {"workspaceEdit": {"resourceOperations": ["create", "rename", "delete"], "documentChanges": True}},
}


def without(*path: str) -> dict[str, Any]:
    """The capabilities less one."""
    found = copy.deepcopy(ACTIONS)
    here = found
    for step in path[:-1]:
        here = here[step]
    del here[path[-1]]
    return found


def reported(there: Editor) -> list[dict[str, Any]]:
    """The diagnostics of the open document as a client has them."""
    view = there.look.view(there.uri)
    assert view is not None
    own = [each for each in view.problems if each.span and each.span.path == view.path]
    made = [diagnostic(each, there.look.uri_of, "") for each in own]
    found: list[dict[str, Any]] = convert.wire(made, there.look.encoding)
    return found


def actions(there: Editor, where: dict[str, Any] | None = None, **context: Any) -> list[dict[str, Any]]:
    """The actions at the cursor, or in a range."""
    cursor = there.cursors[0] if there.cursors else {"line": 0, "character": 0}
    where = where or {"start": cursor, "end": cursor}
    context = {"diagnostics": reported(there), "triggerKind": 1} | context
    found: list[dict[str, Any]] = there.ask("textDocument/codeAction", range=where, context=context)
    return found


def titles(there: Editor, **context: Any) -> list[str]:
    return [each["title"] for each in actions(there, **context)]


def action(there: Editor, title: str, **context: Any) -> dict[str, Any]:
    found = [each for each in actions(there, **context) if each["title"].startswith(title)]
    assert len(found) == 1, titles(there)
    return found[0]


def apply(there: Editor, chosen: dict[str, Any]) -> dict[str, str]:
    """What the files that an action changes hold after it, by path; open ones are changed."""
    after: dict[str, str] = {}
    for change in chosen["edit"]["documentChanges"]:
        if change.get("kind") == "create":
            after[short(change["uri"])] = ""
            continue
        uri = change["textDocument"]["uri"]
        path = convert.path_of(uri)
        assert path is not None
        buffer = there.session.buffers.get(uri)
        assert change["textDocument"]["version"] == (buffer.version if buffer else None)
        known = after.get(short(uri))
        text = known if known is not None else there.session.files.read(path, 1 << 20).decode()
        made = there.session.open("file:///edited", text, 1, "yaml")
        assert made is not None
        edits = sorted(change["edits"], key=lambda each: _key(each["range"]["start"]), reverse=True)
        for each in edits:
            there.session.change("file:///edited", [{"range": each["range"], "text": each["newText"]}], 1)
        after[short(uri)] = there.text("file:///edited")
        there.session.close("file:///edited")
        if buffer:
            there.type(after[short(uri)], uri=uri)
    return after


def _key(position: dict[str, int]) -> tuple[int, int]:
    return position["line"], position["character"]


LEAF = ".aj/template/leaf.yaml"


def chosen(fixture: str, title: str) -> str:
    """The open document after an action."""
    there = editor(fixture, ACTIONS)
    return apply(there, action(there, title))[short(there.uri)]


FAMILY = """
--- .aj/template/leaf.yaml
base: [low, side]
config:
  target:
    name: mine
    service: local
  environment:  # what it runs in
    im§age: x  # of us
    setup: [leaf]
--- .aj/template/low.yaml
base: root
config:
    target:
        queue: big
--- .aj/template/side.yaml
config: {target: {name: sides}}
--- .aj/template/root.yaml
config: {environment: {image: roots}}
--- .aj/template/other.yaml
base: low
config: {}
--- .aj/template/own.yaml
base: low
config: {environment: {image: own}}
--- .aj/parts/part.yaml
base: template.low
config: {}
"""
"""Relatives to move keys between."""
