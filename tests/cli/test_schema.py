"""`aj schema`: what it prints is a schema, and the one in the repository."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from jsonschema import Draft202012Validator

if TYPE_CHECKING:
    from tests.cli.conftest import Person


@pytest.mark.parametrize("what", ["template", "jobspec"])
def test_a_schema_is_printed(person: Person, what: str) -> None:
    said = person.aj("schema", what)
    assert (said.code, said.err) == (0, "")
    Draft202012Validator.check_schema(json.loads(said.out))


def test_a_dry_run_is_valid_by_the_schema(trainer: Person) -> None:
    schema = json.loads(trainer.aj("schema", "jobspec").out)
    spec = json.loads(trainer.aj("run", "--dry-run").out)
    assert [each.message for each in Draft202012Validator(schema).iter_errors(spec)] == []


def test_another_word_is_a_wrong_call(person: Person) -> None:
    assert person.aj("schema", "other").code == 2
    assert person.aj("schema").code == 2
