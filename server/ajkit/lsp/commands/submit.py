"""Commands that make a job of a template: a dry run that shows it, and the submission of exactly what was shown."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from ajkit.lsp import convert
from ajkit.lsp.arguments import Arguments
from ajkit.lsp.asked import given_fact
from ajkit.lsp.failure import INVALID_PARAMS, REQUEST_CANCELLED, RequestFailed
from ajkit.lsp.submitting import extent_of, folder_of, plan_of, send, summary, unsaved_files
from ajkit.lsp.telling import problems_data, versioned
from ajkit.lsp.threads import in_thread, to_the_end
from ajkit.shared.problem import AjError, Refused

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ajkit.lsp.capabilities import Client
    from ajkit.lsp.session import Session
    from ajkit.lsp.submitting import Outcome
    from ajkit.shared.job.plan import Plan
    from ajkit.shared.problem import Problem


async def dry_run(session: Session, _client: Client, arguments: list[Any]) -> dict[str, Any]:
    """`aj.dryRun` (uri, request): the job that would be submitted now, secrets masked, and nothing is sent.

    `request` holds members like those of `aj run`: nodes, processes, ppn, command, shell, with, set, env, name,
    experiment, code, amlt. The answer's `sid`, `now` and `spec_sha256` go into the request of `aj.submit`; the digest
    is null while `problems` stand in the way. `unsaved` lists the files whose open buffers count.
    """
    given = Arguments(arguments, ("uri", "request"))
    plan = plan_of(session, given.template(), given.mapping("request"))
    problems = list(plan.problems)
    code = None
    if plan.spec is not None:
        spec, folder, home = plan.spec, folder_of(plan), plan.resolved.home
        try:
            code = await in_thread(lambda: extent_of(spec, folder, home))
        except Refused as refused:
            problems += refused.problems
    session.seen.keep(plan)
    from ajkit.shared.job.render import rendering

    return versioned(
        text=rendering(plan),
        spec_sha256=plan.digest,
        sid=plan.ambient.sid,
        now=plan.ambient.now,
        problems=problems_data(session, problems),
        summary=summary(plan, code) if plan.spec is not None else None,
        unsaved=_unsaved(session, plan),
    )


async def submit(session: Session, _client: Client, arguments: list[Any]) -> dict[str, Any]:
    """`aj.submit` (uri, request): submit what `aj.dryRun` showed; its `sid`, `now` and digest are in the request.

    The answer has the job's id and how to follow it. An error says why nothing was submitted; its data hold a `reason`
    (``problems``, ``unseen``, ``changed``, ``refused``, ``unreachable``, ``stopped``), the `problems` and the first
    `location`. Sent twice, it is one job. The person can stop it: then nothing was submitted, or what was is being
    cancelled.
    """
    given = Arguments(arguments, ("uri", "request"))
    request = given.mapping("request")
    plan = plan_of(session, given.template(), request)
    if plan.spec is None:
        raise _refused(session, plan.problems)
    _check_seen(session, plan, request)
    progress = session.progress(f"Submitting {plan.spec.name}", stoppable=True)
    loop = asyncio.get_running_loop()

    def report(words: str) -> None:
        loop.call_soon_threadsafe(progress.report, words)

    try:
        outcome = await to_the_end(
            lambda: send(plan, session.surroundings.environ, report, progress.stopped), progress.stopped
        )
    except Refused as refused:
        raise _refused(session, refused.problems) from refused
    except AjError as error:
        raise _failed(error) from error
    finally:
        progress.end()
    return _answer(session, plan, outcome)


def _answer(session: Session, plan: Plan, outcome: Outcome) -> dict[str, Any]:
    job = outcome.job
    if outcome.stopped or job is None:
        words = "stopped: nothing was submitted"
        if job is not None:
            words = f"stopped: the job {job.id} had been taken already, and is being cancelled"
        raise RequestFailed(words, REQUEST_CANCELLED, {"reason": "stopped", "job": job.id if job else None})
    unsaved = _unsaved(session, plan)
    names = ", ".join(each["path"].rpartition("/")[2] for each in unsaved)
    return versioned(
        job={"id": job.id, "name": job.name, "service": job.service, "state": job.state.value},
        spec_sha256=job.spec_sha256,
        unsaved=unsaved,
        message=f"{job.name} is taken as {job.id}" + (f", with unsaved changes of {names}" if names else ""),
        follow={
            "terminal": f"aj jobs logs -f {job.id}",
            "command": "aj.jobLogs",
            "arguments": [{"job": job.id}],
        },
    )


def _check_seen(session: Session, plan: Plan, request: dict[str, Any]) -> None:
    """Refuse a job that the person has not seen, or that has become another one since.

    Raises:
        RequestFailed: with the fields that differ, as far as they are known.
    """
    digest = given_fact("spec_sha256", request)
    if digest is None or given_fact("sid", request) is None or given_fact("now", request) is None:
        raise RequestFailed(
            "nothing says which job is meant: run aj.dryRun, show its text, and pass its spec_sha256, sid and now on",
            INVALID_PARAMS,
            {"reason": "unseen"},
        )
    if digest == plan.digest:
        return
    fields = session.seen.changed(digest, plan)
    what = f": {', '.join(fields)} differ" if fields else ""
    raise RequestFailed(
        f"the job has changed since you looked at it{what}; look at it again, then submit",
        data={"reason": "changed", "fields": fields, "spec_sha256": plan.digest},
    )


def _refused(session: Session, problems: Sequence[Problem]) -> RequestFailed:
    """The problems in the way, in words and as data; the editor can go to the first place."""
    errors = [each for each in problems if each.is_error]
    words = "\n".join(f"{each.code}: {each.message}" for each in errors)
    told = problems_data(session, problems)
    place = next(({"uri": each["uri"], "range": each["range"]} for each in told if _is_placed(each)), None)
    data = {"reason": "problems", "problems": told, "location": place}
    return RequestFailed(f"not submitted:\n{words}", data=convert.wire(data, session.encoding))


def _is_placed(problem: dict[str, Any]) -> bool:
    return problem["severity"] == 1 and problem["uri"] is not None


def _failed(error: AjError) -> RequestFailed:
    """What the daemon said, or that it said nothing; the key makes a second try safe."""
    document = getattr(error, "document", None)
    if document is not None:
        return RequestFailed(str(error), data={"reason": "refused", "document": document.model_dump(mode="json")})
    again = "submitting again with the same sid and time is safe: it stays one job"
    return RequestFailed(f"{error}; {again}", data={"reason": "unreachable"})


def _unsaved(session: Session, plan: Plan) -> list[dict[str, str]]:
    return [{"uri": session.uri_of(each), "path": each} for each in unsaved_files(session, plan)]
