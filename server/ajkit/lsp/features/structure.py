"""The shape of one document: symbols, folding ranges, selection ranges."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Any

from ajkit.lsp import convert
from ajkit.shared.template.brief import brief
from ajkit.shared.template.query import children
from ajkit.shared.template.tree import Mapping, Scalar, Sequence
from ajkit.shared.where import Span

if TYPE_CHECKING:
    from ajkit.lsp.capabilities import Client
    from ajkit.lsp.session import Session
    from ajkit.shared.template.tree import Node
    from ajkit.shared.where import Text

SYMBOL_LIMIT = 5_000
"""How many symbols one answer holds; a document of more is given from its beginning."""
FOLD_LIMIT = 10_000

_OBJECT, _ARRAY, _STRING, _NUMBER, _BOOLEAN, _NULL, _KEY = 19, 18, 15, 16, 17, 21, 20
_KINDS = {bool: _BOOLEAN, int: _NUMBER, float: _NUMBER}
_DETAIL = 40


def document_symbols(session: Session, client: Client, params: dict[str, Any]) -> convert.Ready | None:
    """`textDocument/documentSymbol`: a tree where the client takes one, else a flat list."""
    view = session.view(params["textDocument"]["uri"])
    if view is None or view.file.document.root is None:
        return None
    tree = _Symbols(view.text, session.encoding).below(view.file.document.root)
    if client.has("textDocument", "documentSymbol", "hierarchicalDocumentSymbolSupport"):
        return convert.Ready(tree)
    return convert.Ready(list(_flat(tree, params["textDocument"]["uri"], None)))


class _Symbols:
    """Makes symbols until the budget is used up."""

    def __init__(self, text: Text, encoding: str) -> None:
        self._text = text
        self._encoding = encoding
        self._left = SYMBOL_LIMIT
        self._starts = text.starts
        self._plain = text.content.isascii()  # then all encodings count alike

    def below(self, node: Node) -> list[dict[str, Any]]:
        """The symbols of the keys or items of a container."""
        found: list[dict[str, Any]] = []
        if isinstance(node, Mapping):
            for key, entry in node.entries.items():
                # What came in through `<<` is listed where it was written.
                if self._left > 0 and node.start <= entry.start <= node.end:
                    found.append(self._symbol(key or '""', entry.node, entry.start, entry.end))
        elif isinstance(node, Sequence):
            for index, item in enumerate(node.items):
                if self._left > 0 and isinstance(item, Mapping | Sequence):
                    found.append(self._symbol(_item_name(item, index), item, item.start, item.start))
        return found

    def _symbol(self, name: str, node: Node, start: int, key_end: int) -> dict[str, Any]:
        self._left -= 1
        first = self._position(start)
        symbol: dict[str, Any] = {
            "name": name,
            "kind": _kind(node),
            "range": {"start": first, "end": self._position(max(node.end, key_end))},
            "selectionRange": {"start": first, "end": self._position(key_end)},
        }
        if isinstance(node, Scalar):
            symbol["detail"] = brief(node.value, _DETAIL)
        elif below := self.below(node):
            symbol["children"] = below
        return symbol

    def _position(self, offset: int) -> dict[str, int]:
        if not self._plain:
            return convert.position(self._text, offset, self._encoding)
        line = bisect_right(self._starts, offset) - 1
        return {"line": line, "character": offset - self._starts[line]}


def _item_name(item: Node, index: int) -> str:
    name = item.value.get("name") if isinstance(item, Mapping) else None
    return name if isinstance(name, str) and name else f"[{index}]"


def _kind(node: Node) -> int:
    if isinstance(node, Mapping):
        return _OBJECT
    if isinstance(node, Sequence):
        return _ARRAY
    if node.value is None:
        return _NULL
    return _KINDS.get(type(node.value), _STRING)


def _flat(tree: list[dict[str, Any]], uri: str, container: str | None) -> Any:
    for each in tree:
        yield {
            "name": each["name"],
            "kind": each["kind"],
            "location": {"uri": uri, "range": each["range"]},
            **({"containerName": container} if container else {}),
        }
        yield from _flat(each.get("children", []), uri, each["name"])


def folding_ranges(session: Session, client: Client, params: dict[str, Any]) -> list[dict[str, Any]] | None:
    """`textDocument/foldingRange`: every container of several lines, and blocks of comments."""
    view = session.view(params["textDocument"]["uri"])
    if view is None:
        return None
    text = view.text
    wanted = client.get("textDocument", "foldingRange", "rangeLimit")
    limit = min(wanted, FOLD_LIMIT) if isinstance(wanted, int) and wanted > 0 else FOLD_LIMIT
    found: list[dict[str, Any]] = list(_comment_folds(text))
    todo: list[tuple[Node, int]] = [(view.file.document.root, 0)] if view.file.document.root else []
    newline = text.newline[-1]
    while todo and len(found) < limit:
        node, start = todo.pop()
        if isinstance(node, Scalar) and text.content.find(newline, start, node.end) < 0:
            continue
        first, last = text.position(start).line, text.position(_content_end(text, node)).line
        if last > first and start:
            found.append({"startLine": first, "endLine": last})
        if isinstance(node, Mapping):
            todo += [
                (entry.node, entry.start or 1)
                for entry in node.entries.values()
                if node.start <= entry.start <= node.end
            ]
        elif isinstance(node, Sequence):
            todo += [(item, item.start or 1) for item in node.items]
    found.sort(key=lambda each: (each["startLine"], each["endLine"]))
    return found[:limit]


def _content_end(text: Text, node: Node) -> int:
    """The end of a node without the line ends and blanks behind it."""
    end = node.end
    while end > node.start and text.content[end - 1].isspace():
        end -= 1
    return end


def _comment_folds(text: Text) -> Any:
    start: int | None = None
    content = text.content
    lines = content.split("\n") if "\r" not in content else [text.line(number) for number in range(len(text.starts))]
    for number, line in enumerate([*lines, ""]):
        is_comment = line.lstrip().startswith("#")
        if is_comment and start is None:
            start = number
        elif not is_comment and start is not None:
            if number - 1 > start:
                yield {"startLine": start, "endLine": number - 1, "kind": "comment"}
            start = None


def selection_ranges(session: Session, _client: Client, params: dict[str, Any]) -> list[dict[str, Any]] | None:
    """`textDocument/selectionRange`: scalar, entry, container, and so on out to the whole document."""
    view = session.view(params["textDocument"]["uri"])
    if view is None:
        return None
    answers = []
    for where in params["positions"]:
        offset = convert.offset(view.text, where["line"], where["character"], session.encoding)
        chain: dict[str, Any] | None = None
        for start, end in _around(view.file.document.root, offset, len(view.text.content)):
            span = Span(view.text, start, end)
            chain = {"range": span, "parent": chain} if chain else {"range": span}
        answers.append(chain or {"range": Span(view.text, offset, offset)})
    return answers


def _around(root: Node | None, offset: int, size: int) -> list[tuple[int, int]]:
    """The stretches around an offset, each inside the one before."""
    found = [(0, size)]
    node = root if root is not None and root.start <= offset <= root.end else None  # above and below are comments
    while node is not None:
        _add(found, node.start, node.end)
        if isinstance(node, Scalar):
            break
        inner: Node | None = None
        if isinstance(node, Mapping):
            for entry in node.entries.values():
                whole = (entry.start, max(entry.node.end, entry.end))
                if node.start <= entry.start and whole[0] <= offset <= whole[1]:
                    _add(found, *whole)
                    if entry.start <= offset <= entry.end:
                        _add(found, entry.start, entry.end)
                    elif entry.node.start <= offset <= entry.node.end:
                        inner = entry.node
                    break
        else:
            inner = next((each for _, each in children(node) if each.start <= offset <= each.end), None)
        node = inner
    return found


def _add(found: list[tuple[int, int]], start: int, end: int) -> None:
    last = found[-1]
    if last[0] <= start <= end <= last[1] and (start, end) != last:
        found.append((start, end))
