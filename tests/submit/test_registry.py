"""Which services run here: ours by their folders, others by entry points, and what is missing said in words."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import EntryPoint

import pytest

from ajkit.shared.job.execution import Execution
from ajkit.submit.registry import ENTRY_POINTS, CannotRun, Executions


class Other:
    """What another package brings."""

    name = "other"


def point(name: str, value: str) -> EntryPoint:
    return EntryPoint(name, value, ENTRY_POINTS)


HERE = "tests.submit.test_registry"


def test_local_is_ours() -> None:
    found = Executions([]).find("local")
    members = [each for each in vars(Execution) if not each.startswith("_")]
    assert found.name == "local"
    assert [each for each in members if not callable(getattr(found, each))] == []
    assert found.poll_seconds > 0


def test_names_load_nothing() -> None:
    code = (
        "import sys; from ajkit.submit.registry import Executions; names = Executions().names(); "
        "assert 'local' in names; assert 'ajkit.backends.local.execute' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_another_package() -> None:
    executions = Executions([point("other", f"{HERE}:Other")])
    found: object = executions.find("other")
    assert found is Other
    assert "other" in executions.names()


def test_ours_are_not_replaced() -> None:
    assert Executions([point("local", f"{HERE}:Other")]).find("local").name == "local"


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("no_such_package:x", "the Python module no_such_package is missing"),
        (f"{HERE}:Nothing", r"broken: AttributeError"),
        ("tests.submit.broken:x", r"broken: ZeroDivisionError"),
    ],
)
def test_broken_ones_take_no_others_with_them(value: str, said: str) -> None:
    executions = Executions([point("other", value)])
    with pytest.raises(CannotRun, match=said):
        executions.find("other")
    assert executions.find("local").name == "local"


def test_unknown() -> None:
    with pytest.raises(CannotRun, match=r"nothing here runs the service `hpc`; there are: aml, amlt, local, "):
        Executions([]).find("hpc")


def test_a_missing_extra_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ajkit.backends.local.execute", None)
    with pytest.raises(CannotRun, match=r"python -m pip install 'ajkit\[local\]'"):
        Executions([]).find("local")
