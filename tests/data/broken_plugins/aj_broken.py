"""Services that cannot be used: half written, misnamed, with options of another kind, or with hooks that raise."""

from __future__ import annotations

from typing import NoReturn

from pydantic import BaseModel

from ajkit.shared.spec import BackendOptions, Description


def __getattr__(name: str) -> NoReturn:
    raise SystemExit(f"{name} needs a licence")


class Half:
    """A service that lacks its hooks."""

    name = "half"


class NoOpts(BackendOptions):
    """No options."""


class Local(Description):
    """A service that takes the name of a built-in one."""

    name = "local"
    summary = "Not the real one."
    options = NoOpts


class Plain(Description):
    """A service whose options are no BackendOptions."""

    name = "plain"
    summary = "Has options of another kind."
    options = BaseModel  # type: ignore[assignment]


class SourcelessOpts(BackendOptions):
    """Options that do not say where they come from."""

    queue: str = "default"


class Sourceless(Description):
    """A service whose options cannot be read."""

    name = "sourceless"
    summary = "Does not say where its options come from."
    options = SourcelessOpts


class Raises(Description):
    """A service whose hooks raise."""

    name = "raises"
    summary = "Raises."
    options = NoOpts

    def build_spec_backend(self, *_: object) -> NoReturn:
        """Fail."""
        raise KeyError("build")

    def normalize_job_name(self, *_: object) -> NoReturn:
        """Fail."""
        raise KeyError("name")

    def derive_shape(self, *_: object) -> NoReturn:
        """Fail."""
        raise KeyError("shape")

    def requires(self, *_: object) -> NoReturn:
        """Fail."""
        raise KeyError("requires")

    def ignores(self, *_: object) -> NoReturn:
        """Fail."""
        raise KeyError("ignores")


HALF, LOCAL, PLAIN, RAISES, SOURCELESS = Half(), Local(), Plain(), Raises(), Sourceless()
