"""What services offer at this moment: asked in the background, remembered for a while, silent without an answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ajkit.shared.where import KeyPath

KINDS: Mapping[KeyPath, str] = {
    ("target", "queue"): "queues",
    ("target", "name"): "computes",
    ("environment", "image"): "images",
}
"""Which kind of values the daemon's ``/v1/services/{service}/values/{kind}`` has for a field."""

FRESH_SECONDS = 60.0
"""How long an answer is used before it is asked for again; an older one is used until then."""
AWAY_SECONDS = 15.0
"""How long nobody is asked again after there was no answer."""


class Offer(NamedTuple):
    """A value that a service has now, and a word on it."""

    value: str
    detail: str = ""


class Asker(Protocol):
    """Asks for the values of a kind that a service offers, and returns at once."""

    def __call__(self, service: str, kind: str, done: Callable[[Sequence[Offer] | None], None]) -> None:
        """`done` is called later, in the thread of the caller, with the values, or None where there was no answer."""
        ...


@dataclass(slots=True)
class _Known:
    values: tuple[Offer, ...]
    until: float
    asking: bool = False


class LiveValues:
    """The values that services offer, as far as they are known now; without somebody to ask there are none.

    `ask` is who is asked, None for nobody; `clock` counts seconds.
    """

    def __init__(self, clock: Callable[[], float], ask: Asker | None = None) -> None:
        self.ask = ask
        self._clock = clock
        self._known: dict[tuple[str, str], _Known] = {}

    @property
    def is_asking(self) -> bool:
        """Whether an answer is still to come."""
        return any(each.asking for each in self._known.values())

    def values(self, service: str | None, path: KeyPath) -> tuple[Offer, ...]:
        """What is known of a field's values; what is not, or no longer fresh, is asked for meanwhile."""
        kind = KINDS.get(path)
        if self.ask is None or service is None or kind is None:
            return ()
        known = self._known.setdefault((service, kind), _Known((), self._clock()))
        if not known.asking and self._clock() >= known.until:
            known.asking = True
            self.ask(service, kind, lambda values: self._take(known, values))
        return known.values

    def _take(self, known: _Known, values: Sequence[Offer] | None) -> None:
        known.asking = False
        known.until = self._clock() + (AWAY_SECONDS if values is None else FRESH_SECONDS)
        if values is not None:
            known.values = tuple(values)
