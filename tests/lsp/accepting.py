"""An editor that accepts a completion item: the edits applied as the protocol says, snippets left as they come."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ajkit.lsp import convert
from ajkit.lsp.completing.items import plain
from ajkit.shared.where import Text

if TYPE_CHECKING:
    from tests.lsp.fixture import Editor

SNIPPET, ADJUST = 2, 2


def accepted(editor: Editor, item: dict[str, Any]) -> str:
    """The text of the open document after an item was accepted."""
    text = Text("", editor.text())
    encoding = editor.session.encoding
    edits = [
        (*_offsets(text, each["range"], encoding), each["newText"]) for each in item.get("additionalTextEdits", ())
    ]
    start, end = _offsets(text, item["textEdit"]["range"], encoding)
    first, last = item["textEdit"]["range"]["start"], item["textEdit"]["range"]["end"]
    cursor = editor.cursors[0]
    assert first["line"] == last["line"] == cursor["line"], "the range is on the cursor's line"
    assert first["character"] <= cursor["character"] <= last["character"], "the cursor is in the range"
    new = item["textEdit"]["newText"]
    if item.get("insertTextFormat") == SNIPPET:
        new = plain(new)
    if item.get("insertTextMode") == ADJUST or item.get("insertTextFormat") == SNIPPET:
        line = text.line(text.position(start).line)
        cut = sum(last - first for first, last, _ in edits)
        indent = " " * max(len(line[: len(line) - len(line.lstrip(" "))][: text.position(start).column]) - cut, 0)
        new = re.sub(r"(\r?\n)(?=[^\r\n])", lambda found: found[0] + indent, new)
    edits.append((start, end, new))
    content = text.content
    for begin, stop, replacement in sorted(edits, reverse=True):
        content = content[:begin] + replacement + content[stop:]
    return content


def _offsets(text: Text, where: dict[str, Any], encoding: str) -> tuple[int, int]:
    start, end = (
        convert.offset(text, each["line"], each["character"], encoding) for each in (where["start"], where["end"])
    )
    return start, end
