"""Files that a template mentions: setup scripts, the code folder, ignore files."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

from ajkit.shared.template.query import children, scalars
from ajkit.shared.template.tree import Mapping, Scalar, node_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ajkit.lsp.view import View
    from ajkit.shared.template.query import Spot
    from ajkit.shared.template.tree import Node
    from ajkit.shared.where import KeyPath

IGNORE_FILES = (".ajignore", ".codeignore", ".amltignore")
CONFIG_DIR = re.compile(r"\$(?:\{CONFIG_DIR\}|CONFIG_DIR\b)")

_WORD = re.compile(r"[^\s'\"=;|&<>()]+")


def mentioned_path(view: View, spot: Spot, offset: int) -> str | None:
    """The existing file or folder that a value mentions under the cursor; None where it mentions none."""
    if spot.on_key or not isinstance(spot.node, Scalar) or not isinstance(spot.node.value, str):
        return None
    path = spot.config_path
    if path == ("code", "local_dir"):
        return _in_project(view, spot.node.value, ".")
    if path[:2] == ("code", "ignore"):
        folder = code_folder(view)
        found = (posixpath.join(folder, each) for each in IGNORE_FILES)
        return next((each for each in found if view.engine.files.kind(each) == "file"), None)
    if not _holds_commands(path):
        return None
    content = view.text.content
    line_start = max(content.rfind("\n", 0, offset) + 1, spot.node.start)
    for word in _WORD.finditer(content, line_start, min(spot.node.end, offset + 400)):
        if word.start() <= offset <= word.end():
            return _in_project(view, word.group(), code_folder(view))
    return None


def mentions(view: View) -> list[tuple[int, int, str]]:
    """Every word of commands and setup lines that may be a file, and the code folder: (start, end, path).

    Whether there is such a file has to be looked up.
    """
    config = view.file.config
    if config is None:
        return []
    found: list[tuple[int, int, str]] = []
    local = node_at(config, ("code", "local_dir"))
    if local is not None and isinstance(local[0], Scalar) and isinstance(local[0].value, str):
        found += _mention(view, local[0].start, local[0].end, local[0].value, ".")
    folder = code_folder(view)
    for node in _commands(config):
        for _, line in scalars(node):
            for word in _WORD.finditer(view.text.content, line.start, line.end) if isinstance(line.value, str) else ():
                if "/" in word[0] or "." in word[0]:
                    found += _mention(view, word.start(), word.end(), word[0], folder)
    return found


def _commands(config: Mapping) -> Iterator[Node]:
    """What holds commands and setup lines (`_holds_commands`), found without a walk over the whole file."""
    setup = node_at(config, ("environment", "setup"))
    if setup is not None:
        yield setup[0]
    jobs = node_at(config, ("jobs",))
    for _, job in children(jobs[0]) if jobs is not None else ():
        command = job.entries.get("command") if isinstance(job, Mapping) else None
        if command is not None:
            yield command.node


def _mention(view: View, start: int, end: int, word: str, below: str) -> list[tuple[int, int, str]]:
    path = _path_in_project(view, word, below)
    return [(start, end, path)] if path is not None else []


def _holds_commands(path: KeyPath) -> bool:
    if path[:2] == ("environment", "setup"):
        return True
    return len(path) >= 3 and path[0] == "jobs" and path[2] == "command"


def code_folder(view: View) -> str:
    """The folder whose content the job runs, as an absolute path."""
    code = view.resolved.config.get("code")
    written = code.get("local_dir") if isinstance(code, dict) else None
    base = written if isinstance(written, str) else "."
    return posixpath.normpath(posixpath.join(view.resolved.project, _config_dir(view, base)))


def _in_project(view: View, word: str, below: str) -> str | None:
    path = _path_in_project(view, word, below)
    return path if path is not None and view.engine.files.kind(path) == "file" else None


def _path_in_project(view: View, word: str, below: str) -> str | None:
    if not word.strip("./"):
        return None
    return posixpath.normpath(posixpath.join(view.resolved.project, below, _config_dir(view, word)))


def _config_dir(view: View, word: str) -> str:
    return CONFIG_DIR.sub(lambda _: posixpath.dirname(view.path), word)
