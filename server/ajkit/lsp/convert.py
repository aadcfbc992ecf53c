"""The only place that counts as the client counts: positions in its encoding, and URIs."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote, urlsplit

from ajkit.shared.where import Span

if TYPE_CHECKING:
    from ajkit.shared.where import Text

UTF8, UTF16, UTF32 = "utf-8", "utf-16", "utf-32"
ENCODINGS = (UTF8, UTF32, UTF16)
"""What is offered to the client, the cheapest first that it may know; UTF-16 is what every client must know."""

PREVIEW_SCHEME = "aj-preview"
"""The scheme of documents that the server writes."""

_DRIVE = re.compile(r"^/?(?P<letter>[A-Za-z])(?::|%3[aA])(?=/|$)")
_SAFE = "/-._~!$'()*+,;=@"


def units(text: str, encoding: str) -> int:
    """How many code units a text has in an encoding."""
    if encoding == UTF32 or text.isascii():
        return len(text)
    if encoding == UTF8:
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text) + sum(character > "\uffff" for character in text)


def position(text: Text, offset: int, encoding: str) -> dict[str, int]:
    """An offset as an LSP position."""
    line, column = text.position(offset)
    if encoding != UTF32:
        start = text.starts[line]
        column = units(text.content[start : start + column], encoding)
    return {"line": line, "character": column}


def offset(text: Text, line: int, character: int, encoding: str) -> int:
    """An LSP position as an offset; past the end of a line is its end, past the last line the end of the text.

    A position inside a character is the beginning of it.
    """
    if line < 0:
        return 0
    if line >= len(text.starts):
        return len(text.content)
    content = text.line(line)
    start = text.starts[line]
    if encoding == UTF32 or content.isascii():
        return start + min(max(0, character), len(content))
    used = 0
    for index, each in enumerate(content):
        used += units(each, encoding)
        if used > character:
            return start + index
    return start + len(content)


def lsp_range(span: Span, encoding: str) -> dict[str, dict[str, int]]:
    """A span as an LSP range."""
    return {
        "start": position(span.text, span.start, encoding),
        "end": position(span.text, span.end, encoding),
    }


_PLAIN = frozenset({str, int, float, bool, type(None)})
_LISTS = (list, tuple)


@dataclass(frozen=True, slots=True)
class Ready:
    """An answer, or a part of one, that is ready to send: large ones need not be walked through for spans."""

    value: Any


def wire(value: Any, encoding: str) -> Any:
    """An answer ready to send: every Span in it becomes a range, tuples become lists."""
    if type(value) in _PLAIN:  # most of an answer is
        return value
    if isinstance(value, Span):
        return lsp_range(value, encoding)
    if isinstance(value, dict):
        return {key: wire(each, encoding) for key, each in value.items()}
    if isinstance(value, _LISTS):
        return [wire(each, encoding) for each in value]
    return value.value if isinstance(value, Ready) else value


def path_of(uri: str, *, windows: bool = False) -> str | None:
    """The path a URI means; None for schemes without files. `untitled:` buffers keep their URI as their path.

    On Windows a drive or a host (``file://wsl$/…``) becomes part of the path, written with ``/``.
    """
    parts = urlsplit(uri)
    if parts.scheme == "untitled":
        return uri
    if parts.scheme != "file":
        return None
    # Fragment and query signs that a client left unescaped belong to the path.
    rest = parts.path + (f"?{parts.query}" if parts.query else "") + (f"#{parts.fragment}" if parts.fragment else "")
    path = unquote(rest)
    host = unquote(parts.netloc)
    if windows:
        if host and host != "localhost":
            return f"//{host}{path}"
        if found := _DRIVE.match(path):
            return f"{found['letter'].lower()}:{path[found.end() :] or '/'}"
    return posixpath.normpath(path) if path else "/"


def uri_of(path: str, *, windows: bool = False) -> str:
    """The URI of a path, percent-encoded as editors do."""
    if path.startswith("untitled:"):
        return path
    if windows:
        path = path.replace("\\", "/")
        if path.startswith("//"):
            host, _, rest = path[2:].partition("/")
            return f"file://{quote(host, safe='')}/{quote(rest, safe=_SAFE)}"
        if found := _DRIVE.match(path):
            return f"file:///{found['letter'].lower()}%3A{quote(path[found.end() :], safe=_SAFE)}"
    return f"file://{quote(path, safe=_SAFE)}"


def preview_uri(authority: str, path: str) -> str:
    """The URI of a preview of a path: ``aj-preview://merged/w/leaf.yaml``."""
    below = uri_of(path).removeprefix("file://")
    if path.startswith("untitled:"):
        below = f"/{quote(path, safe=_SAFE)}"
    return f"{PREVIEW_SCHEME}://{authority}{below}"


def preview_of(uri: str) -> tuple[str, str] | None:
    """The authority and path of a preview's URI; None for every other URI."""
    scheme, _, rest = uri.partition("://")
    authority, slash, below = rest.partition("/")
    if scheme != PREVIEW_SCHEME or not slash:
        return None
    path = path_of(f"file:///{below}") or "/"
    return authority, path[1:] if path.startswith("/untitled:") else path
