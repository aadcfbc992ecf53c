"""Live values: never waited for, asked again when they are old, and seldom where nobody answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ajkit.lsp.completing.live import AWAY_SECONDS, FRESH_SECONDS, LiveValues, Offer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

QUEUE = ("target", "queue")


class Desk:
    """Somebody to ask, who answers when told to."""

    def __init__(self) -> None:
        self.now = 0.0
        self.asked: list[tuple[str, str]] = []
        self.waiting: list[Callable[[Sequence[Offer] | None], None]] = []

    def __call__(self, service: str, kind: str, done: Callable[[Sequence[Offer] | None], None]) -> None:
        self.asked.append((service, kind))
        self.waiting.append(done)


def test_values_come_with_a_later_question() -> None:
    desk = Desk()
    live = LiveValues(lambda: desk.now, desk)
    assert live.values("slurm", QUEUE) == ()
    assert live.values("slurm", QUEUE) == ()
    assert desk.asked == [("slurm", "queues")], "one question at a time"
    asking = [live.is_asking]
    desk.waiting.pop()([Offer("a"), Offer("b", "2 idle")])
    assert [*asking, live.is_asking] == [True, False]
    assert live.values("slurm", QUEUE) == (("a", ""), ("b", "2 idle"))
    assert live.values("volcano", QUEUE) == ()
    assert desk.asked == [("slurm", "queues"), ("volcano", "queues")]


def test_old_values_are_used_until_new_ones_come() -> None:
    desk = Desk()
    live = LiveValues(lambda: desk.now, desk)
    live.values("slurm", QUEUE)
    desk.waiting.pop()([Offer("a")])
    desk.now = FRESH_SECONDS - 1
    live.values("slurm", QUEUE)
    assert len(desk.asked) == 1
    desk.now = FRESH_SECONDS
    assert live.values("slurm", QUEUE) == (("a", ""),)
    assert len(desk.asked) == 2
    desk.waiting.pop()(None)
    assert live.values("slurm", QUEUE) == (("a", ""),)


def test_nobody_is_asked_often_who_does_not_answer() -> None:
    desk = Desk()
    live = LiveValues(lambda: desk.now, desk)
    live.values("slurm", QUEUE)
    desk.waiting.pop()(None)
    desk.now = AWAY_SECONDS - 1
    assert live.values("slurm", QUEUE) == ()
    assert len(desk.asked) == 1
    desk.now = AWAY_SECONDS
    live.values("slurm", QUEUE)
    assert len(desk.asked) == 2


def test_nobody_is_asked_about_other_fields_or_without_a_service() -> None:
    desk = Desk()
    live = LiveValues(lambda: desk.now, desk)
    assert live.values(None, QUEUE) == ()
    assert live.values("slurm", ("target", "memory")) == ()
    assert desk.asked == []
    assert LiveValues(lambda: 0.0).values("slurm", QUEUE) == ()
