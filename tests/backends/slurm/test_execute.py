"""Handing jobs to Slurm when it, or the way to it, misbehaves: pretended commands, here and behind ssh."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import time
from pathlib import Path
from typing import Any

import pytest

from ajkit.backends.slurm import execute, listing, programs, values
from ajkit.backends.slurm.execute import SlurmExecution
from ajkit.backends.slurm.site import Site
from ajkit.shared.job.execution import (
    Handle,
    JobState,
    Leftovers,
    LogStream,
    OutcomeUnknown,
    Rejected,
    Unavailable,
)
from ajkit.shared.job.spec import FromEnv
from tests.backends.slurm.pretended import Play, submission

LOGIN = {"host": "login"}
RUNNING = "JobId=41 JobState=RUNNING Reason=None ExitCode=0:0\n"


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Play:
    play = Play(tmp_path / "play")
    monkeypatch.setenv("PATH", play.path)
    monkeypatch.setattr(listing, "_FRESH_SECONDS", 0.0)
    # Bash needs its time on a busy machine.
    monkeypatch.setattr(programs, "_PING_SECONDS", 60)
    for asking in (execute, listing, values):
        monkeypatch.setattr(asking, "_ASK_SECONDS", 60.0)
    return play


def submit(job: Any) -> str:
    return SlurmExecution().submit(job, lambda _: None)


def far(play: Play) -> Path:
    """Where a job lies on the login node."""
    return play.folder / "home/.local/share/aj/aj-abcdefghij"


@pytest.mark.parametrize("options", [{}, LOGIN])
def test_a_job_is_handed_over_once(options: dict[str, str], play: Play, tmp_path: Path) -> None:
    job = submission(tmp_path, options=options, env={"A": "x,y 'z\"\n$HOME", "EMPTY": ""})
    assert (submit(job), submit(job)) == ("41", "41")
    folder = far(play) if options else Path(job.folder)
    assert play.seen("sbatch") == [f"{folder} --parsable job.sbatch"]
    assert (folder / "code/train.py").read_text() == "print(1)\n"
    assert SlurmExecution().find(job) == "41"
    environment = (play.folder / "bin/sbatch.env").read_text()
    assert "A=x,y 'z\"\n$HOME\n" in environment
    assert "EMPTY=\n" in environment
    assert "SBATCH_" not in environment
    assert "SLURM_JOB_ID" not in environment
    if options:
        assert "SLURM_CONF=c\n" in environment
        assert all(" login bash -l" in each or "-l -" in each for each in play.seen("ssh")[:1])


def test_secrets_are_in_no_argument_and_no_file(play: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN", "hush")
    job = submission(tmp_path, options=LOGIN, env={"KEY": FromEnv(from_env="TOKEN")})
    submit(job)
    assert "KEY=hush\n" in (play.folder / "bin/sbatch.env").read_text()
    assert not [each for each in play.seen("ssh") if "hush" in each]
    files = [each for each in far(play).rglob("*") if each.is_file()]
    assert len(files) > 4
    assert not [each for each in files if b"hush" in each.read_bytes()]
    shown = SlurmExecution().render(job).files
    assert shown["environment.txt"] == "KEY=‹from_env TOKEN›\n"
    assert "‹home folder›/.local/share/aj/aj-abcdefghij/code" in shown["job.sbatch"]


def test_the_folder_that_is_shared(play: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AJ_SLURM_FOLDER", str(tmp_path / "shared disk"))
    job = submission(tmp_path)
    submit(job)
    assert (tmp_path / "shared disk/aj-abcdefghij/code/train.py").exists()
    monkeypatch.delenv("AJ_SLURM_FOLDER")
    (tmp_path / "shared disk/aj-abcdefghij/logs/node-0.log").write_text("said\n")
    engine, handle = SlurmExecution(), Handle(job, "41")
    assert engine.streams(handle) == [LogStream("node-0", 0)], "it is remembered where the job lies"
    assert engine.logs(handle, "node-0", 1, 9).data == b"aid\n"


def test_a_folder_that_is_nowhere(play: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AJ_SLURM_FOLDER", "~/jobs")
    assert [each.code for each in SlurmExecution().check(submission(tmp_path).spec)] == ["slurm.folder"]


def test_a_controller_that_is_down(play: Play, tmp_path: Path) -> None:
    play.write("down")
    job = submission(tmp_path)
    with pytest.raises(Unavailable, match="controller does not answer"):
        submit(job)
    with pytest.raises(Unavailable):
        SlurmExecution().find(job)
    with pytest.raises(Unavailable):
        SlurmExecution().status(Handle(job, "41"))
    assert play.seen("sbatch") == []


def test_no_sbatch_here(play: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    (found,) = SlurmExecution().check(submission(tmp_path).spec)
    assert found.code == "slurm.missing"
    assert SlurmExecution().check(submission(tmp_path, options=LOGIN).spec) == []


def test_what_cannot_be_a_variable(play: Play, tmp_path: Path) -> None:
    env = {"UID": "1", "A.B": "1", "SBATCH_QOS": "x", "NUL": "\0", "GONE": FromEnv(from_env="NOT_SET_ANYWHERE")}
    found = SlurmExecution().check(submission(tmp_path, env=env).spec)
    assert [each.code for each in found] == ["slurm.secret", *["slurm.env"] * 4]


def test_sbatch_says_no(play: Play, tmp_path: Path) -> None:
    play.write("no", "sbatch: error: Batch job submission failed: Invalid account\n")
    with pytest.raises(Rejected, match=r"^Batch job submission failed: Invalid account$"):
        submit(submission(tmp_path))


def test_accepted_and_the_answer_lost(play: Play, tmp_path: Path) -> None:
    play.write("accept")
    play.write("no", "sbatch: error: Socket timed out on send/recv operation\n")
    job = submission(tmp_path)
    with pytest.raises(OutcomeUnknown):
        submit(job)
    assert SlurmExecution().find(job) == "41"
    assert submit(job) == "41"
    assert len(play.seen("sbatch")) == 1


@pytest.mark.parametrize("whom", ["$$", "$PPID"])
@pytest.mark.parametrize("options", [{}, LOGIN])
def test_killed_after_slurm_took_the_job(options: dict[str, str], whom: str, play: Play, tmp_path: Path) -> None:
    """The kernel, short of memory, ends sbatch, or the program that runs it, before the id is written down."""
    play.program("sbatch", f'echo called >>"$0.seen"\necho 41 >>"$play/ids"\nkill -KILL {whom}\nsleep 0.2\n')
    job = submission(tmp_path, options=options)
    with pytest.raises(OutcomeUnknown):
        submit(job)
    assert SlurmExecution().find(job) == "41"
    assert submit(job) == "41"
    assert play.seen("sbatch") == ["called"]


def test_sbatch_that_says_nothing(play: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(execute, "_SUBMIT_SECONDS", 1.0)
    play.write("hang")
    job = submission(tmp_path)
    with pytest.raises(OutcomeUnknown, match="within 1 seconds"):
        submit(job)
    assert SlurmExecution().find(job) is None


def test_a_submission_that_comes_late_does_nothing(play: Play, tmp_path: Path) -> None:
    """A daemon has died; its program, still about to begin, finds that the job was looked up meanwhile."""
    job = submission(tmp_path)
    site = Site({**os.environ})
    with open(tmp_path / "code.tar", "rb") as code:
        site.run(programs.place(job.folder, "first"), 60, feed=code)
    assert SlurmExecution().find(job) is None
    late = site.run(programs.submit(job.folder, "first", {"job.sbatch": ""}, {}), 60)
    assert late.code == programs.VOID
    assert play.seen("sbatch") == []
    assert submit(job) == "41"


def test_a_submission_that_is_on_its_way_is_waited_for(
    play: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "_LOCK_SECONDS", 1)
    job = submission(tmp_path)
    os.makedirs(job.folder)
    with open(f"{job.folder}/lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(Unavailable, match="still on its way"):
            SlurmExecution().find(job)


def test_a_job_that_ran_and_was_forgotten_is_found(play: Play, tmp_path: Path) -> None:
    job = submission(tmp_path)
    os.makedirs(job.folder)
    (Path(job.folder) / "claim").write_text("40\n")
    assert SlurmExecution().find(job) == "40"


@pytest.mark.parametrize(
    ("sacct", "found"),
    [
        ("echo 42", "42"),
        ("echo 43; echo 42", "42"),
        ("exit 0", None),
        ("echo 'Slurm accounting storage is disabled'; exit 1", None),
    ],
)
def test_accounting_is_asked_last(sacct: str, found: str | None, play: Play, tmp_path: Path) -> None:
    play.program("sacct", sacct)
    assert SlurmExecution().find(submission(tmp_path)) == found


def test_accounting_that_cannot_be_asked(play: Play, tmp_path: Path) -> None:
    play.program("sacct", "echo 'slurm_persist_conn_open: Connection refused'; exit 1")
    with pytest.raises(Unavailable, match="Connection refused"):
        SlurmExecution().find(submission(tmp_path))


def test_a_login_node_that_is_away(play: Play, tmp_path: Path) -> None:
    job = submission(tmp_path, options=LOGIN)
    submit(job)
    play.write("unreachable")
    engine, handle = SlurmExecution(), Handle(job, "41")
    for ask in (lambda: engine.find(job), lambda: engine.status(handle), lambda: engine.cancel(handle)):
        with pytest.raises(Unavailable, match="Slurm at login: ssh: connect to host login port 22: Connection refused"):
            ask()
    with pytest.raises(Unavailable):
        engine.logs(handle, "node-0", 0, 9)


def test_a_connection_that_breaks_while_the_job_is_handed_over(play: Play, tmp_path: Path) -> None:
    play.write("accept")
    play.program("sbatch", "echo 41 >>$play/ids; kill -9 $PPID")
    play.program("ssh", 'for last; do :; done; HOME="$play/home" sh -c "$last" || exit 255')
    job = submission(tmp_path, options=LOGIN)
    with pytest.raises(OutcomeUnknown):
        submit(job)
    assert SlurmExecution().find(job) == "41"


@pytest.mark.parametrize("options", [{}, LOGIN])
def test_logs(options: dict[str, str], play: Play, tmp_path: Path) -> None:
    job = submission(tmp_path, options=options, nodes=2)
    submit(job)
    engine, handle = SlurmExecution(), Handle(job, "41")
    assert engine.streams(handle) == []
    logs = (far(play) if options else Path(job.folder)) / "logs"
    (logs / "batch.log").touch()
    (logs / "node-1.log").write_bytes(b"one\xff\ntwo")
    assert engine.streams(handle) == [LogStream("node-1", 1)]
    (logs / "batch.log").write_text("srun: error\n")
    assert engine.streams(handle) == [LogStream("node-1", 1), LogStream("batch", 0)]
    chunk = engine.logs(handle, "node-1", 2, 4)
    assert (chunk.data, chunk.next_offset, chunk.complete) == (b"e\xff\nt", 6, False)
    assert engine.logs(handle, "node-0", 0, 4).data == b""
    with pytest.raises(KeyError):
        engine.logs(handle, "../id", 0, 4)
    play.write("job", "JobId=41 JobState=COMPLETED ExitCode=0:0\n")
    assert engine.status(handle).state is JobState.DONE
    assert engine.logs(handle, "node-1", 2, 99).complete


def test_the_queue_is_asked_once_for_all_jobs(play: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "_FRESH_SECONDS", 600.0)
    play.write("queue", "41 RUNNING None\n42 RUNNING None\n")
    play.write("job", RUNNING)
    engine, job = SlurmExecution(), submission(tmp_path)
    for number in ("41", "42", "41", "42"):
        assert engine.status(Handle(job, number)).state is JobState.RUNNING
    assert len(play.seen("squeue")) == 1
    assert len(play.seen("scontrol")) == 2
    later = time.monotonic() + 601
    monkeypatch.setattr(time, "monotonic", lambda: later)
    play.write("queue", "41 COMPLETING None\n")
    play.write("job", "JobId=41 JobState=FAILED Reason=None ExitCode=3:0\n")
    assert engine.status(Handle(job, "41")).exit_code == 3


def test_a_site_in_trouble_is_left_alone_for_a_moment(
    play: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "_TROUBLE_SECONDS", 600.0)
    play.write("job", RUNNING)
    play.write("down")
    engine, job = SlurmExecution(), submission(tmp_path)
    with pytest.raises(Unavailable):
        engine.status(Handle(job, "41"))
    (play.folder / "down").unlink()
    with pytest.raises(Unavailable, match="controller does not answer"):
        engine.status(Handle(job, "42"))
    assert play.seen("squeue") == []
    assert SlurmExecution().status(Handle(job, "41")).state is JobState.RUNNING


def test_a_job_is_stopped(play: Play, tmp_path: Path) -> None:
    job = submission(tmp_path)
    submit(job)
    engine, handle = SlurmExecution(), Handle(job, "41")
    engine.cancel(handle)
    assert play.seen("scancel") == ["41"]
    play.write("job", "JobId=41 JobState=CANCELLED Reason=None ExitCode=0:15\n")
    assert engine.status(handle).message == "cancelled"
    play.program("scancel", "echo 'scancel: error: Kill job error on job id 41: Invalid job id specified' >&2; exit 1")
    engine.cancel(handle)
    play.program("scancel", "echo 'scancel: error: Unable to contact slurm controller' >&2; exit 1")
    with pytest.raises(Unavailable, match="Unable to contact"):
        engine.cancel(handle)


def test_the_opinion_of_sbatch(play: Play, tmp_path: Path) -> None:
    job = submission(tmp_path)
    assert SlurmExecution().dry_run(job) == "Job 41 to start at noon"
    assert "#SBATCH --job-name=aj-abcdefghij" in play.seen("sbatch")
    assert not os.path.exists(job.folder)
    play.write("no", "allocation failure: Requested node configuration is not available\n")
    with pytest.raises(Rejected, match="node configuration"):
        SlurmExecution().dry_run(job)
    play.write("no", "sbatch: error: Socket timed out\n")
    with pytest.raises(Unavailable):
        SlurmExecution().dry_run(job)


def test_what_there_is_to_choose_from(play: Play) -> None:
    rows = "gpu|up|2|1/1|1-00:00:00|gpu:a100:8\ngpu|up|1|0/1|1-00:00:00|gpu:h100:8\ncpu|down|4|0/4|infinite|(null)\n"
    play.program("sinfo", f"printf '{rows}'")
    play.program("sacctmgr", "case $* in *qos*) echo 'high|for papers' ;; *) echo nlp; echo nlp ;; esac")
    engine = SlurmExecution()
    assert [(each.value, each.detail) for each in engine.values("queues")] == [
        ("gpu", "2 of 3 nodes are idle, at most 1-00:00:00, gpu:a100:8, gpu:h100:8"),
        ("cpu", "down, 4 of 4 nodes are idle"),
    ]
    assert [(each.value, each.detail) for each in engine.values("qos")] == [("high", "for papers")]
    assert [each.value for each in engine.values("accounts")] == ["nlp"]
    play.program("sacctmgr", "echo 'You are not running a supported accounting_storage plugin' >&2; exit 1")
    assert engine.values("accounts") == []
    with pytest.raises(KeyError):
        engine.values("images")
    play.write("down")
    with pytest.raises(Unavailable):
        engine.values("queues")


@pytest.mark.parametrize("where", ["far", "shared", "own"])
def test_the_folder_of_a_job_goes_when_the_job_is_forgotten(
    where: str, play: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if where == "shared":
        monkeypatch.setenv("AJ_SLURM_FOLDER", str(tmp_path / "shared"))
    job = submission(tmp_path, options=LOGIN if where == "far" else {})
    folder = {"far": far(play), "shared": tmp_path / "shared/aj-abcdefghij", "own": Path(job.folder)}[where]
    engine = SlurmExecution()
    assert isinstance(engine, Leftovers)
    engine.forget(job)
    submit(job)
    (folder.parent / "of another").mkdir()
    monkeypatch.setenv("AJ_SLURM_FOLDER", "/elsewhere/by/now")
    if where == "far":
        play.write("unreachable")
        with pytest.raises(Unavailable, match="Connection refused"):
            engine.forget(job)
        assert folder.is_dir()
        (play.folder / "unreachable").unlink()
    engine.forget(job)
    engine.forget(job)
    assert folder.is_dir() == (where == "own"), "the daemon's own folder is the daemon's to remove"
    assert (folder.parent / "of another").is_dir()


def test_nothing_is_removed_that_is_no_folder_of_the_job(play: Play, tmp_path: Path) -> None:
    job = submission(tmp_path)
    submit(job)
    precious = tmp_path / "precious"
    precious.mkdir()
    Path(job.folder, "slurm.json").write_text(json.dumps({"folder": str(precious)}))
    SlurmExecution().forget(job)
    assert precious.is_dir()
