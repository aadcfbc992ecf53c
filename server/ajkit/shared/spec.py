"""The description registry: how the job of a service is described, without anything that runs it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Protocol, runtime_checkable

from pydantic import BaseModel, ConfigDict

from ajkit.shared.problem import Severity, problem
from ajkit.shared.records import dataclass
from ajkit.shared.template.jobname import FILE_SAFE, NameRule
from ajkit.shared.template.options import From, extra_fields, read_options

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ajkit.shared.problem import Finding, Problem
    from ajkit.shared.template.model import Template
    from ajkit.shared.where import Json, KeyPath

    Loader = Callable[[], "Service"]

__all__ = [
    "FILE_SAFE",
    "BackendOptions",
    "DerivedShape",
    "Description",
    "From",
    "Ignored",
    "NameRule",
    "PluginBroken",
    "Registry",
    "Role",
    "Service",
    "extra_fields",
]


class BackendOptions(BaseModel):
    """The base of every service's typed options: strict, closed, unchangeable; dumped they are JobSpec.backend_spec.

    Each field says where a template writes it: ``queue: Annotated[str, From("target.queue")] = "default"``.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)


@dataclass(frozen=True, slots=True)
class Role:
    """One group of like nodes of a heterogeneous job."""

    name: str
    replicas: int
    gpus_per_node: int
    processes_per_node: int


@dataclass(frozen=True, slots=True)
class DerivedShape:
    """A whole shape that a service derived from the template instead of flags (`roles` in rank order)."""

    roles: tuple[Role, ...]


@dataclass(frozen=True, slots=True)
class Ignored:
    """A key that every JobSpec carries but a service makes nothing of, and why, in words for the user."""

    path: KeyPath
    why: str
    severity: Severity = Severity.INFORMATION


@runtime_checkable
class Service(Protocol):
    """What a service registers: the three hooks of the design, and the optional shape hook.

    A module-level object or the describe module itself can serve; `Description` gives the usual answers. All are pure
    and touch no network.
    """

    @property
    def name(self) -> str:
        """What templates call it."""
        ...

    @property
    def summary(self) -> str:
        """Where its jobs run, in one sentence."""
        ...

    @property
    def options(self) -> type[BackendOptions]:
        """The class of its typed options."""
        ...

    @property
    def required(self) -> tuple[KeyPath, ...]:
        """Key paths that every leaf must set for this service (``("environment", "image")``)."""
        ...

    @property
    def any_sku(self) -> bool:
        """Whether any SKU text is accepted; elsewhere the text must follow the grammar of `ajkit.shared.sku`."""
        ...

    @property
    def aliases(self) -> tuple[str, ...]:
        """Other names that templates call it by (``singularity`` for ``sing``)."""
        ...

    @property
    def flag(self) -> str | None:
        """The option of `aj run` that chooses it (``--amlt``); such a service is never named by a template."""
        ...

    @property
    def carries(self) -> tuple[str, ...]:
        """Services that templates may name though only this one can run them (``amlk8s`` through ``--amlt``)."""
        ...

    @property
    def takes_all(self) -> bool:
        """Whether it is handed the whole merged template, so that no key is without effect."""
        ...

    def build_spec_backend(self, template: Template) -> tuple[BackendOptions | None, list[Finding]]:
        """The typed options of a template; None where findings leave no way to build them."""
        ...

    def load_spec_backend(self, data: Mapping[str, Json]) -> BackendOptions:
        """The typed options from what was dumped; raises pydantic.ValidationError."""
        ...

    def normalize_job_name(self, name: str) -> str:
        """A name the service accepts, ending in the same ``-<sid>``; twice changes nothing. Raises ValueError."""
        ...

    def derive_shape(self, template: Template) -> tuple[DerivedShape | None, list[Finding]]:
        """The shape, where this template's service derives it; (None, []) for homogeneous jobs."""
        ...

    def requires(self, template: Template) -> tuple[KeyPath, ...]:
        """The key paths that this template, as a leaf, must set: `required`, and what depends on the rest of it."""
        ...

    def ignores(self, template: Template) -> tuple[Ignored, ...]:
        """The common keys that have no effect on this service with this template."""
        ...


