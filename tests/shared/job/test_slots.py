"""The processes of a job in rank order, and what they are born with."""

from __future__ import annotations

from ajkit.shared.job.slots import Slot, base_environment, impossible_variables, ranked, script, slots
from tests.daemons import job_spec


def test_ranks_go_from_node_to_node() -> None:
    assert slots(job_spec("true", nodes=2)) == [Slot(0, 0, 0, "node-0"), Slot(1, 0, 1, "node-1")]
    assert [(each.node, each.local, each.rank, each.name) for each in ranked([(1, 1), (2, 2)])] == [
        (0, 0, 0, "node-0"),
        (1, 0, 1, "node-1.0"),
        (1, 1, 2, "node-1.1"),
        (2, 0, 3, "node-2.0"),
        (2, 1, 4, "node-2.1"),
    ]


def test_script_is_setup_then_command() -> None:
    spec = job_spec("train\n", setup=["a", "b"])
    assert script(spec) == "a\nb\ntrain\n"
    assert script(spec, "serve") == "a\nb\nserve\n"


def test_what_is_taken_over_from_the_daemon() -> None:
    daemon = {"HOME": "/h", "LC_ALL": "C", "PATH": "/bin", "RANK": "5", "TOKEN": "x"}
    assert base_environment(daemon, {"PATH": "/venv/bin"}) == {"HOME": "/h", "LC_ALL": "C", "PATH": "/venv/bin"}


def test_what_no_process_can_have() -> None:
    values = {"": "x", "A=B": "x", "NUL": "\0", "FINE": "x"}
    assert list(impossible_variables(values)) == [
        "a variable cannot be called ''",
        "a variable cannot be called 'A=B'",
        "the value of NUL holds a null character",
    ]
