"""What is under the cursor: the base name, key or value at an offset of one template file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ajkit.shared.records import dataclass
from ajkit.shared.template.tree import Mapping, Scalar, Sequence

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ajkit.shared.template.source import BaseRef, TemplateFile
    from ajkit.shared.template.tree import Entry, Node
    from ajkit.shared.where import KeyPath


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in a written tree.

    `path` leads to it from the root of the document (``("config", "jobs", 0, "sku")``); `on_key` says that the cursor
    is on the key rather than on the value. `entry` is the entry it stands under, None for list items and the root.
    """

    path: KeyPath
    node: Node
    entry: Entry | None
    on_key: bool

    @property
    def in_config(self) -> bool:
        """Whether it is part of the config."""
        return len(self.path) > 1 and self.path[0] == "config"

    @property
    def config_path(self) -> KeyPath:
        """Its key path in the config; empty for the key `config` itself."""
        return self.path[1:]


def spot_at(file: TemplateFile, offset: int) -> Spot | None:
    """The innermost key or scalar that covers an offset (its end counts, as a cursor behind a word does); else None."""
    root = file.document.root
    return _spot(root, None, (), offset) if root is not None else None


def _spot(node: Node, entry: Entry | None, path: KeyPath, offset: int) -> Spot | None:
    if isinstance(node, Mapping):
        for key, below in node.entries.items():
            if below.start <= offset <= below.end:
                return Spot((*path, key), below.node, below, on_key=True)
            inner = below.node
            # Merged-in entries (`<<`) stand elsewhere in the file: only what is written between the braces counts.
            if inner.start <= offset <= inner.end and below.start >= node.start and below.start <= offset:
                found = _spot(inner, below, (*path, key), offset)
                if found:
                    return found
        return None
    if isinstance(node, Sequence):
        for index, item in enumerate(node.items):
            if item.start <= offset <= item.end:
                found = _spot(item, None, (*path, index), offset)
                if found:
                    return found
        return None
    return Spot(path, node, entry, on_key=False) if node.start <= offset <= node.end else None


def base_at(file: TemplateFile, offset: int) -> BaseRef | None:
    """The base name at an offset."""
    return next((ref for ref in file.bases if ref.span.start <= offset <= ref.span.end), None)


def containers_at(file: TemplateFile, offset: int) -> list[tuple[KeyPath, Node]]:
    """Every container around an offset, outermost first, with its path from the root of the document."""
    found: list[tuple[KeyPath, Node]] = []
    node: Node | None = file.document.root
    path: KeyPath = ()
    while node is not None and not isinstance(node, Scalar) and node.start <= offset <= node.end:
        found.append((path, node))
        inner = next((each for each in children(node) if each[1].start <= offset <= each[1].end), None)
        if inner is None:
            break
        path, node = (*path, inner[0]), inner[1]
    return found


def children(node: Node) -> Iterator[tuple[str | int, Node]]:
    """The keys or indexes of a container and the nodes under them."""
    if isinstance(node, Mapping):
        yield from ((key, entry.node) for key, entry in node.entries.items())
    elif isinstance(node, Sequence):
        yield from enumerate(node.items)


def scalars(node: Node, path: KeyPath = ()) -> Iterator[tuple[KeyPath, Scalar]]:
    """Every scalar of a tree with its path."""
    if isinstance(node, Scalar):
        yield path, node
        return
    for step, below in children(node):
        yield from scalars(below, (*path, step))
