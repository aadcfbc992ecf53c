"""`aj init`: an AJ_HOME that works at once, and never over another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import yaml

from ajkit.cli import init

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Person

MADE = [".aj/aj.toml", ".aj/base/local.yaml", ".aj/template/hello.yaml"]


def test_what_is_made_is_listed_and_works(person: Person) -> None:
    said = person.aj("init")
    assert (said.code, said.out.splitlines()) == (0, MADE)
    assert said.err == "Next: aj list, aj show --origins, aj run\n"
    checked = person.aj("check", "--strict")
    assert (checked.code, checked.out) == (0, "")
    assert person.aj("list").out.splitlines()[1].split()[0] == "hello"
    assert yaml.safe_load(person.aj("show").out)["target"]["service"] == "local"
    assert person.aj("run", "--dry-run").code == 0


def test_every_line_of_its_settings_can_be_switched_on(person: Person) -> None:
    person.aj("init")
    settings = person.folder / ".aj/aj.toml"
    text = settings.read_text()
    switched = [line[2:] if " = " in line or line.startswith("# [") else line for line in text.splitlines()]
    settings.write_text("\n".join(switched))
    person.draw("--- .aj/base/site.yaml\nconfig: {}\n--- jobs/a.yaml\nbase: base.local\n")
    said = person.aj("check")
    assert (said.code, said.out) == (0, "")


def test_another_folder(person: Person) -> None:
    (person.folder / "project").mkdir()
    said = person.aj("init", "project")
    assert said.out.splitlines() == [f"project/{each}" for each in MADE]
    assert said.err.startswith("Next: cd project, then aj list")


@pytest.mark.parametrize("name", [".aj", ".azure_jobs"])
def test_nothing_is_written_over(person: Person, name: str) -> None:
    (person.folder / name).mkdir()
    said = person.aj("init")
    assert (said.code, said.out) == (1, "")
    assert said.err == f"aj: there is {name} already: nothing was made\n"
    assert [*(person.folder / name).iterdir()] == []


def test_a_folder_that_cannot_be_written_to(person: Person) -> None:
    said = person.aj("init", "not/there")
    assert (said.code, said.out) == (1, "")
    assert said.err == "aj: cannot make not/there/.aj: No such file or directory\n"


def test_half_a_home_is_taken_away_again(person: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "default"
    source.mkdir()
    (source / "a.yaml").touch()
    (source / "b.yaml").symlink_to("nowhere")
    monkeypatch.setattr(init, "DEFAULT", str(source))
    said = person.aj("init")
    assert (said.code, said.out) == (1, "")
    assert [*person.folder.iterdir()] == []
    (source / "b.yaml").unlink()
    assert person.aj("init").out == ".aj/a.yaml\n"


def test_another_home_in_the_environment_is_said(person: Person) -> None:
    person.environ["AJ_HOME"] = "/elsewhere"
    assert "The variable AJ_HOME names /elsewhere" in person.aj("init").err
