"""Golden files: compared with what the code gives today, rewritten by `--update-goldens`, and never left behind.

A golden is any file below a folder named `goldens`, or one that a test hands over wherever it lies. Once every test has
run, a file in a `goldens` folder that no test asked for fails the run.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
Golden = Callable[[Path, str], None]
"""The fixture `golden`: a path and the text it must hold."""

_USED = pytest.StashKey[set[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the switch that rewrites goldens."""
    parser.addoption("--update-goldens", action="store_true", help="write golden files anew instead of comparing")


def pytest_configure(config: pytest.Config) -> None:
    """Start with no golden used."""
    config.stash[_USED] = set()


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """Compare a text with a golden file: ``golden(path, text)``; line ends and the last newline count.

    With `--update-goldens` the file is written instead.
    """

    def check(path: Path, text: str) -> None:
        request.config.stash[_USED].add(str(path.resolve()))
        if request.config.getoption("--update-goldens"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
            return
        if not path.is_file():
            pytest.fail(f"no golden file {path}; write it with --update-goldens and read it before committing")
        assert text == path.read_bytes().decode(), f"{path} differs; if that is meant: --update-goldens"

    return check


def orphans(root: Path, used: set[str]) -> list[str]:
    """The files below any `goldens` folder of a tree that were not used, sorted, relative to the root."""
    kept = [each for each in root.rglob("goldens/**/*") if each.is_file() and not each.name.startswith(".")]
    return sorted(each.relative_to(root).as_posix() for each in kept if str(each.resolve()) not in used)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: object, error: object) -> None:
    """Collect what a worker's tests used."""
    output: dict[str, list[str]] = getattr(node, "workeroutput", {})
    node.config.stash[_USED].update(output.get("goldens", ()))  # type: ignore[attr-defined]


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Hand a worker's goldens up; in the main process fail a whole, green run that left goldens unused."""
    config = session.config
    used = config.stash[_USED]
    if hasattr(config, "workeroutput"):
        config.workeroutput["goldens"] = sorted(used)
        return
    if exitstatus != pytest.ExitCode.OK or not _whole_run(config):
        return
    left = orphans(ROOT / "tests", used)
    if left:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
        reporter = config.pluginmanager.get_plugin("terminalreporter")
        if reporter is not None:
            reporter.write_line("")
            reporter.write_line(f"golden files that no test uses (delete them): {', '.join(left)}", red=True)


def _whole_run(config: pytest.Config) -> bool:
    narrowing = ("keyword", "markexpr", "lf", "collectonly", "deselect", "ignore", "ignore_glob")
    return (
        not any(config.getoption(each, None) for each in narrowing)
        and config.args_source is pytest.Config.ArgsSource.TESTPATHS
    )
