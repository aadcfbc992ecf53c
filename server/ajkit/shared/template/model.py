"""The typed Template: what a merged config means, checked by pydantic, with `raw` kept untouched."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

if TYPE_CHECKING:
    from ajkit.shared.where import Json


class Section(BaseModel):
    """The settings of every section: strict types, closed, null means "not set"."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


def _as_list(value: object) -> object:
    """A text where a list of text is expected is a one-element list; null is an empty one."""
    if value is None:
        return []
    return [value] if isinstance(value, str) else value


TextList = Annotated[list[str], BeforeValidator(_as_list)]
SecretRef = dict[str, str]
EnvEntry = str | int | float | bool | None | SecretRef


class Target(Section):
    """Where a job runs."""

    service: str | None = None
    name: str | None = None
    subscription_id: str | None = None
    resource_group: str | None = None
    workspace_name: str | None = None
    namespace: str | None = None
    queue: str = "default"
    context: str | None = None
    gpus_per_node: Annotated[int, Field(ge=0)] | None = None
    cpus_per_node: int | float | str | None = None
    memory: str | int | None = None
    rdma: bool | None = None
    priority_class: str | None = None
    labels: dict[str, str | None] = {}


class Environment(Section):
    """What a job runs in."""

    image: str | None = None
    registry: str | None = None
    setup: TextList = []


class CodeSection(Section):
    """Which folder's content runs."""

    local_dir: str = "."
    ignore: TextList = []


class SubmitArgs(Section):
    """Details of the submission."""

    env: dict[str, EnvEntry] = {}
    container_args: dict[str, Any] = {}
    max_run_duration_seconds: Annotated[int, Field(ge=1)] | None = None


class Job(Section):
    """One entry of `jobs`; only the first is used."""

    name: str | None = None
    command: TextList = []
    sku: str | dict[str, str] | None = None
    instance_count: Annotated[int, Field(ge=1)] | None = None
    process_count_per_node: int | str = 0
    identity: str | None = None
    sla_tier: str | None = None
    priority: str | None = None
    tags: TextList = []
    submit_args: SubmitArgs = SubmitArgs()


class Storage(Section):
    """A blob container and where the job sees it."""

    storage_account_name: str | None = None
    container_name: str | None = None
    mount_dir: str | None = None


class Template(Section):
    """A merged config, typed. `raw` is the merged mapping itself, untouched."""

    target: Target = Target()
    environment: Environment = Environment()
    code: CodeSection = CodeSection()
    jobs: list[Job] = []
    storage: dict[str, Storage | None] = {}
    description: str | None = None
    extra: Annotated[dict[str, Any], Field(alias="_extra")] = {}
    raw: Annotated[dict[str, Any], Field(exclude=True)] = {}

    @property
    def job(self) -> Job:
        """The first job, or an empty one."""
        return self.jobs[0] if self.jobs else Job()


def typed(config: dict[str, Json]) -> Template:
    """The Template of a merged config; raises pydantic.ValidationError."""
    return Template.model_validate({**config, "raw": config})
