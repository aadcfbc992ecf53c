"""Everything that can be said of one effective config without a request: types, checks, and what its service makes of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ajkit.shared.job.describe import Described, describe
from ajkit.shared.problem import Finding, problem
from ajkit.shared.template.checks import check
from ajkit.shared.template.model import check_types
from ajkit.shared.template.names import did_you_mean, near
from ajkit.shared.where import at

if TYPE_CHECKING:
    from ajkit.shared.problem import Problem
    from ajkit.shared.spec import Registry, Service
    from ajkit.shared.template.model import Template
    from ajkit.shared.template.resolve import Resolved

SERVICE = ("target", "service")


@dataclass(frozen=True, slots=True)
class Examined:
    """One effective config, examined: its typed Template (None where types are wrong), its service, all problems."""

    template: Template | None
    service: Service | None
    described: Described | None
    problems: tuple[Problem, ...]
