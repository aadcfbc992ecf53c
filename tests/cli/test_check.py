"""`aj check`: what is checked, what is printed in each format, and the exit code."""

from __future__ import annotations

import json
import os
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING, Any

import pytest

from ajkit.shared.spec import PluginBroken

if TYPE_CHECKING:
    from ajkit.shared.spec import Service
    from tests.cli.conftest import Person

FAULTY = """
--- .aj/template/a.yaml
base: comon
config:
  target: {service: local}
--- .aj/template/b.yaml
base: common
config:
  target: {service: local}
  description:
--- .aj/template/common.yaml
config:
  description: "🚀 x"
  jobs: [{instance_count: "🚀", command: [run]}]
"""
PLACES = [
    (".aj/template/a.yaml", "base.missing", "error"),
    (".aj/template/b.yaml", "merge.clears", "warning"),
    (".aj/template/common.yaml", "schema.type", "error"),
]


def test_all_is_well(trainer: Person) -> None:
    said = trainer.aj("check")
    assert (said.code, said.out, said.err) == (0, "", "no problems in 3 files\n")
    assert trainer.aj("check", "--format", "json").out == "[]\n"


def test_text(person: Person) -> None:
    said = person.draw(FAULTY).aj("check")
    assert (said.code, said.err) == (1, "2 errors, 1 warning in 3 files\n")
    heads = [each.split(": ")[:2] for each in said.out.splitlines() if not each.startswith(" ")]
    assert heads == [
        [".aj/template/a.yaml:1:7", "error base.missing"],
        [".aj/template/b.yaml:4:3", "warning merge.clears"],
        [".aj/template/common.yaml:3:27", "error schema.type"],
    ]


def test_json_counts_from_zero_and_in_utf_16(person: Person) -> None:
    found = json.loads(person.draw(FAULTY).aj("check", "--format", "json").out)
    assert [(each["path"], each["code"], each["severity"]) for each in found] == PLACES
    assert [*found[0]] == ["path", "code", "severity", "message", "range", "related"]
    assert found[2]["range"] == {"start": {"line": 2, "character": 26}, "end": {"line": 2, "character": 30}}


def test_github_annotates_lines(person: Person) -> None:
    said = person.draw(FAULTY).aj("check", "--format", "github")
    assert [each.split("::")[1] for each in said.out.splitlines()] == [
        "error file=.aj/template/a.yaml,line=1,endLine=1,title=base.missing,col=7,endColumn=11",
        "warning file=.aj/template/b.yaml,line=4,endLine=4,title=merge.clears,col=3,endColumn=13",
        "error file=.aj/template/common.yaml,line=3,endLine=3,title=schema.type,col=27,endColumn=29",
    ]


def test_sarif_has_what_its_schema_asks_for(person: Person) -> None:
    log = json.loads(person.draw(FAULTY).aj("check", "--format", "sarif").out)
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("error", "warning", "note")
        assert result["message"]["text"]
        for place in [*result["locations"], *result.get("relatedLocations", [])]:
            region: dict[str, Any] = place["physicalLocation"]["region"]
            assert (region["startLine"], region["startColumn"]) <= (region["endLine"], region["endColumn"])
            assert min(region.values()) >= 1
            assert not place["physicalLocation"]["artifactLocation"]["uri"].startswith("/")


def test_junit_fails_the_files_that_have_errors(person: Person) -> None:
    root = ET.fromstring(person.draw(FAULTY).aj("check", "--format", "junit").out)
    cases = {case.get("name"): [each.tag for each in case] for case in root.iter("testcase")}
    assert cases == {
        ".aj/template/common.yaml": ["failure"],
        ".aj/template/a.yaml": ["failure"],
        ".aj/template/b.yaml": ["system-out"],
    }
    assert root.get("failures") == "2"
    strict = ET.fromstring(person.aj("check", "--format", "junit", "--strict").out)
    assert strict.get("failures") == "3"


def test_nothing_in_any_format(trainer: Person) -> None:
    assert json.loads(trainer.aj("check", "--format", "sarif").out)["runs"][0]["results"] == []
    assert trainer.aj("check", "--format", "github").out == ""
    assert ET.fromstring(trainer.aj("check", "--format", "junit").out).get("tests") == "3"


@pytest.mark.parametrize("form", ["text", "json", "sarif", "junit", "github"])
def test_no_format_repeats_a_secret(person: Person, form: str) -> None:
    person.draw("--- .aj/template/a.yaml\nconfig: {target: {service: hf_a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1}}\n")
    said = person.aj("check", "--format", form)
    assert said.code == 1
    assert "service.unknown" in said.out
    assert "no service is called `***`" in said.out
    assert "hf_" not in said.out


def test_strict_counts_warnings(person: Person) -> None:
    person.draw(
        "--- .aj/template/a.yaml\nbase: b\nconfig: {target: {service: local}, description: }\n"
        "--- .aj/template/b.yaml\nconfig: {description: x}\n"
    )
    assert person.aj("check").code == 0
    assert person.aj("check", "--strict").code == 1


def test_files_folders_and_names(person: Person) -> None:
    person.draw(FAULTY)
    assert person.aj("check", ".aj/template/a.yaml").err == "1 error in 1 file\n"
    assert person.aj("check", "b").err == "1 error, 1 warning in 1 file\n"
    assert person.aj("check", ".aj/template").err == person.aj("check").err
    assert person.aj("check", ".", inside=".aj").err == person.aj("check").err
    assert person.aj("check", "a", ".aj/template/a.yaml").err == "1 error in 1 file\n"


