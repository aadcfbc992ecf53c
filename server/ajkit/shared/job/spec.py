"""JobSpec: the one typed description of a job that crosses the wire (`schema/jobspec.schema.json` is made from it)."""

from __future__ import annotations

import hashlib
import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

JOBSPEC_VERSION: Literal["1"] = "1"


class Model(BaseModel):
    """The settings shared by everything that crosses the wire: strict, closed, unchangeable.

    Validators are built when first used: those of the parts alone never are, which a short command would pay for.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)


class FromEnv(Model):
    """A secret read from an environment variable where the job is executed."""

    from_env: Annotated[str, Field(description="The name of the variable.")]


class FromFile(Model):
    """A secret read from a file where the job is executed."""

    from_file: Annotated[str, Field(description="The path of the file.")]


EnvValue = str | FromEnv | FromFile


class Code(Model):
    """The folder whose content runs, as written in the template, and the gitignore rules that leave parts out."""

    dir: Annotated[str, Field(description="The folder as the template writes it.")]
    ignore: Annotated[list[str], Field(description="Rules of `.gitignore` form, in order.")] = []


class StorageMount(Model):
    """A blob container and where the job sees it."""

    storage_account_name: Annotated[str | None, Field(description="The Azure storage account.")] = None
    container_name: Annotated[str | None, Field(description="The blob container in that account.")] = None
    mount_dir: Annotated[str | None, Field(description="The path at which the job sees it.")] = None


class SourceFile(Model):
    """A file of the chain, relative to the project folder, and the SHA-256 of its bytes."""

    path: Annotated[str, Field(description="Its path from the project folder, with `/`.")]
    sha256: Annotated[str, Field(description="Hexadecimal SHA-256 of its bytes.")]


class JobSpec(Model):
    """One job, ready to be carried to a backend."""

    version: Annotated[Literal["1"], Field(description="The version of this format.")] = JOBSPEC_VERSION
    name: Annotated[str, Field(description="The name of the job on its service; it ends in the sid.")]
    sid: Annotated[str, Field(pattern="^[a-z0-9]{10}$", description="What makes the name of this submission unique.")]
    description: Annotated[str | None, Field(description="What the job is for.")] = None
    template_name: Annotated[str, Field(description="The template it was made from, as `-t` names it.")]
    experiment: Annotated[str | None, Field(description="The experiment it belongs to (`-e`).")] = None
    service: Annotated[str, Field(description="The service that runs it.")]
    sku: Annotated[str | None, Field(description="The resolved SKU text; null where there is none.")] = None
    nodes: Annotated[int, Field(ge=1, description="The number of nodes.")]
    selector: Annotated[
        Annotated[int, Field(ge=0)] | None,
        Field(description="The per-node number of `-p`: GPUs, or a size tier for CPU SKUs; null for unlike nodes."),
    ] = None
    gpus_per_node: Annotated[int, Field(ge=0, description="GPUs of each node; the most of any where they differ.")]
    processes_per_node: Annotated[
        int, Field(ge=1, description="Launcher processes on each node; the most of any where they differ.")
    ]
    image: Annotated[str | None, Field(description="The container image.")] = None
    image_registry: Annotated[str | None, Field(description="The registry of the image.")] = None
    code: Annotated[Code, Field(description="What is uploaded.")]
    setup: Annotated[list[str], Field(description="Shell lines before the command, on every node.")] = []
    command: Annotated[str, Field(description="One bash script.")]
    storage: Annotated[dict[str, StorageMount], Field(description="Blob containers by name.")] = {}
    env: Annotated[
        dict[str, EnvValue], Field(description="Environment variables: texts, and references to secrets.")
    ] = {}
    time_limit_seconds: Annotated[int | None, Field(description="When the job is ended.")] = None
    backend_spec: Annotated[dict[str, Any], Field(description="The typed options of the service.")]
    extra: Annotated[dict[str, Any], Field(description="`_extra` of the template, as it was written.")] = {}
    sources: Annotated[list[SourceFile], Field(description="Every file that had a part in it.")] = []
    template: Annotated[dict[str, Any] | None, Field(description="The merged config; null unless amlt renders it.")] = (
        None
    )


def spec_bytes(spec: JobSpec) -> bytes:
    """The canonical bytes of a JobSpec: two-space JSON in model key order, nulls kept, final newline, UTF-8."""
    return json_text(spec.model_dump(mode="json")).encode()


def json_text(value: object) -> str:
    """A JSON value as people and digests read it: two-space JSON with its keys in their order and a final newline."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def spec_digest(spec: JobSpec) -> str:
    """The ``spec_sha256``: hexadecimal SHA-256 of `spec_bytes`."""
    return hashlib.sha256(spec_bytes(spec)).hexdigest()
