"""Drawn templates as their service sees them: every problem must stand where the drawing says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ajkit.backends.registry import registry
from ajkit.shared.job.describe import Described, describe
from ajkit.shared.template.model import typed
from ajkit.shared.template.resolve import Resolved, resolve
from ajkit.shared.where import at
from tests.drawing import ROOT, draw, seen

if TYPE_CHECKING:
    from ajkit.shared.problem import Problem
    from ajkit.shared.spec import BackendOptions

SERVICES = registry()


def look(text: str) -> tuple[Resolved, Described]:
    """What the service of a drawn template (the first file) makes of it."""
    drawing = draw(text)
    resolved = resolve(drawing.memory(), drawing.first, f"{ROOT}/.aj")
    service = SERVICES.find(str(at(resolved.config, ("target", "service"))))
    assert service is not None
    return resolved, describe(service, typed(resolved.config), resolved.written)


def described(text: str) -> tuple[Described, list[Problem]]:
    """The same with all problems, each of them found as it is drawn."""
    resolved, result = look(text)
    problems = [*resolved.problems, *resolved.place(result.findings)]
    found, expected = seen(problems), draw(text).expected
    assert found == expected, f"not drawn: {sorted(found - expected)}; not found: {sorted(expected - found)}"
    return result, problems


def options(text: str) -> BackendOptions:
    """The options of a drawn template; they survive being dumped and loaded."""
    result, _ = described(text)
    assert result.options is not None
    assert type(result.options).model_validate(result.options.model_dump(mode="json")) == result.options
    return result.options


def messages(text: str) -> list[str]:
    """What the problems of a drawn template say, in order."""
    return [each.message for each in described(text)[1]]
