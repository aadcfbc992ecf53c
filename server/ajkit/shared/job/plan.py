"""The plan of a job: a resolved template and a request become a JobSpec, or all the reasons why there is none."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ajkit.shared.job.build import Materials, build
from ajkit.shared.job.describe import describe
from ajkit.shared.job.moves import with_moves
from ajkit.shared.job.request import Ambient, JobRequest
from ajkit.shared.job.service import choose_service
from ajkit.shared.job.shape import Sizing, size
from ajkit.shared.job.spec import JobSpec, spec_digest
from ajkit.shared.job.trails import FieldTrail, explain_field
from ajkit.shared.problem import Finding, Problem, Refused, Severity, UsageError, in_order

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ajkit.shared.job.shape import Report
    from ajkit.shared.sku import Shape
    from ajkit.shared.spec import Registry, Service
    from ajkit.shared.template.model import Template
    from ajkit.shared.template.resolve import Resolved
    from ajkit.shared.where import Json

_SID = re.compile(r"[a-z0-9]{10}")
_UNDECODED = re.compile("[\ud800-\udfff]")
"""What Python makes of bytes of the command line that are no text."""

RUN_ONLY = frozenset({"shape.missing", "command.missing", "code.missing"})
"""Codes of what a run refuses though the file is fine: it can be given by hand, or is not on this machine."""


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


def plan(
    resolved: Resolved,
    request: JobRequest,
    ambient: Ambient,
    services: Registry,
    *,
    template: Template | None,
    found: Iterable[Problem] = (),
) -> Plan:
    """Work out a job, with all problems in one pass; nothing is run and nothing outside is asked.

    Args:
        resolved: the template, resolved with the request's overlays.
        request: what is asked for.
        ambient: the facts it is asked under.
        services: the services there are.
        template: the typed Template of the resolved config; None where its types are wrong.
        found: what was found in it already, whichever service will run it.

    Raises:
        UsageError: the request itself makes no sense (two words after ``--shell``, bytes that are no text, a bad sid).
    """
    _check_call(request, ambient)
    return _plan(resolved, request, ambient, services, template, [*resolved.problems, *found], to_run=True)


def leaf_problems(
    resolved: Resolved, services: Registry, *, template: Template | None, found: Iterable[Problem] = ()
) -> tuple[Problem, ...]:
    """What is wrong with a leaf as a file, before anybody asks for a run: what `aj check` and the editor show.

    Args: as for `plan`.
    """
    asked, facts = JobRequest(resolved.path), Ambient()
    made = _plan(resolved, asked, facts, services, template, [*resolved.problems, *found], to_run=False)
    return tuple(each for each in made.problems if each.code not in RUN_ONLY and each.span is not None)


def _plan(
    resolved: Resolved,
    request: JobRequest,
    ambient: Ambient,
    services: Registry,
    template: Template | None,
    problems: list[Problem],
    *,
    to_run: bool,
) -> Plan:
    if template is None:
        return Plan(resolved, request, ambient, tuple(in_order(problems)))
    choice = choose_service(template.target.service, request, services, to_run=to_run)
    reports: list[Report] = [*choice.findings]
    service = choice.service
    described = describe(service, template) if service is not None else None
    shaped = described
    if choice.named is not None and choice.named is not service:
        shaped = describe(choice.named, template)
    if described is not None:
        reports += described.findings
    sizing, of_size = size(
        resolved.config,
        request,
        service,
        shaped.shape if shaped else None,
        failed=bool(shaped and shaped.failed),
    )
    reports += of_size
    if service is None or described is None:
        return Plan(resolved, request, ambient, _placed(resolved, problems, reports))
    materials = Materials(resolved, template, request, ambient, service, described.options, sizing)
    draft, of_build = build(materials)
    known = _placed(resolved, problems, [*reports, *of_build, *_other_jobs(materials)])
    if request.amlt:
        known = tuple(each for each in known if each.code != "jobs.extra" or each.severity is Severity.WARNING)
    refused = described.options is None or not sizing.complete or any(each.is_error for each in known)
    spec = None if refused else JobSpec.model_validate(draft)
    return Plan(resolved, request, ambient, known, draft, spec, materials)


def _other_jobs(materials: Materials) -> list[Finding]:
    """A service that takes the whole template would run the other jobs too: it is said that they stay behind."""
    others = len(materials.template.jobs) - 1
    if not materials.service.takes_all or materials.request.all_jobs or others < 1:
        return []
    whose = "another job" if others == 1 else f"{others} other jobs"
    message = f"{whose} of this template will not run: only jobs[0] does, unless you give --all-jobs"
    return [Finding(("jobs", 1), "jobs.extra", message, severity=Severity.WARNING)]


def _placed(resolved: Resolved, problems: list[Problem], reports: list[Report]) -> tuple[Problem, ...]:
    findings = [each for each in reports if isinstance(each, Finding)]
    of_flags = [each for each in reports if isinstance(each, Problem)]
    return tuple(in_order([*problems, *of_flags, *with_moves(resolved, resolved.place(findings))]))


def _check_call(request: JobRequest, ambient: Ambient) -> None:
    if not _SID.fullmatch(ambient.sid):
        raise UsageError(f"a job's id is ten lower-case letters or digits, not {ambient.sid!r}")
    overlays = request.overlays
    texts = [request.name, request.experiment, request.code_dir, ambient.caller_name, ambient.now]
    for text in [*texts, *request.command, *ambient.ignore_file, *overlays.bases, *overlays.sets, *overlays.env]:
        if text is not None and _UNDECODED.search(text):
            raise UsageError(f"not UTF-8 text: {text!r}")
