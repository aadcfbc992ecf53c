"""Problems without the secrets that their words quote: more people read reports than templates."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ajkit.shared.template.secrets import mask

if TYPE_CHECKING:
    from ajkit.shared.problem import Problem


def masked(problem: Problem) -> Problem:
    """The same problem, secrets in its messages masked."""
    related = tuple(replace(each, message=mask(each.message)) for each in problem.related)
    return replace(problem, message=mask(problem.message), related=related)
