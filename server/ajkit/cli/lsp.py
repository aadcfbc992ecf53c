"""`aj lsp`: the language server, for editors."""

from __future__ import annotations

import gc
from importlib import import_module

import click

from ajkit.cli.terminal import say
from ajkit.cli.verbs import Verb

LOCAL = "127.0.0.1"
LAST_PORT = 65535


def _address(_context: click.Context, _parameter: click.Parameter, value: str | None) -> tuple[str, int] | None:
    """The parts of ``HOST:PORT``; ``:PORT`` is on this machine."""
    if value is None:
        return None
    host, colon, port = value.rpartition(":")
    if not colon or not port.isdecimal() or int(port) > LAST_PORT:
        raise click.BadParameter(f"write HOST:PORT, like {LOCAL}:8765, not {value}")
    return host.strip("[]") or LOCAL, int(port)


@click.command(
    cls=Verb,
    examples=[
        ("aj lsp", "what an editor runs; it speaks on standard input and output"),
        ("aj lsp --tcp 127.0.0.1:8765", "wait for one editor on a port, to watch the two talk"),
    ],
)
@click.option(
    "--tcp", callback=_address, metavar="HOST:PORT", help="Serve one editor on a port instead, for debugging."
)
@click.pass_context
def command(context: click.Context, *, tcp: tuple[str, int] | None) -> None:
    """Serve an editor: problems while you type, where values come from, completion, previews, submission.

    An editor starts this itself and talks to it by the Language Server Protocol. Tell it that templates (YAML files
    below .aj or .azure_jobs, those that aj.toml names, and files that begin with `# aj: template`) are served by the
    command `aj lsp`; other YAML files get no answer, so that it goes well with another server for YAML.

    \b
    VS Code   install the extension `aj`; it starts the server
    Neovim    vim.lsp.config("aj", { cmd = { "aj", "lsp" }, filetypes = { "yaml" },
                root_markers = { ".aj", ".azure_jobs" } })
              vim.lsp.enable("aj")
    Emacs     (add-to-list 'eglot-server-programs '(yaml-mode "aj" "lsp"))
    Helix     [language-server.aj]
              command = "aj"
              args = ["lsp"]

    AJ_HOME is that of each file: the setting aj.home, else the variable AJ_HOME, else the nearest folder above it.
    Settings: aj.home, aj.preview.* (nodes, processes, ppn, command, with), aj.hover.*, aj.inlay.*, aj.trace.
    """  # noqa: D301 - the sign keeps the lines below it as they are
    if tcp is not None:
        say(f"waiting for an editor at {tcp[0]}:{tcp[1]}; Ctrl-C ends it")
    gc.enable()  # off for commands that are over soon
    # By name: the command line and the language server do not know each other.
    context.exit(import_module("ajkit.lsp.main").main(tcp=tcp))
