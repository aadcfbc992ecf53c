"""`aj impact`: which templates a change of some files reaches, and how."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from click import style

from ajkit.cli.changes import changes_data, changes_text
from ajkit.cli.invocation import this
from ajkit.cli.options import format_option, home_option
from ajkit.cli.terminal import one_line, say, write
from ajkit.cli.verbs import Verb
from ajkit.revision import Git, RestoredFiles
from ajkit.shared.problem import UsageError
from ajkit.shared.template.changes import changes

if TYPE_CHECKING:
    from ajkit.cli.invocation import Invocation
    from ajkit.engine import Engine
    from ajkit.shared.template.changes import Change
    from ajkit.shared.template.resolve import Resolved
    from ajkit.shared.where import Json


@click.command(
    cls=Verb,
    examples=[
        ("aj impact", "of everything that is changed and not committed"),
        ("aj impact .aj/base/gpu.yaml", "of that file alone"),
        ("aj impact --rev origin/main", "of all that this branch changes"),
        ("aj impact --format json", "for scripts"),
    ],
)
@click.argument("paths", nargs=-1, metavar="[PATHS]...", type=click.Path())
@click.option("--rev", metavar="REV", default="HEAD", show_default=True, help="The git revision to compare with.")
@format_option("text", "json")
@home_option
@click.pass_context
def command(context: click.Context, *, paths: tuple[str, ...], rev: str, form: str, home: str | None) -> None:
    """Say which templates to run come to something else because files were changed, and what is different.

    The changes of PATHS (files, or folders with all in them) against a git revision are looked at, or of all template
    files and aj.toml. Each template is resolved twice: with the files as they are, and with the changed ones as they
    were. The exit code is 1 when one of them cannot be resolved any more.
    """
    invocation = this(context)
    engine = invocation.engine(home)
    where = engine.required_home()
    changed = Git.around(where, invocation.environ).changed(rev)
    if paths:
        changed = _below(paths, changed, engine)
    earlier = invocation.engine(home, RestoredFiles(changed))
    reached = _reached(engine, earlier, where) if changed else []
    if form == "json":
        import json

        write(json.dumps([_data(*each, invocation) for each in reached], indent=2, ensure_ascii=False) + "\n")
    else:
        write("".join(_text(*each, invocation) for each in reached))
    leaves = f"{len(reached)} template{' comes' if len(reached) == 1 else 's come'} to something else"
    say(f"{leaves} by {len(changed)} changed file{'' if len(changed) == 1 else 's'}")
    context.exit(1 if any(_state(before, after) == "broken" for before, after, _ in reached) else 0)


Reached = tuple["Resolved | None", "Resolved | None", "list[Change]"]


def _below(arguments: tuple[str, ...], changed: dict[str, bytes | None], engine: Engine) -> dict[str, bytes | None]:
    """The changed files that the arguments name; a folder stands for all files in it.

    Raises:
        UsageError: a path leads nowhere, now and in the revision.
    """
    kept: dict[str, bytes | None] = {}
    for argument in arguments:
        real = engine.files.real(engine.absolute(argument))
        found = {path: old for path, old in changed.items() if path == real or path.startswith(f"{real}/")}
        if not found and engine.files.kind(real) == "missing":
            raise UsageError(f"there is no {argument}, and there was none: aj impact takes paths of files and folders")
        kept |= found
    return kept


def _reached(engine: Engine, earlier: Engine, home: str) -> list[Reached]:
    """The leaves that differ: as they were and as they are (None where there is no such file), and the changes."""
    leaves = {each.path for side in (earlier, engine) for each in side.entries(home) if each.is_leaf}
    found: list[Reached] = []
    for path in sorted(leaves):
        before, after = (side.resolve(path) if side.files.kind(path) == "file" else None for side in (earlier, engine))
        different = list(changes(before.config if before else {}, after.config if after else {}))
        if different or not before or not after or bool(before.stopping) != bool(after.stopping):
            found.append((before, after, different))
    return found


def _state(before: Resolved | None, after: Resolved | None) -> str:
    if before is None or after is None:
        return "new" if before is None else "gone"
    return "broken" if after.stopping else "changed"


def _text(before: Resolved | None, after: Resolved | None, found: list[Change], invocation: Invocation) -> str:
    kept = after or before
    assert kept is not None
    name = style(one_line(kept.name), bold=True)
    match _state(before, after):
        case "changed" if before and after:
            return f"{name}\n{changes_text(found, before, after, invocation.folder)}"
        case "broken":
            return f"{name} {style('cannot be resolved', fg='red')}: aj check says why\n"
        case state:
            return f"{name} is {state}\n"


def _data(before: Resolved | None, after: Resolved | None, found: list[Change], invocation: Invocation) -> Json:
    kept = after or before
    assert kept is not None
    listed = changes_data(found, before, after, invocation.folder) if before and after and not after.stopping else []
    path = invocation.shown(kept.path)
    return {"template": kept.name, "path": path, "state": _state(before, after), "changes": listed}
