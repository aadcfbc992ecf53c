"""`aj serve token`: the tokens of those who may use the daemon of a team."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

import click

from ajkit.cli.invocation import this
from ajkit.cli.options import format_option
from ajkit.cli.terminal import columns, pour, say, write
from ajkit.cli.verbs import Verb
from ajkit.shared.problem import UsageError

if TYPE_CHECKING:
    from ajkit.daemon.tokens import Token, Tokens

_SPANS = {"h": 1 / 24, "d": 1.0, "w": 7.0, "y": 365.0}


def state_option(function: Any) -> Any:
    """The option ``--state``, which `state_of` reads."""
    text = "The folder of the journal, logs and code (default: that of this user and machine)."
    return click.option("--state", metavar="FOLDER", help=text)(function)


def state_of(context: click.Context) -> str:
    """The state folder that is meant: by the ``--state`` of the verb, or of a verb before it."""
    from ajkit.client.places import state_folder

    invocation = this(context)
    asked: click.Context | None = context
    while asked is not None:
        if asked.params.get("state"):
            return os.path.join(invocation.folder, asked.params["state"])
        asked = asked.parent
    return state_folder(invocation.environ)


@click.group("token", context_settings={"help_option_names": ["-h", "--help"]})
def token() -> None:
    """Make, list and revoke the tokens of the daemon of a team. A running daemon need not be told."""


@token.command(
    "add",
    cls=Verb,
    examples=[
        ("aj serve token add ana", "good for 90 days"),
        ("aj serve token add wall --read-only --expires never", "for a screen that shows the jobs"),
    ],
)
@click.argument("name")
@click.option("--expires", metavar="TIME", default="90d", show_default=True, help="12h, 30d, 8w, 1y or never.")
@click.option("--read-only", is_flag=True, help="It may look at jobs, with secrets masked, and change nothing.")
@state_option
@click.pass_context
def add(context: click.Context, /, *, name: str, expires: str, read_only: bool, **_: Any) -> None:
    """Make a token and print it. It is kept as a hash: what is lost cannot be shown again."""
    text = _tokens(context).add(name, days=_days(expires), read_only=read_only)
    pour(f"{text}\n")
    say(f"The token of {name}; clients set AJ_TOKEN to it. It is not shown again.")


@token.command("list", cls=Verb, examples=[("aj serve token list", "whose they are, and until when they are good")])
@format_option("text", "json")
@state_option
@click.pass_context
def list_tokens(context: click.Context, /, *, form: str, **_: Any) -> None:
    """List the tokens, without what they are."""
    from datetime import datetime

    found = _tokens(context).all()
    now = datetime.fromisoformat(this(context).now())
    if form == "json":
        import json

        listed = [each.model_dump(mode="json", exclude={"sha256"}) for each in found]
        write(json.dumps(listed, indent=2) + "\n")
    elif not found:
        say("There are no tokens: aj serve token add NAME makes one.")
    else:
        rows = [["NAME", "MAY", "MADE", "GOOD UNTIL (UTC)"], *(_cells(each, now) for each in found)]
        write(columns(rows))


def _cells(each: Token, now: Any) -> list[str]:
    until = "for ever" if each.expires_at is None else f"{each.expires_at:%Y-%m-%d %H:%M}"
    may = "look" if each.read_only else "all"
    return [each.name, may, f"{each.made_at:%Y-%m-%d}", f"{until} (expired)" if each.has_expired(now) else until]


@token.command("revoke", cls=Verb, examples=[("aj serve token revoke ana", "it is good no more, at once")])
@click.argument("name")
@state_option
@click.pass_context
def revoke(context: click.Context, /, *, name: str, **_: Any) -> None:
    """Make a token good no more. Jobs that it submitted go on."""
    _tokens(context).revoke(name)
    say(f"The token {name} is revoked.")


def _tokens(context: click.Context) -> Tokens:
    from ajkit.daemon.place import own_folder
    from ajkit.daemon.tokens import Tokens

    return Tokens(own_folder(os.path.realpath(state_of(context))))


def _days(text: str) -> float | None:
    """A time in days; None for `never`.

    Raises:
        UsageError: it is no time.
    """
    if text == "never":
        return None
    found = re.fullmatch(r"(\d{1,6})([hdwy])", text)
    if found is None or not int(found[1]):
        raise UsageError(f"--expires {text}: write a time like 12h, 30d, 8w or 1y, or never")
    return int(found[1]) * _SPANS[found[2]]
