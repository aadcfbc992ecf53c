"""Where the fields of a JobSpec came from: flags over template values over defaults, facts, and what they made."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ajkit.shared.job.code import CODE_PATH, IGNORE_PATH, code_dir
from ajkit.shared.job.command import COMMAND_PATH, words_line
from ajkit.shared.job.env import ENV_PATH
from ajkit.shared.job.fieldpaths import nearest, option_path, read_from
from ajkit.shared.job.names import NAME_PATH, name_source
from ajkit.shared.job.service import AMLT_FLAG, SERVICE_PATH
from ajkit.shared.job.shape import NODES_PATH, PROCESSES_PATH, SELECTOR_PATH
from ajkit.shared.records import dataclass
from ajkit.shared.sku import SKU_PATH
from ajkit.shared.template.secrets import masked
from ajkit.shared.where import Missing, Origin, Span, at, format_keypath, parse_keypath

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ajkit.shared.job.build import Materials
    from ajkit.shared.where import Json, KeyPath, Trail


@dataclass(frozen=True, slots=True)
class FieldSource:
    """One thing a field was made of, or went over: in words and, for a value of the template, who wrote it."""

    words: str
    origin: Origin | None = None

    def __str__(self) -> str:
        return self.words if self.origin is None else f"{self.words} at {self.origin}"


@dataclass(frozen=True, slots=True)
class FieldTrail:
    """Where a field of a JobSpec came from.

    `value` has its secrets masked. `sources` are what it was made of (mostly one), `over` what that went over, nearest
    first, `note` how it was made where it is not simply the first source's. `str()` is one line for people.
    """

    field: str
    value: Json
    sources: tuple[FieldSource, ...]
    over: tuple[FieldSource, ...] = ()
    note: str = ""

    def __str__(self) -> str:
        made = " and ".join(str(each) for each in self.sources)
        over = "".join(f", over {each}" for each in self.over)
        return f"{made}{over}{f' ({self.note})' if self.note else ''}"


def explain_field(field: str, job: Materials, draft: Mapping[str, Json]) -> FieldTrail | None:
    """The history of a JobSpec field (``nodes``, ``env.LR``, ``setup[0]``); None where there is no such field.

    A part of a section has the history of what the template says there, or nearest above: ``backend_spec.queue`` that
    of ``target.queue``.
    """
    try:
        path = parse_keypath(field)
    except ValueError:
        return None
    value = at(dict(draft), path)
    if not path or isinstance(value, Missing):
        return None
    explained = _explained(path, job)
    shown = masked(value, str(path[-1]))
    return FieldTrail(format_keypath(path), shown, explained.sources, explained.over, explained.note)


@dataclass(frozen=True, slots=True)
class _Explained:
    sources: tuple[FieldSource, ...]
    over: tuple[FieldSource, ...] = ()
    note: str = ""


def _explained(path: KeyPath, job: Materials) -> _Explained:
    section = str(path[0])
    read = read_from(path, job)
    if read is not None:
        return _template(job, read, "no storage in the template" if section == "storage" else "not set in the template")
    if section == "env" and len(path) > 1:
        return _injected(str(path[1]), job)
    if section == "code" and len(path) > 1:
        return _code_dir(job) if path[1] == "dir" else _code_ignore(job, path[2:])
    if section == "sources" and len(path) > 1:
        return _source(job, path[1])
    if section == "backend_spec" and (place := option_path(str(path[1]), job) if len(path) > 1 else None) is not None:
        return _Explained((_said(f"{format_keypath(place)} is not set in the template"),))
    return _FIELDS[section](job)


def _said(text: str) -> FieldSource:
    return FieldSource(text)


def _written(trail: Trail) -> FieldSource:
    """A template value as its winner wrote it: ``jobs[0].instance_count = 2 at leaf.yaml:7``."""
    shown = "" if isinstance(trail.value, dict | list) else f" = {_shown(trail.path, trail.winner)}"
    return FieldSource(f"{format_keypath(trail.path)}{shown}", trail.winner)


def _overrode(trail: Trail) -> tuple[FieldSource, ...]:
    return tuple(FieldSource(_shown(trail.path, each), each) for each in trail.overrode)


def _shown(path: KeyPath, origin: Origin) -> str:
    """What was written, in few words: environment values as text, secrets masked."""
    value = origin.value
    if isinstance(value, dict | list):
        return "a mapping" if isinstance(value, dict) else "a list"
    if path[: len(ENV_PATH)] == ENV_PATH and value is not None and origin.written is not None:
        value = origin.written
    return json.dumps(masked(value, str(path[-1])), ensure_ascii=False)


def _written_at(job: Materials, path: KeyPath) -> tuple[FieldSource, ...]:
    """What the template says at a key path: its value, then what that overrode; nothing where it says nothing."""
    trail = job.resolved.trail(path)
    return () if trail is None else (_written(trail), *_overrode(trail))


def _template(job: Materials, path: KeyPath, otherwise: str) -> _Explained:
    """A value of the template with what it overrode; else the words for there being none."""
    written = _written_at(job, path)
    if not written or at(job.resolved.config, path) is None:
        return _Explained((_said(otherwise),), written)
    return _Explained(written[:1], written[1:])


def _flag(job: Materials, flag: str, given: object, path: KeyPath, otherwise: str) -> _Explained:
    """A flag over the template's value over the default."""
    if given is None:
        return _template(job, path, otherwise)
    return _Explained((_said(f"{flag} {given}".rstrip()),), _written_at(job, path))


