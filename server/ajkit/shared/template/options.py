"""How a service's typed options are read from a template: each field declares the key path that it comes from."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel, ValidationError

from ajkit.shared.records import dataclass
from ajkit.shared.template.mistyped import mistyped
from ajkit.shared.template.model import Template
from ajkit.shared.template.refusals import known_keys, refusals, stranger
from ajkit.shared.where import Missing, at, parse_keypath, pruned

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ajkit.shared.problem import Finding
    from ajkit.shared.where import Json, KeyPath

Options = TypeVar("Options", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class From:
    """Where an option is written in a template: ``queue: Annotated[str, From("target.queue")] = "default"``.

    The path is one of `target` or `jobs[0]`, or of the service's own ``_extra.<service>``.
    """

    path: str


@cache
def declared(options: type[BaseModel]) -> dict[KeyPath, str]:
    """The key paths that the options read, in field order, with the names of the fields. Not to be changed.

    Raises:
        TypeError: a field does not say where it comes from.
    """
    paths: dict[KeyPath, str] = {}
    for name, field in options.model_fields.items():
        source = next((each for each in field.metadata if isinstance(each, From)), None)
        if source is None:
            raise TypeError(f"{options.__name__}.{name} does not say where it comes from: Annotated[..., From(...)]")
        paths[parse_keypath(source.path)] = name
    return paths


@cache
def extra_fields(options: type[BaseModel]) -> dict[KeyPath, str]:
    """The declared key paths that the typed Template does not know: what a plug-in adds to `target` or `jobs`."""
    return {path: name for path, name in declared(options).items() if path[0] != "_extra" and not _is_known(path)}


def _is_known(path: KeyPath) -> bool:
    """Whether the typed Template has a place for a key path (below a free mapping every key has one)."""
    for depth, step in enumerate(path):
        keys = known_keys(Template, path[:depth])
        if keys and step not in keys:
            return False
    return True


def read_options(options: type[Options], template: Template, service: str) -> tuple[Options | None, list[Finding]]:
    """The options that a template gives a service, and what is wrong with them; None where they cannot be built.

    Null is "not set", at any depth. ``_extra.<service>`` may hold the declared keys and no others.
    """
    places = {name: path for path, name in declared(options).items()}
    values: dict[str, Json] = {}
    for name, path in places.items():
        value = at(template.raw, path)
        if value is not None and not isinstance(value, Missing):
            values[name] = pruned(value)
    findings = list(_strangers(options, template.raw, service))
    try:
        return options.model_validate(values), findings
    except ValidationError as error:
        return None, [*findings, *refusals(error, options, values, places=places, owner=service)]


def _strangers(options: type[BaseModel], raw: dict[str, Json], service: str) -> Iterator[Finding]:
    """What stands under ``_extra.<service>`` and is none of its options."""
    root: KeyPath = ("_extra", service)
    own = at(raw, root)
    if own is None or isinstance(own, Missing):
        return
    if not isinstance(own, dict):
        yield mistyped(root, "a mapping", own)
        return
    known = [str(path[2]) for path in declared(options) if path[:2] == root]
    yield from (stranger((*root, key), known, service) for key in own if key not in known)


def unused(template: Template, used: frozenset[KeyPath]) -> Iterator[KeyPath]:
    """The set keys of a template that the typed Template knows and that lie neither at nor below one of `used`.

    A section without any used key is one path; `_extra` and the jobs after the first are left out.
    """
    return _unused(template.raw, (), used, _ways(used))


def _unused(
    value: Json, path: KeyPath, used: frozenset[KeyPath], ways: dict[KeyPath, frozenset[str]]
) -> Iterator[KeyPath]:
    if _is_unset(value):
        return
    known = ways.get(path)
    if known is None:
        yield path
    elif isinstance(value, list):
        if (*path, 0) not in used:
            yield from _unused(value[0], (*path, 0), used, ways)
    elif isinstance(value, dict):
        for key, below in value.items():
            if (key in known or not known) and (*path, key) not in used:
                yield from _unused(below, (*path, key), used, ways)


def _is_unset(value: Json) -> bool:
    """Whether nothing is set here: null, an empty value, or a mapping of which every entry was cleared."""
    return value in (None, {}, [], "") or (isinstance(value, dict) and all(each is None for each in value.values()))


@lru_cache(maxsize=256)
def _ways(used: frozenset[KeyPath]) -> dict[KeyPath, frozenset[str]]:
    """All that lies on the way to a key path, with the keys that the typed Template knows there (none: any key)."""
    ways = {path[:depth] for path in used for depth in range(len(path))}
    return {way: frozenset(known_keys(Template, way)).difference(() if way else ("_extra",)) for way in ways}
