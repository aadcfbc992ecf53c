"""The paths that tell about the daemon itself: who answers, and which services it runs."""

from __future__ import annotations

import os

from ajkit import __version__
from ajkit.daemon.routes import Call, Headers, Nothing, Path
from ajkit.shared.contract import HEALTH, SERVICES, WIRE_VERSION, Health, ServiceInfo, ServiceList
from ajkit.submit.registry import CannotRun

_Plain = Call[Nothing, Headers, Nothing]


async def health(call: _Plain) -> Health:
    """Who answers."""
    parts = call.parts
    return Health(
        program="aj",
        version=__version__,
        wire=WIRE_VERSION,
        pid=os.getpid(),
        started_at=parts.started_at,
        state_folder=parts.settings.state,
        live_jobs=parts.queue.live,
    )


async def services(call: _Plain) -> ServiceList:
    """Every service that can be described here, the schema of its options, and whether it can run here too."""
    parts = call.parts
    found = []
    for each in parts.services.all():
        missing = None
        try:
            parts.executions.find(each.name)
        except CannotRun as error:
            missing = str(error)
        found.append(
            ServiceInfo(
                name=each.name,
                summary=each.summary,
                options=each.options.model_json_schema(),
                runs=missing is None,
                missing=missing,
            )
        )
    return ServiceList(services=sorted(found, key=lambda each: each.name))


PATHS = (
    Path("GET", HEALTH, health, Health),
    Path("GET", SERVICES, services, ServiceList),
)
