"""The services the tests run over: the built-in ones, whatever is installed, and plug-ins that lie in tests/data."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ajkit.backends.registry import registry
from tests.repository import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ajkit.shared.spec import Registry, Service

SAMPLE = ROOT / "tests/data/sample_plugin"
BROKEN = ROOT / "tests/data/broken_plugins"


@contextmanager
def on_path(*folders: Path) -> Iterator[Registry]:
    """A registry that sees the packages in some folders as if they were installed."""
    sys.path[:0] = [str(each) for each in folders]
    try:
        yield registry()
    finally:
        del sys.path[: len(folders)]


def every_service() -> list[Service]:
    """All services there are, the sample plug-in's among them."""
    with on_path(SAMPLE) as services:
        return list(services.all())


def folder_of(service: Service) -> Path:
    """The folder of the package that describes a service."""
    file = sys.modules[service.options.__module__].__file__
    assert file is not None
    return Path(file).parent


def examples_of(service: Service) -> list[Path]:
    """The example templates of a service: those beside its description that name it, or all when a flag chooses it."""
    found = sorted(folder_of(service).glob("examples/*.yaml"))
    return [each for each in found if service.flag or f"service: {service.name}\n" in each.read_text("utf-8")]
