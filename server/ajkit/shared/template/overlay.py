"""Overlays: what the command line and `aj.toml` lay over a leaf's own config."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Overlays:
    """Extra bases, then values, in command-line order.

    `bases` are base names (`with` of `aj.toml` first, then `--with`), `sets` the texts of ``--set KEYPATH=VALUE`` (the
    value is YAML), `env` the texts of ``--env K=V``.
    """

    bases: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
