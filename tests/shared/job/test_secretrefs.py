"""Secret references: shown without the secret, read from the daemon's variables and files, refused in words."""

from __future__ import annotations

import pytest

from ajkit.shared.job.execution import Rejected
from ajkit.shared.job.secretrefs import missing_secrets, resolved, secret_names, shown
from ajkit.shared.job.spec import EnvValue, FromEnv, FromFile

VALUES: dict[str, EnvValue] = {
    "PLAIN": "text",
    "TOKEN": FromEnv(from_env="HF_TOKEN"),
    "KEY": FromFile(from_file="~/.key"),
}
FILES = {"/home/me/.key": "abc\r\n", "/plain": "x"}
DAEMON = {"HOME": "/home/me", "HF_TOKEN": "hf_1"}


def read(path: str) -> str:
    if path == "/binary":
        return b"\xff".decode()
    if path not in FILES:
        raise FileNotFoundError(2, "No such file or directory")
    return FILES[path]


def test_read() -> None:
    assert resolved(VALUES, DAEMON, read) == {"PLAIN": "text", "TOKEN": "hf_1", "KEY": "abc"}
    assert list(missing_secrets(VALUES, DAEMON, read)) == []


def test_shown() -> None:
    assert shown(VALUES) == {"PLAIN": "text", "TOKEN": "‹from_env HF_TOKEN›", "KEY": "‹from_file ~/.key›"}
    assert secret_names(VALUES) == ("TOKEN", "KEY")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (FromEnv(from_env="GONE"), "A: the variable GONE is not set where the job is executed; set it there"),
        (FromFile(from_file="key"), "A: from_file needs an absolute path, not key"),
        (FromFile(from_file="/gone"), "A: the file /gone cannot be read where the job is executed: No such file"),
        (FromFile(from_file="/binary"), "A: the file /binary cannot be read where the job is executed: not UTF-8 text"),
    ],
)
def test_missing(value: EnvValue, said: str) -> None:
    with pytest.raises(Rejected) as caught:
        resolved({"A": value}, DAEMON, read)
    assert str(caught.value).startswith(said)
    assert list(missing_secrets({"A": value}, DAEMON, read)) == [str(caught.value)]
