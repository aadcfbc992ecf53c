"""The same question in another setting: other line ends, encodings, paths, links, marks and loaders, one answer.

Every question that a test asks a drawn workspace is asked again in a variant of it; both answers must mean the same.
Which variant is chosen by the drawing, so that all of them are met in a run; with AJ_SOAK=1 each is tried.
"""

from __future__ import annotations

import contextlib
import os
import re
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from unittest import mock

from ajkit.lsp import convert
from ajkit.shared.files import FileProblem
from ajkit.shared.template import events
from ajkit.shared.where import Text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ajkit.lsp.session import Session

ROOT = "/w"
SOAK = os.environ.get("AJ_SOAK") == "1"


@dataclass(frozen=True)
class Variant:
    """One setting.

    Attributes:
        name: what a failure is called by.
        encoding: of positions; None for that of the client.
        root: where the workspace is.
        real: where it really is, when `root` is a link.
        newline: the line end of every file.
        ahead: what stands before the text of every file.
        mark: what stands before it on disk alone: editors take it off.
        pure: whether PyYAML's pure parser reads.
    """

    name: str
    encoding: str | None = None
    root: str = ROOT
    real: str | None = None
    newline: str = "\n"
    ahead: str = ""
    mark: str = ""
    pure: bool = False

    def text(self, content: str) -> str:
        """A file as it is here."""
        return (self.ahead + content).replace("\n", self.newline)

    def there(self, content: str, offset: int) -> int:
        """Where an offset of a drawn file is here."""
        return len(self.text(content[:offset]))

    def back(self, content: str, offset: int) -> int:
        """The offset in the drawn file of an offset here; what stands ahead counts as its beginning."""
        ahead = self.ahead.replace("\n", self.newline)
        body = content.replace("\n", self.newline)[: max(0, offset - len(ahead))]
        return len(body.replace(self.newline, "\n"))

    @contextlib.contextmanager
    def loader(self) -> Iterator[None]:
        """Read as this variant does."""
        with mock.patch.object(events, "CParser", None) if self.pure else contextlib.nullcontext():
            yield


ASTRAL = "# 🚀 ends \u2028# no \u0085# line\n"
SAID = "🚀 ends no line"
"""What is said of a base that begins with this comment."""
VARIANTS = (
    Variant("crlf", newline="\r\n"),
    Variant("cr", newline="\r"),
    Variant("utf-8 behind astral characters", encoding=convert.UTF8, ahead=ASTRAL),
    Variant("utf-16 behind astral characters", encoding=convert.UTF16, ahead=ASTRAL),
    Variant("utf-32 behind astral characters", encoding=convert.UTF32, ahead=ASTRAL),
    Variant("a byte order mark", mark="\ufeff"),
    Variant("an odd path", root="/a b/c#d?e%41/ü🚀/w"),
    Variant("by a link", real="/really/elsewhere"),
    Variant("the pure loader", pure=True),
)


def chosen(fixture: str) -> tuple[Variant, ...]:
    """The variants to try with a drawing. One that says its own line ends, marks or places is left alone."""
    if any(each in fixture for each in ("\r", "\ufeff", "\u2028", "/w/", "untitled:")):
        return ()
    return VARIANTS if SOAK else (VARIANTS[zlib.crc32(fixture.encode()) % len(VARIANTS)],)


# -- questions -------------------------------------------------------------------------------------------------------


def translated(value: Any, drawn: Session, here: Session, variant: Variant, uri: str) -> Any:
    """Parameters for the drawn workspace as they are in a variant of it; positions are in the document `uri`."""
    if isinstance(value, dict):
        if value.keys() == {"line", "character"}:
            return _moved(value, drawn, here, variant, uri)
        document = value.get("textDocument")
        named = document.get("uri") if isinstance(document, dict) else value.get("uri")
        uri = named if isinstance(named, str) else uri
        return {key: translated(each, drawn, here, variant, uri) for key, each in value.items()}
    if isinstance(value, list):
        return [translated(each, drawn, here, variant, uri) for each in value]
    if isinstance(value, str):
        return moved_uri(value, variant)
    return value


def moved_uri(value: str, variant: Variant) -> str:
    """A URI of the drawn workspace as it is in a variant."""
    begin = convert.uri_of(ROOT)
    return convert.uri_of(variant.root) + value.removeprefix(begin) if value.startswith(begin) else value


def _moved(position: dict[str, int], drawn: Session, here: Session, variant: Variant, uri: str) -> dict[str, int]:
    known, other = text_of(drawn, uri), text_of(here, moved_uri(uri, variant))
    if known is None or other is None:
        return position
    if not 0 <= position["line"] < len(known.starts):
        return position | {"line": position["line"] + variant.ahead.count("\n")}
    at = convert.offset(known, position["line"], position["character"], drawn.encoding)
    return convert.position(other, variant.there(known.content, at) if is_drawn(uri) else at, here.encoding)


