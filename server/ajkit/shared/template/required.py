"""What is missing from a leaf: who needs it, where to add it, and whether a null cleared it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ajkit.shared.problem import Finding
from ajkit.shared.template.refusals import listed
from ajkit.shared.where import MISSING, at, format_keypath

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ajkit.shared.where import Json, KeyPath, Missing

_UNSET: tuple[Json | Missing, ...] = (MISSING, None, "", [], {})


def required(config: dict[str, Json], paths: Iterable[KeyPath], who: str) -> list[Finding]:
    """The findings on those of the key paths that are not set; `who` needs them ("`volcano`").

    One finding for all that would stand at the same place; what null cleared has its own, on that null.
    """
    absent: dict[KeyPath, list[KeyPath]] = {}
    findings = []
    for path in paths:
        if at(config, path) not in _UNSET:
            continue
        end = next(end for end in range(len(path), -1, -1) if at(config, path[:end]) is not MISSING)
        written, value = path[:end], at(config, path[:end])
        needs = f"{who} needs `{format_keypath(path)}`"
        if value is None:
            cleared = "which" if written == path else f"and `{format_keypath(written)}`"
            message = f"{needs}, {cleared} is cleared here by null: write a value"
            findings.append(Finding(written, "schema.required", message, missing=(path,)))
        elif written != path:
            absent.setdefault(written, []).append(path)
        else:
            message = f"{needs}, which is empty: write a value"
            findings.append(Finding(path, "schema.required", message, missing=(path,)))
    for near, same in absent.items():
        where = f"under `{format_keypath(near)}`" if near else "under `config`"
        are = "which is" if len(same) == 1 else "which are"
        names = listed(format_keypath(path) for path in same)
        keys = listed(".".join(str(step) for step in path[len(near) :]) for path in same)
        message = f"{who} needs {names}, {are} not set: add {keys} {where}"
        findings.append(Finding(same[0], "schema.required", message, missing=tuple(same)))
    return findings
