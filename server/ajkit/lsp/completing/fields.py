"""What is said of a field in a list of proposals: its documentation, and the value that the bases give it."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from ajkit.shared.template.brief import brief
from ajkit.shared.template.merge import merge_mappings
from ajkit.shared.template.merged import Inherited as FromBase
from ajkit.shared.template.secrets import masked
from ajkit.shared.template.trail import Trails
from ajkit.shared.where import Missing, at, format_keypath

if TYPE_CHECKING:
    from ajkit.lsp.markup import Markup
    from ajkit.lsp.view import View
    from ajkit.shared.job.fielddocs import FieldDoc
    from ajkit.shared.template.merged import Part
    from ajkit.shared.where import Json, KeyPath, Origin

_SHORT = 32
_WHOLE = 120


@dataclass(frozen=True, slots=True)
class Inherited:
    """The value that a field has without this file, and who gave it."""

    value: Json
    origin: Origin
    name: str

    @property
    def shown(self) -> str:
        """The value in one line, secrets masked."""
        return brief(masked(self.value, self.name))

    @property
    def is_shown_whole(self) -> bool:
        """Whether it is a single value that may be shown as it is, none of it masked or cut."""
        if not isinstance(self.value, str | int | float) or masked(self.value, self.name) != self.value:
            return False
        return not isinstance(self.value, str) or (0 < len(self.value) <= _WHOLE and "\n" not in self.value)

    def place(self, view: View) -> str:
        """Where it was written: the path relative to the project, and the line."""
        span = self.origin.span
        if span is None or span.path != self.origin.label:
            return self.origin.label
        return f"{posixpath.relpath(span.path, view.resolved.project)}:{span.first.line + 1}"

    @property
    def note(self) -> str:
        """The value in a few words."""
        return f"inherits {brief(masked(self.value, self.name), _SHORT)}"


class Above:
    """The config that the bases of a template make together, without what the template itself says."""

    def __init__(self, view: View) -> None:
        self._merged = view.resolved.merged

    @cached_property
    def _parts(self) -> tuple[Part, ...]:
        own = (index for index, part in enumerate(self._merged.parts) if not isinstance(part, FromBase))
        return self._merged.parts[: next(own, len(self._merged.parts))]

    @cached_property
    def _config(self) -> dict[str, Json]:
        if len(self._parts) == 1:
            return self._parts[0].value
        return merge_mappings([each.value for each in self._parts])

    @cached_property
    def _trails(self) -> Trails:
        return Trails(replace(self._merged, parts=self._parts, value=self._config))

    def keys(self, path: KeyPath) -> tuple[str, ...]:
        """The keys that the bases have in a mapping."""
        value = at(self._config, path)
        return tuple(value) if isinstance(value, dict) else ()

    def of(self, path: KeyPath) -> Inherited | None:
        """What the bases give a field; None where they say nothing of it."""
        trail = None if not path or isinstance(at(self._config, path), Missing) else self._trails.trail(path)
        return None if trail is None else Inherited(trail.value, trail.winner, str(path[-1]))


def write_field(markup: Markup, doc: FieldDoc | None, path: KeyPath, value: Inherited | None) -> None:
    """The documentation of a field."""
    if doc is not None:
        _write_doc(markup, doc)
    if value is None:
        return
    road = f" via {' → '.join(value.origin.road)}" if value.origin.road else ""
    markup.line(f"Inherited: {markup.code(value.shown)} — {markup.place(value.origin)}{road}")
    if isinstance(value.value, list) and not any(isinstance(each, dict) for each in value.value):
        name = markup.code(format_keypath(path))
        example = markup.code("base: [common, no-setup]")
        markup.line(
            f"What you list is added to that. To replace it, first name a base that sets {name} to null, after the one "
            f"that fills it ({example}), then list anew here."
        )


def _write_doc(markup: Markup, doc: FieldDoc) -> None:
    if doc.description:
        markup.line(doc.description if markup.markdown else doc.description.replace("`", ""))
    words = f"Takes {doc.type}"
    if doc.values and "one of" not in doc.type and doc.values[0][0] != "true":
        words += ": " + ", ".join(markup.code(each) for each, _ in doc.values)
    if not isinstance(doc.default, Missing):
        words += f"; {markup.code(brief(doc.default))} when it is not set"
    markup.line(words + ".")
    if doc.examples:
        markup.line("For example " + ", ".join(markup.code(brief(each)) for each in doc.examples) + ".")
    if doc.readers:
        markup.line(f"Only {' and '.join(markup.code(each) for each in doc.readers)} reads it.")
