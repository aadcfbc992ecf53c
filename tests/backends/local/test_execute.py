"""Jobs that really run on this machine, through a real daemon."""

from __future__ import annotations

import json
import os
import signal
import time
from typing import TYPE_CHECKING

import pytest

from ajkit.client.daemon import Daemon, StateChange
from ajkit.client.wire import DaemonRefused
from ajkit.shared.job.spec import FromEnv, FromFile, JobSpec
from tests.daemons import draw_sid, finish, is_alive, job_spec, wait_running, wait_until

if TYPE_CHECKING:
    from pathlib import Path

    from tests.daemons import Host


def running(daemon: Daemon, spec: JobSpec, folder: str, words: str = "") -> None:
    """Submit a job and wait until it runs and has said something."""
    daemon.submit(spec, folder)
    if not words:
        wait_running(daemon, spec)
    else:
        wait_until(lambda: words in "".join(each.text for each in daemon.logs(spec.sid)))


def test_output_and_end(shared_host: Host) -> None:
    state, code, texts = shared_host.run(job_spec("echo out; echo err >&2; exit 0"))
    assert (state, code, texts) == ("done", 0, {"node-0": "out\nerr\n"})


def test_exit_code_is_the_jobs(shared_host: Host) -> None:
    daemon = shared_host.daemon()
    spec = job_spec("exit 37")
    assert shared_host.run(spec)[:2] == ("failed", 37)
    assert daemon.job(spec.sid).job.message == "node-0 exited with 37"


def test_signal_is_told_as_shells_do(shared_host: Host) -> None:
    spec = job_spec("kill -9 $$")
    assert shared_host.run(spec)[:2] == ("failed", 137)
    assert shared_host.daemon().job(spec.sid).job.message == "node-0 was ended by SIGKILL"


def test_setup_and_command_are_one_script(shared_host: Host) -> None:
    spec = job_spec('false\necho "$x ${BASH_VERSION:+bash} $0"', setup=["x=1", "x=$((x+1))"])
    assert shared_host.run(spec)[2]["node-0"].startswith("2 bash ")


RANKS = [
    "AJ_NODE_RANK",
    "NODE_RANK",
    "RANK",
    "LOCAL_RANK",
    "LOCAL_WORLD_SIZE",
    "WORLD_SIZE",
    "MASTER_ADDR",
]


def test_every_process_knows_its_place(shared_host: Host) -> None:
    said = "echo " + " ".join(f"${{{each}}}" for each in RANKS) + "; echo $MASTER_PORT"
    state, _, texts = shared_host.run(job_spec(said, nodes=2, processes_per_node=2))
    assert state == "done"
    places = {name: text.splitlines()[0] for name, text in texts.items()}
    assert places == {
        "node-0.0": "0 0 0 0 2 4 127.0.0.1",
        "node-0.1": "0 0 1 1 2 4 127.0.0.1",
        "node-1.0": "1 1 2 0 2 4 127.0.0.1",
        "node-1.1": "1 1 3 1 2 4 127.0.0.1",
    }
    ports = {text.splitlines()[1] for text in texts.values()}
    assert len(ports) == 1
    assert int(ports.pop()) > 1023


def test_the_template_wins_over_the_rendezvous_but_not_over_the_rank_of_the_node(shared_host: Host) -> None:
    env = {"MASTER_ADDR": "box", "MASTER_PORT": "1", "RANK": "7", "AJ_NODE_RANK": "9", "NODE_RANK": "8"}
    spec = job_spec("echo $MASTER_ADDR $MASTER_PORT $RANK $NODE_RANK $AJ_NODE_RANK", env=env)
    assert shared_host.run(spec)[2] == {"node-0": "box 1 7 8 0\n"}


