"""Values on offer: asked of a daemon that runs, in the background, and nothing at all happens where none does."""

from __future__ import annotations

import json
import socketserver
import threading
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, Any

import pytest

from ajkit import __version__
from ajkit.client.places import state_folder
from ajkit.lsp.completing.live import Offer
from ajkit.lsp.offers import offers
from ajkit.shared.contract import HEALTH, WIRE_VERSION, Endpoint, Health, ValueInfo, ValueList, values_path
from ajkit.shared.problem import AjError
from tests.lsp.wire import Wire

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LEAF = "config:\n  target:\n    service: slurm\n    queue: \n"


class Desk(socketserver.ThreadingUnixStreamServer):
    """What a daemon that knows two queues says at its socket."""

    daemon_threads = True

    def __init__(self, folder: Path) -> None:
        self.asked: list[str] = []
        self.environ = {"XDG_STATE_HOME": str(folder / "state")}
        state = state_folder(self.environ)
        health = Health(
            program="aj",
            version=__version__,
            wire=WIRE_VERSION,
            pid=1,
            started_at="2024-01-01T00:00:00Z",
            state_folder=state,
            live_jobs=0,
        )
        values = ValueList(
            service="slurm",
            kind="queues",
            values=[ValueInfo(value="gpu-a100", detail="3 idle"), ValueInfo(value="debug")],
            at="2024-01-01T00:00:00Z",
        )
        self.pages = {HEALTH: health.model_dump_json(), values_path("slurm", "queues"): values.model_dump_json()}
        super().__init__(str(folder / "s"), Answer)
        (folder / "state" / "aj" / state.rpartition("/")[2]).mkdir(parents=True)
        note = Endpoint(socket=str(folder / "s"), pid=1, version=__version__)
        (folder / "state" / "aj" / state.rpartition("/")[2] / "endpoint.json").write_text(note.model_dump_json())


class Answer(BaseHTTPRequestHandler):
    """One request."""

    server: Desk

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        page = self.server.pages.get(self.path)
        body = (page or json.dumps({"detail": "no such thing"})).encode()
        self.send_response(200 if page else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""

    def address_string(self) -> str:
        return "socket"


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with Desk(tmp_path) as found:
        thread = threading.Thread(target=found.serve_forever, daemon=True)
        thread.start()
        yield found
        found.shutdown()
        thread.join()


def test_what_a_daemon_that_runs_says(desk: Desk) -> None:
    assert offers(desk.environ, "slurm", "queues") == [Offer("gpu-a100", "3 idle"), Offer("debug", "")]
    with pytest.raises(AjError):
        offers(desk.environ, "slurm", "images")


def test_nobody_is_started_to_be_asked(tmp_path: Path) -> None:
    with pytest.raises(AjError, match="no daemon runs"):
        offers({"XDG_STATE_HOME": str(tmp_path)}, "slurm", "queues")
    assert list(tmp_path.iterdir()) == []


def completed(wire: Wire, uri: str) -> dict[str, Any]:
    where = {"textDocument": {"uri": uri}, "position": {"line": 3, "character": 11}}
    found: dict[str, Any] = wire.result("textDocument/completion", where)
    return found


def queues(answer: dict[str, Any]) -> dict[str, str]:
    return {each["label"]: each["detail"] for each in answer["items"] if "offered by" in each.get("detail", "")}


def opened(wire: Wire) -> str:
    folder = wire.folder / ".aj" / "template"
    folder.mkdir(parents=True)
    (folder / "leaf.yaml").write_text(LEAF)
    wire.initialize()
    return wire.open(folder / "leaf.yaml")


def test_completion_proposes_them_once_they_are_known(desk: Desk, tmp_path: Path) -> None:
    with Wire(tmp_path, **desk.environ) as wire:
        uri = opened(wire)
        answer = completed(wire, uri)
        assert queues(answer) == {}, "nobody waits for a daemon"
        assert answer["isIncomplete"], "there will be more"
        assert wire.until(lambda: queues(completed(wire, uri))) == {
            "gpu-a100": "offered by slurm now: 3 idle",
            "debug": "offered by slurm now",
        }
        completed(wire, uri)
        assert desk.asked.count(values_path("slurm", "queues")) == 1


def test_without_a_daemon_all_is_quiet(tmp_path: Path) -> None:
    with Wire(tmp_path, XDG_STATE_HOME=str(tmp_path / "state")) as wire:
        uri = opened(wire)
        wire.until(lambda: not completed(wire, uri)["isIncomplete"])  # nothing is being waited for
        assert wire.finish() == 0
        assert list(wire.stderr) == []
    assert not (tmp_path / "state").exists()
