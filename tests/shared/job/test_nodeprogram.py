"""The program of one node, run by a real bash: the ranks of its processes, how it fails, and how it is stopped."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from ajkit.shared.job import nodeprogram
from ajkit.shared.job.nodeprogram import NodeGroup, NodeProgram, node_program

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

PATIENCE = 90.0
"""Seconds within which a program ends however busy the machine is; what it has to end itself takes far longer."""
LONG = "sleep 600"


def started(
    folder: Path, command: str, *, setup: Sequence[str] = (), processes: int = 1, given: Sequence[str] = (), **env: str
) -> subprocess.Popen[str]:
    """The program of the second node of a group that begins at node 2, rank 5."""
    group = NodeGroup(
        index='"$INDEX"', master="head-0", port="29500", processes=processes, world=17, first_node=2, first_rank=5
    )
    program = node_program(
        group, setup=setup, command=command, given=given, before=['cd "$aj"'], exports=['export PLACE="$aj_index"']
    )
    for name, text in (
        ("run.sh", program.program),
        (NodeProgram.SETUP, program.setup),
        (NodeProgram.COMMAND, program.command),
    ):
        (folder / name).write_text(text)
    return subprocess.Popen(
        ["bash", str(folder / "run.sh")],
        env={"PATH": os.environ["PATH"], "INDEX": "1", **env},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ran(folder: Path, command: str, *, setup: Sequence[str] = (), processes: int = 1) -> tuple[int, list[str]]:
    """The exit code and the sorted lines of output."""
    process = started(folder, command, setup=setup, processes=processes)
    out, _ = process.communicate(timeout=PATIENCE)
    return process.returncode, sorted(out.splitlines())


def test_ranks(tmp_path: Path) -> None:
    command = (
        'echo "$AJ_NODE_RANK $NODE_RANK $RANK $LOCAL_RANK $LOCAL_WORLD_SIZE $WORLD_SIZE $MASTER_ADDR $MASTER_PORT"'
    )
    assert ran(tmp_path, command, processes=2) == (0, ["3 3 7 0 2 17 head-0 29500", "3 3 8 1 2 17 head-0 29500"])


def test_what_the_template_sets_wins(tmp_path: Path) -> None:
    process = started(
        tmp_path, "echo $RANK $MASTER_PORT $PLACE", given=["RANK", "MASTER_PORT"], RANK="r", MASTER_PORT="p"
    )
    assert process.communicate(timeout=PATIENCE)[0] == "r p 1\n"


def test_setup_runs_once_and_is_there_for_all(tmp_path: Path) -> None:
    setup = ["echo once", "export COLOUR=blue", 'say() { echo "$COLOUR $LOCAL_RANK"; }']
    assert ran(tmp_path, "say", setup=setup, processes=2) == (0, ["blue 0", "blue 1", "once"])


@pytest.mark.parametrize(
    ("setup", "command", "code", "lines"),
    [
        ([], "false; echo on", 0, ["on"]),
        (["set -e"], "false; echo on", 1, []),
        (["set -u"], "echo $NOWHERE; echo on", 1, []),
        (["set -o pipefail"], "false | true || exit 4", 4, []),
        (["exit 5"], "echo on", 5, []),
        ([], "kill -KILL $BASHPID", 137, []),
        ([], "cat; echo end of input", 0, ["end of input"]),
        ([], f"{LONG} & echo left behind", 0, ["left behind"]),
    ],
)
def test_codes_and_options(tmp_path: Path, setup: list[str], command: str, code: int, lines: list[str]) -> None:
    assert ran(tmp_path, command, setup=setup) == (code, lines)


def test_the_first_failure_stops_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nodeprogram, "GRACE_SECONDS", 120)
    command = f"if [ $LOCAL_RANK = 1 ]; then exit 7; fi; {LONG}; echo late"
    assert ran(tmp_path, command, processes=3) == (7, [])


def test_being_stopped_reaches_the_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nodeprogram, "GRACE_SECONDS", 60)
    command = """python3 -c 'import os, signal, sys, time
signal.signal(signal.SIGTERM, lambda *_: (time.sleep(0.5), os.write(1, b"saved\\n"), sys.exit(0)))
os.write(1, b"ready\\n")
time.sleep(600)'"""
    process = started(tmp_path, command, processes=2)
    assert process.stdout is not None
    assert [process.stdout.readline() for _ in range(2)] == ["ready\n"] * 2
    process.terminate()
    assert sorted(process.communicate(timeout=PATIENCE)[0].split()) == ["saved", "saved"]
    assert process.returncode == 143


def test_being_stopped_at_the_worst_place_reaches_the_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each time when a process is there and it was not written down which one."""
    written_down = "aj_pids+=($!)"
    assert written_down in nodeprogram._TAIL
    worst = nodeprogram._TAIL.replace(written_down, f"kill -TERM $$; {written_down}")
    monkeypatch.setattr(nodeprogram, "_TAIL", worst)
    monkeypatch.setattr(nodeprogram, "GRACE_SECONDS", 120)
    assert ran(tmp_path, LONG, processes=3) == (143, [])


def test_who_does_not_stop_is_made_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nodeprogram, "GRACE_SECONDS", 1)
    process = started(tmp_path, f"trap '' TERM; echo ready; {LONG}; echo late")
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    process.terminate()
    assert process.communicate(timeout=PATIENCE)[0] == ""
    assert process.returncode in {137, 143}


def test_a_missing_part_is_said(tmp_path: Path) -> None:
    group = NodeGroup(index="0", master="m", port="1", processes=1, world=1)
    program = node_program(group, setup=[], command="true", given=[], before=['aj_fail "there is no code"'])
    (tmp_path / "run.sh").write_text(program.program)
    done = subprocess.run(["bash", tmp_path / "run.sh"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "aj: there is no code\n")
