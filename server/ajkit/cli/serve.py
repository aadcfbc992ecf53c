"""`aj serve`: the submission daemon, in this terminal or for a team."""

from __future__ import annotations

from typing import Any

import click

from ajkit.cli.invocation import this
from ajkit.cli.serve_token import state_of, state_option, token
from ajkit.cli.terminal import pour, say
from ajkit.cli.verbs import Verb, write_examples
from ajkit.shared.problem import UsageError

_EXAMPLES = (
    ("aj serve", "see what the daemon does while jobs come in"),
    ("aj serve token add ana --expires 30d", "make a token, which is printed once"),
    ("aj serve --listen 127.0.0.1:7420", "take jobs on TCP, from whoever has a token"),
    ("aj serve --listen :7420 --tls-cert c.pem --tls-key k.pem", "and from other machines"),
    ("aj serve stop", "stop the daemon of this machine; its jobs go on"),
)


class _Serve(click.Group):
    """A verb of its own, and the group of what belongs to it."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples after the options."""
        write_examples(formatter, _EXAMPLES)
        super().format_epilog(ctx, formatter)


@click.group(
    cls=_Serve,
    invoke_without_command=True,
    subcommand_metavar="[token | stop] ...",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option("--listen", metavar="HOST:PORT", help="Listen on TCP too, for whoever has a token (AJ_LISTEN).")
@click.option("--host", multiple=True, metavar="NAME", help="A further name that clients call it by (AJ_HOST).")
@click.option("--tls-cert", metavar="FILE", help="The certificate of the TCP address, with its chain.")
@click.option("--tls-key", metavar="FILE", help="The key of the certificate.")
@click.option("--log", type=click.Choice(["text", "json"]), default="text", show_default=True, help="How it logs.")
@state_option
@click.pass_context
def command(
    context: click.Context,
    /,
    *,
    listen: str | None,
    host: tuple[str, ...],
    tls_cert: str | None,
    tls_key: str | None,
    log: str,
    **_: Any,
) -> None:
    """Run the submission daemon here, and see what it logs; Ctrl-C ends it.

    One machine needs no `aj serve`: `aj run` starts the daemon in the background when there is none, and it stops by
    itself when nothing is left to do. With --listen it is the daemon of a team: clients set AJ_SERVER to its address
    and AJ_TOKEN to a token. Whoever has a token can run programs as the user it runs as. Jobs go on without it.
    """
    if context.invoked_subcommand is not None:
        if listen or host or tls_cert or tls_key:
            raise UsageError(f"of the options before `{context.invoked_subcommand}` it takes --state alone")
        return
    from ajkit.daemon.__main__ import main

    invocation = this(context)
    folder = state_of(context)
    arguments = ["--state", folder, "--log", log]
    listen = listen or invocation.environ.get("AJ_LISTEN") or None
    for name, value in (("--listen", listen), ("--tls-cert", tls_cert), ("--tls-key", tls_key)):
        arguments += [name, value] if value else []
    for each in host:
        arguments += ["--host", each]
    say(f"The daemon of {folder}; Ctrl-C ends it.")
    context.exit(main(arguments))


@command.command("stop", cls=Verb, examples=[("aj serve stop", "stop it; the next `aj run` starts it anew")])
@state_option
@click.pass_context
def stop(context: click.Context, /, **_: Any) -> None:
    """Stop the daemon of this machine, where one runs. Its jobs go on; the next daemon finds them."""
    from ajkit.client.reach import Reach

    stopped = Reach(state_of(context), this(context).environ, start=False).stop()
    pour(f"{'stopped' if stopped else 'no daemon runs'}\n")


command.add_command(token)
