"""Overlays: what the command line and `aj.toml` lay over a leaf's own config."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from ajkit.shared.problem import Problem, problem
from ajkit.shared.records import dataclass
from ajkit.shared.template.merged import Together, Written
from ajkit.shared.template.names import name_fault
from ajkit.shared.template.parse import parse
from ajkit.shared.template.source import BaseRef
from ajkit.shared.template.trail import written_origin
from ajkit.shared.template.tree import NESTING_LIMIT, Entry, Mapping, Scalar, Sequence
from ajkit.shared.where import Rule, Span, Text, Trail, parse_keypath

if TYPE_CHECKING:
    from ajkit.shared.template.tree import Node
    from ajkit.shared.where import Json, KeyPath

ENV_PATH: KeyPath = ("jobs", 0, "submit_args", "env")
COMMAND_LINE = "command line"

_KEYPATH = re.compile(r'(?:[^="]|"(?:[^"\\]|\\.)*")*')
"""What stands before the ``=``: one inside quotes belongs to a key."""


@dataclass(frozen=True, slots=True)
class Overlays:
    """Extra bases, then values, in command-line order.

    `bases` are the base names of `--with`, `sets` the texts of ``--set KEYPATH=VALUE`` (the value is YAML), `env` the
    texts of ``--env K=V``.
    """

    bases: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()
    env: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.bases or self.sets or self.env)


@dataclass(frozen=True, slots=True)
class Patch:
    """A value put at a key path with an index: it replaces what stands there in the merged result."""

    path: KeyPath
    part: Written
    key: str

    @property
    def node(self) -> Node:
        """The node to put there."""
        return self.part.node.entries[self.key].node


@dataclass(frozen=True, slots=True)
class Laid:
    """Overlays made ready: base names, sources to merge last, patches to apply to the result, and problems."""

    bases: tuple[BaseRef, ...]
    parts: tuple[Together, ...]
    patches: tuple[Patch, ...]
    problems: tuple[Problem, ...]


_NOTHING = Laid((), (), (), ())


def lay(overlays: Overlays) -> Laid:
    """Read the texts of overlays; each text is its own small file for the spans of problems and trails."""
    if not overlays:
        return _NOTHING
    problems: list[Problem] = []
    bases = []
    for name in overlays.bases:
        text = Text(COMMAND_LINE, f"--with {name}")
        span = Span(text, len("--with "), len(text.content))
        if fault := name_fault(name):
            problems.append(problem("base.name", f"`{name}`: {fault}" if name else fault, span))
        else:
            bases.append(BaseRef(name, span))
    parts: list[Written] = []
    patches: list[Patch] = []
    for each in overlays.sets:
        _lay_set(each, parts, patches, problems)
    env = [part for each in overlays.env if (part := _lay_env(each, problems))]
    together = tuple(Together(tuple(each)) for each in (parts, env) if each)
    return Laid(tuple(bases), together, tuple(patches), tuple(problems))


def _lay_set(setting: str, parts: list[Written], patches: list[Patch], problems: list[Problem]) -> None:
    label = f"--set {setting}"
    found = _KEYPATH.match(setting)
    assert found
    head, equals, value = found[0], setting[found.end() : found.end() + 1], setting[found.end() + 1 :]
    text = Text(COMMAND_LINE, label)
    whole = Span(text, len("--set "), len(label))
    try:
        path = parse_keypath(head.strip())
    except ValueError as error:
        problems.append(problem("overlay.keypath", str(error), whole))
        return
    if equals != "=" or not path:
        problems.append(problem("overlay.keypath", f"write --set KEYPATH=VALUE, not `{setting}`", whole))
        return
    if len(path) > NESTING_LIMIT:
        message = f"this key path has {len(path):,} steps, and no config is deeper than {NESTING_LIMIT} levels"
        problems.append(problem("overlay.keypath", message, whole))
        return
    start = len(label) - len(value)
    document = parse(Text(COMMAND_LINE, value))
    if document.problems:
        first = document.problems[0]
        problems.append(
            problem("overlay.keypath", f"the value is not YAML: {first.message}", Span(text, start, len(label)))
        )
        return
    node = document.root or Scalar(None, "", 0, 0, plain=True)
    _move(node, start)
    key_start, key_end = len("--set "), len("--set ") + len(head)
    if any(isinstance(step, int) for step in path):
        root = Mapping({head: node.value}, {head: Entry(key_start, key_end, node)}, key_start, len(label))
        patches.append(Patch(path, _written(label, text, root), head))
        return
    parts.append(_written(label, text, _nest(path, node, key_start, key_end), document.nodes + len(path)))


def _written(label: str, text: Text, node: Mapping, nodes: int = 1) -> Written:
    return Written(label, text, node.value, nodes, node)


def _move(node: Node, by: int) -> None:
    """Shift a freshly parsed tree so that its offsets count within the whole option."""
    todo, met = [node], set()
    while todo:
        each = todo.pop()
        if id(each) in met:
            continue
        met.add(id(each))
        each.start += by
        each.end += by
        if isinstance(each, Mapping):
            for entry in each.entries.values():
                entry.start += by
                entry.end += by
                todo.append(entry.node)
        elif isinstance(each, Sequence):
            todo.extend(each.items)


def _nest(path: KeyPath, node: Node, start: int, end: int) -> Mapping:
    """A tree of mappings that holds `node` at `path`."""
    for step in reversed(path):
        if isinstance(step, int):
            node = Sequence([node.value], [node], start, node.end)
        else:
            node = Mapping({step: node.value}, {step: Entry(start, end, node)}, start, node.end)
    assert isinstance(node, Mapping)
    return node


def _lay_env(setting: str, problems: list[Problem]) -> Written | None:
    label = f"--env {setting}"
    text = Text(COMMAND_LINE, label)
    name, equals, value = setting.partition("=")
    start = len("--env ")
    if not equals or not name:
        problems.append(
            problem("overlay.keypath", f"write --env NAME=VALUE, not `{setting}`", Span(text, start, len(label)))
        )
        return None
    node = Scalar(value, value, len(label) - len(value), len(label), plain=False)
    return _written(label, text, _nest((*ENV_PATH, name), node, start, start + len(name)), 6)


def apply_patch(config: dict[str, Json], patch: Patch) -> dict[str, Json] | Problem:
    """The config with one value replaced (a copy along the path), or why that cannot be."""

    def put(value: Json, path: KeyPath) -> Json:
        if not path:
            return patch.node.value
        step, rest = path[0], path[1:]
        if isinstance(step, int):
            if value is None:
                value = []
            if not isinstance(value, list):
                raise LookupError("there is no list to take an item from")
            if step > len(value):
                has = "1 item" if len(value) == 1 else f"{len(value)} items"
                raise LookupError(f"the list has only {has}, so there is no item [{step}]")
            below = value[step] if step < len(value) else None
            return [*value[:step], put(below, rest), *value[step + 1 :]]
        if value is None:
            value = {}
        if not isinstance(value, dict):
            raise LookupError(f"there is no mapping to set `{step}` in")
        return {**value, step: put(value.get(step), rest)}

    try:
        result = put(config, patch.path)
    except LookupError as error:
        return problem(
            "overlay.keypath",
            f"cannot set `{patch.key}`: {error.args[0]}",
            Span(patch.part.text, patch.part.node.start, patch.part.node.end),
        )
    assert isinstance(result, dict)
    return result


def patched_trail(patch: Patch, path: KeyPath, before: Trail | None) -> Trail | None:
    """The trail at a key path once a patch was applied, from the one it had before (None: there was no value)."""
    depth = len(patch.path)
    if path[:depth] == patch.path:
        origin = written_origin(patch.part, (patch.key, *path[depth:]))
        overrode = (before.winner, *before.overrode) if before else ()
        return Trail(path, origin.value, Rule.SET, origin, overrode, (origin,)) if origin else None
    inside = written_origin(patch.part, (patch.key,)) if patch.path[: len(path)] == path else None
    if inside is None:
        return before
    if before is None:
        return Trail(path, None, Rule.SET, inside, (), (inside,))
    return replace(before, rule=Rule.SET, winner=inside, contributors=(*before.contributors, inside))
