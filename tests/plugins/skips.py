"""The rule on skips: where CI=true a test that is skipped for want of a real part fails, unless it is marked optional.

Elsewhere skips are listed with their reasons and counted in the closing line.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator


def strict() -> bool:
    """Whether a missing real part is a failure here."""
    return os.environ.get("CI") == "true"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turn a skip into a failure where that is the rule; expected failures stay what they are."""
    report = yield
    if report.skipped and strict() and not hasattr(report, "wasxfail") and item.get_closest_marker("optional") is None:
        _refuse(report, f"{call.excinfo.value if call.excinfo else report.longrepr}")
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Refuse a whole module that is skipped: it cannot say that it is optional, its tests can."""
    report = yield
    if report.skipped and strict():
        _refuse(report, f"{collector.nodeid}: {report.longrepr}")
    return report


def _refuse(report: pytest.TestReport | pytest.CollectReport, reason: str) -> None:
    report.outcome = "failed"
    report.longrepr = (
        f"skipped where CI=true: {reason}\nbring the missing part, or mark it @pytest.mark.optional('why')"
    )
