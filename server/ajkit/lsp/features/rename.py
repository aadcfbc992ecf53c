"""Rename: a base with its file and every name that leads to it, a task, a storage; files that the editor moves."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any

from ajkit.lsp import convert
from ajkit.lsp.edits import workspace_edit
from ajkit.lsp.failure import INVALID_PARAMS, RequestFailed
from ajkit.lsp.moving import names_after
from ajkit.lsp.reading import dependents_of, template_of
from ajkit.lsp.spans import renamed, unquoted
from ajkit.shared.template.names import SUFFIX, base_path, name_fault
from ajkit.shared.template.query import base_at, spot_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ajkit.lsp.capabilities import Client
    from ajkit.lsp.session import Session
    from ajkit.lsp.view import View
    from ajkit.shared.template.source import BaseRef, TemplateFile
    from ajkit.shared.where import KeyPath, Span

FREE_NAMES: tuple[KeyPath, ...] = (("_extra", "volcano", "tasks"), ("storage",))
"""Mappings of the config whose keys are names that people choose."""


def prepare(session: Session, _client: Client, params: dict[str, Any]) -> dict[str, Any] | None:
    """`textDocument/prepareRename`: the name under the cursor; null for what is no name."""
    found = session.at(params)
    if found is None:
        return None
    view, offset = found
    ref = base_at(view.file, offset)
    if ref is not None:
        path = base_path(ref.name, posixpath.dirname(view.file.real), view.home)
        if path is None or session.files.kind(path) != "file":
            return None
        return {"range": unquoted(ref.span), "placeholder": ref.name}
    key = _free_name(view, offset)
    return {"range": unquoted(key[1]), "placeholder": key[0][-1]} if key else None


def rename(session: Session, client: Client, params: dict[str, Any]) -> dict[str, Any] | None:
    """`textDocument/rename`: a base with its file and every name that leads to it; a task; a storage."""
    found = session.at(params)
    new = params["newName"]
    if found is None:
        return None
    view, offset = found
    ref = base_at(view.file, offset)
    if ref is not None:
        return _rename_base(session, client, view, ref, new)
    key = _free_name(view, offset)
    if key is None:
        raise RequestFailed("there is no name here: base names, tasks and storages can be renamed")
    if not new or any(character in new for character in "\n\r:#{}[],&*!|>'\"%@`"):
        raise RequestFailed(f"`{new}` cannot be a name here", INVALID_PARAMS)
    path = key[0]
    files = _concerned(session, view, path)
    if new != path[-1] and any(file.written((*path[:-1], new)) for file in files):
        raise RequestFailed(f"there is a `{new}` already beside it", INVALID_PARAMS)
    keys = ((file, written[1]) for file in files if (written := file.written(path)) is not None)
    edits = [renamed(file.document.span(key), new) for file, key in keys if key is not None]
    return workspace_edit(session, client, edits)


def _rename_base(session: Session, client: Client, view: View, ref: BaseRef, new: str) -> dict[str, Any]:
    if fault := name_fault(new):
        raise RequestFailed(f"`{new}`: {fault}", INVALID_PARAMS)
    folder = posixpath.dirname(view.file.real)
    old_path = base_path(ref.name, folder, view.home)
    if old_path is None or session.files.kind(old_path) != "file":
        raise RequestFailed(f"`{ref.name}` leads to no file, so there is nothing to rename")
    real = session.files.real(old_path)
    new_path = base_path(new, posixpath.dirname(real) if "." not in new else folder, view.home)
    if new_path is None:
        raise RequestFailed(f"`{new}` is a dotted name, and there is no AJ_HOME")
    old, there = (session.engine.shown(each, view.home) for each in (old_path, new_path))
    if session.files.kind(new_path) != "missing":
        raise RequestFailed(f"there is a file {there} already")
    moved = names_after(session, view.home, {real: new_path})
    if moved.lost:
        file, name = moved.lost[0]
        raise RequestFailed(f"{file} could not name the file any more: `{name}` has no spelling for {there}")
    return workspace_edit(session, client, moved.edits, [(old, there)])


def _free_name(view: View, offset: int) -> tuple[KeyPath, Span] | None:
    """The path and place of a key that is a name of the person's own."""
    spot = spot_at(view.file, offset)
    if spot is None or not spot.on_key or spot.entry is None or not spot.in_config:
        return None
    if spot.config_path[:-1] not in FREE_NAMES:
        return None
    return spot.config_path, view.file.document.span(spot.entry)


def _concerned(session: Session, view: View, path: KeyPath) -> list[TemplateFile]:
    """This file, its bases, and everything that extends one of those that write a key."""
    files = {each.file.real: each.file for each in view.resolved.everything}
    graph = view.graph
    if graph is not None:
        writers = [each for each in files.values() if each.written(path)]
        shown = dict.fromkeys(graph.paths[real] for each in writers for real in graph.all_dependents(each.real))
        for each in dict.fromkeys([*shown, *dependents_of(view)]):
            file = template_of(session, each)
            if file is not None:
                files.setdefault(file.real, file)
    return list(files.values())


def will_rename_files(session: Session, client: Client, params: dict[str, Any]) -> dict[str, Any] | None:
    """`workspace/willRenameFiles`: files or folders are about to move; base names follow, in both directions."""
    by_home: dict[str | None, dict[str, str]] = {}
    for each in params["files"]:
        old, new = convert.path_of(each["oldUri"]), convert.path_of(each["newUri"])
        if old is None or new is None:
            continue
        for source, target in _files(session, old, new):
            folder, name = posixpath.split(target)
            moves = by_home.setdefault(session.engine.home_of(source), {})
            moves[session.files.real(source)] = posixpath.join(session.files.real(folder), name)
    edits = [edit for home, moves in by_home.items() for edit in names_after(session, home, moves).edits]
    return workspace_edit(session, client, edits) if edits else None


def _files(session: Session, old: str, new: str) -> Iterator[tuple[str, str]]:
    if session.files.kind(old) != "directory":
        yield old, new
        return
    for path, _ in session.files.walk(old):
        if path.endswith(SUFFIX):
            yield path, new + path[len(old) :]
