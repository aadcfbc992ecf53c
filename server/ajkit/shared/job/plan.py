"""The plan of a job: a resolved template and a request become a JobSpec, or all the reasons why there is none."""

from __future__ import annotations

import re
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING

from ajkit.shared.job.build import Materials, build
from ajkit.shared.job.describe import describe
from ajkit.shared.job.env import FACTS, overridden, set_at_run_time
from ajkit.shared.job.names import job_name, name_source
from ajkit.shared.job.request import Ambient, JobRequest
from ajkit.shared.job.shape import Sizing, size
from ajkit.shared.job.spec import JobSpec, spec_digest
from ajkit.shared.problem import Finding, Problem, Refused, Severity, UsageError, in_order
from ajkit.shared.records import dataclass
from ajkit.shared.spec import DerivedShape

if TYPE_CHECKING:
    from ajkit.shared.job.examine import Examined
    from ajkit.shared.job.shape import Report
    from ajkit.shared.job.trails import FieldTrail
    from ajkit.shared.sku import Shape
    from ajkit.shared.spec import Service
    from ajkit.shared.template.resolve import Resolved
    from ajkit.shared.where import Json

_SID = re.compile(r"[a-z0-9]{10}")
_ISO_TIME = re.compile(r"\d{4}-?\d\d-?\d\d(T\d\d:?\d\d(:?\d\d([.,]\d+)?)?(Z|[+-]\d\d(:?\d\d)?)?)?", re.ASCII)
_UNDECODED = re.compile("[\ud800-\udfff]")
"""What Python makes of bytes of the command line that are no text."""

RUN_ONLY = frozenset({"shape.missing", "command.missing", "code.missing"})
"""Codes of what a run refuses though the file is fine: it can be given by hand, or is not on this machine."""

_NO_REQUEST, _NO_FACTS = JobRequest(""), Ambient()


@dataclass(frozen=True, slots=True)
class Plan:
    """What `aj run` would do: dry run, preview and submission all show or send this.

    Attributes:
        resolved: the template.
        request: what was asked for, under which facts.
        ambient: those facts.
        problems: everything wrong with the files, the request and the two together, in order.
        draft: the fields of the JobSpec, with texts like ``‹-n›`` for what is missing; None without a typed template
            and a known service.
        spec: the JobSpec; None while any error stands.
    """

    resolved: Resolved
    request: JobRequest
    ambient: Ambient
    problems: tuple[Problem, ...]
    draft: dict[str, Json] | None = None
    spec: JobSpec | None = None
    materials: Materials | None = None

    @property
    def shape(self) -> Shape | None:
        """The resolved shape of a homogeneous job, as soon as it is known."""
        return self.materials.sizing.shape if self.materials else None

    @property
    def sizing(self) -> Sizing | None:
        """What is known of the shape."""
        return self.materials.sizing if self.materials else None

    @property
    def service(self) -> Service | None:
        """The service that would run the job."""
        return self.materials.service if self.materials else None

    @property
    def digest(self) -> str | None:
        """The ``spec_sha256``; None while there is no JobSpec."""
        return spec_digest(self.spec) if self.spec else None

    def trail(self, field: str) -> FieldTrail | None:
        """Where a field of the JobSpec came from (``nodes``, ``env.LR``, ``code.dir``); None for what is no field."""
        from ajkit.shared.job.trails import explain_field  # noqa: PLC0415  # late: a run explains nothing

        if self.materials is None or self.draft is None:
            return None
        return explain_field(field, self.materials, self.draft)

    def require(self) -> JobSpec:
        """The JobSpec.

        Raises:
            Refused: with all problems.
        """
        if self.spec is None:
            raise Refused(self.problems)
        return self.spec


