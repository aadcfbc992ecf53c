"""`aj check`: the problems of template files, as the editor shows them, for readers and for machines."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from ajkit.cli.invocation import this
from ajkit.cli.options import format_option, home_option, templates
from ajkit.cli.reports.masked import masked
from ajkit.cli.reports.text import rendered, summary
from ajkit.cli.terminal import say, terminal_columns, write
from ajkit.cli.verbs import Verb
from ajkit.shared.problem import Severity, UsageError

if TYPE_CHECKING:
    from ajkit.cli.invocation import Invocation
    from ajkit.engine import Engine
    from ajkit.shared.problem import Problem


@click.command(
    cls=Verb,
    examples=[
        ("aj check", "everything in AJ_HOME"),
        ("aj check train ./more.yaml", "a template by name, and a file"),
        ("aj check --strict", "warnings fail too"),
        ("aj check --format sarif > aj.sarif", "for code scanning"),
        ("aj check --format github", "annotations of a GitHub workflow"),
    ],
)
@click.argument("paths", nargs=-1, metavar="[PATHS]...", shell_complete=templates)
@format_option("text", "json", "sarif", "junit", "github")
@click.option("--strict", is_flag=True, help="Let warnings fail the check too.")
@home_option
@click.pass_context
def command(context: click.Context, *, paths: tuple[str, ...], form: str, strict: bool, home: str | None) -> None:
    """Check templates: how they resolve, their types, and what their service makes of them.

    Without PATHS everything in AJ_HOME is checked. A folder stands for the templates in it, a name for the template of
    that name. Every problem is found in one pass and reported once, in the file that has it.

    The report goes to standard output (`[]` in JSON when all is well), a summary to standard error. The exit code is 0
    when no error was found (with --strict: and no warning), else 1. `aj explain CODE` says what a code means; the
    comment `# aj: ignore[CODE]` on a line, or above it, silences a warning there.

    In JSON, lines and columns count from 0 and columns in UTF-16 units, as editors count them; paths are relative to
    the working directory.
    """
    invocation = this(context)
    engine = invocation.engine(home)
    if paths:
        named, checked = _meant(paths, engine, invocation)
    else:
        named, checked = frozenset[str](), engine.ours()
    problems = engine.check(checked, named=named)
    if not checked:
        # Else every template tells what is wrong with the settings of its home.
        problems = list(engine.settings(engine.home_here()).problems)
    problems += engine.registry.problems
    blocking = (Severity.ERROR, Severity.WARNING) if strict else (Severity.ERROR,)
    write(_report(form, problems, checked, invocation.folder, blocking))
    say(summary(problems, len(checked)))
    context.exit(1 if any(each.severity in blocking for each in problems) else 0)


def _report(form: str, problems: list[Problem], checked: list[str], folder: str, blocking: tuple[Severity, ...]) -> str:
    if form == "text":
        columns = terminal_columns(sys.stdout)
        return "".join(rendered(each, folder, columns) for each in problems)
    problems = [masked(each) for each in problems]
    match form:
        case "json":
            from ajkit.cli.reports.data import json_report

            return json_report(problems, folder)
        case "sarif":
            from ajkit.cli.reports.sarif import sarif_report

            return sarif_report(problems, folder)
        case "junit":
            from ajkit.cli.reports.junit import junit_report

            return junit_report(problems, checked, folder, lambda each: each.severity in blocking)
        case _:
            from ajkit.cli.reports.github import github_report

            return github_report(problems, folder)


def _meant(arguments: tuple[str, ...], engine: Engine, invocation: Invocation) -> tuple[frozenset[str], list[str]]:
    """The files that the arguments name one by one, and all files they mean, each once, in order."""
    named: set[str] = set()
    found: dict[str, None] = {}
    for argument in arguments:
        path = engine.absolute(argument)
        kind = engine.files.kind(path)
        if kind == "directory":
            below = engine.ours_below(path)
            if not below:
                raise UsageError(
                    f"there is no template in {invocation.shown(path)}: templates are the .yaml files of an AJ_HOME, "
                    "those that `templates` of its aj.toml matches, and files whose first line is `# aj: template`"
                )
            found.update(dict.fromkeys(below))
        else:
            path = path if kind == "file" else engine.find(argument)
            named.add(path)
            found[path] = None
    return frozenset(named), list(found)
