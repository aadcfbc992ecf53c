"""The verbs of `aj`: what each is for, in groups; the code of a verb is imported when it is called."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from ajkit import __version__
from ajkit.cli.invocation import this
from ajkit.cli.terminal import wants_colour

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click.shell_completion import CompletionItem

GROUPS: dict[str, dict[str, str]] = {
    "Look at templates": {
        "list": "List the templates that can be run.",
        "show": "Print the merged config of a template.",
        "explain": "Say where a value comes from, or what a problem means.",
        "graph": "Draw who extends whom.",
        "diff": "Compare two templates, or a template with an earlier version of itself.",
    },
    "Find mistakes": {
        "check": "Check templates, as the editor does.",
        "impact": "Say which templates a change of a base reaches, and how.",
        "doctor": "Look for what is here, what is missing and how to get it.",
    },
    "Run jobs": {
        "run": "Run a job from a template.",
        "jobs": "List, show, follow and cancel jobs.",
        "serve": "Run the submission daemon, here or for a team.",
    },
    "Set up": {
        "init": "Make a small AJ_HOME that works.",
        "lsp": "Serve an editor: the language server.",
        "schema": "Print the JSON schema of templates or of JobSpec.",
    },
}
SUMMARIES = {verb: summary for group in GROUPS.values() for verb, summary in group.items()}

HELP = """Job templates for clusters.

A template is a YAML file with a `base` (the templates it extends) and a `config`. Its bases are merged from left to
right, its own config comes last, and the result is one job: what runs, where, on how many nodes.

Templates live in AJ_HOME: the nearest folder .aj or .azure_jobs, or what --home or the variable AJ_HOME names. A
template below AJ_HOME/template/ is called by its name: `-t team.train` is AJ_HOME/template/team/train.yaml. Paths work
too.
"""

FIRST_STEPS = (
    ("aj init", "make an AJ_HOME with a template that runs here"),
    ("aj show", "print what it comes to"),
    ("aj explain jobs[0].command", "say who set that, and what it overrode"),
    ("aj check", "look for mistakes everywhere"),
    ("aj run", "run it, and follow its output"),
)

COMPLETION = """Completion of verbs, options and template names: put the line for your shell into its start-up file.
bash: eval "$(_AJ_COMPLETE=bash_source aj)"
zsh: eval "$(_AJ_COMPLETE=zsh_source aj)"
fish: _AJ_COMPLETE=fish_source aj | source
"""


class Verb(click.Command):
    """A command whose help ends with examples: pairs of a command line and what it does."""

    def __init__(self, *args: Any, examples: Sequence[tuple[str, str]] = (), **kwargs: Any) -> None:
        kwargs.setdefault("context_settings", {"help_option_names": ["-h", "--help"]})
        super().__init__(*args, **kwargs)
        self.examples = tuple(examples)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples after the options."""
        write_examples(formatter, self.examples)
        super().format_epilog(ctx, formatter)


class Verbs(click.Group):
    """The group of all verbs; it knows their names and summaries without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """The names of the verbs, in the order of the help."""
        return list(SUMMARIES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import a verb."""
        if cmd_name not in SUMMARIES:
            return None
        command = import_module(f"ajkit.cli.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the verb that was called; an unknown one is answered with the nearest names."""
        if args and args[0] not in SUMMARIES and not args[0].startswith("-"):
            from ajkit.shared.template.names import did_you_mean, near

            close = did_you_mean(near(args[0], SUMMARIES))
            ctx.fail(f"there is no verb `{args[0]}`{close or ' (aj --help lists them)'}")
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete verbs without importing any."""
        from click.shell_completion import CompletionItem

        found = [CompletionItem(verb, help=text) for verb, text in SUMMARIES.items() if verb.startswith(incomplete)]
        return found if not incomplete.startswith("-") else click.Command.shell_complete(self, ctx, incomplete)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the verbs in their groups."""
        widest = max(len(verb) for verb in SUMMARIES)
        for group, verbs in GROUPS.items():
            with formatter.section(group):
                formatter.write_dl([(verb.ljust(widest), text) for verb, text in verbs.items()])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write first steps, and how to have names completed."""
        write_examples(formatter, FIRST_STEPS, title="First steps")
        first, *shells = COMPLETION.splitlines()
        with formatter.section("Completion"):
            formatter.write_text(first)
            formatter.write("".join(f"    {line}\n" for line in shells))


def write_examples(
    formatter: click.HelpFormatter, examples: Sequence[tuple[str, str]], title: str = "Examples"
) -> None:
    """Write command lines, each with what it does below it."""
    if examples:
        with formatter.section(title):
            widest = max(len(line) for line, _ in examples)
            for line, does in examples:
                if widest <= 34:
                    formatter.write(f"  {line.ljust(widest)}  {does}\n")
                else:
                    formatter.write(f"  {line}\n      {does}\n")


@click.group(
    cls=Verbs,
    help=HELP,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    subcommand_metavar="VERB ...",
)
@click.version_option(__version__, message="aj %(version)s")
@click.pass_context
def aj(context: click.Context) -> None:
    """Decide on colours before any verb runs."""
    context.color = wants_colour(this(context).environ)
