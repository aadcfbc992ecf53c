"""What a view of jobs asks: logs that are followed, the JobSpec of a job, and the way back to its template."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from ajkit.lsp.failure import INVALID_PARAMS, RequestFailed
from ajkit.lsp.surroundings import Surroundings
from tests.cli.conftest import person
from tests.daemons import Host, host, wait_until
from tests.lsp.fixture import Editor, editor_on_disk

if TYPE_CHECKING:
    from tests.cli.conftest import Person

__all__ = ["host", "person"]

LEAF = ".aj/template/leaf.yaml"
HOME = """
--- .aj/template/leaf.yaml
base: common
config:
  jobs: [{command: [echo one], sku: "{nodes}xG{processes}"}]
--- .aj/template/common.yaml
config:
  target: {service: local, gpus_per_node: 0}
  jobs: [{instance_count: 1, submit_args: {env: {API_KEY: abc123secret0}}}]
"""


@pytest.fixture
def there(person: Person, host: Host) -> Editor:
    """An editor with the leaf open, on a host of its own."""
    return editor_on_disk(person.draw(HOME).folder, LEAF, None, Surroundings(host.environ))


def submitted(there: Editor, **request: Any) -> str:
    """The id of a job that was taken."""
    dry = there.run("aj.dryRun", there.uri, request)
    facts = {each: dry[each] for each in ("sid", "now", "spec_sha256")}
    taken = there.run("aj.submit", there.uri, {**request, **facts})
    return str(taken["job"]["id"])


def followed(there: Editor, job: str) -> tuple[str, dict[str, Any]]:
    """All that a job says, asked for piece by piece until it is complete, and the last answer."""
    texts: list[str] = []
    answers: list[dict[str, Any]] = []

    def asked() -> bool:
        answer = there.run("aj.followLogs", {"job": job, "after": answers[-1]["after"] if answers else None})
        answers.append(answer)
        texts.extend(each["text"] for each in answer["pieces"])
        return bool(answer["complete"])

    wait_until(asked)
    return "".join(texts), answers[-1]


def test_a_job_is_followed_to_its_end(there: Editor) -> None:
    job = submitted(there, command="echo two; sleep 0.3; echo three; exit 3")
    text, last = followed(there, job)
    assert text == "one\ntwo\nthree\n"
    assert (last["version"], last["job"]["state"], last["job"]["exit_code"]) == (1, "failed", 3)
    assert last["more"] is False
    assert json.loads(json.dumps(last)) == last
    again = there.run("aj.followLogs", {"job": job, "after": last["after"]})
    assert (again["pieces"], again["complete"]) == ([], True)


def test_a_mark_that_was_never_given_out(there: Editor) -> None:
    job = submitted(there)
    with pytest.raises(RequestFailed, match="not the mark of a log") as error:
        there.run("aj.followLogs", {"job": job, "after": "nonsense"})
    assert error.value.code == INVALID_PARAMS


def test_the_job_spec_of_a_job(there: Editor) -> None:
    dry = there.run("aj.dryRun", there.uri, {})
    facts = {each: dry[each] for each in ("sid", "now", "spec_sha256")}
    there.run("aj.submit", there.uri, facts)
    answer = there.run("aj.jobSpec", {"job": dry["sid"]})
    assert answer["text"] == dry["text"]
    assert "abc123secret0" not in json.dumps(answer)
    assert answer["job"]["spec_sha256"] == dry["spec_sha256"]


class TestTheWayBack:
    def test_to_the_template_and_what_was_asked(self, there: Editor) -> None:
        job = submitted(there, nodes=2, command="echo two")
        answer = there.run("aj.jobSpec", {"job": job})
        assert answer["template"]["uri"] == there.uri
        assert answer["request"] == {"nodes": 2, "processes": 0, "ppn": 1, "command": "echo two"}

    def test_without_words_given_by_hand(self, there: Editor) -> None:
        assert there.run("aj.jobSpec", {"job": submitted(there)})["request"]["command"] is None

    def test_where_the_command_has_changed_since(self, there: Editor) -> None:
        job = submitted(there, command="echo two")
        there.type(there.text().replace("echo one", "echo other"))
        assert there.run("aj.jobSpec", {"job": job})["request"]["command"] is None

    def test_where_the_template_has_no_command(self, there: Editor) -> None:
        there.type(there.text().replace("command: [echo one], ", ""))
        job = submitted(there, command="echo two")
        assert there.run("aj.jobSpec", {"job": job})["request"]["command"] == "echo two"

    def test_where_the_template_is_gone(self, there: Editor, person: Person) -> None:
        job = submitted(there, command="echo two")
        there.session.close(there.uri)
        (person.folder / LEAF).unlink()
        answer = there.run("aj.jobSpec", {"job": job})
        assert answer["template"] is None
        assert answer["request"] == {"nodes": 1, "processes": 0, "ppn": 1, "command": None}


@pytest.mark.parametrize("command", ["aj.followLogs", "aj.jobSpec"])
def test_a_job_that_is_not_there(there: Editor, command: str) -> None:
    with pytest.raises(RequestFailed, match=r"job\.missing"):
        there.run(command, "0123456789")
