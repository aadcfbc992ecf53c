"""What the server's process stands on, handed in by `main`: its environment, the clock, and chance."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ajkit.shared.job.request import PREVIEW_NOW, PREVIEW_SID

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where facts come from: `now` is the time as ISO 8601 in UTC, `new_sid` draws the id of a job.

    The defaults stand still, as in previews.
    """

    environ: Mapping[str, str] = field(default_factory=dict)
    now: Callable[[], str] = lambda: PREVIEW_NOW
    new_sid: Callable[[], str] = lambda: PREVIEW_SID

    @property
    def caller_name(self) -> str | None:
        """The caller's own AJ_NAME, which names jobs."""
        return self.environ.get("AJ_NAME") or None
