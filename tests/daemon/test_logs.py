"""The log of a daemon: lines or JSON, secrets masked, and a file that does not grow for ever."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from ajkit.daemon.logs import JsonLines, TextLines, without_secrets

if TYPE_CHECKING:
    from pathlib import Path

TOKEN = "aj_" + "0123456789abcdef" * 4


def record(message: str, **fields: object) -> logging.LogRecord:
    made = logging.LogRecord("ajkit.daemon.x", logging.WARNING, __file__, 1, message, (), None)
    made.fields = fields
    return made


def test_json_lines() -> None:
    said = json.loads(JsonLines().format(record("it\nbroke", ms=1.5, path="/x")))
    assert said.pop("at").endswith("Z")
    assert said == {"level": "warning", "from": "ajkit.daemon.x", "event": "it\nbroke", "ms": 1.5, "path": "/x"}


def test_what_led_to_an_exception() -> None:
    try:
        raise ValueError(f"bad {TOKEN}")
    except ValueError:
        made = logging.LogRecord("x", logging.ERROR, __file__, 1, "failed", (), sys.exc_info())
    for each in (JsonLines(), TextLines()):
        text = each.format(made)
        assert "ValueError" in text
        assert TOKEN not in text


@pytest.mark.parametrize("secret", [TOKEN, "hf_abcdefghij0123456789", "AKIAABCDEFGHIJKLMNOP"])
@pytest.mark.parametrize("form", [JsonLines(), TextLines()], ids=["json", "text"])
def test_secrets_are_masked_wherever_they_are(form: logging.Formatter, secret: str) -> None:
    text = form.format(record(f"taken: {secret}", path=f"/x?y={secret}"))
    assert secret not in text
    assert "taken: ***" in text
    assert without_secrets("nothing to hide") == "nothing to hide"


def test_a_long_log_is_begun_anew(tmp_path: Path) -> None:
    log = tmp_path / "daemon.log"
    script = (
        "import sys; from ajkit.daemon.logs import begin_anew; sys.stderr.write('a' * 100); sys.stderr.flush(); "
        "first = begin_anew(sys.argv[1], 1000), begin_anew(sys.argv[1], 50); sys.stderr.write('b'); print(*first)"
    )
    with open(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "wb") as out:
        done = subprocess.run(
            [sys.executable, "-c", script, str(log)], stdout=subprocess.PIPE, stderr=out, text=True, check=True
        )
    assert done.stdout == "False True\n"
    assert log.read_text() == "b"
    assert (tmp_path / "daemon.log.1").read_text() == "a" * 100
    assert (tmp_path / "daemon.log.1").stat().st_mode & 0o777 == 0o600


def test_a_log_that_is_not_its_own_is_left(tmp_path: Path) -> None:
    log = tmp_path / "daemon.log"
    log.write_text("x" * 100)
    script = "import sys; from ajkit.daemon.logs import begin_anew; print(begin_anew(sys.argv[1], 10))"
    done = subprocess.run([sys.executable, "-c", script, str(log)], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
    assert log.read_text() == "x" * 100
