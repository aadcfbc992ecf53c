"""How a job on a Ray cluster is described: where its Jobs API is and what its runtime environment holds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

from pydantic import AfterValidator, BeforeValidator, Field, JsonValue

from ajkit.shared.problem import Finding, Severity
from ajkit.shared.spec import BackendOptions, Description, From, Ignored
from ajkit.shared.template.nothing import NO_ENTRIES
from ajkit.shared.template.refusals import refuse

if TYPE_CHECKING:
    from ajkit.shared.template.model import Template

_ADDRESS = re.compile(r"https?://[^\s/@]+(:\d+)?/?")
_RUNTIME_ENV: tuple[str, ...] = ("_extra", "ray", "runtime_env")
_OURS = {
    "working_dir": "the code folder is sent as the working directory: set `code.local_dir`",
    "env_vars": "set `jobs[0].submit_args.env`, which works on every service",
}


def _address(value: str) -> str:
    # The value is not repeated: an address that is refused may hold a password.
    if not _ADDRESS.fullmatch(value):
        port = ", which has another port than Ray's own protocol" if value.startswith("ray://") else ""
        raise refuse("address", f"this is not where a Jobs API is: write it like http://head:8265{port}")
    return value.rstrip("/")


def _cpus(value: object) -> object:
    try:
        number = float(str(value))
    except ValueError:
        number = 0.0
    if isinstance(value, bool) or not 0 < number < float("inf"):
        raise refuse("option", f"{value!r} is no number of CPUs: write it like 8 or 0.5")
    return number


class RayOpts(BackendOptions):
    """The options of a job on Ray."""

    address: Annotated[
        Annotated[str, AfterValidator(_address)] | None,
        From("_extra.ray.address"),
        Field(description="The Jobs API of the cluster, e.g. `http://head:8265`; else the daemon's RAY_ADDRESS."),
    ] = None
    runtime_env: Annotated[
        dict[str, JsonValue],
        From("_extra.ray.runtime_env"),
        Field(description="What Ray's runtime environment holds besides the code and the variables, e.g. `pip`."),
    ] = NO_ENTRIES
    cpus_per_node: Annotated[
        Annotated[float, BeforeValidator(_cpus, json_schema_input_type=float | str)] | None,
        From("target.cpus_per_node"),
        Field(description="CPUs that the job takes on each node."),
    ] = None


_IGNORED = (
    Ignored(("environment", "image"), "`ray` runs the command on the cluster's nodes as they are, in no image"),
    Ignored(("environment", "registry"), "`ray` starts no image"),
    Ignored(("storage",), "`ray` mounts nothing: the command must find its data itself", Severity.WARNING),
)


class Ray(Description):
    """The service `ray`."""

    name = "ray"
    summary = "Runs on a Ray cluster, submitted to its Jobs API."
    options = RayOpts

    def build_spec_backend(self, template: Template) -> tuple[RayOpts | None, list[Finding]]:
        """The options, with the parts of a runtime environment refused that the JobSpec has places for."""
        options, findings = super().build_spec_backend(template)
        assert options is None or isinstance(options, RayOpts)
        for key in options.runtime_env if options else ():
            if key in _OURS:
                message = f"`runtime_env.{key}` is not yours to set: {_OURS[key]}"
                findings.append(Finding((*_RUNTIME_ENV, key), "ray.runtime-env", message, on_key=True))
        return options, findings

    def ignores(self, template: Template) -> tuple[Ignored, ...]:  # noqa: ARG002
        """The cluster's nodes are used as they are."""
        return _IGNORED


SERVICES = (Ray(),)
