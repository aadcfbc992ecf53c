"""Jobs of unlike nodes: what stands beside their tasks, and the shape that these add up to."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from ajkit.shared.job.unlike import TaskSection, shape_of
from ajkit.shared.spec import Role
from ajkit.shared.template.model import typed
from ajkit.shared.where import Json, format_keypath

SECTION = TaskSection("slurm.tasks", ("_extra", "slurm", "tasks"), (("target", "memory"), ("target", "gpus_per_node")))


def config(tasks: Json, target: dict[str, Json] | None = None) -> dict[str, Json]:
    return {"target": target or {}, "_extra": {"slurm": {"tasks": tasks}}}


@pytest.mark.parametrize("tasks", [None, {}])
def test_without_tasks_nothing_clashes_and_nothing_is_ignored(tasks: Json) -> None:
    template = typed(config(tasks, {"memory": "1Gi"}))
    assert not SECTION.is_in(template)
    assert SECTION.clashes(template) == []
    assert SECTION.ignored(template) == ()


def test_what_each_task_has_for_itself_clashes_unless_it_is_cleared() -> None:
    template = typed(config({"a": {}}, {"memory": "1Gi", "gpus_per_node": None}))
    (found,) = SECTION.clashes(template)
    assert (found.code, found.path) == ("slurm.tasks", ("target", "memory"))
    assert "`target.memory` cannot be set beside `_extra.slurm.tasks`" in found.message


def test_the_shape_of_like_nodes_has_no_effect() -> None:
    ignored = [format_keypath(each.path) for each in SECTION.ignored(typed(config({"a": {}})))]
    assert ignored == ["jobs[0].instance_count", "jobs[0].process_count_per_node", "jobs[0].sku"]


@dataclass
class Some:
    """A task."""

    replicas: int
    gpus_per_node: int
    processes_per_node: int


def test_tasks_add_up_in_their_order() -> None:
    assert shape_of({"b": Some(1, 0, 1), "a": Some(2, 8, 4)}).roles == (Role("b", 1, 0, 1), Role("a", 2, 8, 4))
