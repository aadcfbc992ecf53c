"""`aj init`: a small AJ_HOME that works, with comments to learn from."""

from __future__ import annotations

import os
import posixpath
import shutil

import click

from ajkit.cli.invocation import this
from ajkit.cli.terminal import say, write
from ajkit.cli.verbs import Verb
from ajkit.shared.problem import AjError
from ajkit.shared.template.names import HOME_NAMES

DEFAULT = os.path.join(os.path.dirname(__file__), "default")


class NotMade(AjError):
    """There is an AJ_HOME already, or none can be made here."""


@click.command(
    cls=Verb,
    examples=[
        ("aj init", "make .aj in the working directory"),
        ("aj init ~/project", "make .aj in another folder"),
    ],
)
@click.argument("folder", default=".", type=click.Path())
@click.pass_context
def command(context: click.Context, *, folder: str) -> None:
    """Make a small AJ_HOME, FOLDER/.aj, with a template that runs on this machine, a base and an aj.toml.

    Nothing that exists is touched: where there is an AJ_HOME already, nothing is made and the exit code is 1.
    """
    invocation = this(context)
    project = posixpath.normpath(posixpath.join(invocation.folder, invocation.expand(folder)))
    taken = [name for name in HOME_NAMES if os.path.lexists(posixpath.join(project, name))]
    if taken:
        raise NotMade(f"there is {invocation.shown(posixpath.join(project, taken[0]))} already: nothing was made")
    home = posixpath.join(project, HOME_NAMES[0])
    try:
        made = _copy(home)
    except OSError as error:
        raise NotMade(f"cannot make {invocation.shown(home)}: {error.strerror or error}") from error
    write("".join(f"{invocation.shown(path)}\n" for path in made))
    chosen = invocation.environ.get("AJ_HOME")
    if chosen and posixpath.normpath(posixpath.join(invocation.folder, invocation.expand(chosen))) != home:
        say(f"The variable AJ_HOME names {chosen}, which goes before this folder: unset it to use this one.")
    there = "" if project == invocation.folder else f"cd {invocation.shown(project)}, then "
    say(f"Next: {there}aj list, aj show --origins, aj run")


def _copy(home: str) -> list[str]:
    """Write the default AJ_HOME, whole or not at all; the paths that were made. Nobody else's folder is written to."""
    os.mkdir(home)
    try:
        return _filled(home)
    except OSError:
        shutil.rmtree(home, ignore_errors=True)
        raise


def _filled(home: str) -> list[str]:
    made = []
    for folder, folders, files in os.walk(DEFAULT):
        folders.sort()
        inside = posixpath.normpath(posixpath.join(home, os.path.relpath(folder, DEFAULT)))
        os.makedirs(inside, exist_ok=True)
        for name in sorted(files):
            with open(os.path.join(folder, name), "rb") as source, open(posixpath.join(inside, name), "xb") as target:
                target.write(source.read())
            made.append(posixpath.join(inside, name))
    return made
