"""Whole pieces to begin with: a new job template, a new component, heterogeneous tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ajkit.lsp.completing.items import SNIPPET, Item, escaped

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence

    from ajkit.lsp.markup import Markup
    from ajkit.shared.where import KeyPath

TASKS = ("_extra", "volcano", "tasks")

_CHOICES = 20
_JOB = """\
config:
  description: ${2:What the job is for}
  target:
    service: ${3|%s|}
  jobs:
    - name: ${4:train}
      instance_count: ${5:1}
      command:
        - ${0:python train.py}
"""
_COMPONENT = """\
config:
  ${1|target,environment,code,storage|}:
    $0"""
_TASKS = """\
tasks:
  master:
    replicas: 1
    cpus_per_node: ${1:16}
    memory: ${2:64Gi}
    gpus_per_node: 0
    rdma: false
    processes_per_node: 1
  ${3:learner}:
    replicas: ${4:2}
    cpus_per_node: ${5:90}
    memory: ${6:1500Gi}
    gpus_per_node: ${7:8}
    rdma: ${8|true,false|}
    processes_per_node: ${0:8}
"""


def file_snippets(services: Iterable[str], bases: Sequence[str]) -> list[Item]:
    """What an empty file may begin with."""
    names = sorted(services, key=lambda each: each != "local")
    base = f"base: ${{1|{_choices(bases)}|}}\n\n" if bases else ""
    job = base + _JOB % _choices(names)
    return [
        _item("New job template (snippet)", job, "a leaf: a service and a job, over what its bases set"),
        _item("New component (snippet)", _COMPONENT, "a part that templates name as a base"),
    ]


def task_snippets(path: KeyPath, taken: Container[str]) -> list[Item]:
    """Heterogeneous tasks, for the mapping at a config path on the way to where they stand."""
    depth = len(path)
    if path != TASKS[:depth] or depth >= len(TASKS) or TASKS[depth] in taken:
        return []
    lines = _TASKS.rstrip("\n").split("\n")
    for name in reversed(TASKS[depth:-1]):
        lines = [f"{name}:", *("  " + each for each in lines)]
    words = "a Volcano job of unlike nodes: each task has a shape of its own"
    return [_item("Heterogeneous tasks (snippet)", "\n".join(lines), words)]


def _choices(words: Iterable[str]) -> str:
    return ",".join(escaped(each).replace(",", "\\,").replace("|", "\\|") for each in list(words)[:_CHOICES])


def _item(label: str, text: str, detail: str) -> Item:
    def document(markup: Markup) -> None:
        markup.line(detail[:1].upper() + detail[1:] + ".")

    return Item(label, SNIPPET, text, rank=8, detail=detail, document=document)
