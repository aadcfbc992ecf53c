"""aj: job templates for clusters, resolved with provenance, checked and submitted."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ajkit.engine import resolve as resolve

__version__ = "0.1.0"

__all__ = ["__version__", "resolve"]


def __getattr__(name: str) -> object:
    """`resolve` on first use, so that importing the package costs nothing."""
    if name == "resolve":
        from ajkit.engine import resolve

        return resolve
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
