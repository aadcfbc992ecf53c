"""Options that several verbs take: which template, what is laid over it, the shape, the format."""

from __future__ import annotations

import functools
import posixpath
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from ajkit.cli.invocation import Invocation

if TYPE_CHECKING:
    from collections.abc import Callable

    from click.shell_completion import CompletionItem

Decorated = TypeVar("Decorated", bound="Callable[..., Any]")
COMPLETED = 500


def files(_context: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Let the shell complete files."""
    return [_left_to_shell(incomplete, "file")]


def folders(_context: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Let the shell complete folders."""
    return [_left_to_shell(incomplete, "dir")]


def templates(context: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete template names by the files below AJ_HOME/template, without reading any; where none fits, files."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(name) for name in _names(context, incomplete)] or [_left_to_shell(incomplete, "file")]


def _left_to_shell(incomplete: str, kind: str) -> CompletionItem:
    from click.shell_completion import CompletionItem

    return CompletionItem(incomplete, type=kind)


def _names(context: click.Context, incomplete: str) -> list[str]:
    from ajkit.disk import DiskFiles
    from ajkit.shared.template.names import SUFFIX, TEMPLATE_FOLDER, find_home

    invocation = context.find_object(Invocation)
    if invocation is None:
        return []
    chosen = context.params.get("home") or invocation.environ.get("AJ_HOME")
    files = DiskFiles()
    home = invocation.expand(chosen) if chosen else find_home(files, invocation.folder)
    if home is None:
        return []
    folder = posixpath.join(posixpath.normpath(posixpath.join(invocation.folder, home)), TEMPLATE_FOLDER)
    inside = (path[len(folder) + 1 :] for path, _ in files.walk(folder) if path.endswith(SUFFIX))
    names = (each.removesuffix(SUFFIX).replace("/", ".") for each in inside)
    return [name for name in names if name.startswith(incomplete)][:COMPLETED]


home_option = click.option(
    "--home",
    metavar="FOLDER",
    shell_complete=folders,
    help="The AJ_HOME to use, instead of the nearest .aj or .azure_jobs folder.",
)

template_option = click.option(
    "-t",
    "--template",
    metavar="NAME",
    shell_complete=templates,
    help="The template, by name or path; else the default one, or the only one there is.",
)


def format_option(*formats: str) -> Callable[[Decorated], Decorated]:
    """``--format``, the first one being the default; parameter `form`."""
    return click.option(
        "--format",
        "form",
        type=click.Choice(formats, case_sensitive=False),
        default=formats[0],
        show_default=True,
        help="How to print it.",
    )


def template_argument(function: Callable[..., Any]) -> Callable[..., Any]:
    """The template as an argument or as ``-t``; parameter `template`, None when neither is given."""

    @click.argument("argument", metavar="[T]", required=False, shell_complete=templates)
    @template_option
    @functools.wraps(function)
    def either(*args: Any, argument: str | None, template: str | None, **others: Any) -> Any:
        if argument is not None and template is not None and argument != template:
            raise click.UsageError(f"name one template, not both {argument} and {template}")
        return function(*args, template=argument if template is None else template, **others)

    return either


def overlay_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """``--with``, ``--set`` and ``--env``; parameter `overlays`, an `Overlays`."""

    @click.option(
        "--with",
        "bases",
        multiple=True,
        metavar="NAME",
        help="Merge one more base after the template's own config. Repeatable.",
    )
    @click.option(
        "--set",
        "sets",
        multiple=True,
        metavar="KEYPATH=VALUE",
        help="Set a value, read as YAML: --set target.queue=long, --set jobs[0].sku=G1. Repeatable.",
    )
    @click.option(
        "--env",
        multiple=True,
        metavar="NAME=VALUE",
        help="Set an environment variable of the job, after all --set. Repeatable.",
    )
    @functools.wraps(function)
    def laid(*args: Any, bases: tuple[str, ...], sets: tuple[str, ...], env: tuple[str, ...], **others: Any) -> Any:
        from ajkit.shared.template.overlay import Overlays

        return function(*args, overlays=Overlays(bases, sets, env), **others)

    return laid


class Asked(NamedTuple):
    """The shape that the command line asks for, None where it says nothing, and whether amlt is to run the job."""

    nodes: int | None = None
    selector: int | None = None
    processes: int | None = None
    amlt: bool = False


def shape_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """``-n``, ``-p``, ``--ppn`` and ``--amlt``; parameter `asked`, an `Asked`."""

    @click.option("-n", "nodes", type=int, metavar="N", help="The number of nodes, instead of jobs[0].instance_count.")
    @click.option(
        "-p",
        "selector",
        type=int,
        metavar="N",
        help="GPUs per node (for a CPU SKU: its size), instead of target.gpus_per_node.",
    )
    @click.option(
        "--ppn",
        "processes",
        type=int,
        metavar="N",
        help="Launcher processes per node, instead of jobs[0].process_count_per_node; 1 where neither says it.",
    )
    @click.option("--amlt", is_flag=True, help="Render the merged template for amlt, and let amlt run it.")
    @functools.wraps(function)
    def asking(
        *args: Any, nodes: int | None, selector: int | None, processes: int | None, amlt: bool, **others: Any
    ) -> Any:
        return function(*args, asked=Asked(nodes, selector, processes, amlt), **others)

    return asking
