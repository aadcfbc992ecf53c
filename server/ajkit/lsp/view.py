"""One template as it is at this moment: an unchanging answer to everything that may be asked about it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ajkit.engine import Engine
    from ajkit.lsp.documents import Buffer
    from ajkit.shared.job.examine import Examined
    from ajkit.shared.problem import Problem
    from ajkit.shared.template.graph import Graph
    from ajkit.shared.template.resolve import Resolved
    from ajkit.shared.template.source import TemplateFile
    from ajkit.shared.where import Text


@dataclass(frozen=True)
class View:
    """An open template, resolved.

    Attributes:
        buffer: the document it was made from.
        file: the parsed document.
        resolved: its chain and merged config.
        leaf: whether it must be complete by itself.
        engine: for questions about other files (the graph, names); they are answered as of now.
    """

    buffer: Buffer
    file: TemplateFile
    resolved: Resolved
    leaf: bool
    engine: Engine = field(repr=False)

    @property
    def text(self) -> Text:
        """The text of the document."""
        return self.buffer.text

    @property
    def path(self) -> str:
        """The path of the document."""
        return self.buffer.path

    @property
    def home(self) -> str | None:
        """Its AJ_HOME."""
        return self.resolved.home

    @property
    def graph(self) -> Graph | None:
        """Who extends whom in its home, once that is known."""
        home = self.resolved.home
        return self.engine.graph(home) if home is not None and self.engine.has_graph(home) else None

    @cached_property
    def examined(self) -> Examined:
        """Its types and what its service makes of it."""
        from ajkit.shared.job.examine import examine  # late: the first answer does not wait for pydantic

        return examine(self.resolved, self.engine.registry, leaf=self.leaf)

    @property
    def file_problems(self) -> tuple[Problem, ...]:
        """What is wrong with how this file resolves; cheap."""
        return self.resolved.merged.problems

    @cached_property
    def problems(self) -> tuple[Problem, ...]:
        """Everything that is wrong with it, in all files of its chain: what `aj check` says of it."""
        from ajkit.shared.job.plan import template_problems  # late, as above

        return tuple(template_problems(self.resolved, self.examined, leaf=self.leaf))
