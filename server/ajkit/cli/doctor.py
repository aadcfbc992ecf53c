"""`aj doctor`: what is found, what is missing, and how to get it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from click import style

from ajkit.cli.checkup import Standing, findings
from ajkit.cli.invocation import this
from ajkit.cli.options import format_option, home_option
from ajkit.cli.terminal import columns, one_line, say, write
from ajkit.cli.verbs import Verb

if TYPE_CHECKING:
    from ajkit.cli.checkup import Finding

MARKS = {
    Standing.OK: style("ok", fg="green"),
    Standing.WARNING: style("warning", fg="yellow"),
    Standing.MISSING: style("missing", dim=True),
    Standing.BROKEN: style("broken", fg="red", bold=True),
}


@click.command(
    cls=Verb,
    examples=[("aj doctor", "look at everything"), ("aj doctor --format json", "for a report of a mistake in aj")],
)
@format_option("text", "json")
@home_option
@click.pass_context
def command(context: click.Context, *, form: str, home: str | None) -> None:
    """Look for everything that templates and jobs need on this machine, and say what is missing and how to get it.

    The submission daemon is started if it does not run. What only some services need may well be missing; the exit code
    is 1 when something is broken that every job needs.
    """
    invocation = this(context)
    found = list(findings(invocation, home))
    if form == "json":
        import json
        from dataclasses import asdict

        write(json.dumps([asdict(each) for each in found], indent=2, ensure_ascii=False) + "\n")
    else:
        write(_text(found))
    broken = [each.name for each in found if each.standing is Standing.BROKEN]
    if broken:
        say(f"Broken: {', '.join(broken)}")
    context.exit(1 if broken else 0)


def _text(found: list[Finding]) -> str:
    """Sections of lines; what a service needs stands below it, a little to the right."""
    rows = []
    for each in found:
        name = f"  {each.name}" if each.service else each.name
        rows.append([name, MARKS[each.standing], one_line(each.found)])
    out: list[str] = []
    section = ""
    for each, line in zip(found, columns(rows).splitlines(), strict=True):
        if each.about != section:
            section = each.about
            out.append(("\n" if out else "") + style(section.capitalize(), bold=True))
        out.append(f"  {line}")
        if each.advice:
            out.append(f"        → {one_line(each.advice)}")
    return "\n".join(out) + "\n"
