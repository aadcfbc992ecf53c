"""Keys that nothing reads: what may be meant, or where a key of that name belongs; each reported once per section."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from ajkit.shared.problem import Finding
from ajkit.shared.template.dialect import KEYS, sections
from ajkit.shared.template.names import did_you_mean, near
from ajkit.shared.template.refusals import known_keys
from ajkit.shared.where import format_keypath

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from pydantic import BaseModel

    from ajkit.shared.template.dialect import Section
    from ajkit.shared.where import Json, KeyPath

_CALLED = {
    (): "directly under `config`",
    ("jobs",): "in `jobs[0]`",
    ("jobs", "submit_args"): "in `jobs[0].submit_args`",
    ("storage", "*"): "in an entry of `storage`",
}


@cache
def section_keys(model: type[BaseModel]) -> dict[Section, frozenset[str]]:
    """The keys of every section: those of the model and those of the amlt dialect. Not to be changed."""
    known = {}
    for section, keys in KEYS.items():
        steps = [step for name in section for step in ((name, 0) if name == "jobs" else (name,))]
        known[section] = frozenset((*known_keys(model, steps), *keys))
    # The untouched config that a Template keeps beside its fields is no key of templates.
    return {**known, (): known[()] - {"raw"}}


def unknown_keys(model: type[BaseModel], config: dict[str, Json], added: Collection[KeyPath] = ()) -> list[Finding]:
    """A warning on every key that neither the model nor the amlt dialect knows, nor a service has `added`.

    A key that is unknown in many jobs or storages is one finding, on the first of them, with their number.
    """
    known = section_keys(model)
    strange: dict[tuple[Section, str], list[KeyPath]] = {}
    for section, path, mapping in sections(config):
        if not known[section].issuperset(mapping):
            for key in mapping.keys() - known[section]:
                strange.setdefault((section, key), []).append(path)
    if not strange:
        return []
    plain = {tuple(step for step in path if isinstance(step, str)) for path in added}
    read = {path[:depth] for path in plain for depth in range(1, len(path) + 1)}
    findings = [
        _finding(section, key, paths, known, [path[-1] for path in read if path[:-1] == section])
        for (section, key), paths in strange.items()
        if (*section, key) not in read
    ]
    return sorted(findings, key=lambda each: [str(step) for step in each.path])


def _finding(
    section: Section, key: str, paths: Sequence[KeyPath], known: dict[Section, frozenset[str]], added: Sequence[str]
) -> Finding:
    path = (*paths[0], key)
    close: list[str] = []
    homes = [_CALLED.get(each, f"in `{'.'.join(each)}`") for each, keys in known.items() if key in keys]
    if homes:
        hint = f"; it belongs {' or '.join(homes)}"
    else:
        close = near(key, sorted((*known[section], *added)))
        hint = did_you_mean(close) or ": nothing reads it"
    more = f" (and in {len(paths) - 1} more of `{section[0]}`)" if len(paths) > 1 else ""
    message = f"unknown key `{format_keypath(path)}`{hint}{more}"
    return Finding(path, "schema.unknown-key", message, on_key=True, suggest=close[0] if close else None)
