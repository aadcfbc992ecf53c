"""Where a job's workspace, compute and virtual cluster are in Azure, and what the daemon's settings add."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from ajkit.backends.azureml.describe import AmlOpts, SingOpts
from ajkit.shared.problem import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ajkit.backends.azureml.describe import AzureMlOpts
    from ajkit.shared.job.spec import JobSpec

MANAGEMENT = "https://management.azure.com"
CLUSTERS_API = "2021-03-01-preview"
PROVIDER = "providers/Microsoft.MachineLearningServices"


@dataclass(frozen=True, slots=True)
class Settings:
    """What the daemon's environment says: the workspace of jobs that name none, where Azure is, instance types.

    `instances` are the instance types of Singularity by the SKU texts that stand for them.
    """

    subscription_id: str | None
    resource_group: str | None
    workspace_name: str | None
    endpoint: str
    instances: Mapping[str, str]


def read_settings(environ: Mapping[str, str]) -> Settings:
    """The settings from the daemon's environment.

    Raises:
        UsageError: a variable that says nothing that can be done.
    """
    endpoint = (environ.get("AJ_AML_ENDPOINT") or MANAGEMENT).rstrip("/")
    if not endpoint.startswith(("https://", "http://127.0.0.1:", "http://localhost:")):
        raise UsageError(f"AJ_AML_ENDPOINT={endpoint!r} is no address of https")
    pairs = [each.partition("=") for each in (environ.get("AJ_SING_INSTANCES") or "").split(",") if each.strip()]
    if any(not sku.strip() or not instance.strip() for sku, _, instance in pairs):
        raise UsageError("AJ_SING_INSTANCES: write SKU=INSTANCE, several of them with commas between")
    return Settings(
        subscription_id=environ.get("AJ_AML_SUBSCRIPTION_ID") or None,
        resource_group=environ.get("AJ_AML_RESOURCE_GROUP") or None,
        workspace_name=environ.get("AJ_AML_WORKSPACE") or None,
        endpoint=endpoint,
        instances={sku.strip(): instance.strip() for sku, _, instance in pairs},
    )


@dataclass(frozen=True, slots=True)
class Workspace:
    """One workspace; `path` is its resource id, to which those of its parts are added."""

    subscription_id: str
    resource_group: str
    name: str

    @property
    def path(self) -> str:
        """Its resource id."""
        group = f"/subscriptions/{quote(self.subscription_id)}/resourceGroups/{quote(self.resource_group)}"
        return f"{group}/{PROVIDER}/workspaces/{quote(self.name)}"


def options_of(spec: JobSpec) -> AmlOpts | SingOpts:
    """The typed options of a job of either service."""
    kind = SingOpts if spec.service == "sing" else AmlOpts
    return kind.model_validate(spec.backend_spec)


def missing_parts(options: AzureMlOpts, settings: Settings) -> Iterator[str]:
    """What neither the template nor the daemon says about the workspace."""
    for field, variable in (
        ("subscription_id", "AJ_AML_SUBSCRIPTION_ID"),
        ("resource_group", "AJ_AML_RESOURCE_GROUP"),
        ("workspace_name", "AJ_AML_WORKSPACE"),
    ):
        if not (getattr(options, field) or getattr(settings, field)):
            yield f"target.{field} is not set, and the daemon has no {variable}: set one of them"


def workspace_of(options: AzureMlOpts, settings: Settings) -> Workspace:
    """The workspace of a job; `missing_parts` must have found nothing."""
    return Workspace(
        options.subscription_id or settings.subscription_id or "",
        options.resource_group or settings.resource_group or "",
        options.workspace_name or settings.workspace_name or "",
    )


def compute_of(spec: JobSpec, workspace: Workspace) -> str:
    """The resource id of what a job runs on: a compute of the workspace, or a virtual cluster."""
    options = options_of(spec)
    if isinstance(options, AmlOpts):
        return f"{workspace.path}/computes/{quote(options.compute or '')}"
    subscription = options.vc_subscription_id or workspace.subscription_id
    group = options.vc_resource_group or workspace.resource_group
    where = f"/subscriptions/{quote(subscription)}/resourceGroups/{quote(group)}"
    return f"{where}/{PROVIDER}/virtualclusters/{quote(cluster_of(options))}"


def cluster_of(options: SingOpts) -> str:
    """The name of the virtual cluster."""
    return options.virtual_cluster or options.vc or ""
