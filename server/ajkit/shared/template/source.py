"""A template file read as such: its base names, its config, and what is wrong with their form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ajkit.shared.problem import Edit, Fix, Problem, problem
from ajkit.shared.records import dataclass
from ajkit.shared.template.names import did_you_mean, name_fault, near
from ajkit.shared.template.tree import Document, Entry, Mapping, Scalar, Sequence

if TYPE_CHECKING:
    from ajkit.shared.template.tree import Node
    from ajkit.shared.where import Span

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


@dataclass(frozen=True, slots=True)
class BaseRef:
    """One base name as written; `span` covers the name with its quotes."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class TemplateFile:
    """One template file: where it is really, its document, bases in order, own config and problems of its own form.

    `sha256` is the digest of its bytes, `config_key` the entry of `config`, where there is one. `odd_texts` is worked
    out on demand and kept by `ajkit.shared.template.checks`: a file is merged anew whenever one of its bases is edited.
    """

    real: str
    sha256: str
    document: Document
    bases: tuple[BaseRef, ...]
    config: Mapping | None
    config_key: Entry | None
    base_key: Entry | None
    problems: tuple[Problem, ...]
    odd_texts: bool | None = None

    @property
    def path(self) -> str:
        """The path as it was reached."""
        return self.document.text.path


def read_template(real: str, sha256: str, document: Document) -> TemplateFile:
    """Read the form of a parsed file; parse problems come first in `problems`."""
    problems = list(document.problems)
    root = document.root
    bases: list[BaseRef] = []
    config: Mapping | None = None
    base_entry = config_entry = None
    if isinstance(root, Mapping):
        base_entry = root.entries.get("base")
        if base_entry:
            bases = _read_bases(document, base_entry.node, problems)
        config_entry = root.entries.get("config")
        if config_entry:
            config = _read_config(document, config_entry.node, problems)
        for key, entry in root.entries.items():
            if key not in TOP_KEYS and not key.startswith("x-"):
                problems.append(_unknown_key(document, key, entry))
    elif root is not None and not (isinstance(root, Scalar) and root.value is None):
        kind = "a list" if isinstance(root, Sequence) else "a single value"
        problems.append(
            problem(
                "template.shape",
                f"a template is a mapping with `base` and `config`, not {kind}",
                document.span(root),
            )
        )
    return TemplateFile(real, sha256, document, tuple(bases), config, config_entry, base_entry, tuple(problems))


def _read_config(document: Document, node: Node, problems: list[Problem]) -> Mapping | None:
    if isinstance(node, Mapping):
        return node
    if not (isinstance(node, Scalar) and node.value is None):
        kind = "a list" if isinstance(node, Sequence) else "a single value"
        problems.append(
            problem("template.shape", f"`config` must be a mapping of sections, not {kind}", document.span(node))
        )
    return None


def _read_bases(document: Document, node: Node, problems: list[Problem]) -> list[BaseRef]:
    if isinstance(node, Scalar) and node.value is None:
        return []
    bases = []
    for item in node.items if isinstance(node, Sequence) else [node]:
        span = document.span(item)
        if not isinstance(item, Scalar) or not isinstance(item.value, str):
            problems.append(problem("base.type", _type_message(item), span, fixes=_quote_fix(item, span)))
        elif fault := name_fault(item.value):
            problems.append(problem("base.name", f"`{item.value}`: {fault}" if item.value else fault, span))
        else:
            bases.append(BaseRef(item.value, span))
    return bases


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


def _unknown_key(document: Document, key: str, entry: Entry) -> Problem:
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
