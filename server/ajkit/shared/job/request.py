"""What a caller asks for (JobRequest) and the facts of the moment (Ambient)."""

from __future__ import annotations

from dataclasses import field

from ajkit.shared.records import dataclass
from ajkit.shared.template.overlay import Overlays

PREVIEW_SID = "0000000000"
PREVIEW_NOW = "1970-01-01T00:00:00Z"


@dataclass(frozen=True, slots=True)
class JobRequest:
    """One invocation of `aj run` or a preview: the template (an absolute path) and everything given by hand.

    `command` is a word list, each word POSIX-quoted into the script; with `shell` it is one shell line as written.
    """

    template: str
    nodes: int | None = None
    selector: int | None = None
    processes: int | None = None
    overlays: Overlays = field(default_factory=Overlays)
    name: str | None = None
    experiment: str | None = None
    code_dir: str | None = None
    command: tuple[str, ...] = ()
    shell: bool = False
    amlt: bool = False
    all_jobs: bool = False


@dataclass(frozen=True, slots=True)
class Ambient:
    """Facts of the moment that a build may depend on, gathered by the edges so that the build itself is pure.

    `caller_name` is the caller's own AJ_NAME; `ignore_file` the lines of the first of .ajignore, .codeignore,
    .amltignore in the code folder; `scripts` the names of existing .py/.sh files the command may start with;
    `code_found` whether the code folder exists.
    """

    sid: str = PREVIEW_SID
    now: str = PREVIEW_NOW
    caller_name: str | None = None
    ignore_file: tuple[str, ...] = ()
    scripts: frozenset[str] = frozenset()
    code_found: bool = True
