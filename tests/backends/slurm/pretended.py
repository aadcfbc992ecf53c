"""Slurm's commands as small programs on the PATH that play by what lies in a folder, and an `ssh` that stays here."""

from __future__ import annotations

import os
import tarfile
from typing import TYPE_CHECKING, Any

from ajkit.shared.job.execution import Snapshot, Submission
from tests.daemons import job_spec

if TYPE_CHECKING:
    from pathlib import Path

PROGRAMS = {
    "sbatch": """\
case "$*" in *--test-only*) cat >"$0.seen" ;; *) echo "$PWD" "$@" >>"$0.seen"; env >>"$0.env" ;; esac
[ ! -f "$play/hang" ] || exec sleep 600
[ ! -f "$play/accept" ] || echo 41 >>"$play/ids"
[ ! -f "$play/no" ] || { cat "$play/no" >&2; exit 1; }
case "$*" in *--test-only*) echo "sbatch: Job 41 to start at noon" >&2 ;; *) echo 41 >>"$play/ids"; echo "41;aj" ;; esac
""",
    "squeue": """\
case "$*" in *--name=*) cat "$play/ids" 2>/dev/null; exit 0 ;; esac
echo "$*" >>"$0.seen"
cat "$play/queue" 2>/dev/null || :
""",
    "scontrol": """\
case "$*" in
  ping) [ -f "$play/down" ] && echo "Slurmctld(primary) at x is DOWN" || echo "Slurmctld(primary) at x is UP" ;;
  *)
    echo asked >>"$0.seen"
    cat "$play/job" 2>/dev/null || { echo "slurm_load_jobs error: Invalid job id" >&2; exit 1; } ;;
esac
""",
    "scancel": 'echo "$*" >>"$0.seen"',
    "sacct": 'echo "Slurm accounting storage is disabled" >&2; exit 1',
    "ssh": """\
for last; do :; done
echo "$*" >>"$0.seen"
[ ! -f "$play/unreachable" ] || { echo "ssh: connect to host login port 22: Connection refused" >&2; exit 255; }
exec env -i HOME="$play/home" PATH="$PATH" SLURM_JOB_ID=7 SBATCH_QOS=x SLURM_CONF=c sh -c "$last"
""",
}


class Play:
    """The folder that the programs look at."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "bin").mkdir(parents=True)
        (folder / "home").mkdir()
        # What a login brings to the PATH, and has to say.
        (folder / "home/.bash_profile").write_text(f"export PATH={self.path}\necho Welcome to the cluster\n")
        for name, text in PROGRAMS.items():
            self.program(name, text)

    def program(self, name: str, text: str) -> None:
        """Put a program on the PATH."""
        path = self.folder / "bin" / name
        path.write_text(f"#!/bin/bash\nplay={self.folder}\n{text}")
        path.chmod(0o755)

    def write(self, name: str, text: str = "") -> None:
        """Write what the programs go by."""
        (self.folder / name).write_text(text)

    def seen(self, program: str) -> list[str]:
        """What a program wrote down of its calls."""
        path = self.folder / "bin" / f"{program}.seen"
        return path.read_text().splitlines() if path.exists() else []

    @property
    def path(self) -> str:
        return f"{self.folder / 'bin'}:{os.environ['PATH']}"


def submission(root: Path, command: str = "true", **fields: Any) -> Submission:
    """A job with a file of code."""
    (root / "tree").mkdir(exist_ok=True)
    (root / "tree" / "train.py").write_text("print(1)\n")
    with tarfile.open(root / "code.tar", "w") as tar:
        tar.add(root / "tree" / "train.py", "train.py")
    options = {"gres": "gpu", "modules": [], **fields.pop("options", {})}
    spec = job_spec(command, service="slurm", backend_spec=options, sid="abcdefghij", **fields)
    code = Snapshot("", str(root / "tree"), str(root / "code.tar"))
    return Submission(token="aj-abcdefghij", spec=spec, folder=str(root / "job"), code=code)