def _derived(job: Materials, what: str) -> _Explained | None:
    derived = job.sizing.derived
    if derived is None:
        return None
    roles = ", ".join(f"{role.replicas} × {role.name}" for role in derived.roles)
    return _Explained((_said(f"the tasks of the template ({roles})"),), note=what)


def _name(job: Materials) -> _Explained:
    source = name_source(job.template, job.request, job.ambient, job.resolved.project)
    note = f"with -{job.ambient.sid}, as {job.service.name} spells names"
    written = _written_at(job, NAME_PATH)
    if source.path is not None:
        return _Explained(written[:1], written[1:], note)
    return _Explained((_said(f"{source.given_by} `{source.text}`"),), written, note)


def _service(job: Materials) -> _Explained:
    return _flag(job, AMLT_FLAG, "" if job.request.amlt else None, SERVICE_PATH, "not set in the template")


def _sku(job: Materials) -> _Explained:
    if derived := _derived(job, "nodes that differ have no SKU"):
        return derived
    path = job.sizing.sku_path
    if path is None:
        return _template(job, SKU_PATH, "not set in the template")
    below = _template(job, path, "")
    return _Explained(below.sources, below.over, f"for {job.sizing.nodes} nodes and {job.sizing.selector} per node")


def _nodes(job: Materials) -> _Explained:
    return _derived(job, "the sum of the replicas") or _flag(
        job, "-n", job.request.nodes, NODES_PATH, "missing: give -n, or set jobs[0].instance_count"
    )


def _selector(job: Materials) -> _Explained:
    return _derived(job, "nodes that differ have no selector") or _flag(
        job, "-p", job.request.selector, SELECTOR_PATH, "missing: give -p, or set target.gpus_per_node"
    )


def _gpus(job: Materials) -> _Explained:
    if derived := _derived(job, "the most of any task"):
        return derived
    selector = _selector(job)
    if job.sizing.gpu_kind:
        return selector
    return _Explained((*_sku(job).sources, *selector.sources), note="a CPU SKU: the selector is a size tier, no GPUs")


def _processes(job: Materials) -> _Explained:
    return _derived(job, "the most of any task") or _flag(
        job, "--ppn", job.request.processes, PROCESSES_PATH, "default 1"
    )


def _code_dir(job: Materials) -> _Explained:
    given = job.request.code_dir
    return _flag(job, "--code", given, CODE_PATH, f"default {code_dir(job.template, job.request)}")


def _code_ignore(job: Materials, item: KeyPath) -> _Explained:
    """The rules, or one of them: those of the template come first, then those of the ignore file."""
    below = _template(job, nearest(job, (*IGNORE_PATH, *item)), "no rules in the template")
    if not job.ambient.ignore_file:
        return below
    of_file = _said("the ignore file of the code folder")
    if item:
        of_template = isinstance(item[0], int) and item[0] < len(job.template.code.ignore)
        return below if of_template else _Explained((of_file,))
    return _Explained((*below.sources, of_file), below.over)


def _command(job: Materials) -> _Explained:
    below = _template(job, COMMAND_PATH, "no command in the template")
    words = words_line(job.request, job.ambient)
    if words is None:
        return below
    given = _said(f"the words `{words}` given to aj run")
    return _Explained((*below.sources, given) if job.template.job.command else (given,), below.over)


def _injected(name: str, job: Materials) -> _Explained:
    """An ``AJ_*`` variable that aj sets, whatever the template says."""
    shape = {"AJ_NODES": _nodes, "AJ_GPUS_PER_NODE": _gpus, "AJ_PROCESSES_PER_NODE": _processes, "AJ_NAME": _name}
    sources = shape[name](job).sources if name in shape else (_said("a fact of the run"),)
    if name in ("AJ_PROCESSES", "AJ_TOTAL_GPUS", "AJ_GPU_NODES"):
        sources = (_said("the shape"),)
    return _Explained(sources, _written_at(job, (*ENV_PATH, name)), "injected by aj")


def _whole_env(job: Materials) -> _Explained:
    below = _template(job, ENV_PATH, "no environment in the template")
    return _Explained((*below.sources, _said("the AJ_* values that aj injects")), below.over)


def _options(job: Materials) -> _Explained:
    return _Explained((_said(f"what {job.service.name} reads of target, jobs[0] and _extra.{job.service.name}"),))


def _source(job: Materials, index: str | int) -> _Explained:
    """One file of the chain, at its beginning."""
    file = job.resolved.chain[int(index)]
    return _Explained((FieldSource("the file", Origin(file.path, Span(file.text, 0, 0), None, None, None)),))


def _merged(job: Materials) -> _Explained:
    if job.service.takes_all:
        return _Explained((_said(f"the merged config, which {job.service.name} takes whole"),))
    return _Explained((_said(f"null: {job.service.name} needs no merged source"),))


_FIELDS: dict[str, Callable[[Materials], _Explained]] = {
    "version": lambda _: _Explained((_said("the version of the JobSpec"),)),
    "name": _name,
    "sid": lambda _: _Explained((_said("a fact of the run (--sid, AJ_SID, or drawn)"),)),
    "template_name": lambda job: _Explained((_said(f"the name of {job.resolved.path}"),)),
    "experiment": lambda job: _Explained(
        (_said("not given (-e)" if job.request.experiment is None else f"-e {job.request.experiment}"),)
    ),
    "service": _service,
    "sku": _sku,
    "nodes": _nodes,
    "selector": _selector,
    "gpus_per_node": _gpus,
    "processes_per_node": _processes,
    "code": _code_dir,
    "command": _command,
    "env": _whole_env,
    "backend_spec": _options,
    "sources": lambda job: _Explained((_said(f"the files of the chain, {len(job.resolved.chain)} in all"),)),
    "template": _merged,
}
