"""One preview as it was drawn: its text, the places in it, and the written lines that they came from."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from ajkit.shared.template.parse import parse
from ajkit.shared.template.query import spot_at
from ajkit.shared.template.secrets import masked
from ajkit.shared.template.source import read_template
from ajkit.shared.template.tree import node_at
from ajkit.shared.template.yamltext import yaml_text
from ajkit.shared.where import Rule, Span, Text, format_keypath, walk

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ajkit.lsp.session import Session
    from ajkit.shared.job.plan import Plan
    from ajkit.shared.job.request import Ambient, JobRequest
    from ajkit.shared.job.trails import FieldTrail
    from ajkit.shared.problem import Problem
    from ajkit.shared.template.query import Spot
    from ajkit.shared.template.resolve import Resolved
    from ajkit.shared.template.source import TemplateFile
    from ajkit.shared.where import KeyPath, Origin, Trail

ENDINGS = {"merged": "", "spec": ".json", "amlt": ".yaml"}
"""The kinds of previews, and how their paths end after the template's own: editors colour a document by that."""

LISTED = 20
"""How many problems stand above a preview."""

LARGEST = 50_000
"""How many values a preview shows: drawing more takes longer than a person waits."""

FIELDS = 2_000
"""How many fields of a JobSpec are asked where they came from."""

_COMMENTS = {"merged": "#", "spec": "//", "amlt": "#"}
_AMLT_FIELDS: dict[KeyPath, KeyPath] = {
    ("jobs", 0, "name"): ("name",),
    ("jobs", 0, "sku"): ("sku",),
    ("jobs", 0, "command"): ("command",),
    ("jobs", 0, "instance_count"): ("nodes",),
    ("jobs", 0, "process_count_per_node"): ("processes_per_node",),
    ("code", "local_dir"): ("code", "dir"),
}
"""What of the amlt file is the job's and not the merged config's."""

_ENV: KeyPath = ("jobs", 0, "submit_args", "env")
_MERGED = (Rule.UNION, Rule.CONCAT, Rule.POSITION)


@dataclass(frozen=True)
class Preview:
    """What a template comes to for one request.

    Attributes:
        kind: one of `ENDINGS`.
        text: what is shown, secrets masked; its path is the template's.
        resolved: the template.
        plan: the job; None for the merged config, which is about no request.
        problems: everything wrong with it.
        whole: whether it could be drawn, so that it is worth keeping while the next ones cannot be.
    """

    kind: str
    text: Text
    resolved: Resolved
    plan: Plan | None
    problems: tuple[Problem, ...]
    whole: bool

    @property
    def digest(self) -> str | None:
        """The ``spec_sha256`` of the job."""
        return self.plan.digest if self.plan else None

    @cached_property
    def tree(self) -> TemplateFile:
        """The text, parsed; JSON is YAML but for the signs of its comments, which are as long here."""
        content = re.sub(r"^//", "# ", self.text.content, flags=re.MULTILINE) if self.kind == "spec" else None
        text = self.text if content is None else Text(self.text.path, content)
        return read_template(self.text.path, "", parse(text))

    def spot(self, offset: int) -> Spot | None:
        """The key or value at an offset of the text."""
        return spot_at(self.tree, offset)

    def place(self, path: KeyPath) -> Span | None:
        """Where the key at a key path stands, or the value where it has no key."""
        root = self.tree.document.root
        found = node_at(root, path) if root is not None else None
        if found is None:
            return None
        node, entry = found
        there = entry or node
        return Span(self.text, there.start, there.end)

    def field(self, path: KeyPath) -> FieldTrail | None:
        """Where a field of the job came from that is shown at a key path; None for what is the merged config's."""
        shown = self._field_path(path)
        return self.plan.trail(format_keypath(shown)) if self.plan and shown is not None else None

    def _field_path(self, path: KeyPath) -> KeyPath | None:
        """The path in the JobSpec of what is shown at a key path; None for what is the merged config's."""
        if self.kind != "amlt":
            return path if self.kind == "spec" else None
        if path[: len(_ENV)] == _ENV:
            return ("env", *path[len(_ENV) :])
        shown = next((_AMLT_FIELDS[path[:depth]] for depth in (2, 3) if path[:depth] in _AMLT_FIELDS), None)
        is_written = shown == ("command",) and len(path) > 3 and self.resolved.winner(path) is not None
        return None if is_written else shown

    def trail(self, path: KeyPath) -> Trail | None:
        """Where a value of the merged config came from that is shown at a key path."""
        return None if self.kind == "spec" else self.resolved.trail(path)

    def origins(self, path: KeyPath) -> list[Origin]:
        """Who wrote what is shown at a key path: what won first; of a merged value every part, nearest first."""
        field = self.field(path)
        if field is not None:
            return [each.origin for each in field.sources if each.origin is not None]
        trail = self.trail(path)
        if trail is None:
            return []
        return [trail.winner, *(trail.contributors[::-1] if trail.rule in _MERGED else ())]

    def written(self, path: KeyPath) -> list[Span]:
        """The written places of `origins`; what the command line or a default set has none."""
        return list(dict.fromkeys(place for each in self.origins(path) if (place := written_place(each)) is not None))

    def source(self, path: KeyPath) -> Span | None:
        """The first of `written`, without the rest of the history."""
        shown = self._field_path(path)
        read = path if shown is None else self._read_from(shown)
        if read is None:
            return next(iter(self.written(path)), None)
        winner = self.resolved.winner(read)
        return None if winner is None else written_place(winner)

    def _read_from(self, path: KeyPath) -> KeyPath | None:
        from ajkit.shared.job.fieldpaths import read_from

        return read_from(path, self.plan.materials) if self.plan and self.plan.materials else None

    def shows(self, path: KeyPath) -> Span | None:
        """Where what stands at a key path of the merged config is shown here; nearest above where it is not itself."""
        if self.kind != "spec":
            return self._nearest(path)
        for depth in range(len(path), 0, -1):
            winner = self.resolved.winner(path[:depth])
            found = self._fields.get(written_place(winner)) if winner is not None else None
            if found is not None:
                return self.place(found)
        return None

    def _nearest(self, path: KeyPath) -> Span | None:
        found = (self.place(path[:depth]) for depth in range(len(path), 0, -1))
        return next((each for each in found if each is not None), None)

    @cached_property
    def _fields(self) -> dict[Span | None, KeyPath]:
        """The fields of the JobSpec by the first place that each came from; the first and outermost field counts."""
        found: dict[Span | None, KeyPath] = {}
        fields = self.plan.draft if self.plan else None
        for path, _ in islice(walk(fields), FIELDS):
            place = self.source(path) if path else None
            if place is not None:
                found.setdefault(place, path)
        return found


