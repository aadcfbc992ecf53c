"""How a job for amlt is described: amlt reads the rendered template itself, so there is little to say."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ajkit.shared.spec import BackendOptions, Description, From
from ajkit.shared.template.fields import TextList
from ajkit.shared.template.nothing import NO_ITEMS


class AmltOpts(BackendOptions):
    """The options of a job that amlt runs."""

    args: Annotated[
        TextList, From("_extra.amlt.args"), Field(description="Further words for `amlt run`, e.g. `--yes`.")
    ] = NO_ITEMS


class Amlt(Description):
    """The service that `aj run --amlt` chooses; the rendered template keeps its own `target.service`."""

    name = "amlt"
    summary = "Writes the template as amlt reads it and runs `amlt run`."
    options = AmltOpts
    any_sku = True
    flag = "--amlt"
    carries = ("aisc", "amlk8s", "manifold")
    takes_all = True


SERVICES = (Amlt(),)
