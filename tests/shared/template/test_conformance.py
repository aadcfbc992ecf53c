"""The conformance cases: files in, merged config or problem codes out."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from ajkit.shared.files import MemoryFiles
from ajkit.shared.template.resolve import resolve

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "data" / "conformance" / "resolve.json").read_text("utf-8")
)
ROOT = "/root of it"


def _files(case: dict[str, Any]) -> MemoryFiles:
    files: dict[str, str | bytes] = {
        f"{ROOT}/{path}": text.replace("${ROOT}", ROOT) for path, text in case["files"].items()
    }
    for path, encoded in case.get("files_b64", {}).items():
        files[f"{ROOT}/{path}"] = base64.b64decode(encoded)
    return MemoryFiles(files, {f"{ROOT}/{link}": target for link, target in case.get("symlinks", {}).items()})


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_case(case: dict[str, Any]) -> None:
    found = resolve(_files(case), f"{ROOT}/{case['leaf']}", f"{ROOT}/.azure_jobs")
    codes = {each.code for each in found.problems}
    expect = case["expect"]
    for kind in ("error", "warning", "also"):
        if kind in expect:
            assert expect[kind] in codes
    if "absent" in expect:
        assert expect["absent"] not in codes
    if "error" in expect:
        assert any(each.stops_show for each in found.problems if each.code == expect["error"])
    else:
        assert not any(each.is_error for each in found.problems)
    if "config" in expect:
        assert json.dumps(found.config) == json.dumps(expect["config"])
