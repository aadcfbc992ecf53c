"""The examples of every service become the JobSpecs beside them, byte for byte, and these load as what they were."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ajkit.engine import Engine
from ajkit.shared.files import MemoryFiles
from ajkit.shared.job.request import JobRequest
from ajkit.shared.job.spec import JobSpec, spec_bytes
from ajkit.shared.spec import Registry
from tests.backends.installed import SAMPLE, every_service, examples_of
from tests.repository import ROOT, files

if TYPE_CHECKING:
    from pathlib import Path

    from ajkit.shared.spec import Service
    from tests.plugins.goldens import Golden

SUFFIX = ".jobspec.json"
SERVICES = every_service()
EXAMPLES = [(service, path) for service in SERVICES for path in examples_of(service)]


def jobspec(service: Service, path: Path) -> JobSpec:
    """The JobSpec of an example as `aj run --dry-run` makes it; what a flag chooses is given its flag and ``-p 8``."""
    template = f"/project/{path.name}"
    registry = Registry({each.name: lambda each=each: each for each in SERVICES})  # type: ignore[misc]
    engine = Engine(files=MemoryFiles({template: path.read_bytes()}), registry=registry)
    request = JobRequest(template, amlt=service.flag == "--amlt", selector=8 if service.flag else None)
    plan = engine.plan(request)
    assert plan.problems == ()
    return plan.require()


@pytest.mark.parametrize(
    ("service", "path"), EXAMPLES, ids=[f"{service.name}-{path.stem}" for service, path in EXAMPLES]
)
def test_an_example_becomes_its_jobspec(service: Service, path: Path, golden: Golden) -> None:
    spec = jobspec(service, path)
    data = spec_bytes(spec)
    golden(path.with_name(path.stem + SUFFIX), data.decode())
    loaded = JobSpec.model_validate_json(data)
    assert loaded == spec
    assert spec_bytes(loaded) == data
    assert service.load_spec_backend(loaded.backend_spec).model_dump(mode="json") == spec.backend_spec


def test_no_jobspec_is_left_without_its_example() -> None:
    examples = {path for _, path in EXAMPLES}
    goldens = [each for each in files(".json") if each.name.endswith(SUFFIX)]
    assert [each for each in goldens if each.with_name(each.name.removesuffix(SUFFIX) + ".yaml") not in examples] == []
    folders = {path.parent for path in examples}
    assert {each.parent for each in files(".yaml") if each.parent.name == "examples"} == folders
    assert ROOT / SAMPLE / "aj_bench/examples" in folders
