"""What can be wrong: Problem, its codes and severities, fixes, and the exceptions that carry problems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import Enum
from typing import TYPE_CHECKING, overload

from ajkit.shared.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ajkit.shared.where import KeyPath, Span


class Severity(Enum):
    """How much a problem matters. The values are the words of reports and of `aj.toml`."""

    ERROR = "error"
    WARNING = "warning"
    INFORMATION = "information"
    HINT = "hint"


_E, _W, _I, _H = Severity.ERROR, Severity.WARNING, Severity.INFORMATION, Severity.HINT

CODES: dict[str, Severity] = {
    "template.missing": _E,
    "template.shape": _E,
    "template.unknown-key": _W,
    "base.type": _E,
    "base.name": _E,
    "base.no-home": _E,
    "base.missing": _E,
    "base.cycle": _E,
    "base.broken": _E,
    "base.unsaved": _I,
    "yaml.syntax": _E,
    "yaml.tab-indent": _E,
    "yaml.conflict-marker": _E,
    "yaml.encoding": _E,
    "yaml.documents": _E,
    "yaml.duplicate-key": _E,
    "yaml.key": _E,
    "yaml.tag": _E,
    "yaml.recursive-alias": _E,
    "yaml.implicit-type": _W,
    "limit.chain": _E,
    "limit.nodes": _E,
    "limit.nesting": _E,
    "limit.size": _E,
    "limit.aliases": _E,
    "merge.clears": _W,
    "merge.diamond": _W,
    "merge.type-change": _W,
    "merge.repeats": _H,
    "merge.redundant": _H,
    "schema.type": _E,
    "schema.required": _E,
    "schema.unknown-key": _W,
    "schema.no-effect": _I,
    "jobs.extra": _I,
    "env.unexpanded": _H,
    "env.overridden": _W,
    "shell.amlt-escape": _W,
    "secret.inline": _W,
    "service.unknown": _E,
    "shape.missing": _E,
    "shape.refused": _E,
    "shape.invalid": _E,
    "sku.syntax": _E,
    "sku.placeholder": _E,
    "sku.no-range": _E,
    "sku.shape-mismatch": _E,
    "sku.overlap": _W,
    "sku.gap": _W,
    "name.invalid": _E,
    "command.missing": _E,
    "code.missing": _E,
    "code.link": _E,
    "code.too-large": _E,
    "code.unreadable": _E,
    "overlay.keypath": _E,
    "settings.invalid": _E,
    "plugin.broken": _W,
}
"""Every code of the product and its severity by default; a service's own codes are ``<service>.<word>`` and errors.

`docs/problems.md` has one heading per code. `schema.no-effect` is a warning where the key would change the job.
"""

STOPS_SHOW = ("template.", "base.", "yaml.", "limit.", "overlay.", "settings.")
"""Prefixes of the codes whose errors mean that a merged config cannot be trusted (`aj show` prints nothing)."""


def default_severity(code: str) -> Severity:
    """The severity of a code unless `aj.toml` says otherwise; unknown codes are a service's own refusals: errors."""
    return CODES.get(code, Severity.ERROR)


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that explains a problem, with a few words on why."""

    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of text at a span; an empty span inserts."""

    span: Span
    new_text: str


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file to create with some content, at a path of the `Files` the problem was found in."""

    path: str
    content: str


@dataclass(frozen=True, slots=True)
class Fix:
    """A way out of a problem: what it does in the user's words and the changes that do it.

    `preferred` marks the one to apply without asking.
    """

    title: str
    edits: tuple[Edit, ...] = ()
    creates: tuple[NewFile, ...] = ()
    preferred: bool = False


_NO_FIXES: tuple[Fix, ...] = ()


class Later(Sequence[Fix]):
    """Fixes that are worked out when somebody looks at them: a report of a thousand hints shows none of theirs.

    `make` is asked once; what it looks at must not change. Makers that are equal make the same.
    """

    __slots__ = ("_fixes", "_make")

    def __init__(self, make: Callable[[], Iterable[Fix]]) -> None:
        self._make = make
        self._fixes: tuple[Fix, ...] | None = None

    def _made(self) -> tuple[Fix, ...]:
        if self._fixes is None:
            self._fixes = tuple(self._make())
        return self._fixes

    @overload
    def __getitem__(self, index: int) -> Fix: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Fix]: ...
    def __getitem__(self, index: int | slice) -> Fix | Sequence[Fix]:
        return self._made()[index]

    def __len__(self) -> int:
        return len(self._made())

    def __eq__(self, other: object) -> bool:
        if self is other or (isinstance(other, Later) and self._make == other._make):
            return True
        return isinstance(other, tuple | Later) and self._made() == tuple(other)

    def __hash__(self) -> int:
        return hash(self._made())

    def __repr__(self) -> str:
        return repr(self._made())


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong, said in the user's words, on the place where it was written.

    `span` is None only for problems of the command line itself. `keypath` says which value of the effective config it
    is about, `leaf` the name of the template whose effective config showed it, where that is another file.
    `unnecessary` and `deprecated` are the editor's tags.
    """

    code: str
    message: str
    span: Span | None
    related: tuple[Related, ...] = ()
    fixes: Sequence[Fix] = _NO_FIXES
    severity: Severity = Severity.ERROR
    keypath: KeyPath | None = None
    leaf: str | None = None
    unnecessary: bool = False
    deprecated: bool = False

    @property
    def is_error(self) -> bool:
        """Whether it stops a build."""
        return self.severity is Severity.ERROR

    def with_severity(self, severity: Severity) -> Problem:
        """The same problem, graded differently."""
        return replace(self, severity=severity)

    def without_fixes(self) -> Problem:
        """The same problem for where nobody asks for ways out."""
        return self if self.fixes is _NO_FIXES else replace(self, fixes=_NO_FIXES)

    @property
    def stops_show(self) -> bool:
        """Whether the merged config cannot be trusted."""
        return self.is_error and self.code.startswith(STOPS_SHOW)


