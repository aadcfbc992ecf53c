"""Other files than the open one, as they are now: open buffers before the disk, bases before both."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from ajkit.shared.files import FileProblem
from ajkit.shared.template.parse import SIZE_LIMIT, parse_bytes
from ajkit.shared.template.source import read_template

if TYPE_CHECKING:
    from ajkit.lsp.session import Session
    from ajkit.lsp.view import View
    from ajkit.shared.template.source import TemplateFile


def template_of(session: Session, path: str) -> TemplateFile | None:
    """A template file by its shown path, parsed; None when it cannot be read. Not remembered: leaves are many."""
    known = session.engine.known(path)
    if known is not None:
        return known
    try:
        data = session.files.read(path, SIZE_LIMIT)
    except FileProblem:
        return None
    return read_template(session.files.real(path), sha256(data).hexdigest(), parse_bytes(path, data))


def dependents_of(view: View) -> list[str]:
    """The shown paths of all files that extend this one, directly or further up, nearest first."""
    graph = view.graph
    if graph is None:
        return []
    return [graph.paths[real] for real in graph.all_dependents(view.file.real) if real in graph.paths]
