"""Shape and SKU: how many nodes and processes a job has, and the SKU text that says so."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from ajkit.shared.problem import Finding
from ajkit.shared.records import dataclass
from ajkit.shared.where import format_keypath

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ajkit.shared.where import Json, KeyPath

SKU_PATH: KeyPath = ("jobs", 0, "sku")

Count = int | str
"""A number, or the text that stands for one not given yet in a preview (``‹-n›``)."""

VARIABLE = re.compile(r"\$\{([^{}]*)\}")
"""A variable of the amlt dialect: ``${NAME}``."""

_BRACES = re.compile(r"\{[^{}]*\}|[{}]")
_PLACEHOLDERS = ("{nodes}", "{processes}")
_NUMBER = r"[0-9]{1,9}|\{nodes\}|\{processes\}"
_INSTANCE = r"[A-Za-z](?:[A-Za-z0-9_.]|\{nodes\}|\{processes\})*"
_HEAD = rf"(?:(?P<nodes>{_NUMBER})x)?"
_REGION = r"(?:@(?P<region>[A-Za-z0-9_-]+))?"
_COUNTED = (
    rf"{_HEAD}(?:(?P<instance>{_INSTANCE}):)?(?P<memory>{_NUMBER})?(?P<kind>[GC])(?P<count>{_NUMBER})?"
    rf"(?P<features>(?:-[A-Za-z0-9_.+]+)*){_REGION}"
)
_NAMED = rf"{_HEAD}(?P<instance>{_INSTANCE}){_REGION}"
"""The two forms of a SKU, compiled when the first is met."""

_RANGE = r"(?P<first>[0-9]{1,9})(?:(?P<open>\+)|-(?P<last>[0-9]{1,9}))?"

FORM = (
    "[NODESx][INSTANCE:][MEMORY](G|C)[COUNT][-FEATURE...][@REGION], e.g. {nodes}x40G{processes}-A100, "
    "or [NODESx]INSTANCE[@REGION]"
)


@dataclass(frozen=True, slots=True)
class Shape:
    """The resolved shape of a homogeneous job, the only shape there is once resolved.

    `selector` is the per-node number of `-p` (GPUs for GPU SKUs, a size tier for CPU SKUs); `processes` launcher
    processes per node; `gpus` per node.
    """

    nodes: int
    selector: int
    gpus: int
    processes: int
    sku: str | None


@dataclass(frozen=True, slots=True)
class NodeRange:
    """A key of a SKU mapping: the node counts it is for; `last` is None for ``N+``."""

    key: str
    first: int
    last: int | None

    def holds(self, nodes: int) -> bool:
        """Whether a node count is in the range."""
        return self.first <= nodes and (self.last is None or nodes <= self.last)

    def meets(self, other: NodeRange) -> bool:
        """Whether some node count is in both ranges."""
        return self.holds(other.first) or other.holds(self.first)


@lru_cache(maxsize=1024)
def parse_range(key: str) -> NodeRange | None:
    """Read ``N``, ``A-B`` or ``N+`` (node counts from 1); None for anything else."""
    found = re.fullmatch(_RANGE, key.strip())
    if not found:
        return None
    first = int(found["first"])
    last = None if found["open"] else int(found["last"] or first)
    return NodeRange(key, first, last) if first >= 1 and (last is None or last >= first) else None


def parse_sku(text: str) -> re.Match[str] | None:
    """Read a SKU text, filled or with placeholders; None when it has another form.

    Groups: ``nodes``, ``instance``, ``region`` and, where it says G or C, ``memory``, ``kind``, ``count`` and
    ``features``.
    """
    return re.fullmatch(_COUNTED, text) or re.fullmatch(_NAMED, text)


@lru_cache(maxsize=1024)
def counts_gpus(text: str | None) -> bool:
    """Whether the selector is a GPU count: G, neither G nor C, and no SKU at all; C makes it a size tier."""
    found = re.fullmatch(_COUNTED, VARIABLE.sub("1", text)) if text else None
    return found is None or found["kind"] == "G"


@lru_cache(maxsize=1024)
def fill(text: str, nodes: Count, selector: Count) -> str:
    """A SKU text with its placeholders filled; ``${NAME}`` stays."""
    values = {"{nodes}": str(nodes), "{processes}": str(selector)}
    return re.sub(r"(?<!\$)\{(?:nodes|processes)\}", lambda found: values[found[0]], text)


def has_placeholder(text: str) -> bool:
    """Whether a SKU text has ``{nodes}`` or ``{processes}``."""
    rest = VARIABLE.sub("", text)
    return any(each in rest for each in _PLACEHOLDERS)


def sku_texts(sku: Json) -> Iterator[tuple[KeyPath, str]]:
    """Every SKU text of a value with its key path: the one text, or the texts of a mapping in written order."""
    if isinstance(sku, str):
        yield SKU_PATH, sku
    elif isinstance(sku, dict):
        for key, text in sku.items():
            if isinstance(text, str):
                yield (*SKU_PATH, key), text


def choose_sku(sku: Json, nodes: int) -> tuple[KeyPath, str] | Finding | None:
    """The text that counts for a number of nodes: the first range, in written order, that holds it.

    None where there is no SKU; a Finding where no range holds the number.
    """
    if not isinstance(sku, dict):
        return (SKU_PATH, sku) if isinstance(sku, str) else None
    keys = []
    for path, text in sku_texts(sku):
        each = parse_range(str(path[-1]))
        if each is not None and each.holds(nodes):
            return path, text
        keys.append(f"`{path[-1]}`")
    if not keys:
        return None
    written = ", ".join(keys[:8]) + (", …" if len(keys) > 8 else "")
    message = f"no range of jobs[0].sku holds {nodes} nodes (there are {written}); add one like `{nodes}+`"
    return Finding(SKU_PATH, "sku.no-range", message)


def check_sku(sku: Json, *, any_text: bool, variables: bool) -> list[Finding]:
    """What is wrong with a SKU whatever the shape will be.

    `any_text` is for services that accept any SKU text, `variables` for those that fill ``${NAME}`` themselves.
    """
    texts = list(sku_texts(sku))
    checked = [_check_text(path, text, any_text=any_text, variables=variables) for path, text in texts]
    findings = [each for each in checked if each is not None]
    if isinstance(sku, dict):
        findings += _check_ranges(tuple([str(path[-1]) for path, _ in texts]))
    return findings


@lru_cache(maxsize=1024)
def check_counts(path: KeyPath, text: str, nodes: int | None, selector: int | None) -> Finding | None:
    """A literal node or GPU count that differs from the resolved shape (numbers not known yet are not compared)."""
    found = parse_sku(text)
    if found is None or "${" in text:
        return None
    wrong, edits = [], []
    if nodes is not None and _differs(found["nodes"], nodes):
        wrong.append(f"{found['nodes']} node{'s' if found['nodes'] != '1' else ''} where the job has {nodes}")
        edits.append((found.span("nodes"), "{nodes}"))
    if selector is not None and counts_gpus(text) and _differs(found.groupdict().get("count"), selector):
        wrong.append(f"{found['count']} GPUs a node where the job has {selector}")
        edits.append((found.span("count"), "{processes}"))
    if not wrong:
        return None
    suggest = text
    for (start, end), placeholder in reversed(edits):
        suggest = suggest[:start] + placeholder + suggest[end:]
    said = " and ".join(wrong)
    message = f"the SKU `{text}` says {said}; write `{suggest}`, so that it follows the shape"
    # Quoted, because a brace would open a mapping in YAML.
    return Finding(path, "sku.shape-mismatch", message, suggest=f'"{suggest}"')


def _differs(written: str | None, resolved: int) -> bool:
    return written is not None and written.isdigit() and int(written) != resolved


@lru_cache(maxsize=1024)
def _check_text(path: KeyPath, text: str, *, any_text: bool, variables: bool) -> Finding | None:
    where = format_keypath(path)
    amlt = VARIABLE.search(text)
    if amlt and not variables:
        message = (
            f"`{amlt[0]}` in {where} is filled by amlt alone (run with --amlt); "
            "elsewhere write {nodes} and {processes} and set jobs[0].instance_count and target.gpus_per_node"
        )
        return Finding(path, "sku.placeholder", message)
    rest = VARIABLE.sub("", text)
    strange = [each for each in _BRACES.findall(rest) if each not in _PLACEHOLDERS]
    if strange:
        message = f"`{strange[0]}` in {where} stands for nothing; a SKU knows {{nodes}} and {{processes}}"
        return Finding(path, "sku.placeholder", message)
    if not any_text and not amlt and parse_sku(text) is None:
        return Finding(path, "sku.syntax", f"`{text}` is not a SKU: write {FORM}")
    return None


@lru_cache(maxsize=1024)
def _check_ranges(keys: tuple[str, ...]) -> tuple[Finding, ...]:
    """What is wrong with the ranges of a SKU mapping, given as they are written."""
    return tuple(_range_findings(keys))


def _range_findings(keys: tuple[str, ...]) -> Iterator[Finding]:
    ranges = []
    for order, key in enumerate(keys):
        each = parse_range(key)
        if each is None:
            message = f"`{key}` is not a range of nodes: write N, A-B or N+ (from 1)"
            yield Finding((*SKU_PATH, key), "sku.syntax", message, on_key=True)
        else:
            ranges.append((each.first, order, each))
    told: set[str] = set()
    furthest: tuple[int, NodeRange] | None = None
    for first, order, each in sorted(ranges, key=lambda one: one[:2]):
        if furthest is None:
            furthest = order, each
            continue
        last = furthest[1].last
        if last is None or first <= last:
            (_, earlier), (_, later) = sorted([furthest, (order, each)], key=lambda one: one[0])
            if later.key not in told:
                told.add(later.key)
                message = (
                    f"`{later.key}` shares node counts with `{earlier.key}`, which stands before it and wins there"
                )
                yield Finding(
                    (*SKU_PATH, later.key), "sku.overlap", message, on_key=True, origin=(*SKU_PATH, earlier.key)
                )
        elif first > last + 1:
            missing = f"{last + 1}" if first == last + 2 else f"{last + 1}-{first - 1}"
            message = f"no range holds {missing} nodes, between `{furthest[1].key}` and `{each.key}`"
            yield Finding((*SKU_PATH, each.key), "sku.gap", message, on_key=True, origin=(*SKU_PATH, furthest[1].key))
        if last is not None and (each.last is None or each.last > last):
            furthest = order, each
