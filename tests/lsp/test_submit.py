"""Submission from the editor: a dry run shows the job, and exactly that job is submitted, once, or none."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import TYPE_CHECKING, Any

import pytest

from ajkit.client import daemon as client
from ajkit.client.start import DaemonFailed
from ajkit.lsp import submitting
from ajkit.lsp.failure import INVALID_PARAMS, REQUEST_CANCELLED, REQUEST_FAILED, RequestFailed
from ajkit.lsp.features.table import COMMANDS
from ajkit.lsp.progress import Progress
from ajkit.lsp.surroundings import Surroundings
from ajkit.shared.contract import JobInfo
from ajkit.shared.job.spec import spec_digest
from ajkit.shared.problem import Refused, problem
from tests.cli.conftest import person
from tests.daemons import Host, host
from tests.lsp.fixture import Editor, editor_on_disk, span
from tests.lsp.wire import TIMEOUT

if TYPE_CHECKING:
    from collections.abc import Callable

    from ajkit.client.snapshot import Extent
    from ajkit.shared.job.spec import JobSpec
    from tests.cli.conftest import Person

__all__ = ["host", "person"]

SID, NOW = "a1b2c3d4e5", "2024-05-06T07:08:09Z"
LEAF = ".aj/template/leaf.yaml"
HOME = """
--- .aj/template/leaf.yaml
base: common
config:
  jobs: [{command: [cat train.py], sku: "{nodes}xG{processes}"}]
--- .aj/template/common.yaml
config:
  target: {service: local, gpus_per_node: 0}
  jobs: [{instance_count: 1, submit_args: {env: {API_KEY: abc123secret0, LR: "0.1"}}}]
--- train.py
print("code")
"""


@pytest.fixture
def there(person: Person) -> Editor:
    """An editor with the leaf open, whose clock stands still."""
    person.draw(HOME)
    return editor_on_disk(person.folder, LEAF, None, Surroundings({}, lambda: NOW, lambda: SID))


def dry(there: Editor, **request: Any) -> dict[str, Any]:
    found: dict[str, Any] = there.run("aj.dryRun", there.uri, request)
    return found


def facts(answer: dict[str, Any]) -> dict[str, Any]:
    """What a dry run hands on to the submission."""
    return {each: answer[each] for each in ("sid", "now", "spec_sha256")}


def refused(there: Editor, request: dict[str, Any]) -> RequestFailed:
    with pytest.raises(RequestFailed) as error:
        there.run("aj.submit", there.uri, request)
    return error.value


class FakeDaemon:
    """A daemon that takes everything, and remembers it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.taken: list[dict[str, Any]] = []
        self.cancelled: list[str] = []
        self.before: Callable[[Callable[[str], None]], None] = lambda report: report("packing the code")
        monkeypatch.setattr(client.Daemon, "connect", classmethod(lambda _, **__: self))

    def submit(
        self,
        spec: JobSpec,
        folder: str,
        *,
        home: str | None,
        key: str,
        origins: object,
        report: Callable[[str], None],
    ) -> JobInfo:
        assert origins, "the daemon can say where the fields came from"
        self.before(report)
        self.taken.append({"spec": spec, "folder": folder, "home": home, "key": key})
        return self._info(spec)

    def cancel(self, job_id: str) -> JobInfo:
        self.cancelled.append(job_id)
        return self._info(self.taken[-1]["spec"])

    def _info(self, spec: JobSpec) -> JobInfo:
        plain: dict[str, Any] = dict.fromkeys(JobInfo.model_fields)
        plain |= {
            "id": spec.sid,
            "owner": "",
            "name": spec.name,
            "service": spec.service,
            "template_name": "leaf",
            "nodes": 1,
        }
        plain |= {"processes_per_node": 1, "state": "accepted", "message": ""}
        plain |= {"cancel_requested": False, "attempts": 0, "spec_sha256": spec_digest(spec), "code_digest": "0" * 64}
        plain |= {"accepted_at": NOW, "changed_at": NOW}
        return JobInfo.model_validate(plain, strict=False)


