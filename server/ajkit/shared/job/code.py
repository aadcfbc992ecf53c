"""The code folder of a job: where it is, and which rules leave parts of it out."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

from ajkit.shared.problem import Finding, Problem, problem

if TYPE_CHECKING:
    from ajkit.shared.job.request import Ambient, JobRequest
    from ajkit.shared.template.model import Template
    from ajkit.shared.template.resolve import Resolved
    from ajkit.shared.where import Json, KeyPath

CODE_PATH: KeyPath = ("code", "local_dir")
IGNORE_PATH: KeyPath = ("code", "ignore")

IGNORE_FILES = (".ajignore", ".codeignore", ".amltignore")
"""The first of these in the code folder adds to `code.ignore`."""

ALWAYS_IGNORED = (".git", ".venv", "node_modules", "__pycache__")

CONFIG_DIR = re.compile(r"(?<!\$)\$(?:CONFIG_DIR\b|\{CONFIG_DIR\})")
"""What stands for the leaf's folder in a path, to aj and to amlt."""


def code_dir(template: Template, request: JobRequest) -> str:
    """The code folder as it was written: ``--code``, else ``code.local_dir``."""
    return template.code.local_dir if request.code_dir is None else request.code_dir


def code_folder(resolved: Resolved, template: Template, request: JobRequest) -> str:
    """The absolute path of the code folder: relative to the project folder, never to the working directory."""
    leaf_folder = posixpath.dirname(resolved.path)
    inside = CONFIG_DIR.sub(lambda _: leaf_folder, code_dir(template, request))
    return posixpath.normpath(posixpath.join(resolved.project, inside))


def always_ignored(folder: str, home: str | None, state: str | None = None) -> list[str]:
    """Gitignore lines that hold before a JobSpec's own: what never travels from a code folder.

    Of an AJ_HOME inside the folder only ``scripts/`` travels, and nothing of the daemon's `state`: every job's code is
    kept there, so that each job would be larger than the one before.
    """
    lines = list(ALWAYS_IGNORED)
    if (inside := _inside(folder, home)) is not None:
        lines += [f"/{inside}/*", f"!/{inside}/scripts/"]
    if (inside := _inside(folder, state)) is not None:
        lines.append(f"/{inside}/")
    return lines


def _inside(folder: str, path: str | None) -> str | None:
    """The path of what lies inside a folder, as a gitignore line has it; None for what does not."""
    prefix = folder.rstrip("/") + "/"
    if path is None or not path.startswith(prefix):
        return None
    return "".join(f"\\{each}" if each in "\\*?[]!# " else each for each in path[len(prefix) :])


def job_code(
    template: Template, request: JobRequest, ambient: Ambient
) -> tuple[dict[str, Json], list[Finding | Problem]]:
    """The `code` of a JobSpec: the folder as written, the template's rules and then the ignore file's."""
    folder = code_dir(template, request)
    code: dict[str, Json] = {"dir": folder, "ignore": [*template.code.ignore, *ambient.ignore_file]}
    if ambient.code_found:
        return code, []
    if request.code_dir is not None:
        return code, [problem("code.missing", f"--code {folder}: there is no such folder", None)]
    message = f"the code folder `{folder}` does not exist (relative to the project folder); give another with --code"
    return code, [Finding(CODE_PATH, "code.missing", message)]
