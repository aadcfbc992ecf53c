"""Problems as JSON: a list of `{path, code, severity, message, range, related}`, zero-based, columns in UTF-16."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ajkit.cli.invocation import shown_path
from ajkit.shared.contract import problem_shape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ajkit.shared.problem import Problem


def json_report(problems: Sequence[Problem], folder: str) -> str:
    """The report as one JSON list with a final newline; `[]` when there is nothing to say."""
    return json.dumps([_shape(each, folder) for each in problems], indent=2, ensure_ascii=False) + "\n"


def _shape(problem: Problem, folder: str) -> dict[str, Any]:
    shape = problem_shape(problem).model_dump(mode="json")
    for each in (shape, *shape["related"]):
        if each["path"] is not None:
            each["path"] = shown_path(each["path"], folder)
    return shape
