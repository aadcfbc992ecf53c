"""What every execution must keep, whoever wrote it: over every service that runs here and all of its examples."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ajkit.backends.registry import registry
from ajkit.shared.job.execution import Execution, Submission
from ajkit.shared.job.spec import JobSpec
from ajkit.submit.registry import Executions
from tests.backends.installed import examples_of

if TYPE_CHECKING:
    from pathlib import Path

EXECUTIONS = Executions([])
MEMBERS = [each for each in vars(Execution) if not each.startswith("_")]
SPECS = [
    (service.name, path.with_suffix(".jobspec.json"))
    for service in registry().all()
    if service.name in EXECUTIONS.names()
    for path in examples_of(service)
]


@pytest.mark.parametrize("name", EXECUTIONS.names())
def test_it_has_all_that_the_daemon_asks_for(name: str) -> None:
    found = EXECUTIONS.find(name)
    assert found.name == name
    assert [each for each in MEMBERS if not callable(getattr(found, each))] == []
    assert found.poll_seconds > 0


@pytest.mark.parametrize(("name", "path"), SPECS, ids=[f"{name}-{path.name.split('.')[0]}" for name, path in SPECS])
def test_an_example_is_rendered_without_an_engine_and_without_secrets(
    name: str, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "none"))
    monkeypatch.setenv("HF_TOKEN", "s3cret")
    monkeypatch.setenv("SIMULATOR_LICENSE", "s3cret")
    spec = JobSpec.model_validate_json(path.read_text("utf-8"))
    job = Submission(token=f"aj-{spec.sid}", spec=spec, folder=str(tmp_path / "job"))
    first, second = (EXECUTIONS.find(name).render(job).files for _ in range(2))
    assert first == second
    assert first
    assert "s3cret" not in "".join(first.values())
    assert not (tmp_path / "job").exists(), "looking at a job leaves nothing behind"
