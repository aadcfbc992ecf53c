"""The repository as its own tests see it: its root and the files that belong to it."""

from __future__ import annotations

import functools
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]


@functools.cache
def files(*suffixes: str) -> tuple[Path, ...]:
    """Every file of the repository that git knows or would add, sorted; with suffixes, only the files that have one."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    paths = {ROOT / each for each in listed.split("\0") if each}
    return tuple(sorted(each for each in paths if each.is_file() and (not suffixes or each.suffix in suffixes)))


def named(path: Path) -> str:
    """A file's name for people: relative to the root, with slashes."""
    return path.relative_to(ROOT).as_posix()
