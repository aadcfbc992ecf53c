"""The description registry: how the job of a service is described, without anything that runs it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from pydantic import BaseModel, ConfigDict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ajkit.shared.problem import Finding
    from ajkit.shared.template.model import Template
    from ajkit.shared.where import Json, KeyPath


class BackendOptions(BaseModel):
    """The base of every service's typed options: strict, closed, unchangeable; dumped they are JobSpec.backend_spec."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


@dataclass(frozen=True, slots=True)
class Role:
    """One group of like nodes of a heterogeneous job."""

    name: str
    replicas: int
    gpus_per_node: int
    processes_per_node: int


@dataclass(frozen=True, slots=True)
class DerivedShape:
    """A whole shape that a service derived from the template instead of flags (`roles` in rank order)."""

    roles: tuple[Role, ...]


class Service(Protocol):
    """What a service registers: the three hooks of the design, and the optional shape hook.

    A module-level object or the describe module itself can serve. All are pure and touch no network.
    """

    name: str
    summary: str
    options: type[BackendOptions]
    required: tuple[KeyPath, ...]
    """Key paths a leaf must set for this service (``("environment", "image")``)."""
    any_sku: bool
    """Whether any SKU text is accepted; elsewhere the text must follow the grammar of `ajkit.shared.sku`."""
    aliases: tuple[str, ...]
    """Other names that templates call it by (``singularity`` for ``sing``)."""
    flag: str | None
    """The option of `aj run` that chooses it (``--amlt``); such a service is never named by a template."""
    carries: tuple[str, ...]
    """Services that templates may name though only this one can run them (``amlk8s`` through ``--amlt``)."""

    def build_spec_backend(self, template: Template) -> tuple[BackendOptions | None, list[Finding]]:
        """The typed options of a template; None where findings leave no way to build them."""
        ...

    def load_spec_backend(self, data: Mapping[str, Json]) -> BackendOptions:
        """The typed options from what was dumped; raises pydantic.ValidationError."""
        ...

    def normalize_job_name(self, name: str) -> str:
        """A name the service accepts, ending in the same ``-<sid>``; twice changes nothing. Raises ValueError."""
        ...

    def derive_shape(self, template: Template) -> tuple[DerivedShape | None, list[Finding]]:
        """The shape, where this template's service derives it; (None, []) for homogeneous jobs."""
        ...
