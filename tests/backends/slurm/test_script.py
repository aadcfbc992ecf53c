"""The batch script as people read it: the golden files are what sbatch is handed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ajkit.backends.slurm.describe import SlurmOpts
from ajkit.backends.slurm.script import files
from ajkit.shared.job.spec import JobSpec
from tests.daemons import job_spec
from tests.repository import ROOT

if TYPE_CHECKING:
    from tests.plugins.goldens import Golden

GOLDENS = Path(__file__).parent / "goldens"
FOLDER = "/home/ada/jobs/aj-0000000000"
TASKS = {
    "head": {"replicas": 1, "cpus_per_node": 8, "memory": "65536M", "partition": "cpu", "command": ["python serve.py"]},
    "worker": {"replicas": 2, "gpus_per_node": 8, "processes_per_node": 8, "cpus_per_node": 64},
}


def example() -> JobSpec:
    text = (ROOT / "server/ajkit/backends/slurm/examples/train.jobspec.json").read_text()
    return JobSpec.model_validate_json(text)


def small(**fields: Any) -> JobSpec:
    options = {"gres": "gpu", "modules": [], **fields.pop("options", {})}
    return job_spec("python train.py", sid="0" * 10, service="slurm", backend_spec=options, **fields)


JOBS = {
    "example": example(),
    "one-process": small(),
    "unlike-nodes": small(
        nodes=3,
        gpus_per_node=8,
        processes_per_node=8,
        time_limit_seconds=5400,
        options={"tasks": TASKS, "account": "nlp", "partition": "gpu"},
    ),
    "own-rendezvous": small(nodes=2, env={"MASTER_ADDR": "box", "MASTER_PORT": "1", "RANK": "0"}),
}


@pytest.mark.parametrize("name", JOBS)
def test_script(name: str, golden: Golden) -> None:
    spec = JOBS[name]
    made = files(spec, SlurmOpts.model_validate(spec.backend_spec), "aj-0000000000", FOLDER)
    golden(GOLDENS / f"{name}.txt", "\n".join(f"--- {file}\n{text}" for file, text in made.items()))


def limit(seconds: int) -> str:
    spec = small(time_limit_seconds=seconds)
    text = files(spec, SlurmOpts.model_validate(spec.backend_spec), "aj-x", FOLDER)["job.sbatch"]
    return next(line for line in text.splitlines() if "--time" in line)


def test_slurm_counts_in_minutes() -> None:
    assert [limit(each) for each in (1, 60, 61, 86400 + 3600)] == [
        "#SBATCH --time=0-00:01:00",
        "#SBATCH --time=0-00:01:00",
        "#SBATCH --time=0-00:02:00",
        "#SBATCH --time=1-01:00:00",
    ]


def test_a_folder_of_any_name() -> None:
    spec = small()
    made = files(spec, SlurmOpts.model_validate(spec.backend_spec), "aj-x", "/a b/50%'")
    assert "#SBATCH --chdir='/a b/50%'\"'\"'/code'" in made["job.sbatch"]
    assert "50%%" in made["job.sbatch"]
