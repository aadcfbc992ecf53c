"""`aj show`: the merged config alone on standard output, whole or absent, with or without origins."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from ajkit.cli.noted import noted_yaml
from ajkit.shared.where import format_keypath

if TYPE_CHECKING:
    from ajkit.shared.where import Json
    from tests.cli.conftest import Person

SHOWN = """\
target:
  service: local
  gpus_per_node: 8
jobs:
  - instance_count: 2
    submit_args:
      env:
        MODE: fast
        LR: 0.1
    command:
      - python train.py
description: Train it
"""


def test_the_merged_config_and_nothing_else(trainer: Person) -> None:
    said = trainer.aj("show")
    assert (said.code, said.out, said.err) == (0, SHOWN, "")
    assert trainer.aj("show", "train") == trainer.aj("show", "-t", "train") == said
    assert trainer.aj("show", ".aj/template/train.yaml") == said
    assert trainer.aj("show", "train", inside=".aj/base") == said


def test_json_holds_the_same(trainer: Person) -> None:
    assert json.loads(trainer.aj("show", "--format", "json").out) == yaml.safe_load(SHOWN)


def test_origins_stand_beside_each_line(trainer: Person) -> None:
    said = trainer.aj("show", "--origins", "--set", "target.queue=long", "--env", "X=1")
    assert (
        said.out
        == """\
target:                  # --set target.queue=long
  service: local         # .aj/base/common.yaml:2
  gpus_per_node: 8       # .aj/base/gpu.yaml:3
  queue: long            # --set target.queue=long
jobs:                    # --env X=1
  - instance_count: 2    # .aj/base/common.yaml:4
    submit_args:         # --env X=1
      env:               # --env X=1
        MODE: fast       # .aj/template/train.yaml:6
        LR: 0.1          # .aj/template/train.yaml:6
        X: "1"           # --env X=1
    command:             # .aj/template/train.yaml:5
      - python train.py  # .aj/template/train.yaml:5
description: Train it    # .aj/template/train.yaml:3
"""
    )
    assert yaml.safe_load(said.out)["target"]["queue"] == "long"


def test_origins_in_json_are_keyed_by_key_path(trainer: Person) -> None:
    found = json.loads(trainer.aj("show", "--origins", "--format", "json", "--set", "target.queue=long").out)
    assert found["jobs[0].submit_args.env.MODE"] == {"path": ".aj/template/train.yaml", "line": 6, "value": "fast"}
    assert found["target.queue"] == {
        "path": None,
        "line": None,
        "option": "--set target.queue=long",
        "value": "long",
    }
    assert "value" not in found["jobs"]


def test_a_template_that_is_incomplete_or_ill_typed_is_shown(person: Person) -> None:
    person.draw("--- .aj/template/a.yaml\nconfig: {target: {gpus_per_node: many}}\n")
    assert person.aj("show", "a").out == "target:\n  gpus_per_node: many\n"


def test_an_error_stops_it_and_partial_shows_what_there_is(person: Person) -> None:
    person.draw("--- .aj/template/a.yaml\nbase: gone\nconfig: {description: here}\n")
    said = person.aj("show", "a")
    assert (said.code, said.out) == (1, "")
    assert said.err.startswith(".aj/template/a.yaml:1:7: error base.missing: ")
    partial = person.aj("show", "a", "--partial")
    assert (partial.code, partial.out, partial.err) == (1, "description: here\n", said.err)


def test_a_missing_file_is_a_problem_and_a_missing_name_a_wrong_call(person: Person) -> None:
    person.draw("--- .aj/template/train.yaml\nconfig: {}\n")
    gone = person.aj("show", "./gone.yaml")
    assert (gone.code, gone.out) == (1, "")
    assert "error template.missing: " in gone.err
    wrong = person.aj("show", "tarin")
    assert (wrong.code, wrong.out) == (2, "")
    assert "did you mean `train`?" in wrong.err
    assert person.aj("show", "train", "-t", "other").code == 2


def test_a_bad_overlay_is_shown_where_it_was_typed(trainer: Person) -> None:
    said = trainer.aj("show", "--set", "jobs[7].sku=G1")
    assert said.code == 1
    assert said.err == (
        "command line: error overlay.keypath: cannot set `jobs[7].sku`: "
        "the list has only 1 item, so there is no item [7]\n"
        "   | --set jobs[7].sku=G1\n"
        "   |       ^^^^^^^^^^^^^^\n"
    )


def test_home_names_another_place(trainer: Person) -> None:
    trainer.draw("--- other/template/one.yaml\nconfig: {description: other}\n")
    assert trainer.aj("show", "one", "--home", "other").out == "description: other\n"
    trainer.environ["AJ_HOME"] = str(trainer.folder / "other")
    assert trainer.aj("show").out == "description: other\n"


def test_secrets_are_never_masked(person: Person) -> None:
    person.draw("--- .aj/template/a.yaml\nconfig: {jobs: [{submit_args: {env: {HF_TOKEN: hf_abcdefghijklmnop}}}]}\n")
    assert "hf_abcdefghijklmnop" in person.aj("show").out


trees = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(st.text(max_size=5), trees, max_size=4), st.text())
def test_notes_change_nothing(value: dict[str, Json], note: str) -> None:
    text = noted_yaml(value, lambda path: note + format_keypath(path))
    assert yaml.safe_load(text) == value
