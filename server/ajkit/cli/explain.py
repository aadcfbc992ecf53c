"""`aj explain`: where a value or a field of the JobSpec comes from, what a problem means, what became of a job."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from ajkit.cli.invocation import this
from ajkit.cli.jobs import is_job, job_text
from ajkit.cli.options import (
    Asked,
    format_option,
    home_option,
    overlay_options,
    shape_options,
    template_option,
    templates,
)
from ajkit.cli.terminal import write
from ajkit.cli.verbs import Verb
from ajkit.shared.problem import AjError, Refused, UsageError

if TYPE_CHECKING:
    from ajkit.engine import Engine
    from ajkit.shared.template.overlay import Overlays
    from ajkit.shared.template.resolve import Resolved
    from ajkit.shared.where import Json

JOB_ID = re.compile(r"[a-z0-9]{10}")


class NotSet(AjError):
    """A key path that leads nowhere in a template."""


@click.command(
    cls=Verb,
    examples=[
        ("aj explain train jobs[0].sku", "who set it, what it overrode"),
        ("aj explain target", "a whole section of the only (or the default) template"),
        ("aj explain train nodes -n 4", "a field of the job that aj run would submit"),
        ("aj explain train env.AJ_NAME", "the same, of its environment"),
        ("aj explain merge.diamond", "what a problem means and what to do"),
        ("aj explain 4k2m9x0qpa", "what became of a job"),
    ],
)
@click.argument("words", nargs=-1, required=True, metavar="[T] WHAT", shell_complete=templates)
@template_option
@format_option("text", "json")
@shape_options
@overlay_options
@home_option
@click.pass_context
def command(
    context: click.Context,
    *,
    words: tuple[str, ...],
    template: str | None,
    form: str,
    asked: Asked,
    overlays: Overlays,
    home: str | None,
) -> None:
    """Say where a value of a template comes from.

    That is the file and line that set it, by which rule, along which road of bases, and what it overrode, nearest
    first.

    WHAT is a key path of the merged config (jobs[0].sku, target, labels["a.b/c"]), a field of the JobSpec (nodes, sku,
    env.AJ_NAME), the code of a problem (merge.diamond), or the id of a job. T is the template; without it the default
    one is meant, or the only one there is.
    """
    invocation = this(context)
    if len(words) > 2 or (len(words) == 2 and template is not None):
        raise click.UsageError("give one template and one thing to explain: aj explain train jobs[0].sku")
    what = words[-1]
    named = words[0] if len(words) == 2 else template
    if named is None and (page := _page(what, form)):
        write(page)
        return
    is_id = named is None and JOB_ID.fullmatch(what) is not None
    if is_id and any(each.isdigit() for each in what):
        write(job_text(what, form, invocation))
        return
    engine = invocation.engine(home)
    try:
        write(_Question(what, engine.find(named), asked, overlays, form, engine, invocation.folder).answer())
    except (NotSet, UsageError):
        # Few ids are of letters alone, as key paths are.
        if not is_id or not is_job(what, invocation):
            raise
        write(job_text(what, form, invocation))


@dataclass(frozen=True)
class _Question:
    """A value or field that is asked about, under which request."""

    what: str
    path: str
    asked: Asked
    overlays: Overlays
    form: str
    engine: Engine
    folder: str

    def answer(self) -> str:
        """The history of a value of the merged config, else of a field of the JobSpec; with a shape the field first.

        Raises:
            Refused: the template cannot be resolved.
            NotSet: there is no such value or field.
        """
        resolved = self.engine.resolve(self.path, self.overlays, named=True)
        if resolved.stopping:
            raise Refused(resolved.stopping)
        if self.asked == Asked():
            found = self._value(resolved) or self._field()
        else:
            found = self._field() or self._value(resolved)
        if found is None:
            raise NotSet(_not_set(self.what, resolved))
        return found

    def _value(self, resolved: Resolved) -> str | None:
        from ajkit.cli.trails import trail_data, trail_text
        from ajkit.shared.where import parse_keypath

        try:
            path = parse_keypath(self.what)
        except ValueError as error:
            raise UsageError(str(error)) from error
        trail = resolved.trail(path) if path else None
        if trail is None:
            return None
        if self.form == "json":
            return _json(trail_data(trail, self.folder))
        return trail_text(trail, resolved, self.folder)

    def _field(self) -> str | None:
        from ajkit.cli.trails import field_data, field_text
        from ajkit.shared.job.request import JobRequest

        asked = self.asked
        request = JobRequest(self.path, asked.nodes, asked.selector, asked.processes, self.overlays, amlt=asked.amlt)
        field = self.engine.plan(request).trail(self.what)
        if field is None:
            return None
        return _json(field_data(field, self.folder)) if self.form == "json" else field_text(field, self.folder)


def _page(what: str, form: str) -> str | None:
    """The page of a problem's code; None where it is no code."""
    if "." not in what or "[" in what:
        return None
    from ajkit.cli.pages import sections

    page = sections().get(what)
    return _json({"code": what, "page": page}) if page and form == "json" else page


def _not_set(what: str, resolved: Resolved) -> str:
    from ajkit.cli.pages import sections
    from ajkit.shared.template.names import did_you_mean, near
    from ajkit.shared.where import format_keypath, walk

    known = [format_keypath(path) for path, _ in walk(resolved.config) if path and isinstance(path[-1], str)]
    same_end = [each for each in known if re.split(r"[.\]]", each)[-1] == what]
    close = same_end[:3] or near(what, [*known, *sections()])
    return f"`{what}` is not set in {resolved.name}, and is no field of its JobSpec{did_you_mean(close)}"


def _json(value: dict[str, Json]) -> str:
    import json

    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
