"""`aj diff` and `aj impact`: merged configs compared with each other and with git."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from ajkit.revision import RestoredFiles
from ajkit.shared.files import FileProblem
from ajkit.shared.template.changes import Change, changes
from ajkit.shared.where import MISSING

if TYPE_CHECKING:
    from pathlib import Path

    from ajkit.shared.where import Json
    from tests.cli.conftest import Person

BEFORE = """
--- .aj/template/big.yaml
base: base.common
config: {description: big, jobs: [{instance_count: 4}]}
--- .aj/template/small.yaml
base: base.common
config: {description: small}
--- .aj/template/other.yaml
config: {target: {service: local}, jobs: [{}]}
--- .aj/base/common.yaml
config:
  target: {service: local, queue: short}
  environment:
    setup: [one, two]
  jobs: [{command: [run]}]
"""
COMMON = """
--- .aj/base/common.yaml
config:
  target: {service: local, queue: long, gpus_per_node: 1}
  environment:
    setup: [one, three]
  jobs: [{command: [run]}]
"""


@pytest.fixture
def committer(person: Person) -> Person:
    """A person whose templates are committed."""
    person.environ |= {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    for pair in ("AUTHOR", "COMMITTER"):
        person.environ |= {f"GIT_{pair}_NAME": "n", f"GIT_{pair}_EMAIL": "n@example.org"}
    person.environ["GIT_CONFIG_GLOBAL"] = os.devnull
    person.draw(BEFORE)
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "all"]):
        subprocess.run(["git", *command], cwd=person.folder, env=person.environ, check=True)
    return person


def test_two_templates(person: Person) -> None:
    said = person.draw(BEFORE).aj("diff", "small", "big")
    assert (said.code, said.err) == (0, "")
    assert (
        said.out
        == """\
  jobs[0].instance_count: not set → 4  .aj/template/big.yaml:2
  description: "small" → "big"  .aj/template/big.yaml:2
"""
    )
    assert person.aj("diff", "small", "small").err == "There is no difference.\n"


def test_one_template_against_the_last_commit(committer: Person) -> None:
    assert committer.aj("diff", "big").err == "There is no difference.\n"
    said = committer.draw(COMMON).aj("diff", "big")
    assert (
        said.out
        == """\
  target.queue: "short" → "long"  .aj/base/common.yaml:2
  target.gpus_per_node: not set → 1  .aj/base/common.yaml:2
  environment.setup:
    - "two"  .aj/base/common.yaml:4
    + "three"  .aj/base/common.yaml:4
"""
    )
    assert json.loads(committer.aj("diff", "big", "--rev", "HEAD", "--format", "json").out)[0] == {
        "keypath": "target.queue",
        "change": "changed",
        "before": "short",
        "after": "long",
        "at": ".aj/base/common.yaml:2",
    }


def test_wrong_calls_of_diff(committer: Person) -> None:
    assert committer.aj("diff", "big", "small", "other").code == 2
    assert committer.aj("diff", "big", "small", "--rev", "HEAD").code == 2
    said = committer.aj("diff", "big", "--rev", "--nope")
    assert (said.code, said.out) == (2, "")
    assert "there is no commit `--nope`" in said.err


def test_outside_of_git(person: Person) -> None:
    person.environ["GIT_CEILING_DIRECTORIES"] = str(person.folder.parent)
    person.environ["PATH"] = os.environ["PATH"]
    said = person.draw(BEFORE).aj("diff", "big")
    assert (said.code, said.out) == (2, "")
    assert "is in no git repository" in said.err
    person.environ["PATH"] = "/nowhere"
    assert "needs git" in person.aj("diff", "big").err


def test_a_broken_side_is_refused(committer: Person) -> None:
    committer.draw("--- .aj/template/big.yaml\nbase: gone\n")
    said = committer.aj("diff", "big")
    assert (said.code, said.out) == (1, "")
    assert "base.missing" in said.err


def test_impact_names_the_leaves_that_a_base_changes(committer: Person) -> None:
    nothing = committer.aj("impact")
    assert (nothing.code, nothing.out, nothing.err) == (
        0,
        "",
        "0 templates come to something else by 0 changed files\n",
    )
    committer.draw(COMMON)
    committer.draw("--- .aj/template/new.yaml\nbase: base.common\nconfig: {description: new}\n")
    (committer.folder / ".aj/template/other.yaml").unlink()
    said = committer.aj("impact")
    assert said.code == 0
    names = [each for each in said.out.splitlines() if not each.startswith(" ")]
    assert names == ["big", "new is new", "other is gone", "small"]
    assert said.err == "4 templates come to something else by 3 changed files\n"
    assert '  target.queue: "short" → "long"  .aj/base/common.yaml:2' in said.out.splitlines()
    only = json.loads(committer.aj("impact", ".aj/base/common.yaml", "--format", "json").out)
    assert [(each["template"], each["state"]) for each in only] == [
        ("big", "changed"),
        ("new", "changed"),
        ("small", "changed"),
    ]


def test_impact_of_a_folder_and_of_nothing(committer: Person) -> None:
    committer.draw(COMMON)
    (committer.folder / ".aj/template/other.yaml").unlink()
    assert committer.aj("impact", ".aj/base").err.endswith("by 1 changed file\n")
    assert committer.aj("impact", ".aj/template/other.yaml").out == "other is gone\n"
    assert committer.aj("impact", ".aj/template/big.yaml").code == 0
    nowhere = committer.aj("impact", "base.common")
    assert (nowhere.code, nowhere.out) == (2, "")
    assert "there is no base.common" in nowhere.err


def test_impact_of_a_base_that_went_away(committer: Person) -> None:
    (committer.folder / ".aj/base/common.yaml").unlink()
    said = committer.aj("impact")
    assert said.code == 1
    assert said.out.splitlines() == [
        "big cannot be resolved: aj check says why",
        "small cannot be resolved: aj check says why",
    ]


def test_changes_go_as_deep_as_values_differ() -> None:
    before: Json = {"a": {"b": 1, "c": [1, 2]}, "d": [{"e": 1}, {"e": 2}], "f": True, "g": None}
    after: Json = {"a": {"b": 1, "c": [1]}, "d": [{"e": 1}, {"e": 3}, {}], "f": 1, "h": None}
    assert [*changes(before, after)] == [
        Change(("a", "c"), [1, 2], [1]),
        Change(("d", 1, "e"), 2, 3),
        Change(("d", 2), MISSING, {}),
        Change(("f",), before=True, after=1),
        Change(("g",), None, MISSING),
        Change(("h",), MISSING, None),
    ]


def test_restored_files(tmp_path: Path) -> None:
    for name in ("kept", "changed", "fresh"):
        (tmp_path / name).write_text("now")
    root = str(tmp_path)
    files = RestoredFiles({f"{root}/changed": b"then", f"{root}/fresh": None, f"{root}/sub/gone": b"was"})
    assert files.read(f"{root}/kept", 9) == b"now"
    assert files.read(f"{root}/changed", 2) == b"the"
    with pytest.raises(FileProblem, match="no such file"):
        files.read(f"{root}/fresh", 9)
    assert [files.kind(f"{root}/{each}") for each in ("kept", "fresh", "sub", "sub/gone", "sub/no")] == [
        "file",
        "missing",
        "directory",
        "file",
        "missing",
    ]
    assert files.names(root) == ["changed", "kept", "sub"]
    assert [path for path, _ in files.walk(root)] == [f"{root}/{each}" for each in ("changed", "kept", "sub/gone")]
