"""JobSpec: the one typed description of a job that crosses the wire (`schema/jobspec.schema.json` is made from it)."""

from __future__ import annotations

import hashlib
import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

JOBSPEC_VERSION: Literal["1"] = "1"


class Model(BaseModel):
    """The settings shared by everything that crosses the wire: strict, closed, unchangeable."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class FromEnv(Model):
    """A secret read from an environment variable where the job is executed."""

    from_env: str


class FromFile(Model):
    """A secret read from a file where the job is executed."""

    from_file: str


EnvValue = str | FromEnv | FromFile


class Code(Model):
    """The folder whose content runs, as written in the template, and the gitignore rules that leave parts out."""

    dir: str
    ignore: list[str] = []


class StorageMount(Model):
    """A blob container and where the job sees it."""

    storage_account_name: str | None = None
    container_name: str | None = None
    mount_dir: str | None = None


class SourceFile(Model):
    """A file of the chain, relative to the project folder, and the SHA-256 of its bytes."""

    path: str
    sha256: str


class JobSpec(Model):
    """One job, ready to be carried to a backend."""

    version: Literal["1"] = JOBSPEC_VERSION
    name: str
    sid: Annotated[str, Field(pattern="^[a-z0-9]{10}$")]
    description: str | None = None
    template_name: str
    experiment: str | None = None
    service: str
    sku: str | None = None
    nodes: Annotated[int, Field(ge=1)]
    selector: Annotated[int, Field(ge=0)] | None = None
    gpus_per_node: Annotated[int, Field(ge=0)]
    processes_per_node: Annotated[int, Field(ge=1)]
    image: str | None = None
    image_registry: str | None = None
    code: Code
    setup: list[str] = []
    command: str
    storage: dict[str, StorageMount] = {}
    env: dict[str, EnvValue] = {}
    time_limit_seconds: int | None = None
    backend_spec: dict[str, Any]
    extra: dict[str, Any] = {}
    sources: list[SourceFile] = []
    template: dict[str, Any] | None = None


def spec_bytes(spec: JobSpec) -> bytes:
    """The canonical bytes of a JobSpec: two-space JSON in model key order, nulls kept, final newline, UTF-8."""
    return json_text(spec.model_dump(mode="json")).encode()


def json_text(value: object) -> str:
    """A JSON value as people and digests read it: two-space JSON with its keys in their order and a final newline."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def spec_digest(spec: JobSpec) -> str:
    """The ``spec_sha256``: hexadecimal SHA-256 of `spec_bytes`."""
    return hashlib.sha256(spec_bytes(spec)).hexdigest()
