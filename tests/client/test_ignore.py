"""Ignore rules against git itself, over random rules, and the cases that libraries get wrong."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from ajkit.client.ignore import IgnoreRules, is_ignored

if TYPE_CHECKING:
    from pathlib import Path

PIECES = ["a", "b", "c", "*", "*.py", "a*", "?", "[ab]", "**", "x.py", "[!a]", ".h"]
NAMES = ["a", "b", "c", "x.py", "ab", ".h", "d.py"]


def kept(root: str) -> list[str]:
    """The files that are not ignored by the `.ajignore` files of a tree."""
    found = []

    def walk(below: str, rules: list[tuple[str, IgnoreRules]]) -> None:
        here = os.path.join(root, below, ".ajignore")
        if os.path.exists(here):
            with open(here, encoding="utf-8") as file:
                rules = [*rules, (below, IgnoreRules(file.read().split("\n")))]
        for each in sorted(os.scandir(os.path.join(root, below)), key=lambda each: each.name):
            path = below + each.name
            if each.name in {".git", ".ajignore"} or is_ignored(rules, path, is_folder=each.is_dir()):
                continue
            if each.is_dir():
                walk(f"{path}/", rules)
            else:
                found.append(path)

    walk("", [])
    return sorted(found)


def kept_by_git(root: str) -> list[str]:
    command = ["git", "-C", root, "-c", "core.excludesFile=", "ls-files", "-z", "--others"]
    said = subprocess.run([*command, "--exclude-per-directory=.ajignore"], capture_output=True, text=True, check=True)
    return sorted(each for each in said.stdout.split("\0") if each and not each.endswith(".ajignore"))


def random_rule(chance: random.Random) -> str:
    rule = "/".join(chance.choice(PIECES) for _ in range(chance.choice([1, 1, 1, 2, 2, 3])))
    rule = "/" * (chance.random() < 0.25) + rule + "/" * (chance.random() < 0.3)
    return "!" * (chance.random() < 0.4) + rule + "  " * (chance.random() < 0.05)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> str:
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    root = str(tmp_path_factory.mktemp("tree"))
    subprocess.run(["git", "init", "-q", root], check=True)

    def grow(folder: str, depth: int) -> None:
        for name in NAMES:
            path = os.path.join(folder, name)
            if depth < 3 and name in {"a", "b", "c"}:
                os.mkdir(path)
                grow(path, depth + 1)
            else:
                with open(path, "w", encoding="utf-8"):
                    pass

    grow(root, 0)
    return root


@pytest.mark.parametrize("seed", range(4))
def test_random_rules_as_git_reads_them(tree: str, seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(30):
        places = ["", *(["a", "a/b"] if chance.random() < 0.5 else [])]
        files = [os.path.join(tree, each, ".ajignore") for each in places]
        rules = ["".join(f"{random_rule(chance)}\n" for _ in range(chance.randint(1, 4))) for _ in files]
        for each, text in zip(files, rules, strict=True):
            with open(each, "w", encoding="utf-8") as file:
                file.write(text)
        assert kept(tree) == kept_by_git(tree), rules
        for each in files:
            os.unlink(each)


@pytest.mark.parametrize(
    ("rules", "path", "is_folder", "ignored"),
    [
        (["*", "!*/"], "keep", True, False),
        (["*", "!*/"], "keep/file", False, True),
        (["build/"], "build", True, True),
        (["build/"], "build", False, False),
        (["/top"], "below/top", False, False),
        (["a/**/z"], "a/z", False, True),
        (["abc/**"], "abc", True, False),
        (["abc/**"], "abc/x/y", False, True),
        (["**/*"], "x", False, True),
        ([r"\#not-a-comment", "#a comment"], "#not-a-comment", False, True),
        (["#a comment"], "#a comment", False, False),
        ([r"\!important"], "!important", False, True),
        (["trailing   "], "trailing", False, True),
        (["windows\r"], "windows", False, True),
        (["///", "[", "", "x"], "x", False, True),
        (["*.log", "!keep.log", "*.log"], "keep.log", False, True),
    ],
)
def test_single_rules(rules: list[str], path: str, is_folder: bool, ignored: bool) -> None:
    assert is_ignored([("", IgnoreRules(rules))], path, is_folder=is_folder) is ignored


def test_deeper_rules_win_and_are_about_their_own_folder() -> None:
    rules = [("", IgnoreRules(["*.bin"])), ("sub/", IgnoreRules(["!/own.bin"]))]
    assert not is_ignored(rules, "sub/own.bin", is_folder=False)
    assert is_ignored(rules, "sub/deep/own.bin", is_folder=False)
    assert is_ignored(rules[:1], "sub/own.bin", is_folder=False)


def test_a_rule_that_is_long_to_match_does_not_hang(tmp_path: Path) -> None:
    rules = IgnoreRules(["a*a*a*a*a*a*a*b"])
    assert rules.says("a" * 60, is_folder=False) is None
