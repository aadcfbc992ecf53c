"""How a job on this machine is described: there is nothing to choose, and much that this machine cannot give."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ajkit.shared.problem import Severity
from ajkit.shared.spec import BackendOptions, Description, Ignored

if TYPE_CHECKING:
    from ajkit.shared.template.model import Template


class LocalOpts(BackendOptions):
    """The options of a job on this machine: none."""


_IGNORED = (
    Ignored(("environment", "image"), "`local` runs the command as a process of this machine, in no image"),
    Ignored(("environment", "registry"), "`local` starts no image"),
    Ignored(("storage",), "`local` mounts nothing: the command must find its data itself", Severity.WARNING),
)


class Local(Description):
    """The service `local`."""

    name = "local"
    summary = "Runs on this machine, in the Python environment that `aj run` is called from."
    options = LocalOpts

    def ignores(self, template: Template) -> tuple[Ignored, ...]:  # noqa: ARG002
        """No image is started, so nothing is mounted either."""
        return _IGNORED


SERVICES = (Local(),)
