"""What a service makes of a template: its options and shape, what it refuses, and what has no effect on it."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING

from ajkit.shared.problem import Finding
from ajkit.shared.records import dataclass
from ajkit.shared.spec import Ignored
from ajkit.shared.template.options import declared, unused
from ajkit.shared.template.required import required
from ajkit.shared.template.supposed import with_value
from ajkit.shared.where import format_keypath, parse_keypath

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ajkit.shared.spec import BackendOptions, DerivedShape, Service
    from ajkit.shared.template.model import Template
    from ajkit.shared.where import Json, KeyPath

    Written = Callable[[KeyPath], str | None]

COMMON: frozenset[KeyPath] = frozenset(
    parse_keypath(path)
    for path in (
        "target.service",
        "target.gpus_per_node",
        "environment.image",
        "environment.registry",
        "environment.setup",
        "code",
        "jobs[0].name",
        "jobs[0].command",
        "jobs[0].sku",
        "jobs[0].instance_count",
        "jobs[0].process_count_per_node",
        "jobs[0].submit_args.env",
        "jobs[0].submit_args.max_run_duration_seconds",
        "storage",
        "description",
    )
)
"""What every JobSpec carries in its common fields, so that no service has to declare it."""


@dataclass(frozen=True, slots=True)
class Described:
    """What a service makes of a template: its options, the shape it derived (None for homogeneous jobs), findings.

    `failed` says that the service derives the shape of this template but could not.
    """

    options: BackendOptions | None
    shape: DerivedShape | None
    findings: tuple[Finding, ...]
    failed: bool = False


def describe(service: Service, template: Template, written: Written = lambda _: None) -> Described:
    """All that a service says of a leaf: what it must set, what is refused, and what has no effect on this service.

    `written` tells how a value of the merged config was spelt, None where that is not known.
    """
    template = _with_texts(template, getattr(service, "texts", ()), written)
    options, findings = service.build_spec_backend(template)
    shape, of_shape = service.derive_shape(template)
    missing = required(template.raw, service.requires(template), f"`{service.name}`")
    found = [*findings, *of_shape, *missing, *without_effect(service, template)]
    return Described(options, shape, tuple(dict.fromkeys(found)), failed=shape is None and bool(of_shape))


def _with_texts(template: Template, patterns: Iterable[KeyPath], written: Written) -> Template:
    """The template with the values that a service wants as text in the way they were spelt (``on``, ``1.10``)."""
    raw = template.raw
    for pattern in patterns:
        for path, value in _matching(template.raw, pattern):
            if isinstance(value, bool | int | float):
                raw = with_value(raw, path, written(path) or json.dumps(value))
    if raw is template.raw:
        return template
    return template.model_copy(update={"raw": raw, "extra": raw.get("_extra") or {}})


def _matching(value: Json, pattern: KeyPath, path: KeyPath = ()) -> Iterator[tuple[KeyPath, Json]]:
    """The values at key paths of a form; ``*`` stands for any key."""
    if len(path) == len(pattern):
        yield path, value
        return
    step = pattern[len(path)]
    for key, below in value.items() if isinstance(value, dict) else ():
        if step in ("*", key):
            yield from _matching(below, pattern, (*path, key))


def without_effect(service: Service, template: Template) -> list[Finding]:
    """The set keys of a template that the service makes nothing of, each once, on the key that was written."""
    if service.takes_all:
        return []
    ignored = service.ignores(template)
    paths = unused(template, _used(service.options, tuple([each.path for each in ignored])))
    known = {each.path: each for each in ignored} if paths else {}
    found = []
    for path in paths:
        why = known.get(path) or Ignored(path, f"`{service.name}` does not use it")
        message = f"`{format_keypath(path)}` has no effect: {why.why}"
        found.append(Finding(path, "schema.no-effect", message, severity=why.severity, on_key=True))
    return found


@lru_cache(maxsize=256)
def _used(options: type[BackendOptions], ignored: tuple[KeyPath, ...]) -> frozenset[KeyPath]:
    """The key paths that a service makes something of."""
    return COMMON.union(declared(options)).difference(ignored)
