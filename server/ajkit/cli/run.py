"""`aj run`: a template becomes a job; it is submitted and followed to its end, or only shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict

import click

from ajkit.cli.invocation import this
from ajkit.cli.options import (
    Asked,
    files,
    folders,
    home_option,
    overlay_options,
    shape_options,
    template_option,
)
from ajkit.cli.reports.text import report
from ajkit.cli.terminal import say, write
from ajkit.cli.verbs import Verb
from ajkit.shared.problem import Refused, Severity
from ajkit.shared.template.names import template_path

if TYPE_CHECKING:
    from typing import Unpack

    from ajkit.cli.invocation import Invocation
    from ajkit.engine import Engine
    from ajkit.shared.job.plan import Plan
    from ajkit.shared.template.overlay import Overlays


class Given(TypedDict):
    """What the command line says, by parameter."""

    template: str | None
    asked: Asked
    overlays: Overlays
    name: str | None
    experiment: str | None
    code: str | None
    shell: bool
    all_jobs: bool
    dry_run: bool
    reveal: bool
    form: Literal["json", "yaml"] | None
    sid: str | None
    now: str | None
    detach: bool
    home: str | None
    words: tuple[str, ...]


@click.command(
    cls=Verb,
    context_settings={"allow_interspersed_args": False},
    examples=[
        ("aj run", "the only (or the default) template, as it stands"),
        ("aj run -t train -n 2 -p 8", "two nodes with eight GPUs each"),
        ("aj run -t train python train.py --lr 0.1", "with a command of its own, after the template's"),
        ("aj run -t train --set target.queue=long --env LR=0.1", "with values laid over it"),
        ("aj run --shell 'make && ./train'", "a line for the shell"),
        ("aj run -t train --dry-run", "print the job, and submit nothing"),
        ("aj run -t train --detach", "submit it and print its id"),
    ],
)
@template_option
@shape_options
@overlay_options
@click.option("--name", metavar="NAME", help="The job's name, before its id. Else AJ_NAME, else jobs[0].name.")
@click.option("-e", "--experiment", metavar="NAME", help="The experiment it belongs to.")
@click.option(
    "--code",
    metavar="DIR",
    shell_complete=folders,
    help="The folder whose content runs, instead of code.local_dir; relative to the project folder (where AJ_HOME is).",
)
@click.option("--shell", is_flag=True, help="Take COMMAND, one word, as a line for the shell.")
@click.option("--all-jobs", is_flag=True, help="With --amlt: keep the other jobs of the template, as they are.")
@click.option("--dry-run", is_flag=True, help="Print the JobSpec, secrets masked, and submit nothing.")
@click.option("--reveal", is_flag=True, help="With --dry-run: do not mask secrets; these are the bytes of spec_sha256.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["json", "yaml"], case_sensitive=False),
    help="With --dry-run: how to print it.  [default: json]",
)
@click.option("--sid", metavar="ID", help="The job's id, ten of a-z and 0-9. Else AJ_SID, else drawn.")
@click.option("--now", metavar="TIME", help="The time of submission, ISO 8601 in UTC. Else AJ_NOW, else the clock.")
@click.option("--detach", is_flag=True, help="Print the job's id once it is taken, and do not follow it.")
@home_option
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="[COMMAND]...", shell_complete=files)
@click.pass_context
def command(context: click.Context, **given: Unpack[Given]) -> None:
    """Run a job from a template.

    The template is resolved and checked, and becomes one JobSpec: what is wrong with it is said before anything is
    sent. The job goes to the submission daemon of this machine, which keeps it whatever happens to this terminal; its
    output is followed here, each line marked with its node when there are several, and its exit code is returned.

    The shape comes from -n, -p and --ppn, else from the template. COMMAND is added to the template's own commands, each
    word quoted. Options of aj come before it: from its first word on, everything belongs to the command. Where the
    first word is a .py or .sh file of the code folder, it runs with python or bash.

    Ctrl-C asks whether to cancel the job or to leave it running; without a terminal it cancels.

    A dry run prints exactly what an editor previews; it, too, refuses what cannot run. Its sid and time are fixed
    (zeros, 1970) unless they are given, so that the same template gives the same text.
    """
    invocation = this(context)
    _check_together(given)
    plan = _planned(given, invocation)
    if plan.spec is None:
        raise Refused(plan.problems)
    report([each for each in plan.problems if each.severity is Severity.WARNING], invocation.folder)
    if given["dry_run"]:
        from ajkit.shared.job.render import rendering

        text = rendering(plan, reveal=given["reveal"], form=given["form"] or "json")
        assert text is not None
        write(text)
        say(f"spec_sha256: {plan.digest}")
        return
    from ajkit.cli.follow import submit_and_follow

    context.exit(submit_and_follow(plan, invocation, detach=given["detach"]))


def _check_together(given: Given) -> None:
    """Refuse options that mean nothing together."""
    if not given["dry_run"]:
        for option, there in (("--reveal", given["reveal"]), ("--format", given["form"])):
            if there:
                raise click.UsageError(f"{option} is for --dry-run")
    elif given["detach"]:
        raise click.UsageError("--dry-run submits nothing, so there is nothing to --detach from")
    if given["all_jobs"] and not given["asked"].amlt:
        raise click.UsageError("--all-jobs is for --amlt: everything else runs jobs[0] alone")


def _planned(given: Given, invocation: Invocation) -> Plan:
    from ajkit.shared.job.request import PREVIEW_NOW, PREVIEW_SID, Ambient, JobRequest

    engine = invocation.engine(given["home"])
    asked = given["asked"]
    request = JobRequest(
        engine.find(given["template"]),
        asked.nodes,
        asked.selector,
        asked.processes,
        given["overlays"],
        name=given["name"],
        experiment=given["experiment"],
        code_dir=given["code"],
        command=given["words"],
        shell=given["shell"],
        amlt=asked.amlt,
        all_jobs=given["all_jobs"],
    )
    _hint_at_template(given, engine)
    sid = given["sid"] or invocation.environ.get("AJ_SID")
    now = given["now"] or invocation.environ.get("AJ_NOW")
    if given["dry_run"]:
        sid, now = sid or PREVIEW_SID, now or PREVIEW_NOW
    caller_name = invocation.environ.get("AJ_NAME") or None
    facts = Ambient(sid or invocation.new_sid(), now or invocation.now(), caller_name)
    return engine.plan(request, facts)


def _hint_at_template(given: Given, engine: Engine) -> None:
    """`aj run train` runs the command `train`; where a template has that name, it was probably meant."""
    words = given["words"]
    if len(words) == 1 and given["template"] is None and not given["shell"]:
        home = engine.home_here()
        if home is not None and engine.files.kind(template_path(words[0], home)) == "file":
            say(f"`{words[0]}` is run as a command here; the template of that name is run by: aj run -t {words[0]}")
