"""`aj diff`: what differs between two merged configs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ajkit.cli.changes import changes_data, changes_text
from ajkit.cli.invocation import this
from ajkit.cli.options import format_option, home_option, templates
from ajkit.cli.terminal import say, write
from ajkit.cli.verbs import Verb
from ajkit.shared.problem import Refused
from ajkit.shared.template.changes import changes

if TYPE_CHECKING:
    from ajkit.cli.invocation import Invocation
    from ajkit.revision import RestoredFiles
    from ajkit.shared.template.resolve import Resolved


@click.command(
    cls=Verb,
    examples=[
        ("aj diff small big", "what big has otherwise than small"),
        ("aj diff train", "what train comes to now, against the last commit"),
        ("aj diff train --rev main~3", "against another revision"),
        ("aj diff train --format json", "for scripts"),
    ],
)
@click.argument("templates", nargs=-1, metavar="[T] [OTHER]", shell_complete=templates)
@click.option("--rev", metavar="REV", help="Compare T with itself at this git revision.  [default: HEAD]")
@format_option("text", "json")
@home_option
@click.pass_context
def command(
    context: click.Context, *, templates: tuple[str, ...], rev: str | None, form: str, home: str | None
) -> None:
    """Compare what two templates come to, or what one comes to now and at a git revision.

    It is the merged configs that are compared, so that a change of a base shows in everything that extends it. Each
    change stands with the line that made it so. For a revision all template files and aj.toml are taken as they were.
    """
    if len(templates) > 2 or (len(templates) == 2 and rev is not None):
        raise click.UsageError("give two templates, or one and --rev")
    invocation = this(context)
    engine = invocation.engine(home)
    if len(templates) == 2:
        before, after = (_resolved(engine.find(each), invocation, home) for each in templates)
    else:
        from ajkit.revision import Git, RestoredFiles

        path = engine.find(templates[0] if templates else None)
        git = Git.around(path.rpartition("/")[0], invocation.environ)
        files = RestoredFiles(git.changed(rev or "HEAD"))
        before = _resolved(path, invocation, home, files)
        after = _resolved(path, invocation, home)
    found = list(changes(before.config, after.config))
    if form == "json":
        import json

        write(json.dumps(changes_data(found, before, after, invocation.folder), indent=2, ensure_ascii=False) + "\n")
    elif found:
        write(changes_text(found, before, after, invocation.folder))
    else:
        say("There is no difference.")


def _resolved(path: str, invocation: Invocation, home: str | None, files: RestoredFiles | None = None) -> Resolved:
    resolved = invocation.engine(home, files).resolve(path, named=True)
    if resolved.stopping:
        raise Refused(resolved.stopping)
    return resolved