@pytest.fixture
def daemon(monkeypatch: pytest.MonkeyPatch) -> FakeDaemon:
    return FakeDaemon(monkeypatch)


class TestDryRun:
    def test_it_is_what_the_command_line_prints_under_the_same_facts(self, there: Editor, person: Person) -> None:
        answer = dry(there, nodes=2, processes=3, command=["python", "a b"])
        said = person.aj(
            "run", "-t", "leaf", "-n", "2", "-p", "3", "--sid", SID, "--now", NOW, "--dry-run", "python", "a b"
        )
        assert answer["text"] == said.out
        assert (answer["sid"], answer["now"]) == (SID, NOW)
        assert f"spec_sha256: {answer['spec_sha256']}\n" in said.err
        assert "abc123secret0" not in json.dumps(answer)

    def test_the_summary(self, there: Editor, person: Person) -> None:
        (person.folder / "data.bin").write_bytes(b"x" * 2**21)
        found = dry(there, nodes=2, processes=4)["summary"]
        assert found["name"] == f"p-{SID}"
        assert (found["service"], found["nodes"], found["gpus_per_node"], found["total_gpus"]) == ("local", 2, 4, 8)
        assert found["code"]["folder"] == str(person.folder)
        assert found["code"]["bytes"] == 2**21 + len('print("code")\n')
        assert found["line"] == f"p-{SID} on local: 2 nodes, 8 GPUs in all; 2.0 MiB of code in 3 entries"

    def test_the_summary_of_little_code(self, there: Editor, person: Person) -> None:
        (person.folder / ".ajignore").write_text("*\n!train.py\n")
        assert dry(there)["summary"]["line"].endswith("; 1 KiB of code in 1 entry")

    def test_settings_of_the_preview_do_not_count(self, there: Editor) -> None:
        there.session.configure(
            there.session.settings.__class__(preview=there.session.settings.preview.__class__(nodes=7))
        )
        assert json.loads(dry(there)["text"])["nodes"] == 1

    def test_unsaved_buffers_count_and_are_named(self, there: Editor) -> None:
        assert dry(there)["unsaved"] == []
        there.type(there.text().replace("cat train.py", "cat edited.py"))
        answer = dry(there)
        assert "cat edited.py" in answer["text"]
        assert [each["path"].rpartition("/")[2] for each in answer["unsaved"]] == ["leaf.yaml"]
        assert answer["unsaved"][0]["uri"] == there.uri

    def test_what_was_opened_with_other_content_than_the_disk_s_is_unsaved(self, there: Editor, person: Person) -> None:
        (person.folder / LEAF).write_text("base: common\n")
        assert len(dry(there)["unsaved"]) == 1

    def test_a_missing_shape(self, there: Editor) -> None:
        there.type(there.text().replace("base: common", "base: []"))
        answer = dry(there)
        assert (answer["spec_sha256"], answer["summary"]) == (None, None)
        assert "service" in str([each["message"] for each in answer["problems"]])

    def test_code_that_cannot_travel_is_a_problem(self, there: Editor, monkeypatch: pytest.MonkeyPatch) -> None:
        def measure(*_: Any, **__: Any) -> Extent:
            raise Refused([problem("code.too-large", "too much", None)])

        monkeypatch.setattr("ajkit.client.snapshot.measure", measure)
        answer = dry(there)
        assert [each["code"] for each in answer["problems"] if each["severity"] == 1] == ["code.too-large"]
        assert answer["problems"][-1]["range"] is None

    @pytest.mark.parametrize("request_", [{"sid": "no"}, {"shell": True, "command": ["a", "b"]}, {"nodes": True}])
    def test_nonsense_is_refused(self, there: Editor, request_: dict[str, Any]) -> None:
        with pytest.raises(RequestFailed) as error:
            dry(there, **request_)
        assert error.value.code == INVALID_PARAMS


