"""Commands that compare what templates come to: with one another, with the files as saved, with a git revision."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any

from ajkit.lsp import convert
from ajkit.lsp.arguments import Arguments
from ajkit.lsp.comparing import changes_data, changes_lines, engine_before
from ajkit.lsp.failure import INVALID_PARAMS, RequestFailed
from ajkit.lsp.indexing import known_graph
from ajkit.lsp.telling import problems_data, versioned
from ajkit.lsp.threads import give_way
from ajkit.shared.template.changes import changes
from ajkit.shared.template.names import template_name, template_path

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ajkit.engine import Engine
    from ajkit.lsp.capabilities import Client
    from ajkit.lsp.session import Session
    from ajkit.shared.template.resolve import Resolved

SHOWN = 50
"""How many templates are to be compared when the person is shown that they are."""


async def diff(session: Session, _client: Client, arguments: list[Any]) -> dict[str, Any]:
    """`aj.diff` (uri, other, rev): what a template comes to now, against another one or a git revision of itself.

    `other` is the URI or name of the template to compare with; without it `rev` counts, ``HEAD`` by default. Open
    buffers count as they are now. `text` says the same for people.
    """
    given = Arguments(arguments, ("uri", "other", "rev"))
    path, other, revision = given.template(), given.text("other"), given.text("rev")
    after = session.engine.resolve(path, named=True)
    if other is not None:
        if revision is not None:
            raise RequestFailed("compare with `other` or with `rev`, not with both", INVALID_PARAMS)
        before = session.engine.resolve(_named(session, other, path), named=True)
    else:
        engine = await engine_before(session, posixpath.dirname(path), revision or "HEAD")
        before = engine.resolve(path, named=True)
    stopping = [*before.stopping, *after.stopping]
    found = [] if stopping else list(changes(before.config, after.config))
    return versioned(
        before={"name": before.name, "uri": session.uri_of(before.path), "rev": None if other else revision or "HEAD"},
        after={"name": after.name, "uri": session.uri_of(after.path), "rev": None},
        problems=problems_data(session, stopping),
        **changes_data(session, found, before, after),
        text="".join(f"{line}\n" for line in changes_lines(found, before, after)),
    )


def _named(session: Session, other: str, path: str) -> str:
    """The path of a template by its URI or name."""
    found = convert.path_of(other) if ":" in other else None
    home = session.engine.home_of(path)
    found = found or (template_path(other, home) if home else None)
    if found is None or session.files.kind(found) != "file":
        raise RequestFailed(f"there is no template `{other}`", INVALID_PARAMS)
    return found


async def impact(session: Session, _client: Client, arguments: list[Any]) -> dict[str, Any]:
    """`aj.impact` (uri, rev): which templates to run come to something else, and how, by what is not saved yet.

    With `uri` those are looked at that extend this file, and itself; else those of all files with unsaved changes. With
    `rev` they are compared with what they came to at a git revision. The `state` of each is ``changed``, ``new``,
    ``broken`` (it cannot be resolved any more) or ``mended``. `text` says the same for people.
    """
    given = Arguments(arguments, ("uri", "rev"))
    revision = given.text("rev")
    paths = [given.template()] if given.get("uri") is not None else session.unsaved_paths()
    folder = posixpath.dirname(paths[0]) if paths else session.engine.folder
    before = await engine_before(session, folder, revision)
    looked_at, found = 0, []
    wanted = await _leaves_over(session, paths)
    progress = session.progress("Comparing templates", stoppable=True) if len(wanted) >= SHOWN else None
    try:
        for number, path in enumerate(wanted):
            await give_way()
            if progress is not None and progress.stopped.is_set():
                break
            if progress is not None and number % SHOWN == 0:
                progress.report(f"{len(wanted) - number} to go", 100 * number // len(wanted))
            after = session.engine.resolve(path)
            if session.engine.counts_as_leaf(after, named=False):
                looked_at += 1
                found += _compared(session, before, after)
    finally:
        if progress is not None:
            progress.end()
    count = f"{len(found)} of {looked_at} template{'' if looked_at == 1 else 's'} come{'s' if len(found) == 1 else ''}"
    since = f"since {revision}" if revision else "by what is not saved"
    return versioned(
        looked_at=looked_at,
        stopped=progress is not None and progress.stopped.is_set(),
        templates=[{key: value for key, value in each.items() if key != "lines"} for each in found],
        message=f"{count} to something else {since}",
        text="".join(f"{each['name']} ({each['state']})\n" + _indented(each["lines"]) for each in found),
    )


def _indented(lines: Iterable[str]) -> str:
    return "".join(f"  {each}\n" for each in lines)


async def _leaves_over(session: Session, paths: Iterable[str]) -> list[str]:
    """The shown paths of files and of all that extends them, each once."""
    found: dict[str, None] = {}
    for path in paths:
        home = session.engine.home_of(path)
        found[path] = None
        if home is not None:
            graph = await known_graph(session, home)
            over = graph.all_dependents(session.files.real(path))
            found |= dict.fromkeys(graph.paths[each] for each in over if each in graph.paths)
    return list(found)


def _compared(session: Session, engine: Engine, after: Resolved) -> list[dict[str, Any]]:
    """What became of a template, where it is not the same as before."""
    name = template_name(after.path, after.home)
    told: dict[str, Any] = {"name": name, "uri": session.uri_of(after.path)}
    if engine.files.kind(after.path) != "file":
        return [told | {"state": "new", "changes": [], "more": 0, "lines": []}]
    before = engine.resolve(after.path)
    state = "changed"
    if bool(before.stopping) != bool(after.stopping):
        state = "broken" if after.stopping else "mended"
    found = [] if after.stopping else list(changes(before.config, after.config))
    if not found and state == "changed":
        return []
    lines = list(changes_lines(found, before, after))
    return [told | {"state": state, **changes_data(session, found, before, after), "lines": lines}]
