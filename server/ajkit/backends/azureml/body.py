"""The body of a command job: what is sent to Azure ML for a JobSpec."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from ajkit.backends.azureml.describe import SingOpts
from ajkit.backends.azureml.workspace import compute_of, options_of
from ajkit.shared.job.nodeprogram import NodeGroup, NodeProgram, node_program
from ajkit.shared.job.variables import FOR_LAUNCHERS
from ajkit.shared.sku import parse_sku

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ajkit.backends.azureml.workspace import Settings, Workspace
    from ajkit.shared.job.spec import JobSpec, StorageMount

    Json = dict[str, Any]

TOKEN = "aj_token"  # noqa: S105 - the name of a tag
ARCHIVE = "code.tar"
_SING_IMAGE = "amlt-sing/"
_IDENTITIES = {"managed": "Managed", "user": "UserIdentity", "token": "AMLToken"}
_VERSION = "1"


@dataclass(frozen=True, slots=True)
class Asset:
    """A versioned part of a workspace that jobs refer to, named by what it holds; the same content is one asset."""

    kind: str
    name: str

    def path(self, workspace: Workspace) -> str:
        """Its resource id."""
        return f"{workspace.path}/{self.kind}/{quote(self.name)}/versions/{_VERSION}"


def image_of(spec: JobSpec) -> str:
    """The whole name of the image; a template may write the registry apart."""
    image = spec.image or ""
    return f"{spec.image_registry.rstrip('/')}/{image}" if spec.image_registry else image


def environment_of(spec: JobSpec) -> Asset | str:
    """The environment asset for the image, or the id of one that the template names itself (``azureml:…``)."""
    image = image_of(spec)
    if image.startswith("azureml://"):
        return image
    if image.startswith("azureml:"):
        return image.removeprefix("azureml:")
    return Asset("environments", f"aj-{hashlib.sha256(image.encode()).hexdigest()[:24]}")


def code_asset(digest: str) -> Asset:
    """The code asset for a code folder."""
    return Asset("codes", f"aj-{digest[:40]}")


def datastore_of(mount: StorageMount) -> str:
    """The name of the datastore through which a blob container is mounted."""
    name = f"aj_{mount.storage_account_name}_{mount.container_name}"
    return re.sub(r"[^A-Za-z0-9_]", "_", name)


def instance_of(spec: JobSpec, settings: Settings) -> str | None:
    """The instance type on Singularity that a SKU stands for; None where nothing says it.

    A SKU that names an instance says it itself; for others the daemon's settings do, without the number of nodes.
    """
    text = re.sub(r"^\d+x", "", spec.sku or "")
    if text in settings.instances:
        return settings.instances[text]
    sku = parse_sku(text)
    return sku["instance"] if sku is not None else None


def job_body(
    spec: JobSpec, token: str, workspace: Workspace, settings: Settings, *, code: str, env: Mapping[str, str]
) -> Json:
    """The body of ``PUT …/jobs/{name}``.

    Args:
        spec: the job.
        token: what it is looked up by.
        workspace: where it lives.
        settings: the daemon's.
        code: the digest of its code, or words that stand for it.
        env: its variables, secrets in plain text or as references.
    """
    options = options_of(spec)
    environment = environment_of(spec)
    properties: Json = {
        "jobType": "Command",
        "displayName": spec.name,
        "experimentName": spec.experiment or re.sub(r"[^A-Za-z0-9_-]+", "-", spec.template_name).strip("-") or "aj",
        "description": spec.description,
        "tags": {**options.tags, TOKEN: token},
        "codeId": code_asset(code).path(workspace),
        "environmentId": environment.path(workspace) if isinstance(environment, Asset) else environment,
        "command": command_of(spec),
        "computeId": compute_of(spec, workspace),
        "environmentVariables": {name: value for name, value in env.items() if name not in FOR_LAUNCHERS},
        "resources": _resources(spec, workspace, settings),
        "outputs": {
            f"storage_{number}": {
                "jobOutputType": "uri_folder",
                "mode": "ReadWriteMount",
                "uri": f"azureml://datastores/{datastore_of(mount)}/paths/",
            }
            for number, mount in enumerate(spec.storage.values())
        },
    }
    if spec.nodes > 1:
        # One process of Azure ML's for each node; the launcher's processes are ours to start.
        properties["distribution"] = {"distributionType": "PyTorch", "processCountPerInstance": 1}
    if options.identity and not isinstance(options, SingOpts):
        properties["identity"] = {"identityType": _IDENTITIES[options.identity]}
    if spec.time_limit_seconds:
        properties["limits"] = {"jobLimitsType": "Command", "timeout": f"PT{spec.time_limit_seconds}S"}
    if isinstance(options, SingOpts) and options.sla_tier:
        properties["queueSettings"] = {"jobTier": options.sla_tier}
    return {"properties": {name: value for name, value in properties.items() if value not in (None, {})}}


def command_of(spec: JobSpec) -> str:
    """The command of the job: it writes the program of a node beside the code, and becomes it.

    Azure ML sets the ranks of nodes and the address of node 0 as PyTorch wants them, for one process on each node.
    """
    given = {name: value for name, value in spec.env.items() if name in FOR_LAUNCHERS and isinstance(value, str)}
    group = NodeGroup(
        index='"${NODE_RANK:-0}"',
        master='"${MASTER_ADDR:-127.0.0.1}"',
        port='"${MASTER_PORT:-29500}"',
        processes=spec.processes_per_node,
        world=spec.nodes * spec.processes_per_node,
    )
    before = [
        f'mkdir -p "$aj/code" && tar -xof {ARCHIVE} -C "$aj/code" || aj_fail "the code cannot be unpacked"',
        'cd "$aj/code" || exit 1',
    ]
    exports = [f"export {name}={_quoted(value)}" for name, value in given.items()]
    program = node_program(group, setup=spec.setup, command=spec.command, given=given, before=before, exports=exports)
    texts = {"run.sh": program.program, NodeProgram.SETUP: program.setup, NodeProgram.COMMAND: program.command}
    lines = ["aj=$(mktemp -d)"]
    for number, mount in enumerate(spec.storage.values()):
        target = _quoted(mount.mount_dir or "")
        mounted = f'"${{{{outputs.storage_{number}}}}}"'
        lines.append(f'mkdir -p "$(dirname {target})" && ln -sfn {mounted} {target}')
    for name, text in texts.items():
        mark = _mark(text)
        lines.append(f"cat >\"$aj/{name}\" <<'{mark}'\n{text.rstrip()}\n{mark}")
    lines.append('exec bash "$aj/run.sh"')
    return "\n".join(lines)


def _resources(spec: JobSpec, workspace: Workspace, settings: Settings) -> Json:
    options = options_of(spec)
    found: Json = {"instanceCount": spec.nodes, "shmSize": options.shm_size}
    others = {name: value for name, value in options.container_args.items() if name != "shm_size"}
    if others:
        found["dockerArgsList"] = [f"--{name.replace('_', '-')}={_word(value)}" for name, value in others.items()]
    if isinstance(options, SingOpts):
        instance = f"Singularity.{instance_of(spec, settings)}"
        image = spec.image or ""
        found["instanceType"] = instance
        found["properties"] = {
            "AISuperComputer": {
                "instanceType": instance,
                "instanceTypes": [instance],
                "instanceCount": spec.nodes,
                "imageVersion": image.removeprefix(_SING_IMAGE) if image.startswith(_SING_IMAGE) else "",
                "interactive": False,
                "slaTier": options.sla_tier or "Standard",
                "priority": options.priority or "Medium",
                "virtualClusterArmId": compute_of(spec, workspace),
            }
        }
    return {name: value for name, value in found.items() if value is not None}


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _mark(text: str) -> str:
    """A line that ends a here-document and is none of its own."""
    mark = "AJ_END"
    while f"\n{mark}\n" in f"\n{text}\n":
        mark += "_"
    return mark