def problem(
    code: str,
    message: str,
    span: Span | None,
    *,
    related: Iterable[Related] = (),
    fixes: Iterable[Fix] = (),
    severity: Severity | None = None,
    keypath: KeyPath | None = None,
    leaf: str | None = None,
    unnecessary: bool = False,
    deprecated: bool = False,
) -> Problem:
    """Make a Problem with the default severity of its code."""
    return Problem(
        code=code,
        message=message,
        span=span,
        related=tuple(related),
        fixes=fixes if isinstance(fixes, Later) else tuple(fixes),
        severity=severity or default_severity(code),
        keypath=keypath,
        leaf=leaf,
        unnecessary=unnecessary,
        deprecated=deprecated,
    )


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem as a check or a service's hook reports it: on a key path of the effective config, without a place yet.

    The core turns the path into a span by its trail; a path that is absent is blamed on its nearest existing parent.
    `on_key` puts it on the key instead of the value, `suggest` is the text that should stand there instead (a fix),
    `origin` names another key path whose place explains it. `wants_text` says that text belongs there. `missing` are
    the key paths that have to be set.
    """

    path: KeyPath
    code: str
    message: str
    severity: Severity | None = None
    on_key: bool = False
    suggest: str | None = None
    origin: KeyPath | None = None
    wants_text: bool = False
    missing: tuple[KeyPath, ...] = ()


def in_order(problems: Iterable[Problem]) -> list[Problem]:
    """Problems sorted by file and position, exact repetitions left out."""
    problems = list(problems)
    if len(problems) < 2:
        return problems
    kept: dict[tuple[str, int, int, str, str], list[Problem]] = {}
    for each in problems:
        same = kept.setdefault(_place(each), [])
        if each not in same:
            same.append(each)
    return [each for place in sorted(kept) for each in kept[place]]


def summed(problems: Iterable[Problem]) -> list[Problem]:
    """Problems of many templates as a report shows them: in order, one per (file, span, code).

    Where effective configs showed the same fault in a file, the first template is named and the others are counted.
    """
    kept: dict[tuple[object, ...], list[Problem]] = {}
    for each in problems:
        span = each.span
        # What a span is told apart by is written out: to hash one is a call, and a report has thousands.
        key = (each.code, each.message) if span is None else (each.code, span.path, span.start, span.end)
        kept.setdefault(key, []).append(each)
    merged = []
    for same in kept.values():
        leaves = sorted({each.leaf for each in same if each.leaf is not None})
        first = min(same, key=lambda each: (each.leaf is not None, each.leaf or "", each.message))
        if first.leaf is not None:
            more = f" and {len(leaves) - 1} more" if len(leaves) > 1 else ""
            first = replace(first, message=f"{first.message} (in {first.leaf}{more})")
        merged.append(first)
    return sorted(merged, key=_place)


def _place(each: Problem) -> tuple[str, int, int, str, str]:
    if each.span is None:
        return ("", -1, -1, each.code, each.message)
    return (each.span.path, each.span.start, each.span.end, each.code, each.message)


class AjError(Exception):
    """The root of the exceptions that a person may see; `str()` is fit to print."""


class Refused(AjError):
    """A request that cannot be carried out; `problems` says why (at least one error among them)."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        errors = [each for each in self.problems if each.is_error] or list(self.problems)
        super().__init__("\n".join(f"{each.code}: {each.message}" for each in errors))


class UsageError(AjError):
    """A wrong call: unknown name, bad option value, nothing to choose from. The command line exits with 2."""
