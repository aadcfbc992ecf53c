"""What base names must become when template files move: every name that leads to one, and their own names."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ajkit.lsp.reading import template_of
from ajkit.lsp.spans import renamed
from ajkit.shared.template.names import SUFFIX, base_path, dotted_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ajkit.lsp.session import Session
    from ajkit.shared.problem import Edit
    from ajkit.shared.template.source import BaseRef, TemplateFile


@dataclass(frozen=True, slots=True)
class Moved:
    """The edits that keep meanings, and the names for which there is no new spelling (file, name)."""

    edits: tuple[Edit, ...]
    lost: tuple[tuple[str, str], ...]


def names_after(session: Session, home: str | None, moves: Mapping[str, str]) -> Moved:
    """What changes in base names when files move.

    Args:
        session: the files as they are.
        home: the AJ_HOME of the files.
        moves: real path to new path (both of files).
    """
    edits: list[Edit] = []
    lost: list[tuple[str, str]] = []
    for file in _concerned(session, home, moves):
        here = posixpath.dirname(file.real)
        there = posixpath.dirname(moves.get(file.real, file.real))
        for ref in file.bases:
            path = base_path(ref.name, here, home)
            if path is None or session.files.kind(path) != "file":
                continue
            real = session.files.real(path)
            if real not in moves and here == there:
                continue
            name = _name(ref, moves.get(real, real), there, home, session)
            if name is None:
                lost.append((file.path, ref.name))
            elif name != ref.name:
                edits.append(renamed(ref.span, name))
    return Moved(tuple(edits), tuple(lost))


def _concerned(session: Session, home: str | None, moves: Mapping[str, str]) -> Iterable[TemplateFile]:
    """The files that move and those that name one of them, each once, as they are now."""
    reals = dict.fromkeys(moves)
    paths = {}
    if home is not None and session.engine.has_graph(home):
        graph = session.engine.graph(home)
        paths = graph.paths
        for real in moves:
            reals.update(graph.dependents.get(real, {}))
    for real in reals:
        file = template_of(session, paths.get(real, real))
        if file is not None:
            yield file


def _name(ref: BaseRef, target: str, folder: str, home: str | None, session: Session) -> str | None:
    """How a file in `folder` names `target`: as before where that is possible, plain beside it, else dotted."""
    stem = posixpath.basename(target).removesuffix(SUFFIX)
    if not target.endswith(SUFFIX) or not stem:
        return None
    plain = stem if posixpath.dirname(target) == folder and "." not in stem else None
    dotted = _dotted(target, home, session)
    return (dotted or plain) if "." in ref.name else (plain or dotted)


def _dotted(target: str, home: str | None, session: Session) -> str | None:
    if home is None:
        return None
    return dotted_name(target, home) or dotted_name(target, session.files.real(home))
