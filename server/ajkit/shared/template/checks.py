"""What is odd about one effective config, whatever its service: jobs left out, lost effects, secrets, shell slips."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from ajkit.shared.problem import Finding, Severity
from ajkit.shared.template.brief import brief
from ajkit.shared.template.dialect import changes_job, without_effect
from ajkit.shared.template.merged import Together
from ajkit.shared.template.refusals import listed
from ajkit.shared.template.scripts import SCRIPTS, doubles_dollars, lines, texts
from ajkit.shared.template.secrets import SHORTEST_FORM, hold_no_secret, named_secret, spans, suspect_names, suspects
from ajkit.shared.where import at, format_keypath

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from ajkit.shared.template.merged import Merged
    from ajkit.shared.template.source import TemplateFile
    from ajkit.shared.where import Json, KeyPath

_VARIABLE = re.compile(r"\$(\{?[A-Za-z_])")
_JOB_ENV: KeyPath = ("submit_args", "env")
_ENV: KeyPath = ("jobs", 0, *_JOB_ENV)
_COMMAND: KeyPath = ("command",)
_SETUP: KeyPath = ("environment", "setup")


def check(
    config: dict[str, Json],
    *,
    leaf: bool,
    service: str | None = None,
    used: Collection[KeyPath] = (),
    odd_texts: bool = True,
) -> list[Finding]:
    """Everything that is odd about one effective config and needs no service to be seen.

    Args:
        config: the merged config; wrong types in it are left to the type check.
        leaf: whether it is a job of its own, so that it must be complete.
        service: the service that would run it; None where none is known, or where it reads all keys (amlt).
        used: the key paths that this service reads.
        odd_texts: whether any variable or shell line may be odd (`writes_odd_texts` of a file it was merged from).
    """
    findings = list(_of_texts(config, service)) if odd_texts else []
    if leaf:
        findings += _jobs(config)
        if service is not None:
            findings += _lost(config, service, used)
    return findings


def odd_texts(env: dict[str, Json], path: KeyPath, shell: list[tuple[KeyPath, str]]) -> Iterator[Finding]:
    """What is odd about variables at a key path and the shell lines that go with them, wherever a service has those."""
    seen: set[str] = set()
    yield from _variables(env, path)
    yield from _secret_variables(env, path, seen)
    yield from _secret_lines(shell, seen)


def writes_odd_texts(merged: Merged) -> bool:
    """Whether a variable or shell line that a file writes itself is odd; remembered, as many leaves share a base."""
    if merged.odd_texts is None:
        laid = (part.value for part in merged.parts if isinstance(part, Together))
        merged.odd_texts = _holds_odd_texts(merged.file) or any(map(_is_odd, laid))
    return merged.odd_texts


def _holds_odd_texts(file: TemplateFile) -> bool:
    if file.odd_texts is None:
        odd = file.values is not None and _is_odd(file.values)
        object.__setattr__(file, "odd_texts", odd)  # what was read is not changed by what is remembered of it
        return odd
    return file.odd_texts


def _is_odd(config: dict[str, Json]) -> bool:
    return not _is_plain(config) and any(True for _ in _of_texts(config, "any"))


def _is_plain(config: dict[str, Json]) -> bool:
    """Whether nothing can be odd: a quick look at all texts together, which is right where it says so."""
    names: list[str] = []
    values: list[str] = []
    shell = lines(config, _SETUP)
    for _, job in _all_jobs(config):
        env = at(job, _JOB_ENV)
        if isinstance(env, dict):
            names += env
            values += [each for each in env.values() if type(each) is str]
        shell += lines(job, _COMMAND)
    name, value, line = "\n".join(names), "\n".join(values), "\n".join(shell)
    odd_variable = not all(names) or "=" in name or "\0" in name or "\0" in value or "$" in value
    odd_line = "\0" in line or "$$" in line
    return not odd_variable and not odd_line and hold_no_secret(name, f"{value}\n{line}")


def _of_texts(config: dict[str, Json], service: str | None) -> Iterator[Finding]:
    """What is odd about variables and shell lines, one by one: what no file writes is not in a merged config either."""
    yield from _env_variables(config)
    yield from _shell_lines(config)
    yield from _secrets(config)
    if service is not None:
        yield from _escaped_dollars(config, service)


def _jobs(config: dict[str, Json]) -> Iterator[Finding]:
    jobs = config.get("jobs")
    if isinstance(jobs, list) and len(jobs) > 1:
        more = "the other one is" if len(jobs) == 2 else f"the other {len(jobs) - 1} are"
        message = f"only `jobs[0]` is used, {more} left out: make a template of each, over a common base"
        yield Finding(("jobs", 1), "jobs.extra", message)


def _lost(config: dict[str, Json], service: str, used: Collection[KeyPath]) -> Iterator[Finding]:
    """The keys of the amlt dialect that do nothing here: a word on all, and a warning on each that changes the job."""
    lost: dict[str, list[KeyPath]] = {}
    for path in without_effect(config, used):
        lost.setdefault(str(path[-1]), []).append(path)
    harmless = [path for key, paths in lost.items() if not changes_job(key) for path in paths]
    if harmless:
        message = f"only amlt reads {listed(format_keypath(path) for path in harmless)}: no effect on `{service}`"
        yield Finding(harmless[0], "schema.no-effect", message, on_key=True)
    for key, paths in lost.items():
        if changes_job(key):
            more = f" (and {len(paths) - 1} more of `{paths[0][0]}`)" if len(paths) > 1 else ""
            message = (
                f"only amlt reads `{format_keypath(paths[0])}`{more}: without it the job on `{service}` is another"
            )
            yield Finding(paths[0], "schema.no-effect", message, severity=Severity.WARNING, on_key=True)


def _env_variables(config: dict[str, Json]) -> Iterator[Finding]:
    env = at(config, _ENV)
    if isinstance(env, dict):
        yield from _variables(env, _ENV)


def _variables(env: dict[str, Json], path: KeyPath) -> Iterator[Finding]:
    for name, value in env.items():
        if value is not None and (not name or "=" in name or "\0" in name):
            message = (
                f"a variable cannot be called {json.dumps(name)}: a name is not empty, and holds no `=` and no NUL"
            )
            yield Finding((*path, name), "schema.type", message, on_key=True)
        elif isinstance(value, str) and "\0" in value:
            yield Finding((*path, name), "schema.type", f"the value of {name} holds a NUL, which no variable can")
        elif isinstance(value, str) and "$" in value and (found := _VARIABLE.search(value)):
            variable = value[found.start() :].split()[0]
            message = (
                f"`{brief(variable)}` in {name} is passed on as it stands, nothing replaces it: "
                "set the variable in `command` if the shell of the job should"
            )
            yield Finding((*path, name), "env.unexpanded", message)


def _shell_lines(config: dict[str, Json]) -> Iterator[Finding]:
    for path, text in (each for script in SCRIPTS for each in texts(config, script)):
        if "\0" in text:
            yield Finding(path, "schema.type", "a line of the shell cannot hold a NUL: no shell reads on after one")


def _escaped_dollars(config: dict[str, Json], service: str) -> Iterator[Finding]:
    """The first ``$$NAME``: one slip is made everywhere in a file, so one word is enough."""
    for path, text in (each for script in SCRIPTS for each in texts(config, script)):
        if doubles_dollars(text):
            message = f"`$$` before a name is for amlt; on `{service}` the shell takes it for its process id: write `$`"
            yield Finding(path, "shell.amlt-escape", message)
            return


def _secrets(config: dict[str, Json]) -> Iterator[Finding]:
    """Secrets in plain text, each once, however many jobs repeat it."""
    seen: set[str] = set()
    yield from _secret_lines(list(texts(config, _SETUP)), seen)
    for path, job in _all_jobs(config):
        env = at(job, _JOB_ENV)
        if isinstance(env, dict):
            yield from _secret_variables(env, (*path, *_JOB_ENV), seen)
        yield from _secret_lines(list(texts(job, _COMMAND, path)), seen)


def _secret_variables(env: dict[str, Json], path: KeyPath, seen: set[str]) -> Iterator[Finding]:
    names = list(env)
    by_name = [names[index] for index in suspect_names(names)]
    secrets = {name: {str(env[name])} for name in by_name if named_secret(name, env[name])}
    long = [(name, value) for name, value in env.items() if isinstance(value, str) and len(value) >= SHORTEST_FORM]
    for index in suspects([value for _, value in long]):
        name, value = long[index]
        secrets.setdefault(name, {value[start:end] for start, end in spans(value)})
    for name, found in secrets.items():
        if not found <= seen:
            seen |= found
            reference = f"{{from_env: {brief(name)}}}"
            message = (
                f"{name} is a secret in plain text, and everyone who sees this file can read it: write {reference}, "
                "set it where the job is executed, then change the secret"
            )
            yield Finding((*path, name), "secret.inline", message, suggest=reference)


def _secret_lines(lines: list[tuple[KeyPath, str]], seen: set[str]) -> Iterator[Finding]:
    for index in suspects([text for _, text in lines]):
        path, text = lines[index]
        found = {text[start:end] for start, end in spans(text)}
        if not found <= seen:
            seen |= found
            message = (
                "there is a secret in plain text here, and everyone who sees this file can read it: put "
                "`NAME: {from_env: NAME}` under `submit_args.env`, write $NAME here, then change the secret"
            )
            yield Finding(path, "secret.inline", message)


def _all_jobs(config: dict[str, Json]) -> Iterator[tuple[KeyPath, dict[str, Json]]]:
    jobs = config.get("jobs")
    for index, job in enumerate(jobs) if isinstance(jobs, list) else ():
        if isinstance(job, dict):
            yield ("jobs", index), job
    template = at(config, ("search", "job_template"))
    if isinstance(template, dict):
        yield ("search", "job_template"), template
