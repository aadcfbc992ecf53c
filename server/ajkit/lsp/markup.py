"""Texts for people in the editor: Markdown with links, or plain text for clients that want it."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from ajkit.shared.where import Origin, Span


class Markup:
    """Collects lines; `uri_of` makes links, `is_unsaved` tells files that are open with changes."""

    def __init__(
        self, uri_of: Callable[[str], str], is_unsaved: Callable[[str], bool] | None = None, *, markdown: bool
    ) -> None:
        self._uri_of = uri_of
        self.is_unsaved = is_unsaved or (lambda _: False)
        self.markdown = markdown
        self._lines: list[str] = []
        self._in_list = False

    @property
    def has_lines(self) -> bool:
        """Whether there is anything to show."""
        return bool(self._lines)

    def title(self, text: str, aside: str | None = None) -> None:
        """A heading line, with a few quiet words behind it."""
        head = f"**{self.code(text)}**" if self.markdown else text
        self._lines.append(f"{head} — {self.aside(aside)}" if aside else head)

    def aside(self, text: str) -> str:
        """Quiet words inside a line."""
        return f"*{text}*" if self.markdown else text

    def item(self, text: str) -> None:
        """A line of a list; neighbours stand close together."""
        line = f"- {text}" if self.markdown else text
        if self._lines and self._in_list:
            self._lines[-1] += f"\n{line}"
        else:
            self._lines.append(line)
        self._in_list = True

    def file(self, path: str) -> str:
        """A path as a link to the file."""
        return f"[{escaped(path)}]({self._uri_of(path)})" if self.markdown else path

    def line(self, text: str) -> None:
        """A paragraph of its own."""
        self._in_list = False
        self._lines.append(text)

    def block(self, text: str, language: str = "yaml") -> None:
        """A block of code."""
        self._in_list = False
        fence = "```"
        while fence in text:
            fence += "`"
        self._lines.append(f"{fence}{language}\n{text.rstrip()}\n{fence}" if self.markdown else text.rstrip())

    def code(self, text: str) -> str:
        """A word of code inside a line; backticks in it are kept whole."""
        if not self.markdown:
            return text
        fence = "`"
        while fence in text:
            fence += "`"
        pad = " " if text.startswith("`") or text.endswith("`") else ""
        return f"{fence}{pad}{text}{pad}{fence}"

    def link(self, span: Span) -> str:
        """``leaf.yaml:4`` as a link to that line."""
        words = f"{posixpath.basename(span.path)}:{span.first.line + 1}"
        return f"[{words}]({self._uri_of(span.path)}#L{span.first.line + 1})" if self.markdown else words

    def place(self, origin: Origin) -> str:
        """Where an origin stands: a link, or the option of the command line."""
        if origin.span is None or origin.span.path != origin.label:
            return origin.label
        return self.link(origin.span)

    def contents(self) -> dict[str, Any]:
        """The LSP MarkupContent."""
        kind, between = ("markdown", "\n\n") if self.markdown else ("plaintext", "\n")
        return {"kind": kind, "value": between.join(self._lines)}


def escaped(text: str) -> str:
    """A text in which Markdown finds nothing to do."""
    return re.sub(r"([\\`*_\[\]<>])", r"\\\1", text)