class Description:
    """A Service with the usual answers: options as they declare themselves, nothing derived, nothing ignored.

    A service is a subclass that says what differs, and an instance of it to register.
    """

    name: str
    summary: str
    options: type[BackendOptions]
    required: tuple[KeyPath, ...] = ()
    any_sku: bool = False
    aliases: tuple[str, ...] = ()
    flag: str | None = None
    carries: tuple[str, ...] = ()
    takes_all: bool = False
    texts: tuple[KeyPath, ...] = ()
    """Places whose values are the text as it was written (``*`` stands for any key), like those of the environment."""
    names: ClassVar[NameRule] = FILE_SAFE

    def build_spec_backend(self, template: Template) -> tuple[BackendOptions | None, list[Finding]]:
        """See `Service.build_spec_backend`."""
        return read_options(self.options, template, self.name)

    def load_spec_backend(self, data: Mapping[str, Json]) -> BackendOptions:
        """See `Service.load_spec_backend`."""
        return self.options.model_validate(dict(data))

    def normalize_job_name(self, name: str) -> str:
        """See `Service.normalize_job_name`."""
        return self.names.fit(name)

    def derive_shape(self, template: Template) -> tuple[DerivedShape | None, list[Finding]]:  # noqa: ARG002
        """See `Service.derive_shape`."""
        return None, []

    def requires(self, template: Template) -> tuple[KeyPath, ...]:  # noqa: ARG002
        """See `Service.requires`."""
        return self.required

    def ignores(self, template: Template) -> tuple[Ignored, ...]:  # noqa: ARG002
        """See `Service.ignores`."""
        return ()


class PluginBroken(Exception):
    """A plug-in that cannot be used; `str()` says which package, why, and what to do."""


class Registry:
    """The services there are, by name, each loaded when it is first asked for.

    `built_in` and `plugins` give names and loaders; `plugins` is called only when the built-in ones do not have a name,
    or when all are asked for. A plug-in that is broken, or called like another service, is skipped and reported.
    """

    def __init__(
        self,
        built_in: Mapping[str, Loader],
        plugins: Callable[[], Sequence[tuple[str, Loader]]] = tuple,
    ) -> None:
        self._built_in = dict(built_in)
        self._find_plugins = plugins
        self._plugins: dict[str, Loader] | None = None
        self._loaded: dict[str, Service | None] = {}
        self._problems: dict[str, Problem] = {}

    @property
    def built_in(self) -> tuple[str, ...]:
        """The names of the built-in services, sorted, without loading any."""
        return tuple(sorted(self._built_in))

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with the plug-ins looked at so far."""
        return tuple(self._problems[name] for name in sorted(self._problems))

    def find(self, name: str) -> Service | None:
        """The service of a name or alias, in any letter case; None where no usable service has it."""
        wanted = name.casefold()
        if wanted in self._built_in:
            return self._load(wanted, self._built_in[wanted])
        if found := next((each for each in self._all_built_in() if wanted in each.aliases), None):
            return found
        loaders = self._plugin_loaders()
        if wanted in loaders:
            return self._load(wanted, loaders[wanted])
        return next((each for each in self._all_plugins() if wanted in each.aliases), None)

    def chosen_by(self, flag: str) -> Service | None:
        """The service that an option of `aj run` chooses (``--amlt``)."""
        likely = self.find(flag.lstrip("-"))
        if likely and likely.flag == flag:
            return likely
        return next((each for each in self.all() if each.flag == flag), None)

    def carrier(self, name: str) -> Service | None:
        """The service that alone can run templates of a name that is no service here (``amlk8s``)."""
        return next((each for each in self.all() if name.casefold() in each.carries), None)

    def names(self) -> tuple[str, ...]:
        """The names that a template may choose, sorted: those of every usable service without a flag."""
        return tuple(sorted(each.name for each in self.all() if each.flag is None))

    def all(self) -> Iterator[Service]:
        """Every usable service, built-in ones first, by name."""
        yield from self._all_built_in()
        yield from self._all_plugins()

    def extra_fields(self) -> dict[KeyPath, tuple[str, ...]]:
        """The key paths that services add to `target` and `jobs`, with the names of those services."""
        found: dict[KeyPath, tuple[str, ...]] = {}
        for service in self.all():
            for path in extra_fields(service.options):
                found[path] = (*found.get(path, ()), service.name)
        return found

    def _all_built_in(self) -> Iterator[Service]:
        return self._usable(self._built_in)

    def _all_plugins(self) -> Iterator[Service]:
        return self._usable(self._plugin_loaders())

    def _usable(self, loaders: Mapping[str, Loader]) -> Iterator[Service]:
        found = (self._load(name, loaders[name]) for name in sorted(loaders))
        return (service for service in found if service is not None)

    def _plugin_loaders(self) -> dict[str, Loader]:
        if self._plugins is None:
            loaders: dict[str, Loader] = {}
            for name, loader in self._find_plugins():
                if name in self._built_in or name in loaders:
                    self._report(name, f"the service `{name}` of a plug-in is skipped: another service has that name")
                else:
                    loaders[name] = loader
            self._plugins = loaders
        return self._plugins

    def _load(self, name: str, loader: Loader) -> Service | None:
        if name not in self._loaded:
            try:
                self._loaded[name] = loader()
            except PluginBroken as error:
                self._report(name, str(error))
                self._loaded[name] = None
        return self._loaded[name]

    def _report(self, name: str, message: str) -> None:
        self._problems[name] = problem("plugin.broken", message, None)
