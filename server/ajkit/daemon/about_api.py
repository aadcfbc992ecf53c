"""The paths that tell about the daemon itself: who answers, and which services it runs."""

from __future__ import annotations

import os

from fastapi import APIRouter, Request

from ajkit import __version__
from ajkit.daemon.parts import parts_of
from ajkit.shared.contract import HEALTH, SERVICES, WIRE_VERSION, Health, ServiceInfo, ServiceList
from ajkit.submit.registry import CannotRun

router = APIRouter()


@router.get(HEALTH)
async def health(request: Request) -> Health:
    """Who answers."""
    parts = parts_of(request)
    return Health(
        program="aj",
        version=__version__,
        wire=WIRE_VERSION,
        pid=os.getpid(),
        started_at=parts.started_at,
        state_folder=parts.settings.state,
        live_jobs=parts.queue.live,
    )


@router.get(SERVICES)
async def services(request: Request) -> ServiceList:
    """Every service that can be described here, the schema of its options, and whether it can run here too."""
    parts = parts_of(request)
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
