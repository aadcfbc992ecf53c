"""What can be said of one effective config without running it: types, checks, and what its service makes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ajkit.shared.job.additions import with_additions
from ajkit.shared.job.describe import Described, describe
from ajkit.shared.job.moves import with_moves
from ajkit.shared.job.service import SERVICE_PATH, Choice, choose_service
from ajkit.shared.records import dataclass
from ajkit.shared.sku import SKU_PATH, check_sku
from ajkit.shared.spec import extra_fields
from ajkit.shared.template.checks import check, writes_odd_texts
from ajkit.shared.template.model import check_types
from ajkit.shared.template.options import declared
from ajkit.shared.where import value_at

if TYPE_CHECKING:
    from ajkit.shared.job.request import JobRequest
    from ajkit.shared.problem import Finding, Problem
    from ajkit.shared.spec import Registry, Service
    from ajkit.shared.template.model import Template
    from ajkit.shared.template.resolve import Resolved


@dataclass(frozen=True, slots=True)
class Examined:
    """One effective config, examined.

    Attributes:
        template: the typed Template, None where types are wrong.
        choice: the service that it names or that a flag chose.
        described: what that service makes of it, where both are known.
        problems: those of types, checks and service, in order; how it resolves is told by `Resolved.problems`.
    """

    template: Template | None
    choice: Choice
    described: Described | None
    problems: tuple[Problem, ...]

    @property
    def service(self) -> Service | None:
        """The service that would run it."""
        return self.choice.service


def examine(resolved: Resolved, services: Registry, *, leaf: bool, request: JobRequest | None = None) -> Examined:
    """Examine the effective config of a template.

    Args:
        resolved: the template.
        services: the services there are.
        leaf: whether it must be complete; of a component only what is there is looked at.
        request: the invocation it is to run with; None where a file is only looked at.
    """
    config = resolved.config
    named = value_at(config, SERVICE_PATH)
    amlt = request is not None and request.amlt
    name = named if isinstance(named, str) else None
    choice = choose_service(name, services, amlt=amlt, to_run=request is not None)
    service = choice.service or choice.named
    template, findings = check_types(config, extra_fields(service.options) if service else {})
    findings += choice.findings if isinstance(named, str) or (named is None and leaf) else ()
    native = service if service is not None and not service.takes_all else None
    odd_texts = config is not resolved.merged.value or any(map(writes_odd_texts, resolved.everything))
    findings += check(
        config,
        leaf=leaf,
        service=native.name if native else None,
        used=declared(native.options) if native else (),
        odd_texts=odd_texts,
    )
    described = None
    if template is not None and service is not None:
        described = describe(service, template, resolved.written)
        findings += described.findings
        findings += check_sku(value_at(config, SKU_PATH), any_text=service.any_sku, variables=amlt)
    complete = leaf and not any(each.stops_show for each in resolved.problems)
    kept = _kept(findings, complete=complete)
    placed = with_moves(resolved, resolved.place(kept))
    return Examined(
        template, choice, described, tuple(with_additions(resolved, placed, kept, services, choice.service))
    )


def _kept(findings: list[Finding], *, complete: bool) -> list[Finding]:
    """Nothing is required of a component, nor of what could not be resolved."""
    return [each for each in findings if complete or each.code != "schema.required"]
