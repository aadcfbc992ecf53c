"""A template file read as such: its base names, its config, and what is wrong with their form."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ajkit.shared.problem import Edit, Fix, Problem, problem
from ajkit.shared.records import dataclass
from ajkit.shared.template.names import did_you_mean, name_fault, near
from ajkit.shared.template.tree import Mapping, Scalar, Sequence
from ajkit.shared.where import Span

if TYPE_CHECKING:
    from collections.abc import Callable

    from ajkit.shared.template.tree import Document, Entry, Node
    from ajkit.shared.where import Json, KeyPath

TOP_KEYS = ("base", "config")
CONFIG_SECTIONS = (
    "target",
    "environment",
    "code",
    "jobs",
    "storage",
    "description",
    "_extra",
    "env_defaults",
    "search",
)


class BaseRef:
    """One base name as written; `span` covers the name with its quotes."""

    __slots__ = ("_span", "name")

    def __init__(self, name: str, span: Span | Callable[[], Span]) -> None:
        """A name and its place, or how to find that: of nearly all names nobody asks where they stand."""
        self.name = name
        self._span = span

    @property
    def span(self) -> Span:
        """The place of the name."""
        if not isinstance(self._span, Span):
            self._span = self._span()
        return self._span

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BaseRef) and self.name == other.name and (self is other or self.span == other.span)

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"BaseRef({self.name!r})"


@dataclass(frozen=True, slots=True)
class TemplateFile:
    """One template file: where it is really, its document, bases in order, own config and problems of its own form.

    `sha256` is the digest of its bytes, `values` the plain value of its `config`, None where that is no mapping.
    `config`, `config_key` and `base_key` are located: of a file that was only read for its values, whoever asks for
    one of them has the tree made. `odd_texts` is worked out on demand and kept by `ajkit.shared.template.checks`: a
    file is merged anew whenever one of its bases is edited.
    """

    real: str
    sha256: str
    document: Document
    bases: tuple[BaseRef, ...]
    values: dict[str, Json] | None
    problems: tuple[Problem, ...]
    odd_texts: bool | None = None

    @property
    def path(self) -> str:
        """The path as it was reached."""
        return self.document.text.path

    @property
    def config(self) -> Mapping | None:
        """The own config as it is written."""
        node = self.config_key.node if self.config_key else None
        return node if isinstance(node, Mapping) else None

    def written(self, path: KeyPath) -> tuple[Node, Entry | None] | None:
        """What the own config has at a key path, with the entry it stands under; None where it has nothing there."""
        found = self.document.written(("config", *path)) if self.values is not None else None
        return found if path or found is None else (found[0], None)

    @property
    def config_key(self) -> Entry | None:
        """The entry of `config`, where there is one."""
        return _entry(self.document, "config")

    @property
    def base_key(self) -> Entry | None:
        """The entry of `base`, where there is one."""
        return _entry(self.document, "base")


def read_template(real: str, sha256: str, document: Document) -> TemplateFile:
    """Read the form of a parsed file; parse problems come first in `problems`."""
    problems = list(document.problems)
    root = document.value
    bases: list[BaseRef] = []
    config: dict[str, Json] | None = None
    if isinstance(root, dict):
        if "base" in root:
            bases = _read_bases(document, root["base"], problems)
        if "config" in root:
            config = _read_config(document, root["config"], problems)
        strange = (key for key in root if key not in TOP_KEYS and not key.startswith("x-"))
        problems += [_unknown_key(document, key) for key in strange]
    elif root is not None:
        kind = "a list" if isinstance(root, list) else "a single value"
        problems.append(
            problem(
                "template.shape",
                f"a template is a mapping with `base` and `config`, not {kind}",
                document.span(document.root) if document.root else Span(document.text, 0, 0),
            )
        )
    return TemplateFile(real, sha256, document, tuple(bases), config, tuple(problems))


def _entry(document: Document, key: str) -> Entry | None:
    root = document.root
    return root.entries.get(key) if isinstance(root, Mapping) else None


def _node(document: Document, path: KeyPath) -> Node:
    """The node at a key path of a document that has a value there."""
    found = document.written(path)
    assert found
    return found[0]


def _read_config(document: Document, value: Json, problems: list[Problem]) -> dict[str, Json] | None:
    if isinstance(value, dict):
        return value
    if value is not None:
        kind = "a list" if isinstance(value, list) else "a single value"
        span = document.span(_node(document, ("config",)))
        problems.append(problem("template.shape", f"`config` must be a mapping of sections, not {kind}", span))
    return None


def _read_bases(document: Document, value: Json, problems: list[Problem]) -> list[BaseRef]:
    if value is None:
        return []
    bases = []
    items: list[tuple[Json, KeyPath]] = [(value, ("base",))]
    if isinstance(value, list):
        items = [(item, ("base", index)) for index, item in enumerate(value)]
    for item, path in items:
        fault = name_fault(item) if isinstance(item, str) else None
        if isinstance(item, str) and not fault:
            bases.append(BaseRef(item, partial(_place, document, path)))
            continue
        node = _node(document, path)
        span = document.span(node)
        if fault:
            problems.append(problem("base.name", f"`{item}`: {fault}" if item else fault, span))
        else:
            problems.append(problem("base.type", _type_message(node), span, fixes=_quote_fix(node, span)))
    return bases


def _place(document: Document, path: KeyPath) -> Span:
    return document.span(_node(document, path))


def _type_message(item: Node) -> str:
    if isinstance(item, Mapping | Sequence):
        kind = "a mapping" if isinstance(item, Mapping) else "a list inside the list"
        return f"`base` takes a name or a list of names, not {kind}"
    if item.value is None:
        return "`base` takes names: this item is empty; write a name or delete the line"
    if item.plain:
        return f"`base` takes names: YAML reads {item.raw} as {_kind(item.value)}; quote it if a file is so named"
    return f"`base` takes names, not {_kind(item.value)}"


def _kind(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "a number"


def _quote_fix(item: Node, span: Span) -> tuple[Fix, ...]:
    if isinstance(item, Scalar) and item.plain and item.value is not None:
        return (Fix("Quote value", (Edit(span, f'"{item.raw}"'),)),)
    return ()


def _unknown_key(document: Document, key: str) -> Problem:
    entry = _entry(document, key)
    assert entry
    span = document.span(entry)
    if key in CONFIG_SECTIONS:
        from ajkit.shared.template.relocation import under_config  # noqa: PLC0415 - few files need it

        edits = under_config(document, key, entry)
        return problem(
            "template.unknown-key",
            f"`{key}` has no effect here: sections stand under `config:`",
            span,
            fixes=[Fix("Move it under `config`", edits, preferred=True)] if edits else (),
        )
    close = near(key, TOP_KEYS, 1)
    return problem(
        "template.unknown-key",
        f"`{key}` is not a key of a template file and has no effect{did_you_mean(close)}"
        + ("" if close else " (keys that start with `x-` are free to use)"),
        span,
        fixes=[Fix(f"Replace with `{each}`", (Edit(span, each),), preferred=True) for each in close],
    )
