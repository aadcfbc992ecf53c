"""What servers of this kind suffer from: busy threads, children that eat messages, work that goes on, endless ends."""

from __future__ import annotations

import socket
import threading
import time
from typing import TYPE_CHECKING

import pytest

from ajkit import __version__
from ajkit.client.address import TIMEOUT
from ajkit.client.places import state_folder
from ajkit.shared.contract import Endpoint
from tests.lsp.wire import Wire

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MANY = 12


class Hanging:
    """A daemon that takes every call and never says a word."""

    def __init__(self, folder: Path) -> None:
        self.environ = {"XDG_STATE_HOME": str(folder / "state")}
        state = folder / "state" / "aj" / state_folder(self.environ).rpartition("/")[2]
        state.mkdir(parents=True)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(folder / "s"))
        self.listener.listen(64)
        note = Endpoint(socket=str(folder / "s"), pid=1, version=__version__)
        (state / "endpoint.json").write_text(note.model_dump_json())
        self.calls: list[socket.socket] = []
        self._taker = threading.Thread(target=self._take, daemon=True)
        self._taker.start()

    def _take(self) -> None:
        while True:
            try:
                self.calls.append(self.listener.accept()[0])
            except OSError:
                return

    def close(self) -> None:
        if self.listener.fileno() >= 0:
            # Else its number goes to the next socket, where the thread would go on to wait for calls.
            self.listener.shutdown(socket.SHUT_RDWR)
            self._taker.join()
        self.listener.close()
        for each in self.calls:
            each.close()


@pytest.fixture
def hanging(tmp_path: Path) -> Iterator[Hanging]:
    found = Hanging(tmp_path)
    yield found
    found.close()


def opened(wire: Wire) -> str:
    folder = wire.folder / ".aj" / "template"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "leaf.yaml").write_text("config: {description: mine}\n")
    wire.initialize()
    return wire.open(folder / "leaf.yaml")


def hover(wire: Wire, uri: str) -> object:
    where = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 12}}
    return wire.result("textDocument/hover", where)


def busy(wire: Wire, hanging: Hanging) -> list[int]:
    """Commands that wait for a daemon, each of them in the middle of it."""
    identities = [wire.begin("workspace/executeCommand", {"command": "aj.jobs"}) for _ in range(MANY)]
    wire.until(lambda: len(hanging.calls) >= MANY)
    assert len(hanging.calls) == MANY
    return identities


def test_commands_that_wait_make_nobody_deaf(hanging: Hanging, tmp_path: Path) -> None:
    with Wire(tmp_path, **hanging.environ) as wire:
        uri = opened(wire)
        identities = busy(wire, hanging)
        assert hover(wire, uri)
        assert wire.answered.isdisjoint(identities)
        for each in identities:
            wire.tell("$/cancelRequest", {"id": each})
        codes = {wire.response(each)["error"]["code"] for each in identities}
        assert codes == {-32800}, "a command that is cancelled says so at once"


@pytest.mark.parametrize("politely", [True, False])
def test_the_end_does_not_wait_for_what_still_runs(hanging: Hanging, tmp_path: Path, politely: bool) -> None:
    with Wire(tmp_path, **hanging.environ) as wire:
        opened(wire)
        busy(wire, hanging)
        began = time.monotonic()
        if politely:
            assert wire.finish() == 0
        else:
            wire.tell("exit")
            assert wire.ended() == 1
        assert time.monotonic() - began < TIMEOUT / 2, "a command goes on for as long as it hears nothing"
        hanging.close()
        assert sum(map(len, wire.stderr)) < 2_000, b"".join(wire.stderr).decode()


def test_a_child_eats_no_messages(tmp_path: Path) -> None:
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\ncat >/dev/null\nexit 1\n")
    program.chmod(0o755)
    with Wire(tmp_path, PATH=f"{program.parent}:/usr/bin:/bin") as wire:
        uri = opened(wire)
        asked = wire.begin("workspace/executeCommand", {"command": "aj.diff", "arguments": [{"uri": uri}]})
        for _ in range(20):
            assert hover(wire, uri)
        assert "git" in wire.response(asked)["error"]["message"]
        assert wire.finish() == 0


def test_a_preview_is_always_a_text(tmp_path: Path) -> None:
    with Wire(tmp_path) as wire:
        opened(wire)
        for path in ("/nowhere/leaf.yaml", "/", f"{tmp_path}/.aj/template/leaf.yaml", "/%F0%9F%9A%80"):
            for kind in ("merged", "spec", "amlt", "nonsense"):
                found = wire.result("workspace/textDocumentContent", {"uri": f"aj-preview://{kind}{path}"})
                assert isinstance(found["text"], str)
