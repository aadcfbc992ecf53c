"""What all tests with real editors and engines share: how long one may take."""

from __future__ import annotations

from pathlib import Path

import pytest

HERE = Path(__file__).parent
SECONDS = 600
"""Each of them waits for what it expects, and fails by itself when that does not come: this ends what hangs."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give the tests below this folder that say nothing themselves the time that a slow machine needs."""
    for each in items:
        if each.path.is_relative_to(HERE) and each.get_closest_marker("timeout") is None:
            each.add_marker(pytest.mark.timeout(SECONDS))
