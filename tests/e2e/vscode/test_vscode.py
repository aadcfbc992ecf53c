"""The extension in a real VS Code: rules, package, tests in the extension host, and journeys in a browser."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.e2e.parts import bring
from tests.repository import ROOT

HERE = ROOT / "tests/e2e/vscode"
EXTENSION = ROOT / "vscode-extension"
PICTURES = ROOT / ".e2e/pictures"
AJ = Path(sys.prefix) / "bin/aj"
RULES = [
    "tsc --noEmit",
    "tsc --noEmit -p src/views/graph/page",
    "eslint .",
    "prettier --check --config .prettierrc.json --log-level warn . ../tests/e2e/vscode/**/*.mjs",
]
LARGEST = 2**20
"""Bytes that the package may hold beside the wheel."""

pytestmark = pytest.mark.timeout(900)


def is_there() -> bool:
    """Whether VS Code, a browser and the extension's packages are installed."""
    vscode = ROOT / ".e2e/vscode-4.100.3/.ready"
    packages, lock = EXTENSION / "node_modules/.ready", EXTENSION / "package-lock.json"
    fresh = packages.exists() and packages.stat().st_mtime >= lock.stat().st_mtime
    return vscode.exists() and fresh and shutil.which("chromium") is not None


def run(*command: str | Path, **variables: str) -> str:
    """What a command says; fails the test with that when it fails."""
    done = subprocess.run(
        [str(each) for each in command],
        cwd=EXTENSION,
        env={**os.environ, **variables},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def vscode() -> None:
    """A real VS Code and what the extension is built with."""
    bring("vscode", is_there)


@pytest.fixture(scope="module")
def built(vscode: None) -> None:
    """The bundle as it is tested in the extension host, with its tests."""
    run("node", "esbuild.mjs", "--test")


@pytest.fixture(scope="module")
def wheel(vscode: None) -> Path:
    """The wheel that the package carries."""
    folder = EXTENSION / "wheel"
    shutil.rmtree(folder, ignore_errors=True)
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def vsix(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package, as `make vsix` makes it."""
    path = tmp_path_factory.mktemp("vsix") / "aj.vsix"
    run("node", "package.mjs", path)
    return path


@pytest.mark.usefixtures("vscode")
@pytest.mark.parametrize("rules", RULES)
def test_types_rules_and_format(rules: str) -> None:
    program, *given = rules.split()
    run(EXTENSION / "node_modules/.bin" / program, *given)


def test_every_word_of_the_manifest_is_there_and_every_command_has_its_own() -> None:
    text = (EXTENSION / "package.json").read_text("utf-8")
    words = json.loads((EXTENSION / "package.nls.json").read_text("utf-8"))
    assert set(re.findall(r'"%([\w.]+)%"', text)) == set(words)
    assert not re.findall(
        r'"(?:title|description|markdownDescription|name)": "(?!%|aj")[^"]*"', text.partition('"contributes"')[2]
    )
    contributed = json.loads(text)["contributes"]
    titles = {each["command"]: words[each["title"].strip("%")] for each in contributed["commands"]}
    used = {each["command"] for menu in contributed["menus"].values() for each in menu}
    focus = {f"{view['id']}.focus" for views in contributed["views"].values() for view in views}
    linked = set(re.findall(r"command:(aj\.[\w.]+)", "".join(words.values())))
    assert used | (linked - focus) <= set(titles)
    hidden = {each["command"] for each in contributed["menus"]["commandPalette"] if each["when"] == "false"}
    offered = [title for command, title in titles.items() if command not in hidden]
    assert len(offered) == len(set(offered))
    assert "Refresh" not in offered, "in the palette nothing else says of what"


@pytest.mark.usefixtures("built")
def test_the_parts_that_know_no_editor(wheel: Path) -> None:
    python = str(Path(sys.base_prefix) / "bin" / f"python3.{sys.version_info.minor}")
    mocha = EXTENSION / "node_modules/.bin/mocha"
    said = run(mocha, "out/test/plain.js", AJ_TEST_WHEEL=str(wheel), AJ_TEST_PYTHON=python)
    assert " passing" in said


@pytest.mark.usefixtures("built")
def test_inside_the_extension_host() -> None:
    said = run("node", HERE / "exthost.mjs", PICTURES, AJ)
    assert " passing" in said


@pytest.mark.parametrize("journey", sorted(each.stem for each in (HERE / "journeys").glob("*.mjs")))
def test_a_journey(journey: str, vsix: Path) -> None:
    assert "✔" in run("node", HERE / "journey.mjs", journey, vsix, AJ, PICTURES)


def test_the_package_holds_what_it_needs_and_no_more(vsix: Path, wheel: Path) -> None:
    with zipfile.ZipFile(vsix) as archive:
        sizes = {each.filename.removeprefix("extension/"): each.file_size for each in archive.infolist()}
        notices = archive.read("extension/ThirdPartyNotices.txt").decode()
    assert sizes.pop(f"wheel/{wheel.name}") > 0
    assert sum(sizes.values()) <= LARGEST
    assert not [name for name in sizes if name.endswith((".map", ".ts")) or "node_modules" in name]
    assert {"LICENSE.txt", "ThirdPartyNotices.txt", "package.nls.json", "out/extension.js", "readme.md"} <= sizes.keys()
    assert "vscode-languageclient 11" in notices
    assert "vscode-jsonrpc" in notices
