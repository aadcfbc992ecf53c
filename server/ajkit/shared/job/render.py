"""What people are shown of a plan: the JobSpec, masked unless they ask otherwise, as JSON or YAML."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from ajkit.shared.job.spec import json_text
from ajkit.shared.template.secrets import masked
from ajkit.shared.template.yamltext import yaml_text

if TYPE_CHECKING:
    from ajkit.shared.job.plan import Plan
    from ajkit.shared.job.spec import JobSpec
    from ajkit.shared.where import Json


def rendering(plan: Plan, *, reveal: bool = False, form: Literal["json", "yaml"] = "json") -> str | None:
    """The text of a dry run and of a preview for the same request; with `reveal` nothing is masked.

    While something is missing it is the draft, with texts like ``‹-n›``; None where not even that can be drawn.
    """
    fields = fields_of(plan.spec) if plan.spec is not None else plan.draft
    if fields is None:
        return None
    shown = fields if reveal else masked(fields)
    if form == "json":
        return json_text(shown)
    assert isinstance(shown, dict)
    return yaml_text(shown)


def masked_bytes(spec: JobSpec) -> bytes:
    """The canonical bytes of a JobSpec with its secrets masked; its digest stays that of the unmasked bytes."""
    return json_text(masked(fields_of(spec))).encode()


def fields_of(spec: JobSpec) -> dict[str, Json]:
    """The fields of a JobSpec as plain values, in its order."""
    return spec.model_dump(mode="json")
