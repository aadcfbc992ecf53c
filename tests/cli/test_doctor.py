"""`aj doctor`: what is found, what is missing and how to get it."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from tests.daemons import shared_host

if TYPE_CHECKING:
    from tests.cli.conftest import Person
    from tests.daemons import Host

__all__ = ["shared_host"]


@pytest.fixture
def patient(trainer: Person, shared_host: Host) -> Person:
    """A person with templates and a daemon."""
    trainer.environ |= shared_host.environ
    return trainer


def test_everything_is_looked_at(patient: Person) -> None:
    said = patient.aj("doctor")
    assert (said.code, said.err) == (0, "")
    for section in ("Program", "Templates", "Daemon", "Services"):
        assert f"{section}\n" in said.out
    assert f"AJ_HOME       ok       {patient.folder}/.aj (found walking up from here)" in said.out


def test_findings_in_json(patient: Person) -> None:
    found = json.loads(patient.aj("doctor", "--format", "json").out)
    by_name = {(each["service"], each["name"]): each for each in found}
    assert by_name["", "templates"]["found"] == "1 to run, of 3 files"
    assert by_name["", "daemon"]["standing"] == "ok"
    assert by_name["", "local"]["standing"] == "ok"
    sbatch = by_name["slurm", "sbatch"]
    assert (sbatch["standing"] == "ok") or "Slurm client" in sbatch["advice"]
    assert all(each["advice"] for each in found if each["standing"] != "ok" and each["about"] != "services")


def test_without_a_home(person: Person, shared_host: Host) -> None:
    person.environ |= shared_host.environ
    said = person.aj("doctor")
    assert said.code == 0
    assert "→ aj init makes one" in said.out
    person.environ["AJ_HOME"] = "/nowhere"
    assert "/nowhere is not a folder" in person.aj("doctor").out


def test_a_broken_setting_is_broken(patient: Person) -> None:
    patient.draw("--- .aj/aj.toml\nnot toml\n")
    said = patient.aj("doctor")
    assert said.code == 1
    assert said.err == "Broken: aj.toml\n"


def test_a_daemon_that_cannot_start(trainer: Person, host: Host) -> None:
    trainer.environ |= host.environ | {"XDG_STATE_HOME": os.path.join(host.root, "file")}
    with open(os.path.join(host.root, "file"), "w", encoding="utf-8"):
        pass
    said = trainer.aj("doctor")
    assert said.code == 1
    assert "Broken: daemon\n" in said.err
    assert "mistake in aj" not in said.err


def test_folders_on_a_network_file_system(patient: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ajkit.daemon.place.is_shared", lambda *_: True)
    found = {each["name"]: each for each in json.loads(patient.aj("doctor", "--format", "json").out)}
    assert (found["state folder"]["standing"], found["socket"]["standing"]) == ("warning", "warning")
    assert "XDG_STATE_HOME" in found["state folder"]["advice"]
    assert "XDG_RUNTIME_DIR" in found["socket"]["advice"]


@pytest.mark.parametrize("kills", [False, True])
def test_what_becomes_of_jobs_at_logout(patient: Person, monkeypatch: pytest.MonkeyPatch, *, kills: bool) -> None:
    monkeypatch.setattr("ajkit.cli.checkup.ends_at_logout", lambda *_, **__: kills)
    found = {each["name"]: each for each in json.loads(patient.aj("doctor", "--format", "json").out)}
    standing, words = found["after logout"]["standing"], found["after logout"]["found"]
    assert (standing, "KillUserProcesses" in words) == (("warning", True) if kills else ("ok", False))


def test_a_user_who_has_a_number_and_no_name(patient: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody(number: int) -> object:
        raise KeyError(number)

    monkeypatch.setattr("pwd.getpwuid", nobody)
    found = {each["name"]: each for each in json.loads(patient.aj("doctor", "--format", "json").out)}
    assert found["after logout"]["standing"] == "ok"
