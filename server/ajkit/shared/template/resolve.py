"""Resolution: a leaf and its chain become one merged config, its problems and its trails."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ajkit.shared.problem import Finding, Problem, Refused

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ajkit.shared.template.model import Template
    from ajkit.shared.where import Json, KeyPath, Span, Text, Trail


@dataclass(frozen=True, slots=True)
class ChainFile:
    """A file that took part: its path as reached, its text (None for the command line), the SHA-256 of its bytes."""

    path: str
    text: Text
    sha256: str


class Resolved:
    """A resolved template: everything the front ends show.

    Attributes:
        path: the leaf as it was asked for; `home` its AJ_HOME or None; `project` the project folder.
        config: the merged config, plain JSON values, never to be changed in place.
        template: the typed Template, None where types are wrong.
        problems: all problems of all files of the chain, in order.
        chain: every file of the chain and its overlays, the leaf first, each once.
        reads: every path looked at, existing or not.
    """

    path: str
    home: str | None
    project: str
    config: dict[str, Json]
    template: Template | None
    problems: tuple[Problem, ...]
    chain: tuple[ChainFile, ...]
    reads: frozenset[str]

    def trail(self, path: KeyPath) -> Trail | None:
        """The history of the value at a key path; None where there is none."""

    def span(self, path: KeyPath, *, on_key: bool = False) -> Span | None:
        """The place that set a value (or its key): an absent path gives its nearest existing parent's."""

    def written(self, path: KeyPath) -> str | None:
        """The text of a scalar as written in the winning file, after YAML quoting (``on``, ``1.10``, ``2024-01-01``)."""

    def place(self, findings: Iterable[Finding]) -> list[Problem]:
        """Findings turned into problems on the spans that their trails lead to."""

    def require(self) -> Resolved:
        """Itself, when nothing stops a build.

        Raises:
            Refused: with the problems.
        """
