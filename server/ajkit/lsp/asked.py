"""What an editor asks a job for: plain values of JSON become a JobRequest, or words about what is wrong with them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ajkit.lsp.failure import INVALID_PARAMS, RequestFailed
from ajkit.shared.job.request import PREVIEW_NOW, PREVIEW_SID, Ambient, JobRequest
from ajkit.shared.template.brief import brief
from ajkit.shared.template.names import did_you_mean, near
from ajkit.shared.template.overlay import Overlays

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ajkit.lsp.settings import PreviewSettings
    from ajkit.lsp.surroundings import Surroundings

FACTS = ("sid", "now", "spec_sha256")
"""Members beside those of the request: the facts of a job, and which job it was under them."""


def preview_request(path: str, given: Mapping[str, Any], settings: PreviewSettings) -> JobRequest:
    """The request of a preview; what it does not say comes from the settings.

    Raises:
        RequestFailed: it makes no sense.
    """
    usual: dict[str, Any] = {
        "nodes": settings.nodes,
        "processes": settings.processes,
        "ppn": settings.ppn,
        "command": settings.command,
        "with": list(settings.overlays),
    }
    return job_request(path, {**usual, **given})


def job_request(path: str, given: Mapping[str, Any]) -> JobRequest:
    """The request that members like those of `aj run` make.

    `nodes`, `processes` (what ``-p`` is) and `ppn` are whole numbers; `command` is a list of words, or a text: a line
    for the shell; `with` a list of base names; `set` and `env` mappings, or lists of ``KEY=VALUE``; `name`,
    `experiment` and `code` texts; `shell`, `amlt` and `all_jobs` switches. What is null is not given.

    Raises:
        RequestFailed: a member is unknown or of another type.
    """
    members = {name: value for name, value in given.items() if value is not None}
    for name in members:
        if name not in _READERS and name not in FACTS:
            close = did_you_mean(near(name, [*_READERS, *FACTS], 1))
            raise RequestFailed(f"a request has no member `{name}`{close}", INVALID_PARAMS)
    read = {name: _READERS[name](name, value) for name, value in members.items() if name in _READERS}
    words: str | tuple[str, ...] = read.get("command") or ()
    return JobRequest(
        path,
        read.get("nodes"),
        read.get("processes"),
        read.get("ppn"),
        Overlays(read.get("with", ()), read.get("set", ()), read.get("env", ())),
        name=read.get("name"),
        experiment=read.get("experiment"),
        code_dir=read.get("code"),
        command=(words,) if isinstance(words, str) else words,
        shell=isinstance(words, str) or bool(read.get("shell")),
        amlt=bool(read.get("amlt")),
        all_jobs=bool(read.get("all_jobs")),
    )


def given_fact(name: str, given: Mapping[str, Any]) -> str | None:
    """One of `FACTS`, where it is given.

    Raises:
        RequestFailed: it is no text.
    """
    value = given.get(name)
    return None if value is None else _text(name, value)


def preview_facts(given: Mapping[str, Any], surroundings: Surroundings) -> Ambient:
    """The facts of a preview: its sid and time stand still unless they are given."""
    sid, now = given_fact("sid", given), given_fact("now", given)
    return Ambient(sid or PREVIEW_SID, now or PREVIEW_NOW, surroundings.caller_name)


def job_facts(given: Mapping[str, Any], surroundings: Surroundings) -> Ambient:
    """The facts of a dry run and of the submission after it: drawn now unless they are given."""
    sid, now = given_fact("sid", given), given_fact("now", given)
    return Ambient(sid or surroundings.new_sid(), now or surroundings.now(), surroundings.caller_name)


def _number(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise _wrong(name, "a whole number", value)
    return value


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise _wrong(name, "a text", value)
    return value


def _switch(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise _wrong(name, "true or false", value)
    return value


def _texts(name: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise _wrong(name, "a list of texts", value)
    return tuple(value)


def _command(name: str, value: Any) -> str | tuple[str, ...]:
    return value if isinstance(value, str) else _texts(name, value)


def _values(name: str, value: Any) -> tuple[str, ...]:
    """``KEYPATH=VALUE`` for every value of a mapping; JSON is YAML, so that values keep their types."""
    if isinstance(value, dict):
        return tuple(f"{key}={json.dumps(each, ensure_ascii=False)}" for key, each in value.items())
    return _texts(name, value)


def _variables(name: str, value: Any) -> tuple[str, ...]:
    if isinstance(value, dict):
        return tuple(f"{key}={_text(f'{name}.{key}', each)}" for key, each in value.items())
    return _texts(name, value)


def _wrong(name: str, wanted: str, value: Any) -> RequestFailed:
    return RequestFailed(f"`{name}` of a request is {wanted}, not {brief(value)}", INVALID_PARAMS)


_READERS: dict[str, Callable[[str, Any], Any]] = {
    "nodes": _number,
    "processes": _number,
    "ppn": _number,
    "command": _command,
    "shell": _switch,
    "with": _texts,
    "set": _values,
    "env": _variables,
    "name": _text,
    "experiment": _text,
    "code": _text,
    "amlt": _switch,
    "all_jobs": _switch,
}
