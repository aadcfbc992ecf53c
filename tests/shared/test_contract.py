"""The wire's messages: problems in editors' columns, problem documents, paths."""

from __future__ import annotations

import pytest

from ajkit.shared.contract import REFUSALS, code_path, job_path, problem_document, problem_shape
from ajkit.shared.problem import Related, problem
from ajkit.shared.where import Span, Text


def test_a_problem_counts_columns_as_editors_do() -> None:
    text = Text("/p/leaf.yaml", "first: 1\nkey: 🚀🚀 wrong\n")
    at = text.content.index("wrong")
    span = Span(text, at, at + 5)
    shape = problem_shape(problem("schema.type", "no", span, related=[Related(Span(text, 0, 5), "see")]))
    assert shape.model_dump() == {
        "path": "/p/leaf.yaml",
        "code": "schema.type",
        "severity": "error",
        "message": "no",
        "range": {"start": {"line": 1, "character": 10}, "end": {"line": 1, "character": 15}},
        "related": [
            {
                "path": "/p/leaf.yaml",
                "message": "see",
                "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 5}},
            }
        ],
    }


def test_a_problem_without_a_place() -> None:
    shape = problem_shape(problem("shape.missing", "give -n", None))
    assert (shape.path, shape.range) == (None, None)


@pytest.mark.parametrize("code", REFUSALS)
def test_every_refusal_has_a_document(code: str) -> None:
    document = problem_document(code, "why")
    assert document.type == f"urn:aj:problem:{code}"
    assert 400 <= document.status <= 599
    assert document.title
    assert document.detail == "why"


def test_paths() -> None:
    assert job_path("abc") == "/v1/jobs/abc"
    assert job_path("abc", "logs") == "/v1/jobs/abc/logs"
    assert code_path("ff") == "/v1/code/ff"
