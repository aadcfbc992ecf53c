"""How a service's typed options are read from a template: each field declares the key path that it comes from."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel, ValidationError

from ajkit.shared.records import dataclass
from ajkit.shared.template.mistyped import mistyped
from ajkit.shared.template.model import Template
from ajkit.shared.template.refusals import known_keys, refusals, stranger
from ajkit.shared.where import parse_keypath, pruned, value_at

if TYPE_CHECKING:
    from collections.abc import Iterable

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
    values: dict[str, Json] = {}
    for holder, fields in _holders(options).items():
        held = value_at(template.raw, holder)
        for key, name in fields if held is not None else ():
            value = value_at(held, (key,))
            if value is not None:
                values[name] = pruned(value)
    findings = _strangers(options, template.raw, service)
    try:
        return options.model_validate(values), findings
    except ValidationError as error:
        places = {name: path for path, name in declared(options).items()}
        return None, [*findings, *refusals(error, options, values, places=places, owner=service)]


@cache
def _holders(options: type[BaseModel]) -> dict[KeyPath, list[tuple[str | int, str]]]:
    """The mappings that hold what the options read, with the keys in each and the names of their fields."""
    holders: dict[KeyPath, list[tuple[str | int, str]]] = {}
    for path, name in declared(options).items():
        holders.setdefault(path[:-1], []).append((path[-1], name))
    return holders


def _strangers(options: type[BaseModel], raw: dict[str, Json], service: str) -> list[Finding]:
    """What stands under ``_extra.<service>`` and is none of its options."""
    root: KeyPath = ("_extra", service)
    own = value_at(raw, root)
    if own is None:
        return []
    if not isinstance(own, dict):
        return [mistyped(root, "a mapping", own)]
    known = [str(path[2]) for path in declared(options) if path[:2] == root]
    return [stranger((*root, key), known, service) for key in own if key not in known]


def unused(template: Template, used: frozenset[KeyPath]) -> list[KeyPath]:
    """The set keys of a template that the typed Template knows and that lie neither at nor below one of `used`.

    A section without any used key is one path; `_extra` and the jobs after the first are left out.
    """
    found: list[KeyPath] = []
    _look(template.raw, (), _way_to(used), found)
    return found


@dataclass(frozen=True, slots=True)
class _Way:
    """A mapping or list on the way to used key paths: what is used there, what leads on, what Template knows there.

    Without any `known` key every key is known.
    """

    used: frozenset[str | int]
    on: dict[str | int, _Way]
    known: frozenset[str]


def _look(value: Json, path: KeyPath, way: _Way, found: list[KeyPath]) -> None:
    """Add the key paths of all that is set in a value and not used."""
    for step, below in _steps(value):
        if step in way.used or _is_unset(below):
            continue
        if step in way.on:
            _look(below, (*path, step), way.on[step], found)
        elif step in way.known or not way.known:
            found.append((*path, step))


def _steps(value: Json) -> Iterable[tuple[str | int, Json]]:
    """The entries of a mapping, the first item of a list."""
    if isinstance(value, dict):
        return value.items()
    return [(0, value[0])] if isinstance(value, list) else ()


def _is_unset(value: Json) -> bool:
    """Whether nothing is set here: null, an empty value, or a mapping of which every entry was cleared."""
    if not value:
        return value in (None, {}, [], "")
    return isinstance(value, dict) and all(each is None for each in value.values())


@lru_cache(maxsize=256)
def _way_to(used: frozenset[KeyPath]) -> _Way:
    """The way from the whole template to used key paths."""
    return _way((), used)


def _way(path: KeyPath, used: frozenset[KeyPath]) -> _Way:
    known = frozenset(known_keys(Template, path)).difference(() if path else ("_extra",))
    depth = len(path)
    steps = {each[depth] for each in used if len(each) > depth and each[:depth] == path}
    here = frozenset(step for step in steps if (*path, step) in used)
    on = {step: _way((*path, step), used) for step in steps - here if step in known or not known}
    return _Way(here, on, known)
