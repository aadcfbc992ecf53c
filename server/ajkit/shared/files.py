"""How the core sees files: the Files protocol, and MemoryFiles for tests and scripts."""

from __future__ import annotations

import posixpath
from typing import Protocol


class FileProblem(Exception):
    """A path that could not be read; `kind` is ``missing``, ``directory`` or ``unreadable``, `str()` says why."""

    def __init__(self, kind: str, reason: str) -> None:
        self.kind = kind
        super().__init__(reason)


class Files(Protocol):
    """The only way the core sees a file. Paths are absolute and written with ``/``.

    Every method may be called for paths that do not exist; none changes anything.
    """

    def read(self, path: str, limit: int) -> bytes:
        """The bytes of a file, at most ``limit + 1`` of them (a file over the limit shows without being read whole).

        Raises:
            FileProblem: missing, a directory, or not readable.
        """
        ...

    def kind(self, path: str) -> str:
        """``file``, ``directory`` or ``missing`` (links are followed)."""
        ...

    def real(self, path: str) -> str:
        """The path with every link resolved; works for missing paths too."""
        ...

    def names(self, folder: str) -> list[str]:
        """The names in a folder, sorted; empty when there is no such folder."""
        ...

    def walk(self, folder: str) -> list[tuple[str, str]]:
        """The paths and real paths of all files below a folder, sorted; links followed, each folder entered once."""
        ...


class MemoryFiles:
    """Files held in memory: a mapping of path to text or bytes, and of link to target."""

    def __init__(self, files: dict[str, str | bytes], links: dict[str, str] | None = None) -> None:
        self._files = {posixpath.normpath(path): content for path, content in files.items()}
        self._links = {posixpath.normpath(path): target for path, target in (links or {}).items()}

    def write(self, path: str, content: str | bytes) -> None:
        """Put a file there, or other content into it."""
        self._files[posixpath.normpath(path)] = content

    def remove(self, path: str) -> None:
        """Take a file away, where there is one."""
        self._files.pop(posixpath.normpath(path), None)

    def read(self, path: str, limit: int) -> bytes:
        """See `Files.read`."""
        kind = self.kind(path)
        if kind != "file":
            raise FileProblem(kind, f"{path}: {'is a directory' if kind == 'directory' else 'no such file'}")
        content = self._files[self.real(path)]
        return (content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content)[: limit + 1]

    def kind(self, path: str) -> str:
        """See `Files.kind`."""
        real = self.real(path)
        if real in self._files:
            return "file"
        prefix = real.rstrip("/") + "/"
        return "directory" if any(each.startswith(prefix) for each in self._files) else "missing"

    def real(self, path: str) -> str:
        """See `Files.real`."""
        path = posixpath.normpath(path)
        for _ in range(40):
            for link, target in self._links.items():
                if path == link or path.startswith(link + "/"):
                    path = posixpath.normpath(posixpath.join(posixpath.dirname(link), target) + path[len(link) :])
                    break
            else:
                return path
        return path

    def names(self, folder: str) -> list[str]:
        """See `Files.names`."""
        prefix = self.real(folder).rstrip("/") + "/"
        below = [*self._files, *self._links]
        return sorted({each[len(prefix) :].split("/", 1)[0] for each in below if each.startswith(prefix)})

    def walk(self, folder: str) -> list[tuple[str, str]]:
        """See `Files.walk`."""
        folder = posixpath.normpath(folder)
        real = self.real(folder)
        inside = [folder + each[len(real) :] for each in self._files if each.startswith(real.rstrip("/") + "/")]
        links = [each for each in self._links if each.startswith(folder.rstrip("/") + "/")]
        return sorted((each, self.real(each)) for each in {*inside, *links})