class TestSubmit:
    def test_exactly_what_was_shown_is_sent(self, there: Editor, daemon: FakeDaemon, person: Person) -> None:
        shown = dry(there, command="echo more")
        answer = there.run("aj.submit", there.uri, {"command": "echo more", **facts(shown)})
        (taken,) = daemon.taken
        assert spec_digest(taken["spec"]) == shown["spec_sha256"] == answer["spec_sha256"]
        assert taken["spec"].env["API_KEY"] == "abc123secret0"
        assert (taken["folder"], taken["home"]) == (str(person.folder), str(person.folder / ".aj"))
        assert answer["job"]["id"] == SID
        assert answer["follow"] == {
            "terminal": f"aj jobs logs -f {SID}",
            "command": "aj.jobLogs",
            "arguments": [{"job": SID}],
        }
        assert answer["message"] == f"p-{SID} is taken as {SID}"

    def test_the_same_submission_has_the_same_key(self, there: Editor, daemon: FakeDaemon) -> None:
        request = facts(dry(there))
        for _ in range(2):
            there.run("aj.submit", there.uri, request)
        assert daemon.taken[0]["key"] == daemon.taken[1]["key"]
        there.run("aj.submit", there.uri, facts(dry(there, sid="0123456789")))
        assert daemon.taken[2]["key"] != daemon.taken[0]["key"]

    def test_unsaved_buffers_are_sent_and_named(self, there: Editor, daemon: FakeDaemon) -> None:
        there.type(there.text().replace("cat train.py", "cat edited.py"))
        answer = there.run("aj.submit", there.uri, facts(dry(there)))
        assert daemon.taken[0]["spec"].command == "cat edited.py"
        assert answer["message"].endswith(", with unsaved changes of leaf.yaml")
        assert len(answer["unsaved"]) == 1

    def test_a_job_that_changed_is_refused_and_the_fields_are_named(self, there: Editor, daemon: FakeDaemon) -> None:
        request = facts(dry(there))
        there.type(there.text().replace("cat train.py", "cat other.py"))
        error = refused(there, request)
        assert error.code == REQUEST_FAILED
        assert "changed since you looked at it: command, sources differ" in str(error)
        assert error.data["reason"] == "changed"
        assert error.data["fields"] == ["command", "sources"]
        error = refused(there, {**request, "env": {"LR": "9"}})
        assert "env.LR" in error.data["fields"]
        assert "differ" not in str(refused(there, {**request, "spec_sha256": "0" * 64}))
        assert daemon.taken == []

    @pytest.mark.parametrize("left_out", ["sid", "now", "spec_sha256"])
    def test_what_was_not_shown_is_refused(self, there: Editor, daemon: FakeDaemon, left_out: str) -> None:
        request = facts(dry(there))
        del request[left_out]
        error = refused(there, request)
        assert (error.code, error.data["reason"]) == (INVALID_PARAMS, "unseen")
        assert daemon.taken == []

    def test_problems_are_refused_with_the_place_to_go_to(self, there: Editor, daemon: FakeDaemon) -> None:
        there.type("base: common\nconfig:\n  target: {gpus_per_node: many}\n")
        error = refused(there, {})
        assert error.data["reason"] == "problems"
        assert "schema.type" in str(error)
        assert error.data["location"]["uri"] == there.uri
        assert span(error.data["location"]["range"]) == "2:26-30"
        assert json.loads(json.dumps(error.data)) == error.data
        assert daemon.taken == []

    @pytest.mark.usefixtures("daemon")
    def test_progress_is_shown(self, there: Editor) -> None:
        said: list[str] = []

        class Heard(Progress):
            def report(self, message: str, _: int | None = None) -> None:
                said.append(message)

            def end(self) -> None:
                said.append("end")

        def start(title: str, *, stoppable: bool = False) -> Progress:
            said.append(f"{title} {stoppable}")
            return Heard()

        there.session.progress = start
        there.run("aj.submit", there.uri, facts(dry(there)))
        assert said == [f"Submitting p-{SID} True", "looking for the submission daemon", "packing the code", "end"]

    def test_a_daemon_that_cannot_be_reached(self, there: Editor, daemon: FakeDaemon) -> None:
        def gone(_: Any) -> None:
            raise DaemonFailed("the daemon does not answer")

        daemon.before = gone
        error = refused(there, facts(dry(there)))
        assert error.data["reason"] == "unreachable"
        assert "it stays one job" in str(error)

    def test_code_that_cannot_travel(self, there: Editor, daemon: FakeDaemon) -> None:
        def large(_: Any) -> None:
            raise Refused([problem("code.too-large", "too much", None)])

        daemon.before = large
        error = refused(there, facts(dry(there)))
        assert (error.data["reason"], error.data["location"]) == ("problems", None)
        assert "code.too-large: too much" in str(error)


