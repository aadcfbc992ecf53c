"""`aj jobs`: the jobs that the submission daemon of this machine keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from click import style

from ajkit.cli.invocation import Invocation, this
from ajkit.cli.options import format_option
from ajkit.cli.terminal import Tagged, columns, one_line, pour, say, visible, write
from ajkit.cli.verbs import Verb
from ajkit.shared.problem import AjError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ajkit.client.daemon import Daemon
    from ajkit.shared.contract import JobInfo
    from ajkit.shared.job.execution import JobEvent, JobState

COLOURS = {"done": "green", "failed": "red", "lost": "red", "rejected": "red", "running": "cyan"}
LISTED = 20
COMPLETED = 50


def job_ids(context: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """Complete the ids of recent jobs; a daemon that does not run is not started for it."""
    from ajkit.client.daemon import Daemon

    invocation = context.find_object(Invocation)
    try:
        daemon = Daemon.connect(start=False, environ=invocation.environ if invocation else None)
        return [each.id for each in daemon.jobs(most=COMPLETED) if each.id.startswith(incomplete)]
    except AjError:
        return []


def job_argument(function: Any) -> Any:
    """The argument JOB: an id, or the beginning of one; parameter `job`."""
    return click.argument("job", metavar="JOB", shell_complete=job_ids)(function)


@click.group(
    invoke_without_command=True,
    subcommand_metavar="[list | show | logs | cancel] ...",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.pass_context
def command(context: click.Context) -> None:
    """List, show, follow and cancel jobs. Without a word after it: list.

    Jobs are kept by the submission daemon of this machine; it is started when it is asked. A job is named by its id, or
    the beginning of it.
    """
    if context.invoked_subcommand is None:
        context.invoke(list_jobs)


@command.command(
    "list",
    cls=Verb,
    examples=[
        ("aj jobs list", "the newest jobs"),
        ("aj jobs list --live", "those that have not ended"),
        ("aj jobs list -n 100 --format json", "for scripts"),
    ],
)
@click.option("--live", is_flag=True, help="Only jobs that have not ended.")
@click.option("--owner", metavar="NAME", help="Only those that this token of a team submitted.")
@click.option("-n", "most", type=click.IntRange(min=1), default=LISTED, show_default=True, help="At most so many.")
@format_option("text", "json")
@click.pass_context
def list_jobs(
    context: click.Context, *, live: bool = False, owner: str | None = None, most: int = LISTED, form: str = "text"
) -> None:
    """List jobs, newest first."""
    found = list(_daemon(this(context)).jobs(live=True if live else None, owner=owner, most=most))
    if form == "json":
        write(_json([each.model_dump(mode="json") for each in found]))
    elif not found:
        of_all = "There are no jobs." if not live else "There are no jobs that have not ended."
        say("There are no such jobs." if owner else of_all)
    else:
        words = ["ID", "NAME", "SERVICE", "NODES", "STATE", "SINCE (UTC)", "EXIT"]
        rows = [[style(word, bold=True) for word in words], *(_cells(each) for each in found)]
        if any(each.owner for each in found):
            owners = [style("OWNER", bold=True), *(one_line(each.owner) for each in found)]
            rows = [[*row[:2], owner, *row[2:]] for row, owner in zip(rows, owners, strict=True)]
        write(columns(rows))


def _cells(job: JobInfo) -> list[str]:
    code = "" if job.exit_code is None else str(job.exit_code)
    since = job.changed_at[:19].replace("T", " ")
    return [job.id, one_line(job.name), job.service, str(job.nodes), _state(job.state), since, code]


def _state(state: JobState) -> str:
    return style(state.value, fg=COLOURS.get(state.value, "yellow"))


@command.command("show", cls=Verb, examples=[("aj jobs show 4k2m9x0qpa", "what became of it, step by step")])
@job_argument
@format_option("text", "json")
@click.pass_context
def show(context: click.Context, *, job: str, form: str) -> None:
    """Say what a job is and what happened to it; the JSON holds its JobSpec too."""
    write(job_text(job, form, this(context)))


def is_job(job_id: str, invocation: Invocation) -> bool:
    """Whether the daemon that runs here knows a job of this id; none is started for the question."""
    from ajkit.client.daemon import Daemon

    try:
        Daemon.connect(start=False, environ=invocation.environ).job(job_id)
    except AjError:
        return False
    return True


def job_text(given: str, form: str, invocation: Invocation) -> str:
    """What a job is and what happened to it, as text or JSON.

    Raises:
        UsageError: there is no such job, or more than one.
    """
    daemon = _daemon(invocation)
    job_id = _found(daemon, given)
    detail = daemon.job(job_id)
    steps = list(_past(daemon.events(job_id), detail.job.state))
    if form == "json":
        return _json({**detail.model_dump(mode="json"), "events": [each.model_dump(mode="json") for each in steps]})
    job, spec = detail.job, detail.spec
    rows = [
        ["state", _state(job.state) + (f": {visible(job.message)}" if job.message else "")],
        ["exit code", "–" if job.exit_code is None else str(job.exit_code)],
        ["template", one_line(job.template_name)],
        *([["owner", one_line(job.owner)]] if job.owner else []),
        ["service", job.service + (f", as {one_line(job.backend_id)}" if job.backend_id else "")],
        ["shape", f"{job.nodes} node{'' if job.nodes == 1 else 's'}, {job.processes_per_node} to launch on each"],
        ["spec_sha256", job.spec_sha256],
    ]
    if spec.experiment:
        rows.insert(3, ["experiment", one_line(spec.experiment)])
    events = [[each.at[:19].replace("T", " "), _state(each.state), visible(each.message)] for each in steps]
    return f"{style(one_line(job.name), bold=True)}\n{columns(rows)}\n{columns(events)}"


def _past(events: Iterable[JobEvent], state: JobState) -> Iterable[JobEvent]:
    """The events up to the present state: those to come are not waited for."""
    for each in events:
        yield each
        if each.state is state:
            return


@command.command(
    "logs",
    cls=Verb,
    examples=[
        ("aj jobs logs 4k2m9x0qpa", "what it has said so far"),
        ("aj jobs logs -f 4k2m9x0qpa", "and what it goes on to say, until it ends"),
    ],
)
@click.option("-f", "--follow", is_flag=True, help="Go on until the job ends, and return its exit code.")
@click.option("--stream", metavar="NAME", help="Only this log: node-0, or node-1.2 for a process of a node.")
@job_argument
@click.pass_context
def logs(context: click.Context, *, job: str, follow: bool, stream: str | None) -> None:
    """Print the output of a job, each line marked with its process when there are several.

    Ctrl-C ends the following, not the job.
    """
    daemon = _daemon(this(context))
    job_id = _found(daemon, job)
    info = daemon.job(job_id).job
    lines = Tagged(several=stream is None and (info.nodes > 1 or info.processes_per_node > 1))
    if not follow:
        for each in daemon.logs(job_id, stream=stream):
            lines.add(each.stream, each.text)
        lines.finish()
        return
    from ajkit.client.daemon import LogLine

    for step in daemon.follow(job_id, stream=stream):
        if isinstance(step, LogLine):
            lines.add(step.stream, step.text)
    lines.finish()
    ended = daemon.job(job_id).job
    context.exit(ended.exit_code if ended.exit_code is not None else 0 if ended.state.value == "done" else 1)


@command.command("cancel", cls=Verb, examples=[("aj jobs cancel 4k2m9x0qpa", "stop it, with all its processes")])
@click.option("--no-wait", is_flag=True, help="Do not wait until it has stopped.")
@job_argument
@click.pass_context
def cancel(context: click.Context, *, job: str, no_wait: bool) -> None:
    """Stop a job with all its processes, and wait until its engine confirms it."""
    daemon = _daemon(this(context))
    job_id = _found(daemon, job)
    info = daemon.cancel(job_id)
    if not info.state.is_terminal and not no_wait:
        for _ in daemon.events(job_id):
            pass
        info = daemon.job(job_id).job
    pour(f"{job_id} {info.state.value}\n")


def _daemon(invocation: Invocation) -> Daemon:
    from ajkit.client.daemon import Daemon

    return Daemon.connect(environ=invocation.environ)


def _found(daemon: Daemon, given: str) -> str:
    """The id of the job that is meant by an id or the beginning of one.

    Raises:
        UsageError: none, or more than one.
    """
    from ajkit.client.wire import DaemonRefused

    if not given:
        raise UsageError("which job? Its id is empty")
    if len(given) == 10:
        try:
            return daemon.job(given).job.id
        except DaemonRefused as error:
            if error.code not in ("job.missing", "request.invalid"):
                raise
    found = [each.id for each in daemon.jobs() if each.id.startswith(given) or each.name == given]
    if len(found) == 1:
        return found[0]
    if not found:
        raise UsageError(f"there is no job {given} on this machine: aj jobs list shows them")
    raise UsageError(f"{given} may be any of {', '.join(found[:5])}: write more of the id")


def _json(value: object) -> str:
    import json

    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
