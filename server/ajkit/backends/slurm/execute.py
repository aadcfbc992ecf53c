"""Runs jobs on Slurm: a readable batch script for `sbatch`, here or on a login node, and `srun` for every process."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
from functools import partial
from typing import TYPE_CHECKING

from ajkit.backends.slurm import programs
from ajkit.backends.slurm.answers import read_refusal, read_status
from ajkit.backends.slurm.describe import SlurmOpts
from ajkit.backends.slurm.listing import Listing
from ajkit.backends.slurm.script import BATCH, BATCH_LOG, files, processes
from ajkit.backends.slurm.site import Silent, Site
from ajkit.backends.slurm.values import ask_values
from ajkit.shared.job.execution import (
    LogChunk,
    LogStream,
    OutcomeUnknown,
    Rejected,
    Rendered,
    Unavailable,
)
from ajkit.shared.job.secretrefs import missing_secrets, resolved, shown
from ajkit.shared.job.slots import base_environment
from ajkit.shared.problem import problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ajkit.shared.job.execution import Handle, LiveValue, Status, Submission
    from ajkit.shared.job.spec import JobSpec
    from ajkit.shared.problem import Problem

_ASK_SECONDS, _PLACE_SECONDS, _SUBMIT_SECONDS = 15.0, 600.0, 90.0
_PLACED, _STOPPED, _OVER = "slurm.json", "stopped", "over"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_BASH_OWNS = {"BASHOPTS", "BASH_VERSINFO", "EUID", "PPID", "SHELLOPTS", "UID"}
_FAR_FOLDER = '"$HOME"/.local/share/aj'
"""Where jobs lie on a login node, as a bash word: home folders are what clusters share."""


class SlurmExecution:
    """The service `slurm`.

    A job lies in a folder that the nodes can see: its code, scripts and logs, ``id`` once sbatch has answered,
    ``claim`` once it runs and ``result`` when it has ended. That is the job's own folder of the daemon, or one below
    ``AJ_SLURM_FOLDER``, or one in the home folder of the login node.
    """

    name = "slurm"
    poll_seconds = 1.0

    def __init__(self) -> None:
        self._listing = Listing()

    def check(self, spec: JobSpec) -> Sequence[Problem]:
        """See `Execution.check`: secrets that cannot be read, variables that bash cannot set, and no sbatch here."""
        found = [problem("slurm.secret", each, None) for each in missing_secrets(spec.env, os.environ, _text_of)]
        found += [problem("slurm.env", each, None) for each in _impossible(spec)]
        folder = os.environ.get("AJ_SLURM_FOLDER", "")
        if folder and not folder.startswith("/"):
            message = f"AJ_SLURM_FOLDER of the submission daemon is {folder!r}: it must be an absolute path"
            found.append(problem("slurm.folder", message, None))
        if _options(spec).host is None and shutil.which("sbatch") is None:
            message = (
                "there is no `sbatch` where the submission daemon runs: start it on a login node of the cluster, or "
                "name one in _extra.slurm.host"
            )
            found.append(problem("slurm.missing", message, None))
        return found

    def submit(self, job: Submission, report: Callable[[str], None]) -> str:
        """See `Execution.submit`."""
        if job.code is None:
            raise Rejected("the job has no code")
        options, site = _options(job.spec), _site(job)
        values = resolved(job.spec.env, os.environ, _text_of)
        ticket = os.urandom(8).hex()
        report("laying out the code")
        with open(job.code.archive, "rb") as archive:
            placed = site.run(programs.place(_place(job), ticket), _PLACE_SECONDS, feed=archive)
        programs.expect_done(site, placed)
        folder = placed.text.splitlines()[0]
        _remember(job, folder)
        program = programs.submit(folder, ticket, files(job.spec, options, job.token, folder), values)
        try:
            said = site.run(program, _SUBMIT_SECONDS)
        except Silent as error:
            raise OutcomeUnknown(str(error)) from None
        if said.code == programs.REFUSED:
            raise read_refusal(said.errors)
        programs.expect_done(site, said, OutcomeUnknown)
        return _first_number(said.text)

    def find(self, job: Submission) -> str | None:
        """See `Execution.find`."""
        site = _site(job)
        said = site.run(programs.find(_place(job), job.token), _ASK_SECONDS * 3)
        programs.expect_done(site, said)
        return _first_number(said.text) if said.text.strip() else None

    def status(self, handle: Handle) -> Status:
        """See `Execution.status`."""
        site = _site(handle.job)
        return self._listing.status(site, handle.backend_id, partial(_ask, site, handle))

    def streams(self, handle: Handle) -> Sequence[LogStream]:
        """See `Execution.streams`: one log for each process, and what Slurm itself had to say where it did."""
        sizes = _log_sizes(handle.job)
        slots = processes(handle.job.spec, _options(handle.job.spec))
        found = [LogStream(each.name, each.node) for each in slots if each.name in sizes]
        return [*found, LogStream(BATCH_LOG, 0)] if sizes.get(BATCH_LOG) else found

    def logs(self, handle: Handle, stream: str, offset: int, limit: int) -> LogChunk:
        """See `Execution.logs`."""
        job = handle.job
        if stream not in {BATCH_LOG, *(each.name for each in processes(job.spec, _options(job.spec)))}:
            raise KeyError(stream)
        over = os.path.exists(os.path.join(job.folder, _OVER))
        data = _read_log(job, f"{stream}.log", offset, limit)
        return LogChunk(data, offset + len(data), over and len(data) < limit)

    def cancel(self, handle: Handle) -> None:
        """See `Execution.cancel`."""
        _mark(handle.job, _STOPPED)
        site = _site(handle.job)
        programs.expect_done(site, site.run(programs.stop(handle.backend_id), _ASK_SECONDS))

    def forget(self, job: Submission) -> None:
        """See `Leftovers.forget`: the folder of a job goes where it is not the daemon's own."""
        folder = _folder(job)
        # What is removed with all that is in it must be a job's, whatever is written down.
        if folder != job.folder and folder.startswith("/") and os.path.basename(folder) == job.token:
            site = _site(job)
            said = site.run(programs.remove(folder), _PLACE_SECONDS)
            if said.code:
                raise Unavailable(f"{site}: {folder} cannot be removed: {said.errors}")

    def render(self, job: Submission) -> Rendered:
        """See `Execution.render`."""
        options = _options(job.spec)
        folder = _place(job, shown_only=True)
        variables = "".join(f"{name}={value}\n" for name, value in shown(job.spec.env).items())
        return Rendered({**files(job.spec, options, job.token, folder), "environment.txt": variables})

    def dry_run(self, job: Submission) -> str | None:
        """See `Execution.dry_run`: ``sbatch --test-only``."""
        site = _site(job)
        folder = _place(job, shown_only=True)
        script = files(job.spec, _options(job.spec), job.token, folder)[BATCH]
        said = site.run(programs.opinion(script), _ASK_SECONDS)
        if said.code == programs.REFUSED:
            error = read_refusal(said.errors)
            raise Unavailable(str(error)) if isinstance(error, OutcomeUnknown) else error
        programs.expect_done(site, said)
        return said.errors.removeprefix("sbatch: ")

    def values(self, kind: str) -> Sequence[LiveValue]:
        """See `LiveValues.values`: partitions (``queues``), ``accounts`` and ``qos`` of the cluster that is here."""
        return ask_values(_here({}), kind)


