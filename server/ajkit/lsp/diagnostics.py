"""Problems as diagnostics: on the node that was written, in the file it was written in, with related places."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ajkit.shared.problem import Severity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ajkit.shared.problem import Problem

SOURCE = "aj"
_SEVERITIES = {Severity.ERROR: 1, Severity.WARNING: 2, Severity.INFORMATION: 3, Severity.HINT: 4}
_UNNECESSARY, _DEPRECATED = 1, 2


def diagnostic(
    problem: Problem, uri_of: Callable[[str], str], page: str, *, related: bool = True, tagged: bool = True
) -> dict[str, Any]:
    """One problem as a diagnostic; ranges are still spans.

    `page` is the URI of the page that explains the codes, empty for none.
    """
    found: dict[str, Any] = {
        "range": problem.span,
        "severity": _SEVERITIES[problem.severity],
        "code": problem.code,
        "source": SOURCE,
        "message": problem.message,
    }
    tags = [tag for tag, is_set in ((_UNNECESSARY, problem.unnecessary), (_DEPRECATED, problem.deprecated)) if is_set]
    if page:
        found["codeDescription"] = {"href": f"{page}#{anchor(problem.code)}"}
    if tagged and tags:
        found["tags"] = tags
    if related and problem.related:
        found["relatedInformation"] = [
            {"location": {"uri": uri_of(each.span.path), "range": each.span}, "message": each.message}
            for each in problem.related
        ]
    return found


def anchor(code: str) -> str:
    """The anchor of a code's heading on the page of problems, as Markdown renderers make it."""
    return code.replace(".", "")


def by_path(problems: Iterable[Problem]) -> dict[str, list[Problem]]:
    """Problems by the file they are written in; those of no file are left out."""
    found: dict[str, list[Problem]] = {}
    for each in problems:
        if each.span is not None:
            found.setdefault(each.span.path, []).append(each)
    return found
