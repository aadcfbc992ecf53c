"""The OpenAPI document holds: what is sent by it, right and wrong, gets answers as described, and never a 500."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from jsonschema import Draft202012Validator
from schemathesis import GenerationMode

from ajkit.daemon.app import PATHS
from ajkit.daemon.openapi import openapi_document
from ajkit.shared.contract import PROBLEM_TYPE, REFUSALS
from tests.teams import Team, team

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["team"]

DOCUMENT = openapi_document(PATHS)


@schemathesis.serializer("application/x-tar")
def as_it_is(_: Any, value: Any) -> bytes:
    """The body of an upload is whatever bytes."""
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")


SCHEMA: Any = schemathesis.openapi.from_dict(DOCUMENT)


def operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in DOCUMENT["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def test_every_operation_is_described_in_whole() -> None:
    assert len(list(operations())) == len(PATHS)
    for path, method, operation in operations():
        assert operation["summary"].endswith("."), (path, method)
        assert operation["responses"]["default"]["content"] == {
            PROBLEM_TYPE: {"schema": {"$ref": "#/components/schemas/ProblemDocument"}}
        }
        for each in operation["parameters"]:
            assert each["schema"], (path, each["name"])
    assert DOCUMENT["components"]["securitySchemes"]["token"] == {"type": "http", "scheme": "bearer"}
    assert DOCUMENT["security"] == [{"token": []}]
    assert all(code in DOCUMENT["info"]["description"] for code in REFUSALS)


def test_every_schema_is_one() -> None:
    for schema in DOCUMENT["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)


OPERATIONS = [(path, method) for path, method, _ in operations()]


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=lambda mode: mode.value)
@pytest.mark.parametrize(("path", "method"), OPERATIONS)
def test_whatever_is_sent_there_is_an_answer_as_described(
    team: Team, path: str, method: str, mode: GenerationMode
) -> None:
    operation = SCHEMA[path][method.upper()]
    sent = 0

    @settings(
        max_examples=10,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(operation.as_strategy(generation_mode=mode))
    def ask(case: Any) -> None:
        nonlocal sent
        answer = case.call(base_url=team.server, headers={"Authorization": f"Bearer {team.token}"}, timeout=60)
        sent += 1
        assert answer.status_code != 500, answer.text
        if answer.status_code >= 400:
            assert answer.headers["content-type"] == [PROBLEM_TYPE]
            assert REFUSALS[answer.json()["code"]].status == answer.status_code
        operation.validate_response(answer)

    try:
        ask()
    except Unsatisfiable:
        # There is nothing that can be wrong with an operation that takes nothing.
        assert mode is GenerationMode.NEGATIVE
    else:
        assert sent > 0


def test_the_daemon_has_not_stumbled(team: Team) -> None:
    assert [each for each in team.words() if each["level"] == "error"] == []