def _ask(site: Site, handle: Handle) -> Status:
    """What Slurm, its accounting and the job itself say about one job."""
    job = handle.job
    folder = _folder(job)
    said = site.run(programs.ask(folder, handle.backend_id), _ASK_SECONDS)
    programs.expect_done(site, said)
    status = read_status(
        said.text,
        asked_to_stop=os.path.exists(os.path.join(job.folder, _STOPPED)),
        limit=job.spec.time_limit_seconds,
        folder=folder,
    )
    if status.state.is_terminal:
        _mark(job, _OVER)
    return status


def _options(spec: JobSpec) -> SlurmOpts:
    return SlurmOpts.model_validate(spec.backend_spec)


def _site(job: Submission) -> Site:
    host = _options(job.spec).host
    if host is not None:
        return Site(os.environ, host)
    return _here(job.caller)


def _here(caller: Mapping[str, str]) -> Site:
    """The cluster that the commands of this machine belong to."""
    kept = {name: value for name, value in os.environ.items() if name == "SLURM_CONF"}
    return Site({**base_environment(os.environ, caller), **kept})


def _place(job: Submission, *, shown_only: bool = False) -> str:
    """The folder of a job where Slurm is: a bash word, or as text to be shown."""
    chosen = os.environ.get("AJ_SLURM_FOLDER")
    if chosen:
        path = f"{chosen.rstrip('/')}/{job.token}"
        return path if shown_only else shlex.quote(path)
    if _options(job.spec).host is None:
        return job.folder if shown_only else shlex.quote(job.folder)
    return f"‹home folder›/.local/share/aj/{job.token}" if shown_only else f"{_FAR_FOLDER}/{job.token}"