def test_the_environment_is_the_jobs_and_not_the_terminals(host: Host) -> None:
    host.environ |= {"AJ_HOME": "/x", "AJ_NAME": "outer", "RANK": "5", "ODD": "1", "CUDA_VISIBLE_DEVICES": "3"}
    env = {"MINE": "a b\nc", "AJ_ID": "sid"}
    text = host.run(job_spec("env -0 | sort -z | tr '\\0' ';'", env=env))[2]["node-0"]
    names = {each.partition("=")[0] for each in text.split(";")}
    assert {"MINE", "AJ_ID", "PATH", "HOME"} <= names
    assert not {"AJ_HOME", "AJ_NAME", "ODD", "CUDA_VISIBLE_DEVICES", "XDG_RUNTIME_DIR", "AJ_IDLE_SECONDS"} & names
    assert "MINE=a b\nc" in text


def test_path_and_virtual_environment_of_the_caller_travel(shared_host: Host, tmp_path: Path) -> None:
    tool = tmp_path / "bin" / "my-tool"
    tool.parent.mkdir()
    tool.write_text("#!/bin/sh\necho tool $VIRTUAL_ENV\n")
    tool.chmod(0o755)
    environ = {**shared_host.environ, "PATH": f"{tool.parent}:{os.environ['PATH']}", "VIRTUAL_ENV": str(tmp_path)}
    daemon = Daemon.connect(environ=environ)
    spec = job_spec("my-tool")
    daemon.submit(spec, shared_host.code)
    assert finish(daemon, spec.sid)[2] == {"node-0": f"tool {tmp_path}\n"}


def test_code_is_a_copy_of_its_own(shared_host: Host, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "run.sh").write_text("echo from the tree; echo changed > data; ls -A")
    (tmp_path / "run.sh").chmod(0o755)
    (tmp_path / "data").write_text("first\n")
    (tmp_path / "skipped.bin").write_text("x")
    (tmp_path / "link").symlink_to("data")
    texts = []
    for _ in range(2):
        spec = job_spec("cat link; ./run.sh", code={"dir": ".", "ignore": ["*.bin"]})
        texts.append(shared_host.run(spec, str(tmp_path))[2]["node-0"])
    assert texts == ["first\nfrom the tree\ndata\nlink\nrun.sh\nsub\n"] * 2
    assert (tmp_path / "data").read_text() == "first\n"


def test_first_failing_process_ends_the_job(shared_host: Host) -> None:
    began = time.monotonic()
    command = """
    if [ $RANK = 2 ]; then until [ -e ready-0 -a -e ready-1 -a -e ready-3 ]; do sleep 0.02; done; exit 5; fi
    trap "echo asked to stop; exit 0" TERM
    touch ready-$RANK; sleep 600 & wait
    """
    state, code, texts = shared_host.run(job_spec(command, nodes=2, processes_per_node=2))
    assert (state, code) == ("failed", 5)
    assert texts == {"node-0.0": "asked to stop\n", "node-0.1": "asked to stop\n", "node-1.1": "asked to stop\n"}
    assert time.monotonic() - began < 60


def test_time_limit(shared_host: Host) -> None:
    spec = job_spec("sleep 60", time_limit_seconds=1)
    assert shared_host.run(spec)[:2] == ("failed", 124)
    assert shared_host.daemon().job(spec.sid).job.message == "stopped at its time limit of 1 seconds"


def test_cancel_ends_the_whole_tree(shared_host: Host) -> None:
    daemon = shared_host.daemon()
    command = """
    trap '' TERM
    sleep 1001 & echo $!
    setsid sleep 1002 & echo $!
    (setsid bash -c 'trap "" TERM; echo $$; sleep 1003' &)
    echo $$
    echo up
    wait; sleep 1004
    """
    spec = job_spec(command)
    running(daemon, spec, shared_host.code, "up\n")
    wait_until(lambda: len("".join(each.text for each in daemon.logs(spec.sid)).split()) == 5)
    pids = [int(each) for line in daemon.logs(spec.sid) for each in line.text.split() if each.isdecimal()]
    assert len(pids) == 4
    assert all(is_alive(each) for each in pids)
    assert daemon.cancel(spec.sid).cancel_requested
    state, code, _ = finish(daemon, spec.sid)
    assert (state, code) == ("cancelled", None)
    assert not any(is_alive(each) for each in pids)
    events = [each.event.state.value for each in daemon.follow(spec.sid) if isinstance(each, StateChange)]
    assert events[-2:] == ["cancelling", "cancelled"]


