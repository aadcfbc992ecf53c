"""The edits that move a section from the top of a file to where sections stand: under `config`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ajkit.shared.problem import Edit
from ajkit.shared.template.branches import Branch, lines_of
from ajkit.shared.template.insertion import insertion
from ajkit.shared.template.layout import block_column, style_of
from ajkit.shared.template.removal import removal
from ajkit.shared.template.snippets import snippet_of
from ajkit.shared.template.tree import Mapping

if TYPE_CHECKING:
    from ajkit.shared.template.tree import Document, Entry


def under_config(document: Document, key: str, entry: Entry) -> tuple[Edit, ...]:
    """What moves `entry` from the top of the document below `config`; nothing where that cannot be written."""
    root, text = document.root, document.text
    if not isinstance(root, Mapping) or text.content.startswith("{", root.start):
        return ()
    snippet, gone = snippet_of(document, entry), removal(text, root, entry)
    if snippet is None or gone is None:
        return ()
    if "config" not in root.entries:
        indent = " " * (block_column(text, root) or 0)
        lines = lines_of(Branch({"config": Branch({key: snippet})}), style_of(text))
        return (Edit(gone.span, "".join(f"{indent if line else ''}{line}{text.newline}" for line in lines)),)
    there = insertion(document, ("config", key), snippet)
    if there is None or gone.span.start < there.span.end < gone.span.end:
        return ()
    return (there, gone)
