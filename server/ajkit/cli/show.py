"""`aj show`: the merged config of a template, and nothing else, on standard output."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ajkit.cli.invocation import this
from ajkit.cli.options import format_option, home_option, overlay_options, template_argument
from ajkit.cli.origins import on_disk, said
from ajkit.cli.terminal import write
from ajkit.cli.verbs import Verb
from ajkit.shared.problem import Refused
from ajkit.shared.where import format_keypath, walk

if TYPE_CHECKING:
    from ajkit.cli.invocation import Invocation
    from ajkit.shared.template.overlay import Overlays
    from ajkit.shared.template.resolve import Resolved
    from ajkit.shared.where import Json, KeyPath


@click.command(
    cls=Verb,
    examples=[
        ("aj show", "the only template there is, or the default one"),
        ("aj show train --origins", "with the file and line that set each value"),
        ("aj show train --set target.queue=long", "with something laid over it"),
        ("aj show ./train.yaml --format json", "a file, as JSON"),
    ],
)
@template_argument
@format_option("yaml", "json")
@click.option("--origins", is_flag=True, help="Say beside each line which file and line set it.")
@click.option("--partial", is_flag=True, help="Print what could be resolved, though there are errors.")
@overlay_options
@home_option
@click.pass_context
def command(
    context: click.Context,
    *,
    template: str | None,
    form: str,
    origins: bool,
    partial: bool,
    overlays: Overlays,
    home: str | None,
) -> None:
    """Print the merged config of a template: its bases from left to right, then its own config.

    Only that goes to standard output, so that it can be piped. A template that is incomplete or ill-typed is shown too;
    with an error in a file or a base there is no result to trust: nothing is printed, the exit code is 1, and the
    errors go to standard error. Values are never masked here.

    With --origins every line of the YAML ends in a comment `# file:line`; the JSON is then an object keyed by key path,
    with the place of each (lines count from 1) and the value of those that hold no others.
    """
    invocation = this(context)
    engine = invocation.engine(home)
    resolved = engine.resolve(engine.find(template), overlays, named=True)
    stopping = resolved.stopping
    if stopping and not partial:
        raise Refused(stopping)
    write(_text(resolved, form, invocation, origins=origins))
    if stopping:
        from ajkit.cli.reports.text import report

        report(stopping, invocation.folder)
        context.exit(1)


def _text(resolved: Resolved, form: str, invocation: Invocation, *, origins: bool) -> str:
    if form == "json":
        import json

        shown = _origins(resolved, invocation) if origins else resolved.config
        return json.dumps(shown, indent=2, ensure_ascii=False) + "\n"
    if not origins:
        from ajkit.shared.template.yamltext import yaml_text

        return yaml_text(resolved.config)
    from ajkit.cli.noted import noted_yaml

    def note(path: KeyPath) -> str:
        winner = resolved.winner(path)
        return said(winner, invocation.folder) if winner else ""

    return noted_yaml(resolved.config, note)


def _origins(resolved: Resolved, invocation: Invocation) -> dict[str, Json]:
    """Every key path with its place (None for the command line, which is named by its option) and, of leaves, value."""
    found: dict[str, Json] = {}
    for path, value in walk(resolved.config):
        winner = resolved.winner(path) if path else None
        if winner is None:
            continue
        span = on_disk(winner)
        entry: dict[str, Json] = {
            "path": invocation.shown(span.path) if span else None,
            "line": span.first.line + 1 if span else None,
        }
        if span is None:
            entry["option"] = winner.label
        if not (isinstance(value, dict | list) and value):
            entry["value"] = value
        found[format_keypath(path)] = entry
    return found
