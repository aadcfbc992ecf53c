"""What a template would come to if some of its files said something else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ajkit.shared.template.merge import merge_mappings
from ajkit.shared.template.merged import Inherited, Written

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ajkit.shared.template.merged import Merged
    from ajkit.shared.where import Json, KeyPath


def supposed(merged: Merged, own: Mapping[str, dict[str, Json]]) -> dict[str, Json]:
    """The merged config if the files with these real paths had these configs of their own.

    Raises:
        ajkit.shared.template.merge.TooLarge: it would be too large.
    """
    return _supposed(merged, own, {})


def _supposed(merged: Merged, own: Mapping[str, dict[str, Json]], known: dict[int, dict[str, Json]]) -> dict[str, Json]:
    if id(merged) not in known:
        concerned = any(each.file.real in own for each in merged.below())
        known[id(merged)] = _merged(merged, own, known) if concerned else merged.value
    return known[id(merged)]


def _merged(merged: Merged, own: Mapping[str, dict[str, Json]], known: dict[int, dict[str, Json]]) -> dict[str, Json]:
    values: list[dict[str, Json]] = []
    mine = own.get(merged.file.real)
    for part in merged.parts:
        if isinstance(part, Inherited):
            if mine is not None and part.ref not in merged.file.bases:
                values.append(mine)  # what is laid over a file comes after what it writes
                mine = None
            values.append(_supposed(part.merged, own, known))
        elif isinstance(part, Written) and mine is not None and part.label == merged.file.path:
            values.append(mine)
            mine = None
        else:
            values.append(part.value)
    return merge_mappings([*values, mine] if mine is not None else values)


def with_value(config: dict[str, Json], path: KeyPath, value: Json) -> dict[str, Json]:
    """A config with a value at a key path, its parents made; the config itself stays as it is."""
    found = _with(config, path, value)
    assert isinstance(found, dict)
    return found


def _with(here: Json, path: KeyPath, value: Json) -> Json:
    if not path:
        return value
    step, rest = path[0], path[1:]
    if isinstance(step, int):
        items = list(here) if isinstance(here, list) else []
        items += [{}] * (step + 1 - len(items))
        items[step] = _with(items[step], rest, value)
        return items
    below = here if isinstance(here, dict) else {}
    return {**below, step: _with(below.get(step), rest, value)}


def without_value(config: dict[str, Json], path: KeyPath) -> dict[str, Json]:
    """A config without a key and the parents that it would leave empty, as `removal_at` takes it out of a file."""
    found = _without(config, path)
    return found if isinstance(found, dict) else {}


def _without(here: Json, path: KeyPath) -> Json:
    """What is left; None where nothing is."""
    step, rest = path[0], path[1:]
    if isinstance(here, dict) and isinstance(step, str):
        below = _without(here[step], rest) if rest else None
        kept = {key: below if key == step else each for key, each in here.items() if key != step or below is not None}
        return kept or None
    if isinstance(here, list) and isinstance(step, int):
        below = _without(here[step], rest)
        if below is None and len(here) == 1:
            return None
        return [*here[:step], {} if below is None else below, *here[step + 1 :]]
    return here
