"""What can be set about a daemon, from its arguments and its environment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ajkit.shared.problem import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ajkit.daemon.listen import Listen


@dataclass(frozen=True, slots=True)
class Settings:
    """One daemon: where it keeps its state, when it stops by itself, what it takes, what it keeps.

    `idle_seconds`: stop after so long without a request, a connection or a live job (``AJ_IDLE_SECONDS``; 0: never).
    `keep_days`: how long ended jobs and unused code stay (``AJ_KEEP_DAYS``); `keep_log_days`: how long their folders
    with their logs do (``AJ_KEEP_LOG_DAYS``).
    `code_folder`: where code archives are kept and unpacked (``AJ_CODE_FOLDER``), for nodes that share a file system.
    `code_bytes`, `code_entries`: the largest code folder taken (``AJ_CODE_MAX_MIB``, ``AJ_CODE_MAX_ENTRIES``).
    `body_bytes`: the largest other request. `slow_seconds`: how long a client may pause while it sends one.
    `listen`: where a team reaches it, None where only its owner does.
    """

    state: str
    listen: Listen | None = None
    idle_seconds: float = 900.0
    keep_days: float = 30.0
    keep_log_days: float = 30.0
    code_folder: str = ""
    code_bytes: int = 2**30
    code_entries: int = 100_000
    body_bytes: int = 32 * 2**20
    slow_seconds: float = 20.0


def read_settings(state: str, environ: Mapping[str, str], listen: Listen | None = None) -> Settings:
    """The settings of a daemon on a state folder; one that a team reaches stays while there is nothing to do.

    Raises:
        UsageError: a variable that is not a number of zero or more, or no absolute path.
    """
    plain = Settings(state)
    keep_days = _number(environ, "AJ_KEEP_DAYS", plain.keep_days)
    code_folder = environ.get("AJ_CODE_FOLDER") or f"{state}/code"
    if not code_folder.startswith("/"):
        raise UsageError(f"AJ_CODE_FOLDER={code_folder!r} is not an absolute path")
    return Settings(
        state=state,
        listen=listen,
        idle_seconds=0.0 if listen else _number(environ, "AJ_IDLE_SECONDS", plain.idle_seconds),
        keep_days=keep_days,
        keep_log_days=min(keep_days, _number(environ, "AJ_KEEP_LOG_DAYS", keep_days)),
        code_folder=code_folder,
        code_bytes=int(_number(environ, "AJ_CODE_MAX_MIB", plain.code_bytes / 2**20) * 2**20),
        code_entries=int(_number(environ, "AJ_CODE_MAX_ENTRIES", plain.code_entries)),
    )


def _number(environ: Mapping[str, str], name: str, default: float) -> float:
    text = environ.get(name, "")
    if not text:
        return default
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number < float("inf"):
        raise UsageError(f"{name}={text!r} is not a number of zero or more")
    return number
