"""The door from text to a located tree: any text whatever has a Document, with what is wrong and what is left."""

from __future__ import annotations

import re

from ajkit.shared.problem import in_order, problem
from ajkit.shared.template.tree import Document
from ajkit.shared.template.unplaced import Unplaced
from ajkit.shared.template.values import plain_values
from ajkit.shared.where import Span, Text

SIZE_LIMIT = 16 * 1024 * 1024
"""The largest file that is read, in bytes."""

_ANCHOR = re.compile(r"&([\w-]+)")
_UTF8_BOM = b"\xef\xbb\xbf"


def parse(text: Text, *, hint: int | None = None, pure: bool = False) -> Document:
    """The document of a text. Never raises.

    `hint` is the zero-based line that was edited last: a broken text is mended there first. `pure` asks for PyYAML's
    pure parser, which is also used where the C one is absent; values and codes are the same.
    """
    if len(text.content) > SIZE_LIMIT // 4 and len(text.content.encode("utf-8", "surrogatepass")) > SIZE_LIMIT:
        return _too_large(text)
    from ajkit.shared.template.attempt import attempt  # noqa: PLC0415 - of most files only the values are read

    result = attempt(text, pure=pure)
    if result.fault is None:
        composer = result.composer
        problems = composer.findings.problems()
        return Document(text, composer.root, tuple(in_order(problems) if problems else ()), nodes=composer.size.nodes)
    from ajkit.shared.template.recover import Recovery  # noqa: PLC0415 - most texts parse, and it is a lot of code

    recovery = Recovery(text, result, hint, pure=pure)
    recovery.run()
    composer = recovery.result.composer
    lost = {name for line in recovery.broken for name in _ANCHOR.findall(text.line(line))}
    problems = [*composer.findings.problems(lost), *recovery.problems()]
    return Document(
        text,
        composer.root,
        tuple(in_order(problems)),
        recovery.broken,
        composer.size.nodes,
        recovery.parses,
        whole=recovery.result.fault is None,
    )


def parse_bytes(path: str, data: bytes, *, hint: int | None = None, pure: bool = False) -> Document:
    """The document of a file's bytes: UTF-8, with or without a byte order mark (which is no part of the text).

    Never raises: what cannot be read is a document without a tree and with a problem that says why. The tree of an
    ordinary file is made when it is asked for.
    """
    if len(data) > SIZE_LIMIT:
        return _too_large(Text(path, ""))
    data = data.removeprefix(_UTF8_BOM)
    try:
        content = data.decode("utf-8")
    except UnicodeDecodeError as error:
        return _not_utf8(path, data, error)
    text = Text(path, content)
    found = plain_values(content, pure=pure)
    if found is None:
        return parse(text, hint=hint, pure=pure)
    return Document.of_values(found.value, found.nodes, Unplaced(text, found.events, pure=pure))


def _too_large(text: Text) -> Document:
    message = f"the file is larger than {SIZE_LIMIT // 1024 // 1024} MiB and is not read: data belongs beside templates"
    return Document(text, None, (problem("limit.size", message, Span(text, 0, 0)),), parses=0)


def _not_utf8(path: str, data: bytes, error: UnicodeDecodeError) -> Document:
    text = Text(path, data.decode("utf-8", "replace"))
    at = len(data[: error.start].decode("utf-8"))
    if data.startswith((b"\xff\xfe\0\0", b"\0\0\xfe\xff")):
        what = "this is UTF-32"
    elif data.startswith((b"\xff\xfe", b"\xfe\xff")):
        what = "this is UTF-16"
    else:
        what = f"the byte 0x{data[error.start]:02X} at offset {error.start} does not belong to any character"
    message = f"the file is not UTF-8 ({what}): save it as UTF-8"
    return Document(text, None, (problem("yaml.encoding", message, Span(text, at, at + 1)),), parses=0)