class TestStopping:
    """The person may stop a submission at any moment; the answer says what became of the job."""

    @pytest.fixture
    def stopped(self, there: Editor) -> threading.Event:
        """What the person's wish to stop sets."""
        progress = Progress()

        def start(_: str, *, stoppable: bool = False) -> Progress:
            assert stoppable
            return progress

        there.session.progress = start
        return progress.stopped

    def test_before_it_is_taken(self, there: Editor, daemon: FakeDaemon, stopped: threading.Event) -> None:
        def before(report: Callable[[str], None]) -> None:
            stopped.set()
            report("submitting")

        daemon.before = before
        error = refused(there, facts(dry(there)))
        assert (error.code, str(error)) == (REQUEST_CANCELLED, "stopped: nothing was submitted")
        assert (daemon.taken, daemon.cancelled) == ([], [])

    def test_while_it_is_taken(self, there: Editor, daemon: FakeDaemon, stopped: threading.Event) -> None:
        daemon.before = lambda _: stopped.set()
        error = refused(there, facts(dry(there)))
        assert f"the job {SID} had been taken already, and is being cancelled" in str(error)
        assert daemon.cancelled == [SID]

    def test_by_cancelling_the_request(self, there: Editor, daemon: FakeDaemon) -> None:
        packing, go_on = threading.Event(), threading.Event()

        def before(report: Callable[[str], None]) -> None:
            packing.set()
            assert go_on.wait(TIMEOUT)
            report("submitting")

        daemon.before = before
        request = facts(dry(there))

        async def play() -> None:
            work = COMMANDS["aj.submit"](there.session, there.client, [there.uri, request])
            task = asyncio.ensure_future(work)
            await asyncio.to_thread(packing.wait, TIMEOUT)
            task.cancel()
            await asyncio.sleep(0)
            go_on.set()
            await task

        with pytest.raises(RequestFailed, match="nothing was submitted"):
            asyncio.run(play())
        assert daemon.taken == []


def test_what_has_changed_is_known_of_the_newest_only(there: Editor) -> None:
    first = dry(there)
    for number in range(submitting.KEPT):
        dry(there, name=f"n{number}")
    plan = submitting.plan_of(there.session, there.session.buffers[there.uri].path, {"command": "x", "sid": SID})
    assert there.session.seen.changed(first["spec_sha256"], plan) == []


class TestJobs:
    def test_a_view_starts_no_daemon(self, person: Person, host: Host) -> None:
        there = editor_on_disk(person.draw(HOME).folder, LEAF, None, Surroundings(host.environ))
        answer = there.run("aj.jobs")
        assert (answer["running"], answer["jobs"]) == (False, [])
        assert "daemon" in answer["message"]

    def test_a_job_that_is_not_there(self, person: Person, host: Host) -> None:
        there = editor_on_disk(person.draw(HOME).folder, LEAF, None, Surroundings(host.environ))
        for command in ("aj.jobLogs", "aj.cancelJob"):
            with pytest.raises(RequestFailed, match=r"job\.missing"):
                there.run(command, "0123456789")
        assert there.run("aj.jobs", {"live": True, "most": 3})["running"]
