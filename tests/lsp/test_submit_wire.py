"""Submission at the wire, with a daemon of its own: what was shown runs to its end, and the editor follows it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tests.cli.conftest import person
from tests.daemons import Host, finish, host
from tests.lsp.held import Held
from tests.lsp.test_submit import HOME, LEAF, facts
from tests.lsp.wire import Wire

if TYPE_CHECKING:
    from tests.cli.conftest import Person

__all__ = ["host", "person"]


class Window:
    """A client at the wire that shows progress."""

    def __init__(self, person: Person, host: Host) -> None:
        self.held = Held(person.draw(HOME).folder, "ajkit.lsp.commands.submit:send")
        self.wire = Wire(person.folder, command=self.held.command, **host.environ)
        self.wire.initialize({"window": {"workDoneProgress": True}})
        self.uri = self.wire.open(person.folder / LEAF)

    def run(self, command: str, *arguments: Any) -> dict[str, Any]:
        return self.wire.ask("workspace/executeCommand", {"command": command, "arguments": list(arguments)})


def test_a_job_from_the_editor_runs_to_its_end(person: Person, host: Host) -> None:
    """The whole way, at the wire, with a daemon of its own: what was previewed runs, and is followed."""
    window = Window(person, host)
    with window.wire as wire:
        wire.change(window.uri, 2, {"text": (person.folder / LEAF).read_text().replace("cat", "echo unsaved; cat")})
        shown = window.run("aj.dryRun", window.uri, {"env": {"LR": "7"}, "command": ["echo", "a b"]})["result"]
        assert re.fullmatch(r"[a-z0-9]{10}", shown["sid"])
        assert shown["sid"] != "0000000000"
        request = {"env": {"LR": "7"}, "command": ["echo", "a b"], **facts(shown)}
        submitting = wire.begin(
            "workspace/executeCommand", {"command": "aj.submit", "arguments": [window.uri, request]}
        )
        wire.wait_told("$/progress", lambda each: each["value"]["kind"] == "begin")
        window.held.let_go()
        answer = wire.response(submitting)["result"]
        job_id = answer["job"]["id"]
        assert job_id == shown["sid"]
        assert "unsaved changes of leaf.yaml" in answer["message"]
        assert window.run("aj.submit", window.uri, request)["result"]["job"]["id"] == job_id
        state, code, texts = finish(host.daemon(start=False), job_id)
        assert (state, code) == ("done", 0)
        assert texts["node-0"] == 'unsaved\nprint("code")\na b\n'
        logs = window.run("aj.jobLogs", {"job": job_id, "lines": 2})["result"]
        assert logs["streams"] == [{"name": "node-0", "node": 0, "text": 'print("code")\na b\n'}]
        jobs = window.run("aj.jobs")["result"]["jobs"]
        assert [(each["id"], each["state"], each["spec_sha256"]) for each in jobs] == [
            (job_id, "done", shown["spec_sha256"])
        ]
        assert window.run("aj.cancelJob", job_id)["result"]["job"]["state"] == "done"
        kinds = [each["params"]["value"]["kind"] for each in wire.told if each["method"] == "$/progress"]
        assert kinds[0] == "begin"
        assert kinds[-1] == "end"
        assert [each["method"] for each in wire.asked if "Progress" in each["method"]] == [
            "window/workDoneProgress/create"
        ] * 2
        assert wire.finish() == 0


def test_a_client_without_progress_is_shown_none(person: Person, host: Host) -> None:
    with Wire(person.draw(HOME).folder, **host.environ) as wire:
        wire.initialize()
        uri = wire.open(person.folder / LEAF)
        params: dict[str, Any] = {"command": "aj.dryRun", "arguments": [uri, {}]}
        request = facts(wire.result("workspace/executeCommand", params))
        wire.result("workspace/executeCommand", {"command": "aj.submit", "arguments": [uri, request]})
        assert wire.asked == []
        assert [each for each in wire.told if each["method"] == "$/progress"] == []
        finish(host.daemon(start=False), request["sid"])