def test_cancel_twice_and_after_the_end(shared_host: Host) -> None:
    daemon = shared_host.daemon()
    spec = job_spec("sleep 60")
    running(daemon, spec, shared_host.code)
    daemon.cancel(spec.sid)
    daemon.cancel(spec.sid)
    assert finish(daemon, spec.sid)[0] == "cancelled"
    assert daemon.cancel(spec.sid).state.value == "cancelled"


def test_what_a_job_leaves_running_is_ended_with_it(shared_host: Host) -> None:
    _, _, texts = shared_host.run(job_spec("setsid sleep 1005 & echo $!"))
    assert not is_alive(int(texts["node-0"]))


def test_a_job_whose_supervisor_is_killed_is_lost_and_nothing_of_it_runs_on(shared_host: Host) -> None:
    daemon = shared_host.daemon()
    sid = draw_sid()
    command = "exec 2>/dev/null; setsid sleep 61 & (sleep 62 &); echo $$ $!; trap : TERM; while :; do sleep 0.1; done"
    spec = job_spec(command, sid=sid, env={"AJ_ID": sid})
    running(daemon, spec, shared_host.code, "\n")
    supervisor = int(daemon.job(spec.sid).job.backend_id or 0)
    os.kill(supervisor, signal.SIGKILL)
    state, _, texts = finish(daemon, spec.sid)
    assert state == "lost"
    assert not [pid for pid in texts["node-0"].split() if is_alive(int(pid))]
    message = daemon.job(spec.sid).job.message
    assert message.startswith("its supervisor was ended from outside, or the machine went down; ")
    assert message.endswith(" of its processes still ran and were ended")


def test_no_terminal_and_no_input(shared_host: Host) -> None:
    command = "tty; read -r x || echo nothing to read; ps -o sid= -p $$ | tr -d ' '; echo $$"
    lines = shared_host.run(job_spec(command))[2]["node-0"].splitlines()
    assert lines[:2] == ["not a tty", "nothing to read"]
    assert lines[2] == lines[3]


SECRET = "hunter2-very-secret"


def test_secrets_are_read_here_and_are_nowhere_else(host: Host, tmp_path: Path) -> None:
    host.environ["MY_TOKEN"] = SECRET
    (tmp_path / "key").write_text(f"{SECRET}-file\n")
    env = {"T": FromEnv(from_env="MY_TOKEN"), "K": FromFile(from_file=str(tmp_path / "key")), "PLAIN": "x"}
    command = "echo ${#T} ${#K}; cat /proc/$PPID/cmdline /proc/$$/cmdline | tr '\\0' ' '; sleep 60"
    spec = job_spec(command, env=env)
    daemon = host.daemon()
    running(daemon, spec, host.code, "\n")
    text = "".join(each.text for each in daemon.logs(spec.sid))
    assert text.startswith(f"{len(SECRET)} {len(SECRET) + 5}\n")
    rendered = daemon.render(spec)
    assert "‹from_env MY_TOKEN›" in rendered.files["processes.json"]
    for folder, _, names in os.walk(host.state):
        for name in names:
            with open(os.path.join(folder, name), "rb") as file:
                assert SECRET.encode() not in file.read(), name
    assert SECRET not in text + rendered.model_dump_json() + daemon.job(spec.sid).model_dump_json()


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (FromEnv(from_env="NOT_THERE"), "the variable NOT_THERE is not set"),
        (FromFile(from_file="/not/there"), "the file /not/there cannot be read"),
        (FromFile(from_file="key"), "needs an absolute path"),
    ],
)
def test_a_secret_that_is_missing_is_told_before_anything_is_taken(
    shared_host: Host, value: FromEnv | FromFile, said: str
) -> None:
    spec = job_spec("true", env={"T": value})
    with pytest.raises(DaemonRefused, match=said) as refused:
        shared_host.daemon().submit(spec, shared_host.code)
    assert [each.code for each in refused.value.document.problems] == ["local.secret"]
    with pytest.raises(DaemonRefused, match=r"job\.missing"):
        shared_host.daemon().job(spec.sid)


