"""How jobs on Azure Machine Learning are described: on a compute (`aml`) and on a virtual cluster (`sing`)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, JsonValue

from ajkit.shared.spec import BackendOptions, Description, From, NameRule
from ajkit.shared.template.nothing import NO_ENTRIES
from ajkit.shared.template.refusals import refuse
from ajkit.shared.template.sizes import MIB, binary_size

_NAMES = NameRule(allowed="A-Za-z0-9_-", first="A-Za-z0-9", limit=255)

_IDENTITIES = {"managed": "managed", "user": "user", "useridentity": "user", "token": "token", "amltoken": "token"}


def _identity(value: object) -> object:
    if not isinstance(value, str):
        return value
    folded = value.replace("_", "").replace("-", "").casefold()
    return None if folded == "none" else _IDENTITIES.get(folded, value)


def _any_case(*choices: str) -> BeforeValidator:
    """Text in any letter case becomes the one spelling."""
    spelling = {each.casefold(): each for each in choices}
    return BeforeValidator(lambda value: spelling.get(value.casefold(), value) if isinstance(value, str) else value)


def _tags(value: object) -> object:
    """A template lists ``key:value`` texts; what was dumped is a mapping already."""
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not all(isinstance(each, str) for each in texts):
        return value
    pairs = [each.partition(":" if ":" in each else "=") for each in texts]
    if any(not key.strip() for key, _, _ in pairs):
        raise refuse("option", "a tag without a key: write each one `key:value`")
    return {key.strip(): text.strip() for key, _, text in pairs}


def _docker_size(value: str) -> str:
    size = binary_size(value)
    if size is None or size < MIB:
        suggest = f"{value}g" if value.isdigit() else None
        raise refuse(
            "option", f"{value!r} is no size of shared memory: write it with its unit, like 64g", suggest=suggest
        )
    return value


class AzureMlOpts(BackendOptions):
    """What jobs on a compute and on a virtual cluster have in common."""

    workspace_name: Annotated[
        str | None, From("target.workspace_name"), Field(description="Azure ML workspace; else the daemon's.")
    ] = None
    subscription_id: Annotated[
        str | None,
        From("target.subscription_id"),
        Field(description="Subscription of the workspace; else the daemon's."),
    ] = None
    resource_group: Annotated[
        str | None,
        From("target.resource_group"),
        Field(description="Resource group of the workspace; else the daemon's."),
    ] = None
    identity: Annotated[
        Annotated[Literal["managed", "user", "token"] | None, BeforeValidator(_identity, json_schema_input_type=str)],
        From("jobs[0].identity"),
        Field(description="Identity that the job has in Azure: `managed`, `user`, `token` or `none`."),
    ] = None
    tags: Annotated[
        Annotated[dict[str, str], BeforeValidator(_tags, json_schema_input_type=str | list[str])],
        From("jobs[0].tags"),
        Field(description="Tags of the job, each written `key:value`."),
    ] = NO_ENTRIES
    container_args: Annotated[
        dict[str, JsonValue],
        From("jobs[0].submit_args.container_args"),
        Field(description="Details of the container, handed on as they are."),
    ] = NO_ENTRIES
    shm_size: Annotated[
        Annotated[str, AfterValidator(_docker_size)] | None,
        From("jobs[0].submit_args.container_args.shm_size"),
        Field(description="Size of /dev/shm, e.g. `64g`."),
    ] = None


class AmlOpts(AzureMlOpts):
    """The options of a job on an Azure ML compute."""

    compute: Annotated[str | None, From("target.name"), Field(description="Compute cluster of the workspace.")] = None


class SingOpts(AzureMlOpts):
    """The options of a job on Singularity."""

    virtual_cluster: Annotated[
        str | None, From("target.name"), Field(description="Virtual cluster; may be empty, then `target.vc` counts.")
    ] = None
    vc: Annotated[
        str | None, From("target.vc"), Field(description="Virtual cluster, where `target.name` does not say it.")
    ] = None
    vc_subscription_id: Annotated[
        str | None,
        From("_extra.sing.vc_subscription_id"),
        Field(description="Subscription of the virtual cluster, where it is not the workspace's."),
    ] = None
    vc_resource_group: Annotated[
        str | None,
        From("_extra.sing.vc_resource_group"),
        Field(description="Resource group of the virtual cluster, where it is not the workspace's."),
    ] = None
    sla_tier: Annotated[
        Annotated[Literal["Basic", "Standard", "Premium"], _any_case("Basic", "Standard", "Premium")] | None,
        From("jobs[0].sla_tier"),
        Field(description="How firmly the job keeps its nodes."),
    ] = None
    priority: Annotated[
        Annotated[Literal["Low", "Medium", "High"], _any_case("Low", "Medium", "High")] | None,
        From("jobs[0].priority"),
        Field(description="Which of the waiting jobs of a tier comes first."),
    ] = None


class Aml(Description):
    """The service `aml`."""

    name = "aml"
    summary = "Runs on a compute cluster of an Azure ML workspace."
    options = AmlOpts
    required = (("target", "name"), ("environment", "image"))
    any_sku = True
    names = _NAMES


class Sing(Description):
    """The service `sing`."""

    name = "sing"
    summary = "Runs on a Singularity virtual cluster, through an Azure ML workspace."
    options = SingOpts
    required = (("environment", "image"),)
    any_sku = True
    aliases = ("singularity",)
    names = _NAMES


SERVICES = (Aml(), Sing())
