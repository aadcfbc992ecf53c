"""Which service a job is for: the one its template names, or the one a flag chooses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ajkit.shared.problem import Finding, Severity
from ajkit.shared.records import dataclass
from ajkit.shared.template.names import did_you_mean, near

if TYPE_CHECKING:
    from ajkit.shared.spec import Registry, Service
    from ajkit.shared.where import KeyPath

SERVICE_PATH: KeyPath = ("target", "service")
AMLT_FLAG = "--amlt"


@dataclass(frozen=True, slots=True)
class Choice:
    """The service that runs a job, the one its template names (its own shape hook counts), and what is wrong."""

    service: Service | None
    named: Service | None
    findings: tuple[Finding, ...] = ()


def choose_service(name: str | None, services: Registry, *, amlt: bool, to_run: bool) -> Choice:
    """Find the service for a template that names `name`.

    Args:
        name: `target.service`, in any letter case, or an alias.
        services: the services there are.
        amlt: whether the flag `--amlt` chooses its service.
        to_run: whether the job is to run (or a file is only looked at: then a service that only a flag can reach is
            an information).
    """
    by_flag = services.chosen_by(AMLT_FLAG) if amlt else None
    if amlt and by_flag is None:
        message = f"nothing here runs a job with {AMLT_FLAG}: its service is not installed"
        return Choice(None, None, (Finding(SERVICE_PATH, "service.unknown", message),))
    if name is None:
        message = f"target.service is not set: name one of {_listed(services)}"
        missing = Finding(SERVICE_PATH, "schema.required", message, missing=(SERVICE_PATH,))
        return Choice(by_flag, None, (missing,))
    named = services.find(name)
    if named is not None and named.flag is not None:
        message = f"`{named.name}` is not named in a template: leave target.service as it is and run with {named.flag}"
        return Choice(by_flag, None, (Finding(SERVICE_PATH, "service.unknown", message),))
    if named is not None:
        return Choice(by_flag or named, named)
    carrier = services.carrier(name)
    if carrier is not None and carrier is by_flag:
        return Choice(carrier, None)
    if carrier is not None:
        severity = None if to_run else Severity.INFORMATION
        message = f"`{name}` runs only with {carrier.flag}; the services here are {_listed(services)}"
        return Choice(None, None, (Finding(SERVICE_PATH, "service.unknown", message, severity=severity),))
    close = near(name, services.names())
    message = f"no service is called `{name}`; the services are {_listed(services)}{did_you_mean(close)}"
    suggest = close[0] if close else None
    return Choice(by_flag, None, (Finding(SERVICE_PATH, "service.unknown", message, suggest=suggest),))


def _listed(services: Registry) -> str:
    words = {each.name: f"{each.name} (with {each.flag})" if each.flag else each.name for each in services.all()}
    return ", ".join(words[name] for name in sorted(words))
