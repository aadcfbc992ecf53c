"""``python -m ajkit.daemon --state FOLDER``: become the daemon of a state folder, or find that there is one."""

from __future__ import annotations

import argparse
import importlib
import os
import socket
import sys
import time
from typing import TYPE_CHECKING

from ajkit.daemon import place
from ajkit.daemon.listen import read_listen
from ajkit.daemon.settings import read_settings
from ajkit.shared.problem import AjError

if TYPE_CHECKING:
    from collections.abc import Sequence

_WAIT_SECONDS = 15.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a daemon.

    With ``--detach`` the call answers on standard output and ends: ``ready`` when the daemon listens, ``running`` when
    another does, ``failed`` when it cannot run. Without it the daemon stays in the foreground.
    """
    parser = argparse.ArgumentParser(prog="python -m ajkit.daemon", description="The submission daemon of aj.")
    parser.add_argument("--state", required=True, help="the folder of the journal, logs and code")
    parser.add_argument("--detach", action="store_true", help="go on in the background")
    parser.add_argument("--listen", help="HOST:PORT for a team; it needs a token")
    parser.add_argument("--host", action="append", default=[], help="a further name that it is called by")
    parser.add_argument("--tls-cert", help="the certificate of the TCP address")
    parser.add_argument("--tls-key", help="the key of that")
    parser.add_argument("--log", choices=["text", "json"], default="text", help="the form of the log")
    chosen = parser.parse_args(arguments)
    os.umask(0o077)
    try:
        state = place.own_folder(os.path.realpath(chosen.state))
        names = tuple(chosen.host) + tuple(filter(None, os.environ.get("AJ_HOST", "").replace(",", " ").split()))
        listen = read_listen(chosen.listen, names, chosen.tls_cert, chosen.tls_key) if chosen.listen else None
        settings = read_settings(state, os.environ, listen)
        if not _become_the_one(state):
            if not chosen.detach:
                raise place.PlaceProblem(f"a daemon runs on {state} already; aj serve stop ends it, jobs go on")
            sys.stdout.write("running\n")
            return 0
        if chosen.detach and os.fork():
            # The answer comes from the child; leaving it to init keeps it from being a zombie of a long-lived editor.
            os._exit(0)
        # Only now: a second starter should find the first without paying for the web framework.
        serve = importlib.import_module("ajkit.daemon.serve").serve
        serve(settings, os.environ, _say_ready if chosen.detach else lambda: None, chosen.log)
    except AjError as error:
        sys.stderr.write(f"aj daemon: {error}\n")
        sys.stderr.flush()
        if chosen.detach:
            sys.stdout.write("failed\n")
            sys.stdout.flush()
        return 1
    return 0


def _become_the_one(state: str) -> bool:
    """Take the lock on the state; False when another daemon has it and answers. Waits for one that starts or stops.

    Raises:
        PlaceProblem: another has it and does not answer.
    """
    until = time.monotonic() + _WAIT_SECONDS
    while place.take_lock(state) is None:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
            try:
                probe.connect(place.socket_path(state, os.environ))
            except OSError:
                pass
            else:
                return False
        if time.monotonic() > until:
            raise place.PlaceProblem(f"another daemon holds {state} and does not answer; end it, or wait")
        time.sleep(0.02)
    return True


def _say_ready() -> None:
    """Tell who started this daemon that it listens, and let go of their end."""
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.close(quiet)


if __name__ == "__main__":
    sys.exit(main())
