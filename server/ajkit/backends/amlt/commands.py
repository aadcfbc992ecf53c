"""The command `amlt` as this backend calls it: through no shell, without a terminal, with a time limit."""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ajkit.shared.job.execution import JobState, OutcomeUnknown, Rejected, Unavailable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

RUN_SECONDS = 1800.0
ASK_SECONDS = 180.0
_ABSENT = re.compile(
    r"\b(?:no|not|cannot find|can't find|couldn't find|unknown|missing|doesn't)\b[^\n]{0,60}"
    r"\b(?:exists?|found|experiments?|jobs?)\b|\b(?:experiment|job)\b[^\n]{0,60}\b(?:not|no)\b",
    re.IGNORECASE,
)
_STATES = {
    JobState.DONE: ("pass", "passed", "completed", "complete", "success", "succeeded"),
    JobState.FAILED: ("failed", "fail", "error", "expired"),
    JobState.CANCELLED: ("killed", "cancelled", "canceled", "aborted"),
    JobState.QUEUED: (
        "queued",
        "preparing",
        "submitted",
        "scheduling",
        "starting",
        "paused",
        "pending",
        "unknown",
        "new",
    ),
    JobState.RUNNING: ("running", "finalizing", "cancelling", "killing"),
}
_STATE_OF = {word: state for state, words in _STATES.items() for word in words}


@dataclass(frozen=True, slots=True)
class Amlt:
    """The command with the environment and the folder that it runs in."""

    environ: Mapping[str, str]
    folder: str

    def run(self, words: Sequence[str], secrets: Mapping[str, str], lock: int) -> subprocess.CompletedProcess[str]:
        """Submit; the answer counts only where it says 0. The lock is amlt's, too, until it has ended.

        Raises:
            Rejected: there is no amlt.
            OutcomeUnknown: it did not come to an end.
        """
        try:
            return self._call(words, RUN_SECONDS, secrets, (lock,))
        except subprocess.TimeoutExpired:
            raise OutcomeUnknown(f"amlt run did not end within {RUN_SECONDS:.0f} seconds") from None

    def ask(self, words: Sequence[str], *, tables: bool = False) -> subprocess.CompletedProcess[str]:
        """Ask for something, its tables as JSON where they are wanted: everything else is left out then.

        Raises:
            Unavailable: it does not answer.
        """
        try:
            return self._call(words, ASK_SECONDS, {"AMLT_JSON_TABLES": "1"} if tables else {})
        except subprocess.TimeoutExpired:
            raise Unavailable(f"amlt {words[0]} did not answer within {ASK_SECONDS:.0f} seconds") from None
        except Rejected as error:
            raise Unavailable(str(error)) from None

    def states(self, experiment: str) -> dict[str, str] | None:
        """What amlt calls the states of the jobs of an experiment, by job; None where it knows no such experiment.

        Raises:
            Unavailable: it does not say.
        """
        done = self.ask(["status", experiment], tables=True)
        if done.returncode:
            said = last_words(done)
            if _ABSENT.search(said):
                return None
            raise Unavailable(f"amlt status: {said}")
        try:
            return {str(row["job_name"]).lstrip(":"): str(row["status"]) for row in _rows(done.stdout)}
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise Unavailable(f"amlt status said something that is no table of jobs: {error}") from None

    def _call(
        self, words: Sequence[str], seconds: float, more: Mapping[str, str], kept: Sequence[int] = ()
    ) -> subprocess.CompletedProcess[str]:
        try:
            return subprocess.run(
                ["amlt", *words],
                cwd=self.folder,
                env={**self.environ, **more, "AMLT_THEME": "dark", "COLUMNS": "200"},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=seconds,
                pass_fds=kept,
                check=False,
            )
        except FileNotFoundError:
            raise Rejected("there is no amlt on the PATH that `aj run` was called with: install it there") from None


def state_of(word: str) -> JobState | None:
    """The state that amlt means by a word; None for a word not known here."""
    return _STATE_OF.get(word.strip().casefold())


def last_words(done: subprocess.CompletedProcess[str]) -> str:
    """The last lines of what a call said, on one line."""
    lines = [each.strip() for each in f"{done.stdout}\n{done.stderr}".splitlines() if each.strip()]
    return " ".join(lines[-5:])[-600:] or f"ended with {done.returncode}"


def _rows(text: str) -> list[dict[str, Any]]:
    """The rows of the tables in an output; older releases put them into tables, newer ones print them as they are."""
    found = json.loads(text[text.index("[") :])
    rows: list[dict[str, Any]] = []
    for each in found:
        rows += each.get("rows", [each])
    return rows
