"""The execution registry: service name → what runs it, found in ``backends/*/execute.py`` and in other packages."""

from __future__ import annotations

import os
from importlib import import_module
from importlib.metadata import entry_points
from typing import TYPE_CHECKING

from ajkit import backends
from ajkit.backends.registry import FOLDERS
from ajkit.shared.problem import AjError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from importlib.metadata import EntryPoint

    from ajkit.shared.job.execution import Execution

ENTRY_POINTS = "ajkit.execute"


class CannotRun(AjError):
    """A service that nothing here runs, or whose part is missing or broken; `str()` says which and what to do."""


class Executions:
    """Every service that can be run here, each loaded when it is first asked for."""

    def __init__(self, others: Iterable[EntryPoint] | None = None) -> None:
        """`others` are the entry points of other packages (name: the service; value: an Execution), found if not given.

        A built-in service is never replaced by another package's.
        """
        points = entry_points(group=ENTRY_POINTS) if others is None else others
        self._others = {each.name: each for each in sorted(points, key=lambda each: (each.name, each.value))}
        self._folders = _folders()
        self._loaded: dict[str, Execution] = {}

    def names(self) -> tuple[str, ...]:
        """The services that something here runs, sorted, without loading any."""
        return tuple(sorted({*self._folders, *self._others}))

    def find(self, service: str) -> Execution:
        """What runs a service.

        Raises:
            CannotRun: nothing does.
        """
        if service not in self._loaded:
            self._loaded[service] = self._load(service)
        return self._loaded[service]

    def _load(self, service: str) -> Execution:
        try:
            if service in self._folders:
                return _built_in(self._folders[service], service)
            if service in self._others:
                found: Execution = self._others[service].load()
                return found
        except ModuleNotFoundError as error:
            extra = f": python -m pip install 'ajkit[{service}]'" if service in self._folders else ""
            raise CannotRun(
                f"the service `{service}` cannot run here, the Python module {error.name} is missing{extra}"
            ) from None
        except Exception as error:
            raise CannotRun(f"what runs the service `{service}` is broken: {type(error).__name__}: {error}") from error
        raise CannotRun(f"nothing here runs the service `{service}`; there are: {', '.join(self.names())}")


def _folders() -> dict[str, str]:
    """The built-in services that can run, each with the folder of its backend."""
    here = os.path.dirname(backends.__file__)
    able = sorted(each.name for each in os.scandir(here) if os.path.isfile(os.path.join(each.path, "execute.py")))
    return {service: folder for folder in able for service in FOLDERS.get(folder, (folder,))}


def _built_in(folder: str, service: str) -> Execution:
    module = import_module(f"{backends.__name__}.{folder}.execute")
    found: Execution = next(each for each in module.EXECUTIONS if each.name == service)
    return found
