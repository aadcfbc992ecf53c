"""Problems as SARIF 2.1.0, for code scanning."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from ajkit import __version__
from ajkit.cli.invocation import shown_path
from ajkit.cli.pages import sections
from ajkit.shared.contract import mark_range
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
    """The report as one SARIF log with a final newline. Lines and columns count from 1, columns in UTF-16 units.

    A problem that is in no file is a notification of the tool: readers refuse a whole log for a result without a place.
    """
    codes = sorted({each.code for each in problems})
    pages = sections()
    rules = [_rule(code, pages.get(code, "")) for code in codes]
    told = [_notification(each) for each in problems if each.span is None]
    run: dict[str, Any] = {
        "tool": {"driver": {"name": "aj", "semanticVersion": __version__, "rules": rules}},
        "invocations": [{"executionSuccessful": True, "toolConfigurationNotifications": told}],
        "columnKind": "utf16CodeUnits",
        "results": [
            _result(each, each.span, codes.index(each.code), folder) for each in problems if each.span is not None
        ],
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=2, ensure_ascii=False) + "\n"


def _rule(code: str, page: str) -> dict[str, Any]:
    rule: dict[str, Any] = {"id": code, "defaultConfiguration": {"level": LEVELS[default_severity(code)]}}
    if page:
        rule["help"] = {"text": f"aj explain {code}", "markdown": page}
    return rule


def _notification(problem: Problem) -> dict[str, Any]:
    return {
        "associatedRule": {"id": problem.code},
        "level": LEVELS[problem.severity],
        "message": {"text": problem.message},
    }


def _result(problem: Problem, span: Span, rule: int, folder: str) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": problem.code,
        "ruleIndex": rule,
        "level": LEVELS[problem.severity],
        "message": {"text": problem.message},
        "locations": [_location(span, folder)],
    }
    if problem.related:
        result["relatedLocations"] = [
            {"id": number, **_location(each.span, folder), "message": {"text": each.message}}
            for number, each in enumerate(problem.related, 1)
        ]
    return result


def _location(span: Span, folder: str) -> dict[str, Any]:
    where = mark_range(span)
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": quote(shown_path(span.path, folder), errors="surrogateescape")},
            "region": {
                "startLine": where.start.line + 1,
                "startColumn": where.start.character + 1,
                "endLine": where.end.line + 1,
                "endColumn": where.end.character + 1,
            },
        }
    }
