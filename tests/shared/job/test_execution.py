"""The states of a job: what may follow what."""

from __future__ import annotations

from itertools import pairwise, product

import pytest

from ajkit.shared.job.execution import JobEvent, JobState

TERMINAL = {"done", "failed", "cancelled", "rejected", "lost"}


def test_terminal_states_are_never_left() -> None:
    for state, later in product(JobState, JobState):
        assert state.is_terminal == (state.value in TERMINAL)
        if state.is_terminal:
            assert not state.may_become(later)
        assert not state.may_become(state)


def test_every_state_that_is_not_terminal_can_end() -> None:
    for state in JobState:
        if not state.is_terminal:
            assert any(state.may_become(later) for later in JobState if later.is_terminal)


@pytest.mark.parametrize(
    ("road", "allowed"),
    [
        ("accepted submitting submitted queued running done", True),
        ("accepted submitting submitted running failed", True),
        ("accepted submitting unknown submitted", True),
        ("accepted submitting unknown submitting", True),
        ("accepted submitting rejected", True),
        ("running queued", True),
        ("running cancelling cancelled", True),
        ("running cancelling done", True),
        ("accepted cancelled", True),
        ("cancelling running", False),
        ("submitted submitting", False),
        ("queued accepted", False),
        ("accepted running", False),
        ("running rejected", False),
    ],
)
def test_roads(road: str, allowed: bool) -> None:
    states = [JobState(each) for each in road.split()]
    assert all(one.may_become(two) for one, two in pairwise(states)) is allowed


def test_events_cross_the_wire() -> None:
    event = JobEvent(seq=1, at="2026-01-01T00:00:00Z", state=JobState.DONE, exit_code=0)
    assert JobEvent.model_validate_json(event.model_dump_json()) == event