def plan(resolved: Resolved, request: JobRequest, ambient: Ambient, examined: Examined) -> Plan:
    """Work out a job, with all problems in one pass; nothing is run and nothing outside is asked.

    Args:
        resolved: the template, resolved with the request's overlays.
        request: what is asked for.
        ambient: the facts it is asked under.
        examined: what the examination of the template for this request found.

    Raises:
        UsageError: the request itself makes no sense (two words after ``--shell``, bytes that are no text, a bad sid).
    """
    _check_call(request, ambient)
    problems = [*resolved.problems, *examined.problems]
    template, service, described = examined.template, examined.choice.service, examined.described
    if template is None:
        return Plan(resolved, request, ambient, tuple(in_order(problems)))
    named = examined.choice.named
    shaped = described if named is service or named is None else describe(named, template, resolved.written)
    sizing, reports = size(
        resolved.config,
        request,
        shaped.shape if shaped else None,
        failed=bool(shaped and shaped.failed),
    )
    if service is None or described is None:
        return Plan(resolved, request, ambient, _with(problems, resolved, reports))
    materials = Materials(resolved, template, request, ambient, service, described.options, sizing)
    draft, of_build = build(materials)
    known = _with(problems, resolved, [*reports, *of_build, *_other_jobs(materials)])
    if request.amlt:
        known = tuple(each for each in known if each.code != "jobs.extra" or each.severity is Severity.WARNING)
    refused = described.options is None or not sizing.complete or any(each.is_error for each in known)
    spec = None if refused else JobSpec.model_validate(draft)
    return Plan(resolved, request, ambient, known, draft, spec, materials)


def template_problems(resolved: Resolved, examined: Examined, *, leaf: bool) -> list[Problem]:
    """What is wrong with a template as a file: what `aj check` and the editor show."""
    return leaf_problems(resolved, examined) if leaf else in_order([*resolved.problems, *examined.problems])


def leaf_problems(resolved: Resolved, examined: Examined) -> list[Problem]:
    """What is wrong with a leaf as a file, before anybody asks for a run.

    Besides how it resolves and what its examination (without a request) found, that is what every run would say
    whatever flags it is given: a shape written in the file that its SKU contradicts, a name that cannot be one.
    """
    problems = [*resolved.problems, *examined.problems]
    template, service, described = examined.template, examined.choice.service, examined.described
    if template is None or service is None or described is None:
        return in_order(problems)
    request, ambient = _NO_REQUEST, _NO_FACTS
    _, reports = size(resolved.config, request, described.shape, failed=described.failed)
    reports += overridden(template.job.submit_args.env, _set_by_aj(tasks=described.shape is not None))
    if template.job.name:
        name = job_name(name_source(template, request, ambient, resolved.project), ambient.sid, service)
        reports += [] if isinstance(name, str) else [name]
    return list(_with(problems, resolved, [each for each in reports if each.code not in RUN_ONLY]))


@cache
def _set_by_aj(*, tasks: bool) -> frozenset[str]:
    """The variables that aj sets for every job, or for every job of tasks, whatever their values are."""
    sizing = Sizing(1, 1, 1, derived=DerivedShape(()) if tasks else None)
    return frozenset((*FACTS, *sizing.variables(), *set_at_run_time(tasks=tasks)))


def _other_jobs(materials: Materials) -> list[Finding]:
    """A service that takes the whole template would run the other jobs too: it is said that they stay behind."""
    others = len(materials.template.jobs) - 1
    if not materials.service.takes_all or materials.request.all_jobs or others < 1:
        return []
    whose = "another job" if others == 1 else f"{others} other jobs"
    message = f"{whose} of this template will not run: only jobs[0] does, unless you give --all-jobs"
    return [Finding(("jobs", 1), "jobs.extra", message, severity=Severity.WARNING)]


def _with(problems: list[Problem], resolved: Resolved, reports: list[Report]) -> tuple[Problem, ...]:
    if resolved.stopping:
        # What a base that cannot be read would have said is not missing.
        reports = [each for each in reports if each.code not in RUN_ONLY]
    findings = [each for each in reports if isinstance(each, Finding)]
    of_flags = [each for each in reports if isinstance(each, Problem)]
    placed = resolved.place(findings) if findings else []
    return tuple(in_order([*problems, *of_flags, *placed]))


def _is_time(text: str) -> bool:
    if not _ISO_TIME.fullmatch(text):
        return False
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _check_call(request: JobRequest, ambient: Ambient) -> None:
    if not _SID.fullmatch(ambient.sid):
        raise UsageError(f"a job's id is ten lower-case letters or digits, not {ambient.sid!r}")
    if not _is_time(ambient.now):
        raise UsageError(f"the time of a job is written like 2026-01-31T23:59:00Z, not {ambient.now!r}")
    overlays = request.overlays
    texts = [request.name, request.experiment, request.code_dir, ambient.caller_name, ambient.now]
    for text in [*texts, *request.command, *overlays.bases, *overlays.sets, *overlays.env]:
        if text is not None and _UNDECODED.search(text):
            raise UsageError(f"not UTF-8 text: {text!r}")
    for rule in ambient.ignore_file:
        if _UNDECODED.search(rule):
            raise UsageError(f"the ignore file of the code folder is not UTF-8 text: {rule!r}")
