"""Real inheriting files: every one resolves to what an independent reference says, by both parsers, without noise."""

from __future__ import annotations

import json
import re
import statistics
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from ajkit.disk import DiskFiles
from ajkit.shared.problem import Severity
from ajkit.shared.template.chain import Memo
from ajkit.shared.template.parse import parse_bytes
from ajkit.shared.template.resolve import Resolved, resolve
from ajkit.shared.template.tree import Mapping
from ajkit.shared.where import format_keypath
from tests.bench.typing_states import corpus_folder

if TYPE_CHECKING:
    from pathlib import Path

    from ajkit.shared.problem import Problem

FOLDER = corpus_folder()
HOMES = sorted(path.name.removesuffix(".expected.json") for path in FOLDER.glob("*.expected.json")) if FOLDER else []
SLICES = 4
"""The pure parser is slow: it reads the files in so many tests, which can run beside each other."""

pytestmark = pytest.mark.optional("the corpus may not be copied into the repository")
needs_corpus = pytest.mark.skipif(not HOMES, reason="the corpus of real files is not here (AJ_CORPUS names its folder)")


def expected(home: str) -> dict[str, dict[str, Any]]:
    """What each file of a home comes to: ``config``, and ``error`` where it has one."""
    assert FOLDER
    found: dict[str, dict[str, Any]] = json.loads((FOLDER / f"{home}.expected.json").read_text("utf-8"))
    return found


def resolved(home: str) -> dict[str, Resolved]:
    """Every file of a home, resolved."""
    assert FOLDER
    folder = f"{FOLDER.as_posix()}/{home}"
    files, memo = DiskFiles(), Memo()
    return {name: resolve(files, f"{folder}/{name}", folder, memo=memo) for name in expected(home)}


@needs_corpus
@pytest.mark.parametrize("home", HOMES or [""])
def test_every_file_comes_to_what_the_reference_says(home: str) -> None:
    wanted = expected(home)
    assert wanted
    for name, found in resolved(home).items():
        assert json.dumps(found.config) == json.dumps(wanted[name]["config"]), name
        errors = {each.code for each in found.problems if each.is_error}
        own = {each.code for each in found.problems if each.is_error and each.span and each.span.path == found.path}
        if "error" in wanted[name]:
            assert wanted[name]["error"] in own, name
        else:
            assert errors - {"base.broken", "yaml.duplicate-key"} == set(), name
            assert "yaml.duplicate-key" not in own, name


@needs_corpus
@pytest.mark.parametrize("part", range(SLICES))
def test_both_parsers_give_the_same_values_and_codes(part: int) -> None:
    assert FOLDER
    files = sorted(path for home in HOMES for path in (FOLDER / home).rglob("*.yaml"))[part::SLICES]
    assert files
    for path in files:
        data = path.read_bytes()
        quick, pure = (parse_bytes(path.name, data, pure=pure) for pure in (False, True))
        assert Counter(each.code for each in quick.problems) == Counter(each.code for each in pure.problems), path
        assert isinstance(quick.root, Mapping), path
        assert isinstance(pure.root, Mapping), path
        assert json.dumps(quick.root.value) == json.dumps(pure.root.value), path


@needs_corpus
def test_real_files_are_not_buried_in_warnings() -> None:
    counts = []
    for home in HOMES:
        for name, found in resolved(home).items():
            warnings = [each for each in found.problems if each.severity is Severity.WARNING]
            assert max(Counter(map(_about, warnings)).values(), default=1) == 1, name
            counts.append(len(warnings))
    assert len(counts) == sum(len(expected(home)) for home in HOMES)
    assert statistics.median(counts) == 0
    assert statistics.quantiles(counts, n=10)[8] <= 2
    assert max(counts) > 0


def _about(warning: Problem) -> tuple[object, ...]:
    """What a warning is about: its place, or its key path with all items of a list (all jobs) as one."""
    path = warning.keypath
    return (warning.code, warning.span if path is None else re.sub(r"\[\d+\]", "[]", format_keypath(path)))


def test_the_corpus_is_found_where_it_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("AJ_CORPUS", tmp_path.as_posix())
    assert corpus_folder() == tmp_path
    monkeypatch.setenv("AJ_CORPUS", f"{tmp_path.as_posix()}/absent")
    assert corpus_folder() is None
