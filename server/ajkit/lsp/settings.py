"""What a client may set: `aj.home`, `aj.preview.*`, `aj.hover.*`, `aj.inlay.*`, `aj.trace`; odd values are unset."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class PreviewSettings:
    """The request that previews are made for."""

    nodes: int | None = None
    processes: int | None = None
    ppn: int | None = None
    command: str | None = None
    overlays: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ClientSettings:
    """All settings of a client, with defaults for what it does not say."""

    home: str | None = None
    preview: PreviewSettings = field(default_factory=PreviewSettings)
    hover_nodes: int = 60
    inlay_overrides: bool = True
    inlay_inherited: bool = True
    inlay_sku: bool = True
    inlay_env: bool = True
    trace: str = "off"


def read_client_settings(answer: Any) -> ClientSettings:
    """Settings from whatever a client answered; what has the wrong type counts as unset."""
    root = _table(answer)
    root = _table(root.get("aj")) or root
    preview, hover, inlay = (_table(root.get(key)) for key in ("preview", "hover", "inlay"))
    overlays = preview.get("with")
    return ClientSettings(
        home=_text(root.get("home")),
        preview=PreviewSettings(
            nodes=_number(preview.get("nodes"), 1),
            processes=_number(preview.get("processes"), 0),
            ppn=_number(preview.get("ppn"), 1),
            command=_text(preview.get("command")),
            overlays=tuple(each for each in overlays if isinstance(each, str)) if isinstance(overlays, list) else (),
        ),
        hover_nodes=_number(hover.get("nodes"), 1) or 60,
        inlay_overrides=_flag(inlay.get("overrides")),
        inlay_inherited=_flag(inlay.get("inherited")),
        inlay_sku=_flag(inlay.get("sku")),
        inlay_env=_flag(inlay.get("env")),
        trace=_text(root.get("trace")) or "off",
    )


def _table(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _number(value: Any, least: int) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= least else None


def _flag(value: Any) -> bool:
    return value is not False