def _remember(job: Submission, folder: str) -> None:
    """Write down where a job lies, which the daemon's settings may say otherwise one day."""
    os.makedirs(job.folder, mode=0o700, exist_ok=True)
    place = os.path.join(job.folder, _PLACED)
    with open(f"{place}.new", "w", encoding="utf-8") as file:
        json.dump({"folder": folder}, file)
    os.replace(f"{place}.new", place)


def _folder(job: Submission) -> str:
    """The absolute path of a job's folder where Slurm is."""
    try:
        with open(os.path.join(job.folder, _PLACED), encoding="utf-8") as file:
            return str(json.load(file)["folder"])
    except FileNotFoundError:
        return job.folder


def _mark(job: Submission, name: str) -> None:
    os.makedirs(job.folder, mode=0o700, exist_ok=True)
    with open(os.path.join(job.folder, name), "w", encoding="utf-8"):
        pass


def _log_sizes(job: Submission) -> Mapping[str, int]:
    """The bytes of each log that there is, by its name."""
    if _options(job.spec).host is None:
        logs = os.path.join(_folder(job), "logs")
        try:
            found = [(each.name, each.stat().st_size) for each in os.scandir(logs)]
        except FileNotFoundError:
            found = []
    else:
        site = _site(job)
        said = site.run(programs.list_logs(_folder(job)), _ASK_SECONDS)
        found = [(name, int(size)) for size, name in re.findall(r"^\s*(\d+) (\S+\.log)$", said.text, re.MULTILINE)]
    return {name.removesuffix(".log"): size for name, size in found}


def _read_log(job: Submission, name: str, offset: int, limit: int) -> bytes:
    path = os.path.join(_folder(job), "logs", name)
    if _options(job.spec).host is None:
        try:
            with open(path, "rb") as file:
                file.seek(offset)
                return file.read(limit)
        except FileNotFoundError:
            return b""
    return _site(job).read(path, offset, limit, _ASK_SECONDS)


def _first_number(text: str) -> str:
    found = re.search(r"\d+", text)
    if found is None:
        raise OutcomeUnknown(f"sbatch answered {text.strip()!r}, which is no id of a job")
    return found[0]


def _impossible(spec: JobSpec) -> Iterator[str]:
    for name, value in spec.env.items():
        if not _NAME.fullmatch(name):
            yield f"{name!r} is no name of a variable that bash can set: use letters, digits and `_`"
        elif name in _BASH_OWNS:
            yield f"{name} belongs to bash and cannot be set"
        elif name.startswith("SBATCH_"):
            yield f"{name} would be an option of sbatch: set it under _extra.slurm or target, or leave it out"
        elif isinstance(value, str) and "\0" in value:
            yield f"the value of {name} holds a null character"


def _text_of(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


EXECUTIONS = (SlurmExecution(),)
