"""How a job on the bench is described: what a third-party package has to write, and no more."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ajkit.shared.spec import BackendOptions, Description, From, NameRule


class BenchOpts(BackendOptions):
    """The options of a job on the bench."""

    machine: Annotated[str | None, From("target.name"), Field(description="The machine.")] = None
    rack: Annotated[int, From("target.rack"), Field(ge=1, description="The rack it stands in.")] = 1
    power: Annotated[
        Literal["low", "full"], From("_extra.bench.power"), Field(description="How much power it may draw.")
    ] = "full"


class Bench(Description):
    """The service `bench`."""

    name = "bench"
    summary = "Runs on a machine of the bench."
    options = BenchOpts
    required = (("target", "name"),)
    aliases = ("workbench",)
    names = NameRule(allowed="A-Z0-9a-z-", first="A-Za-z", limit=32, prefix="job-")


SERVICE = Bench()
