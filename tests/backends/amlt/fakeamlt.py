"""A stand-in for the command `amlt`, with the commands and outputs of the real one that the backend relies on.

It runs the jobs of a YAML as local processes. The folder of `FAKE_AMLT` holds a folder for each job, ``calls.jsonl``
with every call, and ``mode``: ``lost`` submits and fails all the same, ``refuse`` submits nothing, ``fail`` fails
whatever is asked, ``old`` prints tables as older releases did, ``held`` leaves jobs in their queue, ``slow``
submits once that is no longer its mode.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import yaml

HOME = Path(os.environ["FAKE_AMLT"])


def main(words: list[str]) -> int:
    mode = (HOME / "mode").read_text() if (HOME / "mode").exists() else ""
    with (HOME / "calls.jsonl").open("a") as file:
        file.write(json.dumps({"argv": words, "cwd": str(Path.cwd())}) + "\n")
    if mode == "fail":
        return _fail("ERROR: could not reach the service")
    match words[0]:
        case "run":
            code = _run(words[1:], mode)
            return _fail("ERROR: Read timed out.") if mode == "lost" else code
        case "status":
            return _status(words[1], mode)
        case "logs":
            return _logs(words[words.index("-n") + 2 :])
        case "cancel":
            return _cancel(words[1:])
    return _fail(f"Error: No such command '{words[0]}'.")


def _fail(text: str) -> int:
    sys.stderr.write(f"{text}\n")
    return 1


def _run(words: list[str], mode: str) -> int:
    if "--yes" not in words and "-y" not in words:
        return _fail("Aborted: no terminal to ask on")
    until = time.monotonic() + 110
    while mode == "slow" and (HOME / "mode").read_text() == mode and time.monotonic() < until:
        time.sleep(0.02)
    if mode == "refuse":
        return _fail("ERROR: Target not found: vc")
    path = Path(words[0]).resolve()
    config = yaml.safe_load(path.read_text())
    for job in config["jobs"]:
        folder = HOME / "experiments" / words[1] / job["name"]
        if folder.exists():
            return _fail(f"ERROR: job {job['name']} is in the experiment already")
        folder.mkdir(parents=True)
        (folder / "config.json").write_text(json.dumps(job))
        code = _filled(config.get("code", {}).get("local_dir", "."), path.parent)
        _start(job, folder, path.parent, os.path.join(path.parent, code), mode)
    sys.stdout.write(f"Submitted {len(config['jobs'])} jobs to {words[1]}\n")
    return 0


def _start(job: dict[str, Any], folder: Path, here: Path, code: str, mode: str) -> None:
    if mode == "held":
        return
    variables = {name: _filled(str(value), here) for name, value in job["submit_args"]["env"].items()}
    script = "\n".join(_filled(each, here) for each in job["command"])
    wrapped = f"bash -c \"$SCRIPT\" >'{folder}/log' 2>&1; echo $? >'{folder}/code'"
    process = subprocess.Popen(
        ["bash", "-c", wrapped],
        cwd=code,
        env={"PATH": os.environ["PATH"], **variables, "SCRIPT": script},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    (folder / "pid.new").write_text(str(process.pid))
    (folder / "pid.new").rename(folder / "pid")


def _filled(text: str, here: Path) -> str:
    """Text as amlt reads it: variables filled in, two dollars for one."""

    def one(found: re.Match[str]) -> str:
        if found[0] == "$$":
            return "$"
        name = found[1] or found[2]
        return str(here) if name == "CONFIG_DIR" else os.environ[name]

    return re.sub(r"\$\$|\$(\w+)|\$\{(\w+)\}", one, text)


def _state(folder: Path) -> str:
    if (folder / "killed").exists():
        return "killed"
    if (folder / "code").exists() and (folder / "code").read_text().strip():
        return "pass" if (folder / "code").read_text().strip() == "0" else "failed"
    return "running" if (folder / "pid").exists() else "queued"


def _status(experiment: str, mode: str) -> int:
    place = HOME / "experiments" / experiment
    if not place.exists():
        return _fail(f"ERROR: Experiment {experiment} not found in project demo")
    rows = [{"job_name": f":{each.name}", "status": _state(each)} for each in sorted(place.iterdir())]
    assert os.environ["AMLT_JSON_TABLES"] == "1"
    sys.stdout.write(json.dumps([{"title": experiment, "rows": rows}] if mode == "old" else rows))
    return 0


def _logs(words: list[str]) -> int:
    log = HOME / "experiments" / words[0] / words[1].removeprefix(":") / "log"
    if not log.exists():
        return _fail("ERROR: no logs yet")
    sys.stdout.write(log.read_text())
    return 0


def _cancel(words: list[str]) -> int:
    if "--yes" not in words:
        return _fail("Aborted: no terminal to ask on")
    for name in words[1:-1]:
        folder = HOME / "experiments" / words[0] / name.removeprefix(":")
        (folder / "killed").touch()
        if (folder / "pid").exists():
            os.killpg(int((folder / "pid").read_text()), signal.SIGKILL)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
