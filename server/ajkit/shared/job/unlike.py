"""Jobs of unlike nodes: the section of a template that lists them as tasks, and what it stands in for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from ajkit.shared.job.env import overridden
from ajkit.shared.job.variables import AT_RUN_TIME, INJECTED
from ajkit.shared.problem import Finding
from ajkit.shared.records import dataclass
from ajkit.shared.spec import DerivedShape, Ignored, Role
from ajkit.shared.template.checks import odd_texts
from ajkit.shared.template.scripts import texts
from ajkit.shared.where import MISSING, at, format_keypath

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ajkit.shared.template.model import Template
    from ajkit.shared.where import KeyPath

_SHAPE: tuple[KeyPath, ...] = (
    ("jobs", 0, "instance_count"),
    ("jobs", 0, "process_count_per_node"),
    ("jobs", 0, "sku"),
)
"""What gives like nodes their shape."""

_SHELL: tuple[KeyPath, ...] = (("environment", "setup"), ("command",))
"""The shell lines that a task may have of its own."""

_SET_BY_AJ = INJECTED.keys() | AT_RUN_TIME.keys()

_IGNORED = tuple(Ignored(path, "each of the tasks has a shape of its own") for path in _SHAPE)


class Task(Protocol):
    """Some like nodes of such a job, as every service that takes tasks has them."""

    @property
    def replicas(self) -> int:
        """How many nodes."""

    @property
    def gpus_per_node(self) -> int:
        """GPUs of each."""

    @property
    def processes_per_node(self) -> int:
        """Launcher processes on each."""


@dataclass(frozen=True, slots=True)
class TaskSection:
    """Where a service's tasks are written, and the settings of like nodes that each task has for itself instead.

    `code` is that of the problem that both are set.
    """

    code: str
    path: KeyPath
    instead: tuple[KeyPath, ...]

    def is_in(self, template: Template) -> bool:
        """Whether a template has tasks."""
        return at(template.raw, self.path) not in (None, MISSING, {})

    def clashes(self, template: Template) -> list[Finding]:
        """The settings of like nodes that stand beside the tasks of a template."""
        if not self.is_in(template):
            return []
        message = (
            f"cannot be set beside `{format_keypath(self.path)}`, each of which has its own: delete it, or clear what "
            "a base sets with `null`"
        )
        return [
            Finding(path, self.code, f"`{format_keypath(path)}` {message}", on_key=True, origin=self.path)
            for path in self.instead
            if at(template.raw, path) not in (None, MISSING)
        ]

    def odd_texts(self, template: Template) -> Iterator[Finding]:
        """What is odd about the variables and shell lines of each task, as it would be about those of the job."""
        tasks = at(template.raw, self.path)
        for name, task in tasks.items() if isinstance(tasks, dict) else ():
            if not isinstance(task, dict):
                continue
            path = (*self.path, name)
            env = at(task, ("env",))
            shell = [each for lines in _SHELL for each in texts(task, lines, path)]
            yield from odd_texts(env if isinstance(env, dict) else {}, (*path, "env"), shell)
            if isinstance(env, dict):
                yield from overridden(env, _SET_BY_AJ, (*path, "env"))

    def ignored(self, template: Template) -> tuple[Ignored, ...]:
        """With tasks, what would shape like nodes."""
        return _IGNORED if self.is_in(template) else ()


def shape_of(tasks: Mapping[str, Task]) -> DerivedShape:
    """The shape that tasks add up to, in their order."""
    return DerivedShape(
        tuple(Role(name, each.replicas, each.gpus_per_node, each.processes_per_node) for name, each in tasks.items())
    )
