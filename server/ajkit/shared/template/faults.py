"""What can be wrong with a base name that is well formed: the problems, with the place that explains them and fixes."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from ajkit.shared.problem import Edit, Fix, NewFile, Problem, Related, problem
from ajkit.shared.template.names import SUFFIX, WRONG_SUFFIX, did_you_mean, in_the_way, near_bases

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ajkit.shared.files import Files
    from ajkit.shared.template.source import BaseRef

NEW_COMPONENT = "config: {}\n"
RELATED_LIMIT = 10


def short(path: str, home: str | None) -> str:
    """A path as messages show it: relative to AJ_HOME where it is inside, else the file name."""
    if home and path.startswith(home.rstrip("/") + "/"):
        return path[len(home.rstrip("/")) + 1 :]
    return posixpath.basename(path)


def no_home(files: Files, ref: BaseRef, folder: str) -> Problem:
    """A dotted name without an AJ_HOME."""
    close = near_bases(files, ref.name, folder, None)
    return problem(
        "base.no-home",
        f"`{ref.name}` is a dotted name, which leads to a file under AJ_HOME, and there is none: create a folder .aj "
        f"or .azure_jobs above this file, or set AJ_HOME{_instead(files, ref, None, folder, None, close)}",
        ref.span,
        fixes=_replacements(ref, close),
    )


def unsaved(ref: BaseRef) -> Problem:
    """A plain name in a buffer that is no file yet."""
    return problem(
        "base.unsaved",
        f"`{ref.name}` stands for a file beside this one: save this buffer first, so that there is a folder to look in",
        ref.span,
    )


def unreadable(ref: BaseRef, reason: str) -> Problem:
    """A base that is there but cannot be read."""
    return problem("base.missing", f"`{ref.name}` cannot be read: {reason}", ref.span)


def missing(files: Files, ref: BaseRef, path: str, folder: str, home: str | None) -> Problem:
    """A name that leads to no file: the path tried, what stands in the way, near names."""
    close = near_bases(files, ref.name, folder, home)
    message = f"base `{ref.name}` not found: there is no {path}{_instead(files, ref, path, folder, home, close)}"
    fixes = _replacements(ref, close)
    if files.kind(path) == "missing":
        fixes.append(Fix("Create base file", creates=(NewFile(path, NEW_COMPONENT),)))
    return problem("base.missing", message, ref.span, fixes=fixes)


def _instead(files: Files, ref: BaseRef, path: str | None, folder: str, home: str | None, close: list[str]) -> str:
    """The end of a message about a name that leads nowhere: what is there in its place."""
    other = in_the_way(files, ref.name, path, folder, home)
    if other is None:
        obstacle = ""
    elif other == path:
        obstacle = f"; {path} is a directory"
    elif other.endswith(WRONG_SUFFIX):
        obstacle = f"; {short(other, home)} is there, but only {SUFFIX} files are bases: rename it"
    else:
        obstacle = (
            f"; {short(other, home)} is there, but every dot of a name is a folder: "
            "a file with dots in its name cannot be a base"
        )
    return obstacle + did_you_mean(close)


def _replacements(ref: BaseRef, close: list[str]) -> list[Fix]:
    quote = ref.span.written[:1] if ref.span.written[:1] in "'\"" else ""
    return [
        Fix(f'Replace with "{each}"', (Edit(ref.span, f"{quote}{each}{quote}"),), preferred=index == 0)
        for index, each in enumerate(close)
    ]


def broken(ref: BaseRef, causes: Sequence[Problem], home: str | None) -> Problem:
    """A base that has problems of its own, further down or itself."""
    first = causes[0]
    place = f"{short(first.span.path, home)}:{first.span.first.line + 1}: " if first.span else ""
    more = f" (and {len(causes) - 1} more)" if len(causes) > 1 else ""
    return problem(
        "base.broken",
        f"base `{ref.name}` is broken: {place}{first.message}{more}",
        ref.span,
        related=[Related(each.span, each.message) for each in causes[:RELATED_LIMIT] if each.span],
    )


def cycle(ref: BaseRef, road: Sequence[tuple[str, BaseRef]], home: str | None, *, leads_in: bool) -> Problem:
    """A name on a cycle, or the name leading into one.

    `road` walks the cycle: (path of a file, the name in it that leads on), starting at the file that `ref` leads to
    when it leads in, else at the file that holds `ref`.
    """
    steps = [short(path, home) for path, _ in road]
    walk = " → ".join([*steps, steps[0]])
    if leads_in:
        message = f"base `{ref.name}` leads into a cycle: {walk}; remove one of these names"
    elif len(steps) == 1:
        message = f"{steps[0]} is its own base: {walk}; remove this name"
    else:
        message = f"these files are each other's bases: {walk}; remove one of these names"
    related = [
        Related(each.span, f"{short(path, home)} → `{each.name}`") for path, each in road if each.span != ref.span
    ]
    return problem("base.cycle", message, ref.span, related=related)


def too_deep(ref: BaseRef, limit: int) -> Problem:
    """A chain over the level budget."""
    return problem(
        "limit.chain",
        f"the chain of bases below `{ref.name}` is deeper than {limit} levels: flatten it",
        ref.span,
    )
