"""A real Slurm cluster as child processes: two nodes with eight pretended GPUs each, all of it in one folder."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import stat
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.daemons import wait_until
from tests.e2e.parts import bring
from tests.e2e.ports import free_ports

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

NODES, GPUS, CPUS = 2, 8, 64
_COMMANDS = ("munged", "slurmctld", "slurmd", "sbatch", "srun")
PATIENCE = 90.0
"""Seconds that a slow machine may take for anything."""


def is_there() -> bool:
    """Whether the programs of a cluster are installed."""
    return all(_which(each) for each in _COMMANDS)


def _which(command: str) -> str | None:
    return shutil.which(command, path=f"{os.environ['PATH']}:/usr/sbin:/sbin")


@dataclass
class Cluster:
    """A cluster that runs: its folder, and what its commands find it by."""

    root: Path
    port: int
    environ: dict[str, str]
    running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def start(self, name: str, *command: str) -> None:
        """Start one of its daemons."""
        with (self.root / f"log/{name}.log").open("ab") as log:
            self.running[name] = subprocess.Popen(
                command, env=self.environ, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

    def start_controller(self) -> None:
        """Start the controller, and wait until it takes calls."""
        self.start("slurmctld", _which("slurmctld") or "", "-D")
        wait_until(self._listens, PATIENCE)

    def stop(self, name: str) -> None:
        """Stop one of its daemons in good order: a controller that is killed would forget what it has not saved."""
        running = self.running.pop(name)
        running.terminate()
        running.wait(PATIENCE)

    def _listens(self) -> bool:
        assert self.running["slurmctld"].poll() is None, (self.root / "log/slurmctld.log").read_text()[-1000:]
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 5):
            return True
        return False

    def ask(self, *command: str) -> str:
        """What a command of Slurm answers."""
        done = subprocess.run(command, env=self.environ, capture_output=True, text=True, timeout=PATIENCE, check=False)
        return done.stdout + done.stderr

    def idle(self) -> bool:
        """Whether every node waits for work."""
        return self.ask("sinfo", "-h", "-N", "-p", "main", "-o", "%T").split() == ["idle"] * NODES

    def jobs(self) -> list[str]:
        """The names of all the jobs it has ever had."""
        return self.ask("squeue", "-h", "--states=all", "-o", "%j").split()

    def end(self) -> None:
        """Stop all of it."""
        for each in reversed(self.running.values()):
            each.terminate()
        for each in self.running.values():
            try:
                each.wait(20)
            except subprocess.TimeoutExpired:
                each.kill()
                each.wait()


def make_cluster() -> Iterator[Cluster]:
    """A cluster that is stopped, and its folder removed, at the end."""
    bring("slurm", is_there)
    if os.geteuid() != 0:
        pytest.skip("the daemons of Slurm want to be root here")
    root = Path(tempfile.mkdtemp(prefix="aj-slurm-"))
    root.chmod(0o755)
    controller, *ports = free_ports(1 + NODES)
    cluster = Cluster(root, controller, {**os.environ, "SLURM_CONF": str(root / "etc/slurm.conf")})
    _configure(root, controller, ports)
    try:
        cluster.start("munged", _which("munged") or "", *_munge(root / "munge"))
        wait_until((root / "munge/socket").exists, PATIENCE)
        cluster.start_controller()
        for at in range(NODES):
            cluster.start(f"n{at + 1}", _which("slurmd") or "", "-D", "-N", f"n{at + 1}")
        wait_until(cluster.idle, PATIENCE)
        yield cluster
    finally:
        cluster.end()
        shutil.rmtree(root, ignore_errors=True)


def _munge(folder: Path) -> list[str]:
    places = ("key-file", "pid-file", "log-file", "seed-file", "socket")
    return ["--foreground", "--force", *(f"--{name}={folder}/{name.removesuffix('-file')}" for name in places)]


def _configure(root: Path, controller: int, ports: list[int]) -> None:
    for each in ("etc", "state", "log", "munge", "dev", *(f"spool-n{at + 1}" for at in range(NODES))):
        (root / each).mkdir()
    key = root / "munge/key"
    key.write_bytes(os.urandom(1024))
    key.chmod(0o600)
    for at in range(GPUS):
        os.mknod(root / f"dev/gpu{at}", stat.S_IFCHR | 0o666, os.makedev(1, 3))
    host = socket.gethostname().split(".")[0]
    lines: Mapping[str, str] = {
        "ClusterName": "aj",
        "SlurmctldHost": f"{host}(127.0.0.1)",
        "SlurmctldPort": str(controller),
        "SlurmUser": "root",
        "SlurmdUser": "root",
        "AuthType": "auth/munge",
        "AuthInfo": f"socket={root}/munge/socket",
        "CredType": "cred/munge",
        "StateSaveLocation": f"{root}/state",
        "SlurmctldPidFile": f"{root}/controller.pid",
        "SlurmdPidFile": f"{root}/%n.pid",
        "SlurmdSpoolDir": f"{root}/spool-%n",
        "ProctrackType": "proctrack/linuxproc",
        "TaskPlugin": "task/none",
        "JobAcctGatherType": "jobacct_gather/none",
        "AccountingStorageType": "accounting_storage/none",
        "MpiDefault": "none",
        "SwitchType": "switch/none",
        "MailProg": "/bin/true",
        "SchedulerType": "sched/backfill",
        "SchedulerParameters": "batch_sched_delay=0,sched_interval=1,bf_interval=1,sched_min_interval=0",
        "SelectType": "select/cons_tres",
        "SelectTypeParameters": "CR_Core",
        "GresTypes": "gpu",
        "ReturnToService": "2",
        "SlurmdParameters": "config_overrides",
        "MinJobAge": "3600",
        "KillWait": "2",
        # How long one waits for another before it takes it for gone: longer than a busy machine keeps one waiting.
        "MessageTimeout": "30",
        "BatchStartTimeout": "120",
    }
    nodes = [
        f"NodeName=n{at + 1} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs={CPUS} RealMemory=512000 "
        f"Gres=gpu:a100:{GPUS} Feature=a100,nvlink State=UNKNOWN"
        for at, port in enumerate(ports)
    ]
    partitions = [
        "PartitionName=main Nodes=ALL Default=YES MaxTime=60 State=UP",
        "PartitionName=gpu Nodes=ALL State=UP",
        "PartitionName=cpu Nodes=ALL State=UP",
    ]
    text = "\n".join([*(f"{name}={value}" for name, value in lines.items()), *nodes, *partitions, ""])
    (root / "etc/slurm.conf").write_text(text)
    gpus = [f"NodeName=n{at + 1} Name=gpu Type=a100 File={root}/dev/gpu[0-{GPUS - 1}]\n" for at in range(NODES)]
    (root / "etc/gres.conf").write_text("".join(gpus))
