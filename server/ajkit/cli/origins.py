"""How the command line says where a value was written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ajkit.cli.invocation import shown_path

if TYPE_CHECKING:
    from ajkit.shared.where import Origin, Span


def on_disk(origin: Origin) -> Span | None:
    """The place of an origin in a file; None for what the command line set."""
    return origin.span if origin.span is not None and origin.span.path.startswith("/") else None


def said(origin: Origin, folder: str) -> str:
    """An origin in one word: ``file:line``, or the option that set it."""
    span = on_disk(origin)
    return origin.label if span is None else f"{shown_path(span.path, folder)}:{span.first.line + 1}"
