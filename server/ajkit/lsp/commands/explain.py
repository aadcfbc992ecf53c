"""The command that says where a value of the merged config, or a field of the job, comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ajkit.lsp.arguments import Arguments
from ajkit.lsp.asked import preview_request
from ajkit.lsp.effective import effective_path
from ajkit.lsp.failure import INVALID_PARAMS, RequestFailed
from ajkit.lsp.telling import field_data, trail_data, versioned
from ajkit.shared.problem import UsageError
from ajkit.shared.template.query import spot_at
from ajkit.shared.where import format_keypath, parse_keypath

if TYPE_CHECKING:
    from ajkit.lsp.capabilities import Client
    from ajkit.lsp.session import Session
    from ajkit.shared.template.resolve import Resolved


def explain(session: Session, _client: Client, arguments: list[Any]) -> dict[str, Any]:
    """`aj.explain` (uri, keypath, position, request): the history of a value.

    What is asked about is `keypath` (``jobs[0].sku``, or a field of the JobSpec: ``nodes``), or what stands under the
    cursor at `position`. `value` is the history in the merged config, `field` that in the job for the request; either
    is null where there is none.
    """
    given = Arguments(arguments, ("uri", "keypath", "position", "request"))
    path = given.template()
    request = preview_request(path, given.mapping("request"), session.settings.preview)
    resolved = session.engine.resolve(path, request.overlays, named=True)
    keypath = given.text("keypath")
    if keypath is None:
        keypath = _under_cursor(session, given, resolved)
    if not keypath:
        return versioned(keypath=keypath, value=None, field=None)
    try:
        trail = resolved.trail(parse_keypath(keypath))
        field = session.engine.plan(request).trail(keypath)
    except (ValueError, UsageError) as error:
        raise RequestFailed(str(error), INVALID_PARAMS) from error
    return versioned(
        keypath=keypath,
        value=trail_data(session, trail) if trail else None,
        field=field_data(session, field) if field else None,
    )


def _under_cursor(session: Session, given: Arguments, resolved: Resolved) -> str | None:
    """The key path in the merged config of the key or value at the position; None where there is none."""
    found = given.cursor(session)
    spot = spot_at(found[0].file, found[1]) if found else None
    if found is None or spot is None or not spot.in_config:
        return None
    return format_keypath(effective_path(resolved, found[0].file, spot.config_path))
