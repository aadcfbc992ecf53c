"""The fix for what a leaf lacks: the keys at the places where they belong, with values that show what is meant."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from ajkit.shared.job.service import SERVICE_PATH
from ajkit.shared.problem import Fix
from ajkit.shared.template.refusals import listed
from ajkit.shared.where import format_keypath

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ajkit.shared.job.fielddocs import FieldDocs
    from ajkit.shared.problem import Finding, Problem
    from ajkit.shared.spec import Registry, Service
    from ajkit.shared.template.resolve import Resolved
    from ajkit.shared.where import Json, KeyPath

_FIXED = 20
"""How many problems of one template get this fix: to find a place in a file takes the longer, the longer the file."""


def with_additions(
    resolved: Resolved,
    problems: Iterable[Problem],
    findings: Iterable[Finding],
    services: Registry,
    service: Service | None,
) -> list[Problem]:
    """The problems; those about missing keys carry the fix that adds them to the leaf, where it can be written.

    `findings` are what the problems were made of, `service` the one that the template names.
    """
    lacking = {each.path: each.missing for each in [each for each in findings if each.missing][:_FIXED]}
    if not lacking:
        return list(problems)
    name = service.name if service else None
    return [
        _with_addition(resolved, each, lacking[each.keypath], services, name)
        if each.code == "schema.required" and each.keypath in lacking
        else each
        for each in problems
    ]


def _with_addition(
    resolved: Resolved, problem: Problem, missing: tuple[KeyPath, ...], services: Registry, service: str | None
) -> Problem:
    from ajkit.shared.template.insertion import insertions  # noqa: PLC0415 - only who lacks something needs it

    values: dict[KeyPath, Json] = {("config", *path): placeholder(path, services, service) for path in missing}
    edits = insertions(resolved.merged.file.document, values)
    if not edits:
        return problem
    elsewhere = problem.span is not None and problem.span.path != resolved.path
    where = f" to {resolved.name}" if elsewhere else ""
    return replace(problem, fixes=(*problem.fixes, Fix(f"Add {_named(missing)}{where}", edits)))


def _named(paths: tuple[KeyPath, ...]) -> str:
    """Key paths for a title; those of one mapping without what they share."""
    parents = {path[:-1] for path in paths}
    if len(paths) == 1 or len(parents) > 1 or paths[0][:-1] == ():
        return listed(format_keypath(path) for path in paths)
    return f"{listed(str(path[-1]) for path in paths)} to `{format_keypath(paths[0][:-1])}`"


def placeholder(path: KeyPath, services: Registry, service: str | None) -> Json:
    """A value that may stand at a key path until the person writes theirs: of the right type, and an example."""
    if path == SERVICE_PATH:
        return next((each.name for each in services.all() if each.flag is None and not each.required), "")
    docs = _docs(services)
    doc = docs.of(path, service)
    alike = docs.of(("target", path[-1]), service)
    for each in (doc, alike):
        if each is not None and each.examples:
            return each.examples[0]
    if doc is not None and doc.type == "true or false":
        return False
    if doc is not None and doc.values:
        return doc.values[0][0]
    number = re.search(r"\bwhole number(?: of at least (\d+))?", doc.type) if doc is not None else None
    return int(number[1] or 1) if number else f"<{path[-1]}>"


@lru_cache(maxsize=2)
def _docs(services: Registry) -> FieldDocs:
    from ajkit.shared.job.fielddocs import FieldDocs  # noqa: PLC0415 - it loads every service

    return FieldDocs(services.all())
