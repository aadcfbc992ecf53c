"""`aj list`: the templates that can be run, with their service, shape, state and description."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from click import style

from ajkit.cli.invocation import this
from ajkit.cli.options import format_option, home_option
from ajkit.cli.terminal import columns, one_line, say, write
from ajkit.cli.verbs import Verb
from ajkit.shared.problem import Severity
from ajkit.shared.where import at

if TYPE_CHECKING:
    from ajkit.cli.invocation import Invocation
    from ajkit.engine import Engine, Entry
    from ajkit.shared.where import Json, KeyPath

DESCRIPTION_ROOM = 60


@click.command(
    cls=Verb,
    examples=[
        ("aj list", "the templates of the AJ_HOME in use"),
        ("aj list --all", "those that others extend too"),
        ("aj list --format json", "with paths, for scripts"),
    ],
)
@format_option("text", "json")
@click.option("--all", "everything", is_flag=True, help="List templates too that only others extend.")
@home_option
@click.pass_context
def command(context: click.Context, *, form: str, everything: bool, home: str | None) -> None:
    """List the templates that can be run: the leaves below AJ_HOME/template and what aj.toml adds.

    The shape is nodes × what stands on each, as far as the template says it; `-n` and `-p` of aj run say the rest. The
    state counts errors and warnings; `aj check` shows them.
    """
    invocation = this(context)
    engine = invocation.engine(home)
    found = engine.required_home()
    entries = [each for each in engine.entries(found) if everything or each.is_leaf]
    rows = [_row(each, engine, invocation) for each in entries]
    if form == "json":
        import json

        write(json.dumps(rows, indent=2, ensure_ascii=False) + "\n")
        return
    if not rows:
        say(f"There is no template in {invocation.shown(found)}/template yet.")
        return
    head = [style(word, bold=True) for word in ("NAME", "SERVICE", "SHAPE", "STATE", "DESCRIPTION")]
    write(columns([head, *(_cells(each) for each in rows)]))


def _row(entry: Entry, engine: Engine, invocation: Invocation) -> dict[str, Json]:
    from ajkit.shared.job.request import JobRequest

    resolved = engine.resolve(entry.path)
    problems = engine.problems(resolved)
    sizing = engine.plan(JobRequest(entry.path)).sizing
    nodes, selector = (sizing.nodes, sizing.selector) if sizing else (None, None)
    return {
        "name": entry.name,
        "path": invocation.shown(entry.path),
        "leaf": entry.is_leaf,
        "service": _text(resolved.config, ("target", "service")),
        "nodes": nodes if isinstance(nodes, int) else None,
        "per_node": selector if isinstance(selector, int) else None,
        "sku": sizing.sku if sizing else None,
        "derived": bool(sizing and sizing.derived),
        "errors": sum(each.severity is Severity.ERROR for each in problems),
        "warnings": sum(each.severity is Severity.WARNING for each in problems),
        "description": _text(resolved.config, ("description",)),
    }


def _text(config: dict[str, Json], path: KeyPath) -> str | None:
    value = at(config, path)
    return value if isinstance(value, str) else None


def _cells(row: dict[str, Json]) -> list[str]:
    name = one_line(str(row["name"]))
    service = one_line(str(row["service"] or "–"))
    return [
        name if row["leaf"] else style(name, dim=True),
        service,
        _shape(row),
        _state(row),
        _shortened(row["description"]),
    ]


def _shape(row: dict[str, Json]) -> str:
    """The SKU, or nodes × what stands on each; what a run must be told stands as its option."""
    nodes, per_node, sku = row["nodes"], row["per_node"], row["sku"]
    if isinstance(sku, str):
        return one_line(sku.replace("‹", "").replace("›", ""))
    first = "-n" if nodes is None else f"{nodes} node{'' if nodes == 1 else 's'}"
    second = "" if row["derived"] else " × -p" if per_node is None else f" × {per_node}" if per_node else ""
    return f"{first}{second}"


def _state(row: dict[str, Json]) -> str:
    for word, colour in (("errors", "red"), ("warnings", "yellow")):
        count = row[word]
        if count:
            return style(f"{count} {word if count != 1 else word[:-1]}", fg=colour)
    return style("ok", fg="green")


def _shortened(text: Json) -> str:
    if not isinstance(text, str):
        return ""
    line = one_line(text.strip().split("\n", 1)[0])
    return line if len(line) <= DESCRIPTION_ROOM else f"{line[: DESCRIPTION_ROOM - 1]}…"
