"""Problems as SARIF 2.1.0, for code scanning."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from ajkit import __version__
from ajkit.cli.invocation import shown_path
from ajkit.cli.pages import sections
from ajkit.shared.problem import Severity, default_severity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ajkit.shared.problem import Problem
    from ajkit.shared.where import Span

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
LEVELS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFORMATION: "note",
    Severity.HINT: "note",
}


def sarif_report(problems: Sequence[Problem], folder: str) -> str:
    """The report as one SARIF log with a final newline. Lines and columns count from 1, columns in code points."""
    codes = sorted({each.code for each in problems})
    pages = sections()
    rules = [_rule(code, pages.get(code, "")) for code in codes]
    run: dict[str, Any] = {
        "tool": {"driver": {"name": "aj", "semanticVersion": __version__, "rules": rules}},
        "columnKind": "unicodeCodePoints",
        "results": [_result(each, codes.index(each.code), folder) for each in problems],
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=2, ensure_ascii=False) + "\n"


def _rule(code: str, page: str) -> dict[str, Any]:
    rule: dict[str, Any] = {"id": code, "defaultConfiguration": {"level": LEVELS[default_severity(code)]}}
    if page:
        rule["help"] = {"text": f"aj explain {code}", "markdown": page}
    return rule


def _result(problem: Problem, rule: int, folder: str) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": problem.code,
        "ruleIndex": rule,
        "level": LEVELS[problem.severity],
        "message": {"text": problem.message},
    }
    if problem.span is not None:
        result["locations"] = [_location(problem.span, folder)]
    if problem.related:
        result["relatedLocations"] = [
            {"id": number, **_location(each.span, folder), "message": {"text": each.message}}
            for number, each in enumerate(problem.related, 1)
        ]
    return result


def _location(span: Span, folder: str) -> dict[str, Any]:
    first, last = span.first, span.last
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": quote(shown_path(span.path, folder), errors="surrogateescape")},
            "region": {
                "startLine": first.line + 1,
                "startColumn": first.column + 1,
                "endLine": last.line + 1,
                "endColumn": last.column + 1,
            },
        }
    }
