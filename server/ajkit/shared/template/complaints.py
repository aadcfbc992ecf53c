"""The complaints of both YAML parsers: what kind of fault each one means, and how to say it to a person."""

from __future__ import annotations

from enum import Enum


class Kind(Enum):
    """Kinds of faults that are looked into differently."""

    COLON = "a word that is no key"
    TOO_DEEP = "a key deeper than its neighbours, or in a value"
    MISPLACED = "a line in no column that is open"
    FLOW = "inside brackets"
    QUOTE = "a quote that is not closed"
    ESCAPE = "an escape that is none"
    BEGINNING = "a character that begins nothing"
    TAB = "a tab in the place of spaces"
    NESTING = "more levels than the parser takes"
    OTHER = "anything else"


_MISPLACED = "this does not fit in here: its indentation matches nothing that is open above it"
_ESCAPE = "no escape that YAML knows: within double quotes write `\\\\` for a backslash, or use single quotes"
_BLOCK = "after `|` or `>` only a digit, `+` or `-` and a comment may follow: the text begins on the next line"
_DIRECTIVE = "a line that begins with `%` is an instruction to the parser: quote it if it is text"
_TAG = "`!` begins a tag, and this one cannot be read: quote the value if it is text"
_ITEM = "a list is open here: begin its next item with `- ` in the same column, or indent this like what it belongs to"

_COMPLAINTS: tuple[tuple[str, Kind, str], ...] = (
    ("exceeded maximum nesting depth", Kind.NESTING, "nested too deep"),
    ("a tab character", Kind.TAB, "a tab stands where YAML wants spaces"),
    (
        "could not find expected ':'",
        Kind.COLON,
        "neither a key nor a list item: a colon is missing, or the indentation is wrong",
    ),
    (
        "mapping values are not allowed",
        Kind.TOO_DEEP,
        "no key can stand here: it is indented deeper than its neighbours, or it is part of a value that needs quotes",
    ),
    ("',' or ']'", Kind.FLOW, "before this a comma is missing, or the `]` that closes the list"),
    ("',' or '}'", Kind.FLOW, "before this a comma is missing, or the `}` that closes the mapping"),
    ("flow node", Kind.FLOW, "inside brackets this cannot stand: a value or a closing bracket is missing before it"),
    ("found unexpected ':'", Kind.FLOW, "inside brackets a colon needs a blank after it"),
    ("unknown escape", Kind.ESCAPE, _ESCAPE),
    ("hexdecimal", Kind.ESCAPE, _ESCAPE),
    ("hexadecimal numbers", Kind.ESCAPE, _ESCAPE),
    ("Unicode character escape", Kind.ESCAPE, "an escape that names no character: write the character itself"),
    ("unexpected document", Kind.QUOTE, "this quote is not closed before `---` or `...`"),
    ("quoted scalar", Kind.QUOTE, "this quote is never closed"),
    ("cannot start any token", Kind.BEGINNING, "no value can begin like this: put quotes around it"),
    ("sequence entries are not allowed", Kind.OTHER, "a list begins on the line below its key, each item with `- `"),
    ("block collection", Kind.MISPLACED, _ITEM),
    ("block mapping", Kind.MISPLACED, _MISPLACED),
    (
        "<document start>",
        Kind.MISPLACED,
        "this does not go on with what stands above: the keys of a template stand in one column",
    ),
    ("%", Kind.OTHER, _DIRECTIVE),
    ("directive", Kind.OTHER, _DIRECTIVE),
    ("YAML document", Kind.OTHER, "the `%YAML` line asks for a version that nothing reads: remove it"),
    ("version", Kind.OTHER, _DIRECTIVE),
    ("block scalar", Kind.OTHER, _BLOCK),
    ("comment or a line break", Kind.OTHER, _BLOCK),
    ("anchor", Kind.OTHER, "`&` begins an anchor and needs a name after it: quote the value if it is text"),
    ("alias", Kind.OTHER, "`*` begins an alias and needs a name after it: quote the value if it is text"),
    ("tag", Kind.OTHER, _TAG),
    ("URI", Kind.OTHER, _TAG),
    ("mapping keys are not allowed", Kind.OTHER, "no `? ` can stand here: quote the value if it is text"),
    ("node content", Kind.OTHER, "a value is missing before this"),
    ("simple key", Kind.COLON, "a key is one line and at most 1,024 characters long"),
)


def complaint(context: str, words: str) -> tuple[Kind, str]:
    """The kind of a complaint that the parser words like this, and the message for it."""
    said = f"{context}: {words}"
    for needle, kind, message in _COMPLAINTS:
        if needle in said:
            return kind, message
    return Kind.OTHER, f"this cannot be read as YAML ({words or 'no reason was given'})"
