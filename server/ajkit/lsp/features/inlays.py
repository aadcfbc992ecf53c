"""Inlay hints: what a value replaces or clears, what a list inherits, what the SKU comes to, what is added to `env`."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from ajkit.lsp import convert
from ajkit.lsp.effective import effective_path
from ajkit.shared.template.brief import brief
from ajkit.shared.template.merge import merge
from ajkit.shared.template.merged import Written
from ajkit.shared.template.secrets import SHORTEST_FORM, masked, named_secret
from ajkit.shared.template.ties import is_own
from ajkit.shared.template.trail import Trails
from ajkit.shared.template.tree import Mapping, Scalar, Sequence
from ajkit.shared.where import Missing, Rule, at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ajkit.lsp.capabilities import Client
    from ajkit.lsp.session import Session
    from ajkit.lsp.view import View
    from ajkit.shared.job.shape import Sizing
    from ajkit.shared.template.merged import Merged
    from ajkit.shared.template.tree import Entry, Node
    from ajkit.shared.where import Json, KeyPath, Origin

    _Met = list[tuple[Merged, Json]]
    """The bases that have a value at some place, in order, with it."""

LIMIT = 500
"""How many hints one answer holds."""
ITEMS = 20
"""How many inherited items a tooltip lists."""
_SHOWN = 40


@dataclass(frozen=True, slots=True)
class _Hint:
    """Words behind an offset; `place` is an origin to link to, whose name stands in brackets at the end."""

    offset: int
    words: str
    place: Origin | None = None
    tooltip: str | None = None


def inlay_hints(session: Session, client: Client, params: dict[str, Any]) -> list[dict[str, Any]] | None:
    """`textDocument/inlayHint`: overridden values, inherited items, the resolved SKU, injected variables."""
    view = session.view(params["textDocument"]["uri"])
    if view is None:
        return None
    first, last = params["range"]["start"], params["range"]["end"]
    start = convert.offset(view.text, first["line"], first["character"], session.encoding)
    end = convert.offset(view.text, last["line"], last["character"], session.encoding)
    found: list[_Hint] = []
    for each in _hints(session, view, start, end):
        if start <= each.offset <= end:
            found.append(each)
        if len(found) == LIMIT:
            break
    found.sort(key=lambda each: each.offset)
    parts = client.has("textDocument", "inlayHint")
    return [_sent(session, view, each, parts=parts) for each in found]


def _sent(session: Session, view: View, hint: _Hint, *, parts: bool) -> dict[str, Any]:
    span = hint.place.span if hint.place else None
    name = f"{posixpath.basename(span.path)}:{span.first.line + 1}" if span else ""
    label: Any = f"{hint.words} ({name})" if span else hint.words
    if parts and span:
        linked = {"value": name, "location": {"uri": session.uri_of(span.path), "range": span}}
        label = [{"value": f"{hint.words} ("}, linked, {"value": ")"}]
    made = {
        "position": convert.position(view.text, hint.offset, session.encoding),
        "label": label,
        "paddingLeft": True,
    }
    return made | ({"tooltip": hint.tooltip} if hint.tooltip else {})


def _hints(session: Session, view: View, start: int, end: int) -> Iterator[_Hint]:
    settings = session.settings
    config = view.file.config
    if config is None:
        return
    inherited: _Met = [(base, base.value) for base in view.resolved.merged.bases()]
    if inherited and (settings.inlay_overrides or settings.inlay_inherited):
        yield from _Inherited(session, view, start, end).below(config, (), inherited)
    if (settings.inlay_sku or settings.inlay_env) and view.examined.template is not None:
        yield from _of_the_shape(session, view)


class _Inherited:
    """Walks what a file writes, in a range, beside what it inherits at the same places."""

    def __init__(self, session: Session, view: View, start: int, end: int) -> None:
        self._settings = session.settings
        self._view = view
        self._start = start
        self._end = end
        # The bases that `aj.toml` lays over a leaf come after what it writes itself.
        self._laid_over = not isinstance(view.resolved.merged.parts[-1], Written)

    def below(self, node: Node, path: KeyPath, inherited: _Met) -> Iterator[_Hint]:
        """The hints for what stands in a container."""
        if isinstance(node, Mapping):
            for key, entry in node.entries.items():
                last = max(entry.end, entry.node.end)
                if entry.start <= self._end and last >= self._start and is_own(node, entry):
                    yield from self._value(entry.node, entry, (*path, key), _under(inherited, key))
        elif isinstance(node, Sequence):
            for index, item in enumerate(node.items):
                if item.start <= self._end and item.end >= self._start and isinstance(item, Mapping):
                    yield from self._value(item, None, (*path, index), _under(inherited, index))

    def _value(self, node: Node, entry: Entry | None, path: KeyPath, inherited: _Met) -> Iterator[_Hint]:
        if not inherited:
            return
        if isinstance(node, Mapping) and all(isinstance(value, dict) for _, value in inherited):
            yield from self.below(node, path, inherited)
            return
        if entry is None:
            return
        if isinstance(node, Sequence) and all(isinstance(value, list) for _, value in inherited):
            yield from self._list(node, entry, path, inherited)
        elif self._settings.inlay_overrides:
            yield from self._replaced(node, entry, path, inherited)

    def _list(self, node: Sequence, entry: Entry, path: KeyPath, inherited: _Met) -> Iterator[_Hint]:
        place = effective_path(self._view.resolved, self._view.file, path)
        trail = self._view.resolved.trail(place)
        if trail is None or trail.rule is not Rule.CONCAT:
            yield from self.below(node, path, inherited)
            return
        others = [each for each in trail.contributors if not self._is_own(each, node)]
        count = sum(len(each.value) * each.roads for each in others if isinstance(each.value, list))
        if count and self._settings.inlay_inherited:
            items = ((item, each) for each in others for item in _items(each.value))
            lines = [f"{_brief(item, path)} — {_place(each)}" for item, each in islice(items, ITEMS)]
            more = [f"… and {count - ITEMS} more"] if count > ITEMS else []
            yield _Hint(self._behind(node, entry), f"+{count} inherited", others[0], "\n".join([*lines, *more]))

    def _replaced(self, node: Node, entry: Entry, path: KeyPath, inherited: _Met) -> Iterator[_Hint]:
        offset = self._behind(node, entry)
        if self._laid_over:
            winner = self._view.resolved.winner(path)
            if winner is not None and not self._is_own(winner, node):
                yield _Hint(offset, f"overridden by {_brief(winner.value, path)}", winner)
                return
        before = inherited[0][1] if len(inherited) == 1 else merge([value for _, value in inherited])
        if type(before) is type(node.value) and before == node.value:
            return
        if node.value is None and before in (None, {}, [], ""):
            return
        verb = "clears" if node.value is None else "overrides"
        place = Trails(inherited[-1][0]).winner(path)
        yield _Hint(offset, f"{verb} {_brief(before, path)}", place)

    def _is_own(self, origin: Origin, node: Node) -> bool:
        span = origin.span
        return span is not None and span.path == self._view.path and (span.start, span.end) == (node.start, node.end)

    def _behind(self, node: Node, entry: Entry) -> int:
        """The end of a value that stands on the line of its key; else the end of the key, or of a block text's line."""
        text = self._view.text
        line = text.position(node.start).line
        if line != text.position(entry.end).line:
            return _behind_key(self._view, entry)
        if isinstance(node, Scalar) and text.position(node.end).line != line:
            return text.starts[line] + len(text.line(line).rstrip())
        return node.end


