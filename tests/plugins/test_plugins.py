"""The house's own pytest plugins: skips where CI=true, golden files and their orphans."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.plugins.goldens import orphans

if TYPE_CHECKING:
    from pathlib import Path

SKIPPING = """
import pytest

def test_plain():
    pytest.skip("no slurm here")

@pytest.mark.skipif(True, reason="no ray here")
def test_marked():
    raise AssertionError

@pytest.mark.optional("needs a display")
def test_optional():
    pytest.skip("no display")

@pytest.mark.xfail(reason="known")
def test_expected():
    raise AssertionError
"""

GOLDEN = """
from pathlib import Path

def test_one(golden):
    golden(Path(__file__).parent / "goldens" / "one.txt", "one\\n")
"""


@pytest.fixture(autouse=True)
def _only_our_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


def run(pytester: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    pytester.makeini("[pytest]\nmarkers = optional(why)\ntestpaths = .\n")
    plugins = ("-p", "tests.plugins.skips", "-p", "tests.plugins.goldens", "-p", "no:cacheprovider")
    return pytester.runpytest_inprocess(*plugins, *arguments)


def test_skips_are_counted_elsewhere(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    pytester.makepyfile(SKIPPING)
    run(pytester).assert_outcomes(skipped=3, xfailed=1)


def test_skips_fail_in_ci_unless_optional(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    pytester.makepyfile(SKIPPING)
    result = run(pytester)
    result.assert_outcomes(failed=1, errors=1, skipped=1, xfailed=1)
    result.stdout.fnmatch_lines(["*skipped where CI=true: no slurm here*", "*skipped where CI=true: *no ray here*"])


def test_a_skipped_module_fails_in_ci(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    pytester.makepyfile("import pytest\npytest.skip('nothing works here', allow_module_level=True)\n")
    run(pytester).assert_outcomes(errors=1)


def test_goldens_are_compared_and_rewritten(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(GOLDEN)
    golden = pytester.path / "goldens" / "one.txt"
    run(pytester).assert_outcomes(failed=1)
    run(pytester, "--update-goldens").assert_outcomes(passed=1)
    assert golden.read_text() == "one\n"
    run(pytester).assert_outcomes(passed=1)
    golden.write_text("two\n")
    run(pytester).assert_outcomes(failed=1)


def test_orphans_are_found(tmp_path: Path) -> None:
    folder = tmp_path / "shared" / "goldens" / "deep"
    folder.mkdir(parents=True)
    (folder / "used.json").write_text("{}")
    (folder / "left.json").write_text("{}")
    assert orphans(tmp_path, {str(folder / "used.json")}) == ["shared/goldens/deep/left.json"]
