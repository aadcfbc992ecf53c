"""`docs/problems.md`: a section for every code, in one form, and no code that nothing reports or no test expects."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from ajkit.shared.problem import CODES, default_severity
from tests.repository import ROOT, files, named

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PAGE = (ROOT / "docs/problems.md").read_text("utf-8")
SECTIONS = dict(re.findall(r"^## (\S+)\n(.*?)(?=^## |\Z)", PAGE, flags=re.MULTILINE | re.DOTALL))
CODE = re.compile(r"[a-z]+\.[a-z]+(-[a-z]+)*")
REPORTING = {"problem", "Problem", "Finding"}
"""What makes a problem: names of `ajkit.shared.problem`."""


def reported(path: Path) -> Iterator[str]:
    """The codes that a module hands to `problem(...)` or `Finding(...)`, where they are written there as text."""
    tree = ast.parse(path.read_text("utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    names = {name.name for each in imports if each.module == "ajkit.shared.problem" for name in each.names} & REPORTING
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
            arguments = [*node.args[:2], *(each.value for each in node.keywords if each.arg == "code")]
            for each in arguments:
                if isinstance(each, ast.Constant) and isinstance(each.value, str) and CODE.fullmatch(each.value):
                    yield each.value


def mentioned(paths: list[Path]) -> set[str]:
    """Every word in some files that could be a code."""
    word = re.compile(rf"(?<![\w./-]){CODE.pattern}(?![\w-])")
    return {found[0] for path in paths for found in word.finditer(path.read_text("utf-8"))}


def test_every_code_has_one_section() -> None:
    assert set(CODES) - set(SECTIONS) == set()
    assert len(SECTIONS) == len(re.findall(r"^## ", PAGE, flags=re.MULTILINE)), "a heading twice, or with other words"


def test_every_section_says_severity_meaning_and_what_to_do() -> None:
    for code, section in SECTIONS.items():
        start = f"**{default_severity(code).value}** · "
        assert section.strip().startswith(start), f"{code} begins with {start}what it means"
        assert "\n**What to do:** " in section, code


def test_every_section_is_of_a_code() -> None:
    families = {code.partition(".")[0] for code in CODES}
    gone = [code for code in SECTIONS if code not in CODES and code.partition(".")[0] in families]
    assert gone == [], "codes of the product are listed in ajkit.shared.problem.CODES"


def test_every_code_that_is_reported_has_a_section() -> None:
    unknown = {
        named(path): codes - set(SECTIONS)
        for path in files(".py")
        if "server" in path.relative_to(ROOT).parts and (codes := set(reported(path))) - set(SECTIONS)
    }
    assert unknown == {}


def test_every_code_is_reported_and_expected_by_a_test() -> None:
    sources = [path for path in files(".py") if named(path).startswith("server/") and path.name != "problem.py"]
    assert set(CODES) - mentioned(sources) == set(), "nothing reports these"
    tests = [path for path in files(".py", ".txt", ".json") if named(path).startswith("tests/")]
    assert set(CODES) - mentioned(tests) == set(), "no test expects these"