def written_place(origin: Origin) -> Span | None:
    """The key that an origin wrote, or its value where it has no key; None for what stands in no file."""
    if origin.span is None or origin.span.path != origin.label:
        return None
    return origin.key or origin.span


def drawn(session: Session, kind: str, request: JobRequest, facts: Ambient) -> Preview:
    """A preview as the template is now.

    Raises:
        UsageError: the request makes no sense.
    """
    if kind == "merged":
        return _merged(session, request)
    return _job(session, kind, replace(request, amlt=True) if kind == "amlt" else request, facts)


def not_drawn(session: Session, kind: str, request: JobRequest, why: str) -> Preview:
    """A preview that only says why there is none."""
    resolved = session.engine.resolve(request.template, named=True)
    text = Text(resolved.path, f"{_COMMENTS[kind]} {why}\n")
    return Preview(kind, text, resolved, None, (), whole=False)


def _too_large(kind: str, resolved: Resolved, plan: Plan | None) -> Preview:
    words = f"this holds about {resolved.merged.nodes:,} values, too many for a preview: aj show prints them"
    text = Text(resolved.path, f"{_COMMENTS[kind]} {words}\n")
    return Preview(kind, text, resolved, plan, plan.problems if plan else resolved.stopping, whole=True)


def _merged(session: Session, request: JobRequest) -> Preview:
    resolved = session.engine.resolve(request.template, request.overlays, named=True)
    if resolved.merged.nodes > LARGEST:
        return _too_large("merged", resolved, None)
    config = masked(resolved.config)
    assert isinstance(config, dict)
    stopping = resolved.stopping
    text = Text(resolved.path, _above("merged", resolved, stopping) + yaml_text(config))
    return Preview("merged", text, resolved, None, stopping, whole=not stopping)


def _job(session: Session, kind: str, request: JobRequest, facts: Ambient) -> Preview:
    plan = session.engine.plan(request, facts)
    resolved = plan.resolved
    if resolved.merged.nodes > LARGEST:
        return _too_large(kind, resolved, plan)
    errors = [each for each in plan.problems if each.is_error] if plan.spec is None else []
    body = _spec_text(plan) if kind == "spec" else _amlt_text(plan)
    text = Text(resolved.path, _above(kind, resolved, errors) + (body or ""))
    return Preview(kind, text, resolved, plan, plan.problems, whole=body is not None and not resolved.stopping)


def _spec_text(plan: Plan) -> str | None:
    from ajkit.shared.job.render import rendering

    return rendering(plan)


def _amlt_text(plan: Plan) -> str | None:
    from ajkit.shared.job.amlt import draft_config

    if plan.draft is None or plan.draft.get("template") is None:
        return None
    config = masked(draft_config(plan.draft))
    assert isinstance(config, dict)
    return yaml_text(config)


def _above(kind: str, resolved: Resolved, problems: Iterable[Problem]) -> str:
    """Lines of comment that say what is wrong, above what could be drawn in spite of it."""
    told = list(problems)
    lines = [_line(each, resolved.project) for each in told[:LISTED]]
    if len(told) > LISTED:
        lines.append(f"and {len(told) - LISTED} more")
    return "".join(f"{_COMMENTS[kind]} {each}\n" for each in lines)


def _line(problem: Problem, project: str) -> str:
    message = f"{problem.severity.value} {problem.code}: {' '.join(problem.message.split())}"
    span = problem.span
    if span is None or not span.path.startswith("/"):
        return message
    return f"{posixpath.relpath(span.path, project)}:{span.first.line + 1}: {message}"