def test_only_our_files_of_a_folder_are_checked(person: Person) -> None:
    person.draw(
        "--- .aj/aj.toml\ntemplates = ['jobs/*.yaml']\n--- .aj/template/a.yaml\nconfig: {}\n"
        "--- jobs/b.yaml\nconfig: {}\n--- notes/c.yaml\na: b: c\n--- notes/d.yaml\n# aj: template\nconfig: {}\n"
    )
    assert person.aj("check", ".").err.endswith(" in 3 files\n")
    said = person.aj("check", "notes/c.yaml")
    assert said.code == 1, "a file that is named is a template, whatever it lies in"
    empty = person.folder / "empty"
    empty.mkdir()
    refused = person.aj("check", "empty")
    assert refused.code == 2
    assert "there is no template in empty" in refused.err


def test_paths_are_relative_to_the_working_directory(person: Person) -> None:
    person.draw(FAULTY)
    found = json.loads(person.aj("check", "--format", "json", inside=".aj/base").out)
    assert {each["path"] for each in found} == {"../template/a.yaml", "../template/b.yaml", "../template/common.yaml"}


def test_no_home_is_a_wrong_call(person: Person) -> None:
    said = person.aj("check")
    assert (said.code, said.out) == (2, "")
    assert "aj init" in said.err


@pytest.mark.parametrize("verb", ["check", "list", "show", "graph"])
@pytest.mark.parametrize("home", ["nowhere", "file"])
def test_a_named_home_that_is_no_folder_is_a_wrong_call(person: Person, verb: str, home: str) -> None:
    person.draw("--- .aj/template/a.yaml\nconfig: {target: {service: local}}\n--- file\n")
    flagged = person.aj(verb, "--home", home)
    person.environ["AJ_HOME"] = home
    for said in (flagged, person.aj(verb)):
        assert (said.code, said.out) == (2, "")
        assert f"{person.folder}/{home}" in said.err


def test_files_that_cannot_be_read_are_told_and_stop_nothing(person: Person) -> None:
    person.draw("--- .aj/template/a.yaml\nconfig: {target: {service: local}}\n")
    templates = person.folder / ".aj/template"
    os.mkfifo(templates / "pipe.yaml")
    (templates / "self.yaml").symlink_to("self.yaml")
    (templates / ".#a.yaml").symlink_to("me@host.123:456")
    found = json.loads(person.aj("check", "--format", "json").out)
    assert [(each["path"], each["code"]) for each in found] == [
        (".aj/template/pipe.yaml", "template.missing"),
        (".aj/template/self.yaml", "template.missing"),
    ]
    listed = json.loads(person.aj("list", "--all", "--format", "json").out)
    assert [(each["name"], each["errors"]) for each in listed] == [("a", 0), ("pipe", 1), ("self", 1)]
    assert person.aj("graph").code == 0


def test_settings_that_cannot_be_read_are_not_taken_for_absent(person: Person) -> None:
    person.draw("--- .aj/template/a.yaml\nconfig: {target: {service: local}, jobs: [{command: [a]}]}\n")
    (person.folder / ".aj/aj.toml").mkdir()
    (only,) = json.loads(person.aj("check", "--format", "json").out)
    assert (only["path"], only["code"]) == (".aj/aj.toml", "settings.invalid")
    assert person.aj("run", "-n", "1", "-p", "0", "--dry-run").code == 1


def test_what_many_leaves_share_is_said_once(person: Person) -> None:
    person.draw("--- .aj/base/common.yaml\nconfig: {environment: {image: x}}\n")
    leaf = "--- .aj/template/leaf{0}.yaml\nbase: base.common\nconfig: {{target: {{service: local}}, jobs: [{{}}]}}\n"
    person.draw("".join(leaf.format(each) for each in range(30)))
    (only,) = json.loads(person.aj("check", "--format", "json").out)
    assert (only["path"], only["code"]) == (".aj/base/common.yaml", "schema.no-effect")
    assert only["message"].endswith("(in leaf0 and 29 more)")


def test_a_broken_aj_toml_is_said(trainer: Person) -> None:
    trainer.draw("--- .aj/aj.toml\nseverty = {}\n")
    said = trainer.aj("check")
    assert said.code == 1
    assert ".aj/aj.toml:1:1: error settings.invalid: " in said.out


def test_settings_are_checked_without_any_template(person: Person) -> None:
    said = person.draw("--- .aj/aj.toml\nnot toml\n").aj("check")
    assert (said.code, said.err) == (1, "1 error in 0 files\n")
    assert "settings.invalid" in said.out


def test_a_broken_plugin_is_reported(trainer: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> Service:
        raise PluginBroken("the service `mine` is skipped")

    monkeypatch.setattr("ajkit.backends.registry.plugins", lambda: [("mine", broken)])
    trainer.draw("--- .aj/template/other.yaml\nconfig: {target: {service: unheard}, jobs: [{command: [run]}]}\n")
    found = json.loads(trainer.aj("check", "--format", "json").out)
    assert [each["path"] for each in found if each["code"] == "plugin.broken"] == [None]
