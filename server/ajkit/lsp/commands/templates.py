"""Commands about a whole AJ_HOME: its templates as a tree, as a graph or picture, and how far the server knows it."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any

from ajkit import __version__
from ajkit.lsp.arguments import Arguments
from ajkit.lsp.failure import RequestFailed
from ajkit.lsp.indexing import homes_in_use, known_graph
from ajkit.lsp.telling import versioned
from ajkit.shared.problem import Severity
from ajkit.shared.template.pictures.dot import dot_text
from ajkit.shared.template.pictures.family import family_of
from ajkit.shared.template.pictures.mermaid import mermaid_text

if TYPE_CHECKING:
    from ajkit.lsp.capabilities import Client
    from ajkit.lsp.session import Session
    from ajkit.lsp.tallies import Tally
    from ajkit.shared.template.graph import Graph
    from ajkit.shared.template.pictures.family import Family

_DRAWN = {"mermaid": mermaid_text, "dot": dot_text}
_NOTHING: dict[str, Any] = {"leaf": False, "service": None, "description": None, "errors": 0, "warnings": 0}


async def templates(session: Session, _client: Client, arguments: list[Any]) -> dict[str, Any]:
    """`aj.templates` (uri): the templates of every AJ_HOME in use, or of that of one file.

    Each home has its `leaves` (what can be run) and `bases`, each with the number of its errors and warnings and of the
    files that extend it.
    """
    given = Arguments(arguments, ("uri",))
    return versioned(homes=[await _home(session, home) for home in _homes(session, given)])


async def graph(session: Session, _client: Client, arguments: list[Any]) -> dict[str, Any]:
    """`aj.graph` (uri, format, around): who extends whom in the AJ_HOME of a file, or in the only one there is.

    With `around` only what has to do with that file. `format` ``mermaid`` or ``dot`` asks for a picture in `text` too.
    """
    given = Arguments(arguments, ("uri", "format", "around"))
    form = given.one_of("format", ("json", *_DRAWN), "json")
    homes = _homes(session, given)
    if not homes:
        raise RequestFailed("there is no AJ_HOME here: no folder .aj or .azure_jobs; `aj init` makes one")
    home = homes[0]
    there = await known_graph(session, home)
    tallies = await session.tallies.of(session, there)
    leaves = {real for real, each in tallies.items() if each.leaf}
    family, names = family_of(there, leaves, lambda path: _inside(path, home))
    if given.flag("around", otherwise=False):
        family = _around(session, family, names, given.template())
    places = {name: real for real, name in names.items()}
    return versioned(
        home={"path": home, "uri": session.uri_of(home)},
        nodes=[
            {"name": name, **_counted(session, there, places[name], tallies.get(places[name]))}
            for name in family.members
        ],
        edges=[{"from": name, "to": base} for name, base in family.edges()],
        text=_DRAWN[form](family) if form in _DRAWN else None,
    )


def status(session: Session, _client: Client, arguments: list[Any]) -> dict[str, Any]:
    """`aj.status` (uri): the homes in use and whether they are read, the open templates, and what is wrong with these.

    With `uri`, `ours` says whether that file is a template by its place, so that an editor can call it one.
    """
    given = Arguments(arguments, ("uri",))
    engine = session.engine
    problems = [each for view in session.known_views() for each in view.problems]
    return versioned(
        server=__version__,
        homes=[
            {
                "path": home,
                "uri": session.uri_of(home),
                "state": "ready" if engine.has_graph(home) else "indexing" if session.is_reading(home) else "unread",
                "files": len(engine.graph(home).paths) if engine.has_graph(home) else None,
            }
            for home in homes_in_use(session)
        ],
        ours=session.owns(given.template()) if given.get("uri") is not None else None,
        open=len(session.known_views()),
        errors=sum(each.severity is Severity.ERROR for each in problems),
        warnings=sum(each.severity is Severity.WARNING for each in problems),
    )


def _homes(session: Session, given: Arguments) -> list[str]:
    """The AJ_HOME of the file that was named; else all that are in use."""
    if given.get("uri") is None:
        return homes_in_use(session)
    home = session.engine.home_of(given.template())
    return [] if home is None else [home]


async def _home(session: Session, home: str) -> dict[str, Any]:
    there = await known_graph(session, home)
    tallies = await session.tallies.of(session, there)
    leaves = {real for real, each in tallies.items() if each.leaf}
    family, names = family_of(there, leaves, lambda path: _inside(path, home))
    places = {name: real for real, name in names.items()}
    found = [
        {
            "name": name,
            **_counted(session, there, places[name], tallies.get(places[name])),
            "folder": posixpath.dirname(_inside(there.paths[places[name]], home)),
            "extends": list(member.bases),
            "dependents": len(there.dependents.get(places[name], {})),
        }
        for name, member in family.members.items()
    ]
    return {
        "path": home,
        "uri": session.uri_of(home),
        "leaves": [each for each in found if each["leaf"]],
        "bases": [each for each in found if not each["leaf"]],
    }


def _counted(session: Session, there: Graph, real: str, tally: Tally | None) -> dict[str, Any]:
    path = there.paths[real]
    place = {"path": path, "uri": session.uri_of(path)}
    if tally is None:
        return place | _NOTHING
    return place | {name: getattr(tally, name) for name in _NOTHING}


def _inside(path: str, home: str) -> str:
    return posixpath.relpath(path, home)


def _around(session: Session, family: Family, names: dict[str, str], path: str) -> Family:
    name = names.get(session.files.real(path))
    if name is None:
        raise RequestFailed(f"{path} is not one of the files of its AJ_HOME")
    return family.around(name)
