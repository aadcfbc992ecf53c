"""Files that a template mentions: setup scripts, the code folder, ignore files."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

from ajkit.shared.template.query import scalars
from ajkit.shared.template.tree import Scalar

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ajkit.lsp.view import View
    from ajkit.shared.template.query import Spot
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


def mentions(view: View) -> Iterator[tuple[int, int, str]]:
    """Every word of commands and setup lines that is an existing file: (start, end, path)."""
    if view.file.config is None:
        return
    for path, node in scalars(view.file.config):
        if path == ("code", "local_dir") and isinstance(node.value, str):
            target = _in_project(view, node.value, ".")
            if target:
                yield node.start, node.end, target
        elif _holds_commands(path) and isinstance(node.value, str):
            for word in _WORD.finditer(view.text.content, node.start, node.end):
                if "/" in word.group() or "." in word.group():
                    target = _in_project(view, word.group(), code_folder(view))
                    if target:
                        yield word.start(), word.end(), target


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
    path = posixpath.normpath(posixpath.join(view.resolved.project, below, _config_dir(view, word)))
    return path if word.strip("./") and view.engine.files.kind(path) == "file" else None


def _config_dir(view: View, word: str) -> str:
    return CONFIG_DIR.sub(lambda _: posixpath.dirname(view.path), word)
