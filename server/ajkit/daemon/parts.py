"""What the paths of the daemon work with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ajkit.daemon.engines import Engines
    from ajkit.daemon.hub import Hub
    from ajkit.daemon.ledger import Ledger
    from ajkit.daemon.live import Live
    from ajkit.daemon.meters import Meters
    from ajkit.daemon.queue import Queue
    from ajkit.daemon.settings import Settings
    from ajkit.daemon.store import CodeStore
    from ajkit.shared.spec import Registry
    from ajkit.submit.registry import Executions


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of one running daemon."""

    settings: Settings
    started_at: str
    ledger: Ledger
    hub: Hub
    store: CodeStore
    queue: Queue
    engines: Engines
    executions: Executions
    services: Registry
    live: Live
    meters: Meters
