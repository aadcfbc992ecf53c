"""Names of jobs: who gives them, and that the sid survives every service's spelling."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ajkit.backends.registry import registry
from ajkit.shared.job.names import NameSource, job_name, name_source
from ajkit.shared.job.request import Ambient, JobRequest
from ajkit.shared.problem import Finding, Problem
from ajkit.shared.spec import BackendOptions, Description
from ajkit.shared.template.model import typed

if TYPE_CHECKING:
    from ajkit.shared.where import Json

SID = "abc0123456"
SERVICES = tuple(registry().all())


@pytest.mark.parametrize(
    ("request_name", "caller", "template_name", "words", "expected"),
    [
        ("given", "caller", "written", ("train.py",), ("given", "--name")),
        (None, "caller", "written", (), ("caller", "AJ_NAME of the caller")),
        (None, "", "written", (), ("written", "jobs[0].name")),
        (None, None, "written", ("train.py",), ("written", "jobs[0].name")),
        (None, None, None, (), ("proj", "the project folder")),
        (None, None, None, ("python", "train.py"), ("proj", "the project folder")),
        (None, None, None, ("src/train.py",), ("proj-train", "the project folder and the script")),
    ],
)
def test_who_names_a_job(
    request_name: str | None,
    caller: str | None,
    template_name: str | None,
    words: tuple[str, ...],
    expected: tuple[str, str],
) -> None:
    job: dict[str, Json] = {"name": template_name}
    source = name_source(
        typed({"jobs": [job]}),
        JobRequest("/home/me/proj/leaf.yaml", name=request_name, command=words),
        Ambient(caller_name=caller, scripts=frozenset({"train.py", "src/train.py"})),
        "/home/me/proj",
    )
    assert (source.text, source.given_by) == expected


def test_a_project_at_the_root_still_has_a_name() -> None:
    assert name_source(typed({}), JobRequest("/leaf.yaml"), Ambient(), "/").text == "job"


@pytest.mark.parametrize("service", SERVICES, ids=lambda service: service.name)
@settings(max_examples=40)
@given(text=st.text(max_size=300))
def test_the_sid_survives_and_twice_changes_nothing(service: Description, text: str) -> None:
    name = job_name(NameSource(text, "--name"), SID, service)
    if isinstance(name, str):
        assert name.endswith(f"-{SID}")
        assert service.normalize_job_name(name) == name
    else:
        assert name.code == "name.invalid"


@pytest.mark.parametrize(
    ("service", "text", "name"),
    [
        ("aml", "My run/3", f"My-run-3-{SID}"),
        ("volcano", "My_Run", f"my-run-{SID}"),
        ("local", "caffé", f"caffe-{SID}"),
    ],
)
def test_services_spell_names_their_way(service: str, text: str, name: str) -> None:
    found = registry().find(service)
    assert found is not None
    assert job_name(NameSource(text, "--name"), SID, found) == name


class Forgetful(Description):
    name = "forgetful"
    options = BackendOptions

    def normalize_job_name(self, name: str) -> str:
        return name[:3]


def test_what_cannot_be_a_name_is_refused_where_it_was_given() -> None:
    local = registry().find("local")
    assert local is not None
    by_template = job_name(NameSource("???", "jobs[0].name", ("jobs", 0, "name")), SID, local)
    assert isinstance(by_template, Finding)
    assert (by_template.code, by_template.path) == ("name.invalid", ("jobs", 0, "name"))
    by_flag = job_name(NameSource("  ", "--name"), SID, local)
    assert isinstance(by_flag, Problem)
    assert (by_flag.code, by_flag.span) == ("name.invalid", None)
    assert "--name" in by_flag.message


def test_a_service_that_drops_the_sid_is_not_believed() -> None:
    found = job_name(NameSource("run", "--name"), SID, Forgetful())
    assert isinstance(found, Problem)
    assert "leaves no room" in found.message
