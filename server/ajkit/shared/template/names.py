"""Names to paths: AJ_HOME, base names, template names, and the near names that a typo may have meant."""

from __future__ import annotations

import posixpath
import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ajkit.shared.files import Files

HOME_NAMES = (".aj", ".azure_jobs")
SETTINGS_NAME = "aj.toml"
TEMPLATE_FOLDER = "template"
SUFFIX = ".yaml"
WRONG_SUFFIX = ".yml"

_DRIVE = re.compile(r"^[A-Za-z]:")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def find_home(files: Files, start: str) -> str | None:
    """The nearest AJ_HOME walking up from `start` (a file or folder): a folder on the way, or beside it, so named."""
    folder = posixpath.normpath(start)
    while True:
        if posixpath.basename(folder) in HOME_NAMES and files.kind(folder) == "directory":
            return folder
        for name in HOME_NAMES:
            candidate = posixpath.join(folder, name)
            if files.kind(candidate) == "directory":
                return candidate
        parent = posixpath.dirname(folder)
        if parent == folder or not parent:
            return None
        folder = parent


def project_folder(home: str | None, template: str) -> str:
    """AJ_HOME's parent, else the template's own folder."""
    return posixpath.dirname(home.rstrip("/")) if home else posixpath.dirname(template)


@lru_cache(maxsize=4096)
def name_fault(name: str) -> str | None:
    """Why a text cannot be a base name, in the user's words; None when it can."""
    if not name:
        return "a base name cannot be empty"
    if "/" in name or "\\" in name:
        return "a base name is not a path: write a plain name for a file beside this one, or folders joined by dots"
    if _DRIVE.match(name):
        return "a base name is not a path: it cannot start with a drive letter"
    if name.startswith(".") or name.endswith("."):
        return "a base name cannot start or end with a dot: dots join the folders under AJ_HOME"
    if ".." in name:
        return "a base name cannot hold two dots in a row: dots join the folders under AJ_HOME"
    if _CONTROL.search(name):
        return "a base name cannot hold control characters"
    return None


def base_path(name: str, folder: str, home: str | None) -> str | None:
    """Where a valid base name leads: beside the file in `folder`, or (dotted) under `home`; None without a home."""
    if "." not in name:
        return f"{folder.rstrip('/')}/{name}{SUFFIX}"
    return f"{home.rstrip('/')}/{name.replace('.', '/')}{SUFFIX}" if home else None


def dotted_name(path: str, home: str) -> str | None:
    """The dotted name that leads to a file under AJ_HOME; None when no such name exists."""
    prefix = home.rstrip("/") + "/"
    if not path.startswith(prefix) or not path.endswith(SUFFIX):
        return None
    inner = path[len(prefix) : -len(SUFFIX)]
    return inner.replace("/", ".") if "/" in inner and "." not in inner else None


def template_name(path: str, home: str | None) -> str:
    """The name people call a template by: `-t` name under AJ_HOME/template, else its file name without suffix."""
    if home:
        prefix = posixpath.join(home, TEMPLATE_FOLDER) + "/"
        if path.startswith(prefix) and path.endswith(SUFFIX):
            return path[len(prefix) : -len(SUFFIX)].replace("/", ".")
    return posixpath.basename(path).removesuffix(SUFFIX)


def template_path(name: str, home: str) -> str:
    """The file of a `-t` name: AJ_HOME/template/NAME.yaml, dots are folders."""
    return posixpath.join(home, TEMPLATE_FOLDER, *name.split(".")) + SUFFIX


def is_path_argument(argument: str) -> bool:
    """Whether a command line argument is a path rather than a template name."""
    return "/" in argument or "\\" in argument or argument.endswith(SUFFIX)


def near(word: str, known: Iterable[str], limit: int = 3) -> list[str]:
    """The known words that `word` may have meant, best first; letter case does not count."""
    import difflib  # noqa: PLC0415 - only a mistake needs it

    by_folded: dict[str, str] = {}
    for each in known:
        by_folded.setdefault(each.casefold(), each)
    found = difflib.get_close_matches(word.casefold(), by_folded, n=limit, cutoff=0.6)
    return [by_folded[each] for each in found]


def did_you_mean(words: list[str]) -> str:
    """``; did you mean `a` or `b`?`` or the empty text."""
    return f"; did you mean {' or '.join(f'`{each}`' for each in words)}?" if words else ""


def near_bases(files: Files, name: str, folder: str, home: str | None) -> list[str]:
    """Existing base names close to one that leads nowhere, best first."""
    found: list[str] = []
    beside = list(_stems(files, folder))
    if "." not in name:
        found += near(name, beside)
        if home:
            found += [each for each in _dotted_under(files, home) if each.rsplit(".", 1)[-1] == name][:2]
        return found[:3]
    stem = name.removesuffix(SUFFIX).removesuffix(WRONG_SUFFIX)
    if stem in beside:
        found.append(stem)
    if home:
        dotted = list(_dotted_under(files, home))
        found += near(name, dotted)
        found += [each for each in dotted if each.rsplit(".", 1)[-1] == name.rsplit(".", 1)[-1] and each not in found]
    return found[:3]


def _dotted_under(files: Files, home: str, budget: int = 400) -> Iterator[str]:
    """Dotted names under AJ_HOME, up to a few folders' worth: enough to guess what a typo meant."""
    for top in files.names(home)[:budget]:
        folder = posixpath.join(home, top)
        yield from (f"{top}.{each}" for each in _stems(files, folder, budget))
        for name in files.names(folder)[:budget]:
            if "." not in name:
                yield from (f"{top}.{name}.{each}" for each in _stems(files, posixpath.join(folder, name), budget))


def _stems(files: Files, folder: str, budget: int | None = None) -> Iterator[str]:
    """The names of a folder's files that a base name can lead to: no directories, no dots in them."""
    for name in files.names(folder)[:budget]:
        stem = name.removesuffix(SUFFIX)
        if stem != name and not name_fault(stem) and "." not in stem and files.kind(f"{folder}/{name}") == "file":
            yield stem


def in_the_way(files: Files, name: str, path: str | None, folder: str, home: str | None) -> str | None:
    """What stands where a base was expected: a directory, a ``.yml``, or a file with dots in its stem."""
    if path is not None:
        if files.kind(path) == "directory":
            return path
        yml = path.removesuffix(SUFFIX) + WRONG_SUFFIX
        if files.kind(yml) == "file":
            return yml
    return dotted_file(files, name, folder, home) if "." in name else None


def dotted_file(files: Files, name: str, folder: str, home: str | None) -> str | None:
    """A file such as ``gpu.big.yaml`` that a dotted name seems to mean but cannot lead to (every dot is a folder).

    It stands in `folder`, beside the file with the name, or under AJ_HOME.
    """
    candidates = [posixpath.join(folder, name) + SUFFIX]
    if name.endswith(WRONG_SUFFIX):
        candidates.append(posixpath.join(folder, name))
    if home:
        steps = name.split(".")
        inside = range(len(steps) - 1)
        candidates += [posixpath.join(home, *steps[:each], ".".join(steps[each:])) + SUFFIX for each in inside]
    return next((each for each in candidates if files.kind(each) == "file"), None)


def shown_path(real: str, home: str | None, real_home: str | None) -> str:
    """How a real path is shown: under AJ_HOME as the person reached it, else as it is."""
    if home and real_home and real_home != home and real.startswith(real_home + "/"):
        return home + real[len(real_home) :]
    return real