def test_render_shows_what_would_be_started(shared_host: Host) -> None:
    spec = job_spec("echo $RANK", setup=["set -e"], nodes=2, env={"A": "1"})
    files = shared_host.daemon().render(spec, dry_run=True).files
    assert files["script.sh"] == "set -e\necho $RANK\n"
    processes = json.loads(files["processes.json"])
    assert [each["name"] for each in processes] == ["node-0", "node-1"]
    assert [each["env"]["RANK"] for each in processes] == ["0", "1"]
    assert {each["env"]["A"] for each in processes} == {"1"}


def test_output_that_is_not_text_and_lines_without_end(shared_host: Host) -> None:
    command = r"printf 'caf\303\251 \377 no end'"
    assert shared_host.run(job_spec(command))[2] == {"node-0": "café � no end"}


def test_much_output_arrives_whole(shared_host: Host) -> None:
    _, _, texts = shared_host.run(job_spec("seq 1 200000", nodes=2))
    wanted = "".join(f"{each}\n" for each in range(1, 200001))
    assert texts == {"node-0": wanted, "node-1": wanted}


def test_the_start_of_a_line_is_shown_when_its_end_does_not_come(shared_host: Host) -> None:
    daemon = shared_host.daemon()
    spec = job_spec("printf 'go on? '; sleep 60")
    daemon.submit(spec, shared_host.code)
    follower = daemon.follow(spec.sid)
    assert next(each.text for each in follower if not isinstance(each, StateChange)) == "go on? "
    follower.close()
    daemon.cancel(spec.sid)


def test_files_of_a_job_are_its_owners_alone(shared_host: Host) -> None:
    shared_host.run(job_spec("umask; touch made", sid=(sid := draw_sid())))
    folder = os.path.join(shared_host.state, "jobs", sid)
    assert os.stat(folder).st_mode & 0o777 == 0o700
    assert os.stat(os.path.join(folder, "logs", "node-0.log")).st_mode & 0o777 == 0o600
    assert os.stat(os.path.join(folder, "code", "made")).st_mode & 0o777 == 0o644


def test_signals_are_as_a_shell_has_them(shared_host: Host) -> None:
    command = "grep SigIgn /proc/$$/status; trap 'echo interrupted; exit 0' INT; kill -INT $$; sleep 5"
    ignored, *said = shared_host.run(job_spec(command))[2]["node-0"].splitlines()
    mask = int(ignored.split()[1], 16)
    for each in (signal.SIGHUP, signal.SIGINT, signal.SIGPIPE, signal.SIGTERM, signal.SIGXFSZ, signal.SIGCHLD):
        assert not mask & 1 << (each - 1), each
    assert said == ["interrupted"]


def test_processes_hold_nothing_of_the_supervisors(shared_host: Host) -> None:
    text = shared_host.run(job_spec("for each in /proc/$$/fd/*; do readlink $each; done"))[2]["node-0"]
    held = [each for each in text.split() if not each.endswith("/script.sh")]
    assert held[0] == os.devnull
    assert [each.rpartition("/")[2] for each in held[1:]] == ["node-0.log", "node-0.log"]


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"nodes": 300}, "local.processes"),
        ({"env": {"A=B": "x"}}, "local.env"),
        ({"env": {"": "x"}}, "local.env"),
        ({"env": {"A": "x\0y"}}, "local.env"),
    ],
)
def test_what_no_machine_can_run(shared_host: Host, fields: dict[str, object], code: str) -> None:
    with pytest.raises(DaemonRefused) as refused:
        shared_host.daemon().submit(job_spec("true", **fields), shared_host.code)
    assert [each.code for each in refused.value.document.problems] == [code]


def test_a_process_that_cannot_be_started(shared_host: Host) -> None:
    spec = job_spec("true", env={"HUGE": "x" * 500_000})
    state, code, _ = shared_host.run(spec)
    assert (state, code) == ("failed", 127)
    assert "Argument list too long" in shared_host.daemon().job(spec.sid).job.message


def test_a_time_limit_beyond_all_time(shared_host: Host) -> None:
    assert shared_host.run(job_spec("true", time_limit_seconds=10**18))[0] == "done"
