"""The paths that tell about the daemon itself: who answers, and which services it runs."""

from __future__ import annotations

import asyncio
import os

from starlette.responses import Response

from ajkit import __version__
from ajkit.daemon import records
from ajkit.daemon.meters import exposition
from ajkit.daemon.routes import Call, Headers, Nothing, Path
from ajkit.shared.contract import (
    HEALTH,
    METRICS,
    SERVICES,
    WIRE_VERSION,
    Health,
    ServiceInfo,
    ServiceList,
    ValueList,
    values_path,
)
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
        token=call.principal.name,
        read_only=call.principal.read_only,
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


async def live_values(call: _Plain) -> ValueList:
    """What the engine of a service has of a kind now: queues, images, computes, quota. It may be a minute old."""
    return await call.parts.live.values(call.place("service"), call.place("kind"))


async def metrics(call: _Plain) -> Response:
    """What the daemon counts about itself, for Prometheus."""
    parts = call.parts
    jobs = await parts.ledger.ask(records.counts_by_state)
    gauges = {
        "aj_jobs_driven": ("Jobs that are being handed over or followed", float(parts.queue.live)),
        "aj_http_streams": ("Streams of events and logs that are open", float(parts.meters.streams)),
        "aj_start_time_seconds": ("When the daemon was started", records.seconds_of(parts.started_at)),
    }
    text = await asyncio.to_thread(exposition, parts.meters, gauges, jobs)
    return Response(text, media_type=EXPOSITION)


EXPOSITION = "text/plain; version=0.0.4; charset=utf-8"
_NAME = "^[a-z][a-z0-9-]{0,62}$"

PATHS = (
    Path("GET", HEALTH, health, Health),
    Path("GET", SERVICES, services, ServiceList),
    Path("GET", values_path("{service}", "{kind}"), live_values, ValueList, places={"service": _NAME, "kind": _NAME}),
    Path("GET", METRICS, metrics, EXPOSITION),
)
