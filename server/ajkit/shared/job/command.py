"""The command of a job: the template's lines as one bash script, then the words given by hand."""

from __future__ import annotations

import posixpath
import shlex
from typing import TYPE_CHECKING

from ajkit.shared.problem import Finding, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ajkit.shared.job.request import Ambient, JobRequest
    from ajkit.shared.where import KeyPath

COMMAND_PATH: KeyPath = ("jobs", 0, "command")

_RUNNERS = {".py": "python", ".sh": "bash"}


def script_candidate(request: JobRequest) -> str | None:
    """The first word, when it would run with `python` or `bash` if such a file is under the code folder.

    The edges look for the file and name it in `Ambient.scripts` (as written here) when it is there.
    """
    if request.shell or not request.command:
        return None
    word = request.command[0]
    inside = posixpath.normpath(word)
    if posixpath.isabs(inside) or inside.startswith("../"):
        return None
    return word if posixpath.splitext(inside)[1] in _RUNNERS else None


def script_of(request: JobRequest, ambient: Ambient) -> str | None:
    """The first word when it is an existing ``.py`` or ``.sh`` file under the code folder."""
    candidate = script_candidate(request)
    return candidate if candidate is not None and candidate in ambient.scripts else None


def words_line(request: JobRequest, ambient: Ambient) -> str | None:
    """The shell line that the words given by hand make; None when none were given.

    Raises:
        UsageError: ``--shell`` with anything but one word.
    """
    if request.shell and len(request.command) != 1:
        raise UsageError("--shell takes one word, a whole shell line: aj run --shell 'make && ./run.sh'")
    if request.shell:
        return request.command[0]
    if not request.command:
        return None
    script = script_of(request, ambient)
    runner = [_RUNNERS[posixpath.splitext(script)[1]]] if script is not None else []
    return shlex.join([*runner, *request.command])


def job_command(lines: Sequence[str], words: str | None) -> str | Finding:
    """The bash script of a job: the template's lines (no implied ``set -e``), then the line of words."""
    parts = [line.removesuffix("\n") for line in (*lines, *([] if words is None else [words]))]
    script = "\n".join(parts)
    if not script.strip():
        message = "there is nothing to run: set jobs[0].command, or give the command after the options of aj run"
        return Finding(COMMAND_PATH, "command.missing", message)
    return script
