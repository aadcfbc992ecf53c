"""`aj explain`: values of the merged config, fields of the JobSpec, pages of problems."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ajkit.shared.problem import CODES

if TYPE_CHECKING:
    from tests.cli.conftest import Person


def test_a_value_that_overrides_others_by_several_roads(trainer: Person) -> None:
    said = trainer.aj("explain", "train", "jobs[0].submit_args.env.MODE")
    assert said.code == 0
    assert (
        said.out
        == """\
jobs[0].submit_args.env.MODE = "fast"
  rule      last value wins
  set by    .aj/template/train.yaml:6
  overrode  "slow"  .aj/base/common.yaml:7  through base.common (one of 2 roads)
"""
    )


def test_a_value_nobody_else_sets(trainer: Person) -> None:
    said = trainer.aj("explain", "target.gpus_per_node")
    assert said.out == "target.gpus_per_node = 8\n  set by  .aj/base/gpu.yaml:3  through base.gpu\n"


def test_a_section_shows_what_it_holds(trainer: Person) -> None:
    assert (
        trainer.aj("explain", "target").out
        == """\
target: a mapping of 2 keys
  rule  mappings merged key by key
  from  .aj/base/common.yaml:2  through base.common (one of 2 roads)
        .aj/base/gpu.yaml:3  through base.gpu
  service        "local"  .aj/base/common.yaml:2
  gpus_per_node  8        .aj/base/gpu.yaml:3
"""
    )


def test_a_value_in_json(trainer: Person) -> None:
    found = json.loads(trainer.aj("explain", "jobs[0].submit_args.env.MODE", "--format", "json").out)
    assert found["value"] == "fast"
    assert found["rule"] == "last value wins"
    assert found["winner"]["at"] == ".aj/template/train.yaml:6"
    assert [(each["at"], each["value"], each["road"], each["roads"]) for each in found["overrode"]] == [
        (".aj/base/common.yaml:7", "slow", ["base.common"], 2)
    ]


def test_a_field_of_the_jobspec(trainer: Person) -> None:
    said = trainer.aj("explain", "train", "nodes", "-n", "4")
    assert said.code == 0
    assert said.out == "nodes = 4\n  -n 4, over jobs[0].instance_count = 2 at .aj/base/common.yaml:4\n"
    plain = trainer.aj("explain", "train", "nodes")
    assert plain.out == "nodes = 2\n  jobs[0].instance_count = 2 at .aj/base/common.yaml:4\n"


def test_a_field_in_json(trainer: Person) -> None:
    found = json.loads(trainer.aj("explain", "nodes", "-n", "4", "--format", "json").out)
    assert found["value"] == 4
    assert [each["words"] for each in found["sources"]] == ["-n 4"]
    assert found["over"][0]["origin"]["at"] == ".aj/base/common.yaml:4"


def test_what_is_not_there_is_answered_with_near_names(trainer: Person) -> None:
    said = trainer.aj("explain", "jobs[0].comand")
    assert (said.code, said.out) == (1, "")
    assert "`jobs[0].comand` is not set in train" in said.err
    assert "did you mean `jobs[0].command`" in said.err
    assert "did you mean `jobs[0].submit_args.env.MODE`" in trainer.aj("explain", "MODE").err


def test_a_broken_template_is_refused(person: Person) -> None:
    person.draw("--- .aj/template/a.yaml\nbase: gone\n")
    said = person.aj("explain", "a", "target")
    assert (said.code, said.out) == (1, "")
    assert "base.missing" in said.err


def test_every_code_has_a_page(person: Person) -> None:
    for code in CODES:
        said = person.aj("explain", code)
        assert said.code == 0
        assert said.out.startswith(f"## {code}\n")
        assert said.out.count("\n## ") == 0
    assert json.loads(person.aj("explain", "base.cycle", "--format", "json").out)["code"] == "base.cycle"


def test_wrong_calls(trainer: Person) -> None:
    assert trainer.aj("explain").code == 2
    assert trainer.aj("explain", "train", "target", "more").code == 2
    assert trainer.aj("explain", "-t", "train", "other", "target").code == 2
    assert trainer.aj("explain", "jobs[x]").code == 2


def test_secrets_are_masked_as_in_the_editor(person: Person) -> None:
    person.draw("""
--- .aj/template/old.yaml
config:
  target: {service: local}
  jobs:
    - command: ["curl -H 'Authorization: Bearer abcdef0123456789abcdef'"]
      submit_args: {env: {KEY_TOKEN: hunter1}}
--- .aj/template/new.yaml
base: old
config: {jobs: [{submit_args: {env: {KEY_TOKEN: hunter2}}}]}
""")
    env = "jobs[0].submit_args.env"
    asked = [
        ("explain", "new", what) for what in (f"{env}.KEY_TOKEN", env, "env.KEY_TOKEN", "jobs[0].command", "command")
    ]
    for words in (*asked, ("diff", "old", "new"), ("diff", "new", "old")):
        for form in ("text", "json"):
            said = person.aj(*words, "--format", form)
            assert said.code in (0, 1), said.err
            assert said.out
            assert "hunter" not in said.out
            assert "abcdef" not in said.out
    assert 'overrode  "***"  .aj/template/old.yaml:5' in person.aj(*asked[0]).out
