"""Which services there are: the describe modules beside this one, then the entry points of other packages."""

from __future__ import annotations

import os
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ajkit.shared.problem import Finding, Severity
from ajkit.shared.spec import BackendOptions, PluginBroken, Registry, Service
from ajkit.shared.template.options import declared

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from importlib.metadata import EntryPoint

    from ajkit.shared.spec import DerivedShape, Ignored
    from ajkit.shared.template.model import Template
    from ajkit.shared.where import Json, KeyPath

ENTRY_POINTS = "ajkit.describe"

FOLDERS = {"azureml": ("aml", "sing")}
"""The folders that register other services than the one they are called after."""


def registry() -> Registry:
    """All services that are installed, none of them loaded yet."""
    return Registry(built_in(), plugins)


def built_in() -> dict[str, Callable[[], Service]]:
    """The names of the built-in services with what loads each: its own describe module and no other."""
    here = os.path.dirname(__file__)
    folders = sorted(each.name for each in os.scandir(here) if os.path.isfile(os.path.join(each.path, "describe.py")))
    return {name: partial(_load, folder, name) for folder in folders for name in FOLDERS.get(folder, (folder,))}


def _load(folder: str, name: str) -> Service:
    module = import_module(f"ajkit.backends.{folder}.describe")
    found: Service = next(each for each in module.SERVICES if each.name == name)
    return found


def plugins() -> Sequence[tuple[str, Callable[[], Service]]]:
    """The services of other packages by the names of their entry points, with what loads each."""
    # Slow where many packages are installed: imported and read only when a name is not built in.
    from importlib.metadata import entry_points  # noqa: PLC0415

    found = sorted(entry_points(group=ENTRY_POINTS), key=lambda each: (each.name, each.value))
    return [(each.name, partial(load_plugin, each)) for each in found]


def load_plugin(point: EntryPoint) -> Service:
    """The service that an entry point leads to, guarded against its own faults.

    Raises:
        PluginBroken: it cannot be imported, or is no service of that name.
    """
    try:
        service = point.load()
        lacking = [each for each in _MEMBERS if not hasattr(service, each)]
        if lacking:
            raise TypeError(f"it has no {', '.join(lacking)} (see ajkit.shared.spec.Service)")
        if service.name != point.name:
            raise ValueError(f"it calls itself `{service.name}`")
        if not issubclass(service.options, BackendOptions):
            raise TypeError("its options are no ajkit.shared.spec.BackendOptions")
        declared(service.options)
    except (Exception, SystemExit) as error:
        whose = f" of the package {point.dist.name} {point.dist.version}" if point.dist else ""
        raise PluginBroken(
            f"the service `{point.name}`{whose} is skipped: {point.value}: {type(error).__name__}: {error}. "
            "Update or uninstall that package"
        ) from error
    return Guarded(service)


_MEMBERS = sorted(each for each in vars(Service) if not each.startswith("_"))


class Guarded:
    """A plug-in's service whose hooks cannot bring anything down: what one raises becomes a finding or a refusal."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self.name = service.name
        self.summary = service.summary
        self.options = service.options
        self.required = service.required
        self.any_sku = service.any_sku
        self.aliases = service.aliases
        self.flag = service.flag
        self.carries = service.carries
        self.takes_all = service.takes_all

    def build_spec_backend(self, template: Template) -> tuple[BackendOptions | None, list[Finding]]:
        """See `Service.build_spec_backend`; a fault of `requires` or `ignores`, which cannot tell it, is told here."""
        (options, findings), faults = self._try("build_spec_backend", template, (None, []))
        for hook in ("requires", "ignores"):
            faults += self._try(hook, template, None)[1]
        return options, [*findings, *faults]

    def load_spec_backend(self, data: Mapping[str, Json]) -> BackendOptions:
        """See `Service.load_spec_backend`."""
        return self._service.load_spec_backend(data)

    def normalize_job_name(self, name: str) -> str:
        """See `Service.normalize_job_name`."""
        try:
            return self._service.normalize_job_name(name)
        except ValueError:
            raise
        except Exception as error:
            raise ValueError(self._blame("normalize_job_name", error)) from error

    def derive_shape(self, template: Template) -> tuple[DerivedShape | None, list[Finding]]:
        """See `Service.derive_shape`."""
        (shape, findings), faults = self._try("derive_shape", template, (None, []))
        return shape, [*findings, *faults]

    def requires(self, template: Template) -> tuple[KeyPath, ...]:
        """See `Service.requires`."""
        found: tuple[KeyPath, ...] = self._try("requires", template, self.required)[0]
        return found

    def ignores(self, template: Template) -> tuple[Ignored, ...]:
        """See `Service.ignores`."""
        found: tuple[Ignored, ...] = self._try("ignores", template, ())[0]
        return found

    def _try(self, hook: str, template: Template, otherwise: object) -> tuple[Any, list[Finding]]:
        """What a hook says of a template, or `otherwise` and the fault."""
        try:
            return getattr(self._service, hook)(template), []
        except Exception as error:  # noqa: BLE001
            message = self._blame(hook, error)
            return otherwise, [Finding(("target", "service"), "plugin.broken", message, severity=Severity.ERROR)]

    def _blame(self, hook: str, error: Exception) -> str:
        return f"the plug-in of `{self.name}` failed in {hook}: {type(error).__name__}: {error}. Tell its author"