def _behind_key(view: View, entry: Entry) -> int:
    return entry.end + view.text.content.startswith(":", entry.end)


def _under(inherited: _Met, step: str | int) -> _Met:
    below = ((base, at(value, (step,))) for base, value in inherited)
    return [(base, value) for base, value in below if not isinstance(value, Missing)]


def _brief(value: Json, path: KeyPath) -> str:
    name = next((step for step in reversed(path) if isinstance(step, str)), "")
    short = isinstance(value, str) and len(value) < SHORTEST_FORM and not named_secret(name, value)
    return brief(value if short else masked(value, name), _SHOWN)


def _items(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _place(origin: Origin) -> str:
    span = origin.span
    return f"{posixpath.basename(span.path)}:{span.first.line + 1}" if span else origin.label


def _of_the_shape(session: Session, view: View) -> Iterator[_Hint]:
    from ajkit.shared.job.env import ENV_PATH

    sizing = _sizing(session, view)
    winner = view.resolved.winner(sizing.sku_path) if sizing.sku_path is not None else None
    here = winner.span if winner and winner.span and winner.span.path == view.path else None
    if session.settings.inlay_sku and sizing.complete and here and winner and sizing.sku != winner.value:
        yield _Hint(here.end, f"= {sizing.sku}", tooltip=f"With {_shape(sizing)}")
    written = view.file.written(ENV_PATH)
    if session.settings.inlay_env and view.leaf and written is not None and written[1] is not None:
        yield _variables(view, written[1], sizing)


def _sizing(session: Session, view: View) -> Sizing:
    """The shape of the job under the preview's request."""
    from ajkit.shared.job.request import JobRequest
    from ajkit.shared.job.shape import size

    preview, described = session.settings.preview, view.examined.described
    request = JobRequest(view.path, preview.nodes, preview.processes, preview.ppn)
    shape, failed = (described.shape, described.failed) if described else (None, False)
    return size(view.resolved.config, request, shape, failed=failed)[0]


def _shape(sizing: Sizing) -> str:
    return f"-n {sizing.nodes}" + (f" -p {sizing.selector}" if sizing.selector is not None else "")


def _variables(view: View, entry: Entry, sizing: Sizing) -> _Hint:
    """The variables that aj adds to those of the template."""
    from ajkit.shared.job.env import FACTS, set_at_run_time
    from ajkit.shared.job.variables import meaning

    of_shape = sizing.variables()
    names = [*FACTS, *of_shape, *set_at_run_time(tasks=sizing.derived is not None)]
    some = ", ".join(f"{name}={of_shape[name]}" for name in ("AJ_NODES", "AJ_PROCESSES"))
    lines = [f"{name}{'=' + of_shape[name] if name in of_shape else ''} — {meaning(name)}" for name in names]
    words = f"+{len(names)} AJ_*" + (f" ({some})" if sizing.complete else "")
    return _Hint(_behind_key(view, entry), words, tooltip="\n".join(lines))
