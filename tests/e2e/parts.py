"""The real editors and engines that tests need: brought where the machine allows it, else skipped with the reason."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.repository import ROOT, named

if TYPE_CHECKING:
    from collections.abc import Callable

UNAVAILABLE = 3
"""The exit code of a set-up that cannot be had on this machine."""


def bring(part: str, is_there: Callable[[], bool]) -> None:
    """Have a part ready that `tests/e2e/<part>/setup.sh` brings, or skip the test.

    It is installed where CI=true, and for root on Debian; elsewhere `make setup-e2e` does that.
    """
    if is_there():
        return
    if not _may_install():
        pytest.skip(f"{part} is not installed: run make setup-e2e")
    reason = _set_up(part)
    if reason is not None:
        pytest.skip(f"{part} cannot be installed here: {reason}")
    assert is_there(), f"{part} was set up, and is not there"


def _may_install() -> bool:
    return os.environ.get("CI") == "true" or (os.geteuid() == 0 and shutil.which("apt-get") is not None)


@functools.cache
def _set_up(part: str) -> str | None:
    """Run a set-up; why it cannot be had, None when it was brought."""
    script = ROOT / "tests/e2e" / part / "setup.sh"
    done = subprocess.run(["bash", script], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode not in {0, UNAVAILABLE}:
        raise RuntimeError(f"{named(script)} failed: {done.stderr}")
    return done.stderr.strip() if done.returncode else None
