"""What programs write arrives whole: where they are suspended while they wait for the reader, or may not wait."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import termios
import time
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.skipif(not hasattr(fcntl, "F_GETPIPE_SZ"), reason="how much a pipe holds is known on Linux")

PATIENCE = 60.0
MANY = 3_000
"""Templates or keys whose listing is longer than a pipe holds."""


@contextlib.contextmanager
def unbuffered(*command: str, folder: Path, given: bytes | None = None, errors: bool = False) -> Iterator[Any]:
    """A Python program that is told not to buffer, whose output nobody reads yet."""
    environment = {name: value for name, value in os.environ.items() if name != "AJ_HOME"} | {"PYTHONUNBUFFERED": "1"}
    out, err = (None, subprocess.PIPE) if errors else (subprocess.PIPE, None)
    with subprocess.Popen(
        [sys.executable, *command], stdin=subprocess.PIPE, stdout=out, stderr=err, cwd=folder, env=environment
    ) as process:
        try:
            if given is not None:
                assert process.stdin
                process.stdin.write(given)
                process.stdin.flush()
            yield process
        finally:
            process.kill()


def suspended_while_it_writes(process: subprocess.Popen[bytes], pipe: int) -> None:
    """Stop a program once its pipe takes no more, and let it go on."""
    # A page that is begun counts as a whole one: a pipe that is full holds less than it might.
    holds = fcntl.fcntl(pipe, fcntl.F_GETPIPE_SZ) * 3 // 4
    end = time.monotonic() + PATIENCE
    while struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))[0] < holds or _state(process.pid) != "S":
        assert process.poll() is None, "it wrote less than a pipe holds"
        assert time.monotonic() < end, "the pipe is not filled"
        time.sleep(0.01)
    for each in (signal.SIGSTOP, signal.SIGCONT):
        process.send_signal(each)
        _wait_for(process, stopped=each == signal.SIGSTOP)


def _wait_for(process: subprocess.Popen[bytes], *, stopped: bool) -> None:
    end = time.monotonic() + PATIENCE
    while (_state(process.pid) == "T") != stopped:
        assert time.monotonic() < end
        time.sleep(0.01)


def _state(pid: int) -> str:
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        return file.read().rpartition(")")[2].split()[0]


@pytest.mark.parametrize("may_wait", [True, False])
@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_the_streams_of_a_program(tmp_path: Path, stream: str, may_wait: bool) -> None:
    program = f"""
import os, sys
from ajkit.streams import keep_whole
keep_whole()
os.set_blocking(sys.{stream}.fileno(), {may_wait})
sys.{stream}.write("ä" * 500_000)
"""
    with unbuffered("-c", program, folder=tmp_path, errors=stream == "stderr") as process:
        pipe = getattr(process, stream)
        suspended_while_it_writes(process, pipe.fileno())
        assert len(pipe.read().decode()) == 500_000
        assert process.wait(PATIENCE) == 0


def test_the_command_line(tmp_path: Path) -> None:
    folder = tmp_path / ".aj/template"
    folder.mkdir(parents=True)
    for number in range(MANY // 10):
        (folder / f"t{number}.yaml").write_text("config: {description: " + "some words " * 30 + "}\n")
    with unbuffered("-m", "ajkit.cli", "list", "--format", "json", folder=tmp_path) as process:
        suspended_while_it_writes(process, process.stdout.fileno())
        assert len(json.loads(process.stdout.read())) == MANY // 10
        assert process.wait(PATIENCE) == 0


def test_the_language_server(tmp_path: Path) -> None:
    with unbuffered("-m", "ajkit.lsp.main", folder=tmp_path, given=_questions(tmp_path)) as process:
        suspended_while_it_writes(process, process.stdout.fileno())
        _answers_whole(process.stdout)


def test_the_language_server_where_input_and_output_are_one_socket(tmp_path: Path) -> None:
    """As an SSH server gives them to a command: the loop that reads makes both non-blocking."""
    ours, its = socket.socketpair()
    its.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)  # far less than it answers
    command = [sys.executable, "-m", "ajkit.lsp.main"]
    with ours, its, subprocess.Popen(command, stdin=its.fileno(), stdout=its.fileno(), cwd=tmp_path) as process:
        try:
            ours.sendall(_questions(tmp_path))
            with ours.makefile("rb") as pipe:
                _answers_whole(pipe)
        finally:
            process.kill()


def _questions(folder: Path) -> bytes:
    """What is asked of a server, with an answer that no pipe holds."""
    uri = (folder / "train.yaml").as_uri()
    text = "# aj: template\nconfig:\n" + "".join(f"  k{number}: {number}\n" for number in range(MANY))
    document = {"uri": uri, "languageId": "aj-template", "version": 1, "text": text}
    return _frames(
        {"id": 1, "method": "initialize", "params": {"capabilities": {}, "rootUri": folder.as_uri()}},
        {"method": "initialized", "params": {}},
        {"method": "textDocument/didOpen", "params": {"textDocument": document}},
        {"id": 2, "method": "textDocument/documentSymbol", "params": {"textDocument": {"uri": uri}}},
        {"id": 3, "method": "shutdown"},
    )


def _answers_whole(pipe: Any) -> None:
    """Read to the last answer."""
    counts = []
    while (message := _read(pipe)).get("id") != 3:
        if message.get("id") == 2:
            counts.append(str(message["result"]).count("'name': 'k"))
    assert counts == [MANY]


def _frames(*messages: dict[str, Any]) -> bytes:
    bodies = [json.dumps({"jsonrpc": "2.0", **each}).encode() for each in messages]
    return b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(each), each) for each in bodies)


def _read(pipe: Any) -> dict[str, Any]:
    size = int(pipe.readline().partition(b":")[2])
    assert pipe.readline() == b"\r\n"
    message: dict[str, Any] = json.loads(pipe.read(size))
    return message