def is_drawn(path: str) -> bool:
    """Whether a file is another one in a variant; settings and scripts are not."""
    return path.endswith((".yaml", ".yml"))


def text_of(session: Session, uri: str) -> Text | None:
    """The text of a document, open or not."""
    path = convert.path_of(uri)
    if uri in session.buffers:
        return session.buffers[uri].text
    if path is None:
        return None
    try:
        return Text(path, session.files.read(path, 1 << 24).decode("utf-8-sig"))
    except FileProblem:
        return None


# -- answers ---------------------------------------------------------------------------------------------------------


class Meaning:
    """What an answer means, in places of the drawn workspace: answers of all variants are equal in this form."""

    def __init__(self, drawn: Session, here: Session, variant: Variant) -> None:
        self.drawn = drawn
        self.here = here
        self.variant = variant

    def of(self, value: Any, uri: str) -> Any:
        """An answer about the document `uri` (of the drawn workspace)."""
        if isinstance(value, dict):
            return self._mapping(value, uri)
        if isinstance(value, list | tuple):
            return [self.of(each, uri) for each in value]
        return self._words(value) if isinstance(value, str) else value

    def _mapping(self, value: dict[str, Any], uri: str) -> Any:
        if value.keys() == {"line", "character"}:
            return self._place(value, uri)
        if value.keys() == {"data"} and all(isinstance(each, int) for each in value["data"]):
            return self._tokens(value["data"], uri)
        document = value.get("textDocument")
        named = document.get("uri") if isinstance(document, dict) else value.get("uri")
        inside = self._home(named) if isinstance(named, str) else uri
        target = self._home(value["targetUri"]) if isinstance(value.get("targetUri"), str) else inside
        found = {}
        for key, each in value.items():
            if key in ("startLine", "endLine"):
                found[key] = max(0, each - self.variant.ahead.count("\n"))
                continue
            if key == "documentation" and _said(each).strip() == SAID:
                continue
            if key in ("resultId", "sha256", "spec_sha256", "path"):
                continue
            about = target if key.startswith("target") else inside
            if key.startswith("file:"):
                about = self._home(key)
            found[self._words(key)] = self.of(each, about)
        return found

    def _home(self, uri: str) -> str:
        begin = convert.uri_of(self.variant.root)
        return convert.uri_of(ROOT) + uri.removeprefix(begin) if uri.startswith(begin) else uri

    def _place(self, position: dict[str, int], uri: str) -> Any:
        known, other = text_of(self.drawn, uri), text_of(self.here, moved_uri(uri, self.variant))
        if known is None or other is None:
            return position
        at = convert.offset(other, position["line"], position["character"], self.here.encoding)
        return tuple(known.position(self.variant.back(known.content, at) if is_drawn(uri) else at))

    def _tokens(self, data: list[int], uri: str) -> Any:
        found, line, column = [], 0, 0
        for step in range(0, len(data), 5):
            down, right, length, kind, modifiers = data[step : step + 5]
            line, column = line + down, right if down else column + right
            start, end = ({"line": line, "character": each} for each in (column, column + length))
            found.append((self._place(start, uri), self._place(end, uri), kind, modifiers))
        return found

    def _words(self, text: str) -> str:
        variant = self.variant
        begin = convert.uri_of(variant.root)
        text = text.replace(begin, convert.uri_of(ROOT)).replace(begin.removeprefix("file://"), ROOT)
        text = text.replace(variant.root, ROOT).replace("\r\n", "\n")
        text = re.sub(r"\b[0-9a-f]{64}\b", "…", text).replace(f"{SAID} ", "")
        if variant.real is not None and not text.startswith("file:"):
            text = re.sub(rf" → {variant.real}\S*", "", text)  # which hovers say besides
            text = text.replace(variant.real, ROOT)  # words may say where a file really is, links lead to where it is
        if variant.newline == "\r":
            text = text.replace("\r", "\n")
        if variant.ahead.endswith("\n"):
            text = re.sub(r"(?<=yaml:)\d+|(?<=#L)\d+", lambda found: str(max(1, int(found.group()) - 1)), text)
        return text


def _said(documentation: Any) -> str:
    return str(documentation["value"] if isinstance(documentation, dict) else documentation)


def difference(one: Any, other: Any, at: str = "") -> str:
    """The first place where two values differ, with both; the empty text where they are equal."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        pairs = [(f"{at}.{key}", one[key], other[key]) for key in one]
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = [(f"{at}[{index}]", *each) for index, each in enumerate(zip(one, other, strict=True))]
    else:
        return "" if one == other else f"{at}: {one!r} is {other!r} here"
    return next((found for place, first, second in pairs if (found := difference(first, second, place))), "")
