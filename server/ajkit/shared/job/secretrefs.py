"""Secret references in a job's variables: shown without the secret, and read where the job is executed."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from ajkit.shared.job.execution import Rejected
from ajkit.shared.job.spec import FromEnv, FromFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from ajkit.shared.job.spec import EnvValue

    Read = Callable[[str], str]


def shown(values: Mapping[str, EnvValue]) -> dict[str, str]:
    """The variables with secret references as references."""
    return {name: value if isinstance(value, str) else reference(value) for name, value in values.items()}


def reference(value: FromEnv | FromFile) -> str:
    """A secret reference as people are shown it."""
    return f"‹from_env {value.from_env}›" if isinstance(value, FromEnv) else f"‹from_file {value.from_file}›"


def secret_names(values: Mapping[str, EnvValue]) -> tuple[str, ...]:
    """The variables whose values are secret references, in their order."""
    return tuple(name for name, value in values.items() if not isinstance(value, str))


def missing_secrets(values: Mapping[str, EnvValue], daemon: Mapping[str, str], read: Read) -> Iterator[str]:
    """What is wrong with each secret reference that cannot be read, without the secret; see `resolved`."""
    for name, value in values.items():
        try:
            _resolve(name, value, daemon, read)
        except Rejected as error:
            yield str(error)


def resolved(values: Mapping[str, EnvValue], daemon: Mapping[str, str], read: Read) -> dict[str, str]:
    """The variables with secret references read.

    Args:
        values: the variables of a job.
        daemon: the environment of the submission daemon.
        read: gives the text of the file at an absolute path, or raises OSError or UnicodeDecodeError.

    Raises:
        Rejected: one cannot be read.
    """
    return {name: _resolve(name, value, daemon, read) for name, value in values.items()}


def _resolve(name: str, value: EnvValue, daemon: Mapping[str, str], read: Read) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, FromEnv):
        found = daemon.get(value.from_env)
        if found is None:
            raise Rejected(
                f"{name}: the variable {value.from_env} is not set where the job is executed; set it there, that is in "
                "the environment that the submission daemon is started from"
            )
        return found
    path = value.from_file
    if path.startswith("~/"):
        path = posixpath.join(daemon.get("HOME", "/"), path[2:])
    if not posixpath.isabs(path):
        raise Rejected(f"{name}: from_file needs an absolute path, not {value.from_file}")
    try:
        return read(path).rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise Rejected(
            f"{name}: the file {value.from_file} cannot be read where the job is executed: {reason}"
        ) from None
