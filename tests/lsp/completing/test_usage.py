"""What a home's templates write: counted by place, without secrets, prose and the file that asks."""

from __future__ import annotations

from ajkit.lsp.completing.usage import NAMES, Usage, place_of, used
from ajkit.shared.files import MemoryFiles
from ajkit.shared.template.graph import read_graph

ONE = "config: {target: {queue: big, name: c1}, environment: {image: 'i:1', setup: [no]}}\n"
TWO = """\
config:
  target: {queue: big}
  storage: {data: {mount_dir: /d}}
  description: no
  jobs:
    - sku: {1: G1, 2+: G2}
      command: [no]
      tags: [t]
      submit_args: {env: {NAME: no}, container_args: {shm_size: 64g}}
  _extra: {slurm: {account: acc, modules: [m]}}
"""


def home(**files: str) -> tuple[MemoryFiles, Usage]:
    memory = MemoryFiles({f"/w/.aj/template/{name}.yaml": text for name, text in files.items()})
    return memory, Usage(memory)


def filled(**files: str) -> Usage:
    memory, usage = home(**files)
    for _ in usage.read(read_graph(memory, "/w/.aj"), without=""):
        pass
    return usage


def values(usage: Usage, *place: str, without: str = "") -> list[tuple[str, int]]:
    return usage.values(place, without=without)


def test_values_are_counted_by_place() -> None:
    usage = filled(one=ONE, two=TWO, three="config: {target: {queue: aaa}}\n")
    assert values(usage, "target", "queue") == [("big", 2), ("aaa", 1)]
    assert values(usage, "target", "queue", without="/w/.aj/template/one.yaml") == [("aaa", 1), ("big", 1)]
    assert values(usage, "target", "name", without="/w/.aj/template/one.yaml") == []
    assert values(usage, "environment", "image") == [("i:1", 1)]
    assert values(usage, "storage", NAMES) == [("data", 1)]
    assert values(usage, "storage", "*", "mount_dir") == [("/d", 1)]
    assert values(usage, "jobs", "*", "sku") == [("G1", 1), ("G2", 1)]
    assert values(usage, "jobs", "*", "tags", "*") == [("t", 1)]
    assert values(usage, "jobs", "*", "submit_args", "env", NAMES) == [("NAME", 1)]
    assert values(usage, "jobs", "*", "submit_args", "container_args", "shm_size") == [("64g", 1)]
    assert values(usage, "_extra", "slurm", "account") == [("acc", 1)]
    assert values(usage, "_extra", "slurm", "modules", "*") == [("m", 1)]
    assert "no" not in {value for place in usage._counts for value, _ in usage.values(place, without="")}


def test_the_place_of_a_path() -> None:
    assert place_of(("jobs", 3, "sku", "2+")) == ("jobs", "*", "sku")
    assert place_of(("storage", "mine", "mount_dir")) == ("storage", "*", "mount_dir")
    assert place_of(("storage",)) == ("storage",)
    assert place_of(("target", "queue")) == ("target", "queue")


def test_secrets_and_odd_values_are_left_out() -> None:
    secret = "ghp_0123456789abcdefghijABCDEFGHIJ"
    config = {"target": {"queue": secret, "name": "x" * 200, "context": "a\nb", "rdma": True, "labels": {"a": "b"}}}
    assert list(used({**config, "jobs": {"no": "list"}, "storage": [], "_extra": None})) == []  # type: ignore[dict-item]


def test_a_file_that_changed_is_read_again_when_next_asked_for() -> None:
    memory, usage = home(one=ONE, two=TWO)
    graph = read_graph(memory, "/w/.aj")
    own = "/w/.aj/template/two.yaml"
    assert usage.stale(graph, without=own)
    steps = usage.read(graph, without=own)
    next(steps)
    assert not usage.stale(graph, without=own), "somebody is reading"
    list(steps)
    assert not usage.stale(graph, without=own)
    assert values(usage, "target", "queue") == [("big", 1)]
    usage.forget([own])
    assert not usage.stale(graph, without=own), "what asks is not read"
    memory.write("/w/.aj/template/one.yaml", "config: {target: {queue: new}}\n")
    usage.forget(["/w/.aj/template/one.yaml"])
    assert values(usage, "target", "queue") == []
    assert usage.stale(graph, without=own)
    list(usage.read(graph, without=own))
    assert values(usage, "target", "queue") == [("new", 1)]


def test_files_that_cannot_be_read_or_are_huge_are_passed_over() -> None:
    usage = filled(one=ONE, huge="config:\n  target: {queue: huge}\n" + "#\n" * 200_000, broken="\x00[")
    assert values(usage, "target", "queue") == [("big", 1)]
    memory, usage = home(one=ONE)
    graph = read_graph(memory, "/w/.aj")
    graph.put("/w/.aj/gone.yaml", "/w/.aj/gone.yaml", [])
    assert len(list(usage.read(graph, without=""))) == 2
