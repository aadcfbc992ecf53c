"""Commands about one template among its relatives: what it extends, and what extends it and with which effect."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any

from ajkit.lsp.arguments import Arguments
from ajkit.lsp.effective import effective_path
from ajkit.lsp.failure import INVALID_PARAMS, RequestFailed
from ajkit.lsp.impact import is_effective
from ajkit.lsp.indexing import known_graph
from ajkit.lsp.preview import written_place
from ajkit.lsp.telling import versioned
from ajkit.lsp.threads import give_way
from ajkit.shared.template.merged import Inherited
from ajkit.shared.template.names import base_path, dotted_name, template_name
from ajkit.shared.template.query import spot_at
from ajkit.shared.where import parse_keypath

if TYPE_CHECKING:
    from ajkit.lsp.capabilities import Client
    from ajkit.lsp.session import Session
    from ajkit.shared.template.merged import Merged
    from ajkit.shared.template.resolve import Resolved
    from ajkit.shared.template.source import BaseRef, TemplateFile
    from ajkit.shared.where import KeyPath

SLICE = 10
"""How many dependents are resolved before requests get their turn."""


def bases(session: Session, _client: Client, arguments: list[Any]) -> dict[str, Any]:
    """`aj.bases` (uri): the tree of what a template extends, in merge order.

    A base that is met again is named again, with `again`, and without what it extends; `missing` and `cycle` say why a
    name leads nowhere.
    """
    path = Arguments(arguments, ("uri",)).template()
    resolved = session.engine.resolve(path, named=True)
    return versioned(root=_Chain(session, resolved).member(resolved.merged, resolved.name))


async def dependents(session: Session, _client: Client, arguments: list[Any]) -> dict[str, Any]:
    """`aj.dependents` (uri, keypath, position): what extends a template, nearest first.

    With a `keypath` of its own config, or the key under the cursor at `position`, each says in `standing` whether the
    value is ``effective`` there or ``overridden`` (then `winner` is the place that counts); ``absent`` stands for what
    this file does not write.
    """
    given = Arguments(arguments, ("uri", "keypath", "position"))
    path = given.template()
    engine = session.engine
    keypath = _keypath(session, given)
    home, real = engine.home_of(path), session.files.real(path)
    if home is None:
        return versioned(dependents=[], leaves=0, effective=None)
    graph = await known_graph(session, home)
    file = engine.resolve(path).merged.file
    found = []
    for number, each in enumerate(graph.all_dependents(real)):
        shown = graph.paths.get(each)
        if shown is None:
            continue
        if number % SLICE == SLICE - 1:
            await give_way()
        resolved = engine.resolve(shown)
        entry = _named(session, shown, home, leaf=engine.counts_as_leaf(resolved, named=False))
        entry["direct"] = each in graph.dependents.get(real, {})
        if keypath is not None:
            entry |= _standing(resolved, file, keypath, session)
        found.append(entry)
    leaves = [each for each in found if each["leaf"]]
    effective = None if keypath is None else sum(each["standing"] == "effective" for each in leaves)
    return versioned(dependents=found, leaves=len(leaves), effective=effective)


def _keypath(session: Session, given: Arguments) -> KeyPath | None:
    """The key path in the config of the file itself."""
    text = given.text("keypath")
    if text is not None:
        try:
            return parse_keypath(text)
        except ValueError as error:
            raise RequestFailed(str(error), INVALID_PARAMS) from error
    if given.get("position") is None:
        return None
    found = given.cursor(session)
    spot = spot_at(found[0].file, found[1]) if found else None
    return spot.config_path if spot is not None and spot.in_config else None


def _standing(resolved: Resolved, file: TemplateFile, keypath: KeyPath, session: Session) -> dict[str, Any]:
    """What became of a value that a base writes in a template that extends it."""
    if file.written(keypath) is None:
        return {"standing": "absent", "winner": None}
    if is_effective(resolved, file, keypath):
        return {"standing": "effective", "winner": None}
    winner = resolved.winner(effective_path(resolved, file, keypath))
    place = written_place(winner) if winner is not None else None
    return {
        "standing": "overridden",
        "winner": {"uri": session.uri_of(place.path), "range": place} if place is not None else None,
    }


def _named(session: Session, path: str, home: str | None, *, leaf: bool) -> dict[str, Any]:
    dotted = dotted_name(path, home) if home and not leaf else None
    return {"name": dotted or template_name(path, home), "path": path, "uri": session.uri_of(path), "leaf": leaf}


class _Chain:
    """The tree of one template's bases."""

    def __init__(self, session: Session, resolved: Resolved) -> None:
        self._session = session
        self._home = resolved.home
        self._met: set[str] = set()

    def member(self, merged: Merged, name: str) -> dict[str, Any]:
        """A file with all that it extends."""
        file = merged.file
        found: dict[str, Any] = {
            "name": name,
            "path": file.path,
            "uri": self._session.uri_of(file.path),
            "errors": sum(each.is_error for each in merged.problems),
            "keys": list(file.values or ()),
        }
        if file.real in self._met:
            return found | {"again": True, "bases": []}
        self._met.add(file.real)
        inherited = {part.ref: part.merged for part in merged.parts if isinstance(part, Inherited)}
        refs = dict.fromkeys([*file.bases, *inherited])
        return found | {"bases": [self._base(file, ref, inherited.get(ref)) for ref in refs]}

    def _base(self, file: TemplateFile, ref: BaseRef, merged: Merged | None) -> dict[str, Any]:
        if merged is not None:
            return self.member(merged, ref.name) | {"range": ref.span}
        path = base_path(ref.name, posixpath.dirname(file.real), self._home)
        there = path is not None and self._session.files.kind(path) == "file"
        return {
            "name": ref.name,
            "path": path,
            "uri": self._session.uri_of(path) if path is not None and there else None,
            "range": ref.span,
            "cycle" if there else "missing": True,
            "bases": [],
        }
