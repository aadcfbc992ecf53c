"""Open buffers: their text, their version, and the line that was edited last."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ajkit.disk import DiskFiles
from ajkit.lsp import convert
from ajkit.shared.files import FileProblem
from ajkit.shared.where import Text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ajkit.shared.files import Files


LARGE = 300_000
"""Characters from which a document is parsed beside the loop: some fifty milliseconds of work."""


@dataclass(frozen=True, slots=True)
class Buffer:
    """One version of an open document. `hint` is the zero-based line edited last, None before the first edit."""

    uri: str
    text: Text
    version: int | None
    language: str
    hint: int | None = None

    @property
    def is_large(self) -> bool:
        """Whether parsing takes so long that others should not have to wait for it."""
        return len(self.text.content) > LARGE

    @property
    def path(self) -> str:
        """The path of the document."""
        return self.text.path


def edited(buffer: Buffer, changes: Sequence[dict[str, Any]], version: int | None, encoding: str) -> Buffer:
    """The buffer after the content changes of one notification, applied in order."""
    text, hint = buffer.text, buffer.hint
    for change in changes:
        where = change.get("range")
        new = change["text"]
        if where is None:
            text, hint = Text(text.path, new), None
            continue
        start = convert.offset(text, where["start"]["line"], where["start"]["character"], encoding)
        end = convert.offset(text, where["end"]["line"], where["end"]["character"], encoding)
        start, end = min(start, end), max(start, end)
        text = Text(text.path, text.content[:start] + new + text.content[end:])
        hint = text.position(start + len(new)).line
    return Buffer(buffer.uri, text, version, buffer.language, hint)


class BufferedFiles:
    """`Files` in which open buffers stand in front of the disk.

    Where links lead is looked up once and remembered until `refresh`: on a slow disk every look at a file is felt at a
    keystroke.
    """

    def __init__(self, below: Files) -> None:
        self.below = below
        self.buffers: dict[str, Text] = {}
        self._real: dict[str, str] = {}

    def refresh(self) -> None:
        """Forget what was remembered about links: files appeared, changed or went away."""
        self._real = {}  # a new one: another thread may be about to write down what it saw before
        if isinstance(self.below, DiskFiles):
            self.below.refresh()

    def forgotten(self, paths: Iterable[str]) -> None:
        """Nobody remembers what stood in these files."""
        if isinstance(self.below, DiskFiles):
            self.below.forgotten(paths)

    def read(self, path: str, limit: int) -> bytes:
        """See `Files.read`."""
        text = self.buffers.get(path)
        if text is not None:
            return text.content.encode("utf-8", "surrogatepass")[: limit + 1]
        if path.startswith("untitled:"):
            raise FileProblem("missing", f"{path}: no such buffer")
        return self.below.read(path, limit)

    def kind(self, path: str) -> str:
        """See `Files.kind`."""
        return "file" if path in self.buffers else self.below.kind(path)

    def real(self, path: str) -> str:
        """See `Files.real`."""
        remembered = self._real
        known = remembered.get(path)
        if known is None:
            known = remembered[path] = path if path.startswith("untitled:") else self.below.real(path)
        return known

    def names(self, folder: str) -> list[str]:
        """See `Files.names`."""
        return self.below.names(folder)

    def walk(self, folder: str) -> list[tuple[str, str]]:
        """See `Files.walk`."""
        return self.below.walk(folder)
