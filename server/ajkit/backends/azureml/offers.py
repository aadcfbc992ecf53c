"""What a workspace has to offer now: its computes and environments, and the virtual clusters of its subscription."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from ajkit.backends.azureml.workspace import CLUSTERS_API, PROVIDER
from ajkit.shared.job.execution import LiveValue

if TYPE_CHECKING:
    from ajkit.backends.azureml.arm import Arm
    from ajkit.backends.azureml.workspace import Workspace


def computes(arm: Arm, workspace: Workspace) -> list[LiveValue]:
    """The computes of a workspace, each with its size."""
    found = []
    for each in arm.list(f"{workspace.path}/computes"):
        about = each.get("properties", {})
        size = (about.get("properties") or {}).get("vmSize") or about.get("computeType") or ""
        found.append(LiveValue(each["name"], str(size)))
    return found


def images(arm: Arm, workspace: Workspace) -> list[LiveValue]:
    """The environments of a workspace as a template names them as its image; not those that aj made of images."""
    found = []
    for each in arm.list(f"{workspace.path}/environments"):
        about = each.get("properties", {})
        if about.get("latestVersion") and not each["name"].startswith("aj-"):
            found.append(
                LiveValue(f"azureml:{each['name']}:{about['latestVersion']}", str(about.get("description") or ""))
            )
    return found


def clusters(arm: Arm, workspace: Workspace) -> list[LiveValue]:
    """The virtual clusters of a workspace's subscription, each with its resource group."""
    path = f"/subscriptions/{quote(workspace.subscription_id)}/{PROVIDER}/virtualclusters"
    found = []
    for each in arm.list(path, CLUSTERS_API):
        group = str(each.get("id", "")).partition("/resourceGroups/")[2].partition("/")[0]
        found.append(LiveValue(each["name"], group))
    return found
