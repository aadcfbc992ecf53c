"""Ask for a job of a workspace held in memory: files and flags in, a Plan out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ajkit.backends.registry import registry
from ajkit.shared.files import MemoryFiles
from ajkit.shared.job.examine import examine
from ajkit.shared.job.plan import Plan, leaf_problems, plan
from ajkit.shared.job.request import Ambient, JobRequest
from ajkit.shared.template.overlay import Overlays
from ajkit.shared.template.resolve import Resolved, resolve

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ajkit.shared.problem import Problem
    from ajkit.shared.spec import Registry

HOME = "/w/proj/.aj"
LEAF = f"{HOME}/template/leaf.yaml"
SERVICES = registry()


def resolved(files: str | dict[str, str], overlays: Overlays | None = None) -> Resolved:
    """The leaf of a workspace: one text is the leaf, a mapping has paths under AJ_HOME."""
    texts = {"template/leaf.yaml": files} if isinstance(files, str) else files
    held = MemoryFiles({f"{HOME}/{path}": text for path, text in texts.items()})
    return resolve(held, LEAF, HOME, overlays=overlays)


def ask(
    files: str | dict[str, str],
    *,
    facts: Ambient | None = None,
    services: Registry = SERVICES,
    overlays: Overlays | None = None,
    **request: Any,
) -> Plan:
    """The plan for a request; its keywords are those of JobRequest."""
    found = resolved(files, overlays)
    asked = JobRequest(LEAF, overlays=overlays or Overlays(), **request)
    return plan(found, asked, facts or Ambient(), examine(found, services, leaf=True, request=asked))


def check(files: str | dict[str, str]) -> list[Problem]:
    """What is wrong with a leaf before anybody asks for a run."""
    found = resolved(files)
    return leaf_problems(found, examine(found, SERVICES, leaf=True))


def told(problems: Iterable[Problem]) -> list[str]:
    """Problems as ``code place``: the characters they stand on, or a dash for the command line."""
    return [f"{each.code} {'-' if each.span is None else each.span.written}" for each in problems]
