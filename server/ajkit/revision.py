"""Templates as they were: files, of which those that git knows otherwise are put back to a revision."""

from __future__ import annotations

import posixpath
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ajkit.disk import DiskFiles
from ajkit.shared.files import FileProblem
from ajkit.shared.problem import UsageError
from ajkit.shared.template.names import SETTINGS_NAME, SUFFIX

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ajkit.shared.files import Files


class RestoredFiles:
    """`Files`, some of which have another content or are not there; `restored` is keyed by real path."""

    def __init__(self, restored: Mapping[str, bytes | None], below: Files | None = None) -> None:
        """`below` are the files as they are; those on disk by default."""
        self._below = below or DiskFiles()
        self._restored = restored

    def read(self, path: str, limit: int) -> bytes:
        """See `Files.read`."""
        real = self._below.real(path)
        if real not in self._restored:
            return self._below.read(path, limit)
        content = self._restored[real]
        if content is None:
            raise FileProblem("missing", f"{path}: no such file")
        return content[: limit + 1]

    def kind(self, path: str) -> str:
        """See `Files.kind`."""
        real = self._below.real(path)
        if real in self._restored:
            return "missing" if self._restored[real] is None else "file"
        found = self._below.kind(path)
        if found == "missing" and any(each.startswith(f"{real}/") for each in self._there()):
            return "directory"
        return found

    def real(self, path: str) -> str:
        """See `Files.real`."""
        return self._below.real(path)

    def names(self, folder: str) -> list[str]:
        """See `Files.names`."""
        return sorted({path[len(folder) + 1 :].split("/", 1)[0] for path, _ in self.walk(folder)})

    def walk(self, folder: str) -> list[tuple[str, str]]:
        """See `Files.walk`."""
        kept = [(path, real) for path, real in self._below.walk(folder) if self._restored.get(real, b"") is not None]
        walked = {real for _, real in kept}
        inside = self._below.real(folder)
        back = [each for each in self._there() if each.startswith(f"{inside}/") and each not in walked]
        return sorted([*kept, *((folder + each[len(inside) :], each) for each in back)])

    def _there(self) -> list[str]:
        return [path for path, content in self._restored.items() if content is not None]


@dataclass(frozen=True)
class Git:
    """The git repository that a folder is in."""

    root: str
    environ: Mapping[str, str]

    @classmethod
    def around(cls, folder: str, environ: Mapping[str, str]) -> Git:
        """The repository of a folder.

        Raises:
            UsageError: it is in none, or there is no git.
        """
        root = cls(folder, environ).run("rev-parse", "--show-toplevel").decode("utf-8", "surrogateescape")
        return cls(root.removesuffix("\n"), environ)

    def run(self, *arguments: str) -> bytes:
        """What a git command prints.

        Raises:
            UsageError: it failed; the message is git's own.
        """
        try:
            done = subprocess.run(
                ["git", "-C", self.root, *arguments],
                env={**self.environ, "LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0"},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=False,
            )
        except FileNotFoundError:
            raise UsageError("comparing with an earlier version needs git, and there is none on PATH") from None
        if done.returncode:
            words = done.stderr.decode("utf-8", "replace").strip().split("\n")[0].removeprefix("fatal: ")
            if "not a git repository" in words:
                words = f"{self.root} is in no git repository, so there is no earlier version to compare with"
            raise UsageError(f"git: {words}")
        return done.stdout

    def changed(self, revision: str) -> dict[str, bytes | None]:
        """The template files that differ from a revision, by real path, with their content there; None: not there.

        Raises:
            UsageError: there is no such revision.
        """
        try:
            commit = self.run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        except UsageError:
            raise UsageError(f"there is no commit `{revision}` in {self.root}") from None
        at = commit.decode().strip()
        wanted = ["--", f"*{SUFFIX}", SETTINGS_NAME, f"**/{SETTINGS_NAME}"]
        known = self._names("diff", "--name-only", "--no-renames", "-z", at, *wanted)
        fresh = self._names("ls-files", "--others", "--exclude-standard", "-z", *wanted)
        before = set(self._names("ls-tree", "-r", "--name-only", "-z", "--full-tree", at))
        return {
            posixpath.join(self.root, name): self.run("cat-file", "blob", f"{at}:{name}") if name in before else None
            for name in [*known, *fresh]
        }

    def _names(self, *arguments: str) -> list[str]:
        listed = self.run(*arguments).decode("utf-8", "surrogateescape")
        return [each for each in listed.split("\0") if each]
