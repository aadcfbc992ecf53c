"""`aj graph`: who extends whom, as text, a picture, or data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ajkit.cli.invocation import this
from ajkit.cli.options import format_option, home_option, template_argument
from ajkit.cli.terminal import write
from ajkit.cli.verbs import Verb
from ajkit.shared.problem import UsageError
from ajkit.shared.template.pictures.family import family_of

if TYPE_CHECKING:
    from ajkit.cli.invocation import Invocation
    from ajkit.engine import Engine
    from ajkit.shared.template.pictures.family import Family


@click.command(
    cls=Verb,
    examples=[
        ("aj graph", "every template, and under it what it extends"),
        ("aj graph base.gpu", "what one file extends, and what extends it"),
        ("aj graph --format svg > graph.svg", "a picture"),
        ("aj graph --format mermaid", "a drawing for a Markdown page"),
    ],
)
@template_argument
@format_option("text", "mermaid", "dot", "json", "svg")
@home_option
@click.pass_context
def command(context: click.Context, *, template: str | None, form: str, home: str | None) -> None:
    """Draw which templates extend which bases.

    Without T that is everything in AJ_HOME; else what T (a template, a dotted base name or a path) extends, and what
    extends it. Templates that can be run stand out. A base that is extended by several is drawn in full once.
    """
    invocation = this(context)
    engine = invocation.engine(home)
    real, where = _chosen(template, engine)
    family, names = _family(engine, where, invocation)
    heads = family.heads()
    if real is not None:
        if real not in names:
            raise UsageError(f"{invocation.shown(real)} is not one of the files of {invocation.shown(where)}")
        family = family.around(names[real])
        heads = family.heads()
    write(_drawn(family, heads, form))


def _chosen(argument: str | None, engine: Engine) -> tuple[str | None, str]:
    """The real path of the file that is asked about (None: all), and the AJ_HOME that is drawn."""
    from ajkit.shared.template.names import base_path, name_fault

    if argument is None:
        return None, engine.required_home()
    home = engine.home_here()
    path = None
    if home is not None and "." in argument and name_fault(argument) is None:
        dotted = base_path(argument, home, home)
        path = dotted if dotted is not None and engine.files.kind(dotted) == "file" else None
    path = path or engine.find(argument)
    return engine.files.real(path), engine.home_of(path) or engine.required_home()


def _family(engine: Engine, home: str, invocation: Invocation) -> tuple[Family, dict[str, str]]:
    """Everything of a home, and the names of its files by real path."""
    leaves = {engine.files.real(each.path) for each in engine.entries(home) if each.is_leaf}
    return family_of(engine.graph(home), leaves, invocation.shown)


def _drawn(family: Family, heads: list[str], form: str) -> str:
    match form:
        case "mermaid":
            from ajkit.shared.template.pictures.mermaid import mermaid_text

            return mermaid_text(family)
        case "dot":
            from ajkit.shared.template.pictures.dot import dot_text

            return dot_text(family)
        case "svg":
            from ajkit.cli.pictures.svg import svg_text

            return svg_text(family)
        case "json":
            import json
            from dataclasses import asdict

            return json.dumps([asdict(each) for each in family.members.values()], indent=2, ensure_ascii=False) + "\n"
        case _:
            from ajkit.cli.pictures.tree import tree_text

            return tree_text(family, heads)
