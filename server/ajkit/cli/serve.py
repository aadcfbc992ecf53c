"""`aj serve`: the submission daemon, in this terminal."""

from __future__ import annotations

import click

from ajkit.cli.invocation import this
from ajkit.cli.terminal import say
from ajkit.cli.verbs import Verb


@click.command(cls=Verb, examples=[("aj serve", "see what the daemon does while jobs come in")])
@click.pass_context
def command(context: click.Context) -> None:
    """Run the submission daemon of this machine here, and see what it logs; Ctrl-C ends it.

    It is not needed for anything: `aj run` starts the daemon in the background when there is none, and it stops by
    itself when nothing is left to do. Jobs go on without it.
    """
    from ajkit.client.places import state_folder
    from ajkit.daemon.__main__ import main

    state = state_folder(this(context).environ)
    say(f"The daemon of {state}; Ctrl-C ends it.")
    context.exit(main(["--state", state]))
