"""The house in order: purpose lines, sizes, names, nothing of one machine, imports that a quick command may cost."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tests.repository import ROOT, files, named

if TYPE_CHECKING:
    from pathlib import Path

CODE = (".py", ".sh", ".ts", ".mts", ".mjs", ".js", ".lua", ".el")
LONGEST = 400
NAMELESS = {"base", "common", "helper", "helpers", "misc", "stuff", "tools", "util", "utils"}

# Put together here, so that this file does not hold what it looks for.
OF_ONE_MACHINE = [
    re.compile(pattern)
    for pattern in (
        r"(?<![\w.-])/" + r"work/",
        r"(?<![\w.-])/" + r"root/",
        r"(?<![\w.-])/opt/" + r"(pypi|wheels)",
        r"py" + r"pi\.org",
        r"python" + r"hosted\.org",
        r"npm" + r"js\.(org|com)",
        r"yarn" + r"pkg\.com",
        r"deb\." + r"debian\.org",
        r"proxy\." + r"golang\.org",
        r"static\." + r"crates\.io",
    )
]

HEAVY = {
    *("asyncio", "fastapi", "httpx", "jsonschema", "lsprotocol", "multiprocessing", "pathspec", "pydantic"),
    *("pydantic_core", "pygls", "rich", "sqlite3", "ssl", "starlette", "unittest", "uvicorn", "yaml"),
}


def purpose(path: Path) -> str | None:
    """The first line of a module's docstring, None where the file does not begin with one."""
    tree = ast.parse(path.read_text("utf-8"))
    text = ast.get_docstring(tree, clean=False)
    return text.split("\n")[0] if text is not None and tree.body[0].lineno == 1 else None


def test_every_module_says_its_purpose_on_its_first_line() -> None:
    lines = {named(path): purpose(path) for path in files(".py")}
    wrong = [name for name, line in lines.items() if not line or len(line.split()) < 3 or line[-1] not in ".:"]
    assert not wrong, "begin these files with a docstring whose first line is a sentence"
    twice = [line for line, count in Counter(lines.values()).items() if count > 1]
    assert not twice, "two modules say that they have the same purpose"


def test_no_file_of_code_is_too_long() -> None:
    lengths = {named(path): path.read_text("utf-8").count("\n") for path in files(*CODE)}
    assert {name: lines for name, lines in lengths.items() if lines > LONGEST} == {}, "split by purpose"


def test_no_module_is_named_after_nothing() -> None:
    stems = {part for path in files(".py") for part in (*path.relative_to(ROOT).parts[:-1], path.stem)}
    assert stems & NAMELESS == set()


def test_nothing_of_one_machine_is_in_the_repository() -> None:
    found = []
    for path in files():
        try:
            text = path.read_text("utf-8")
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(text.split("\n"), 1):
            found += [f"{named(path)}:{number}: {line.strip()[:120]}" for each in OF_ONE_MACHINE if each.search(line)]
    assert found == []


def test_every_test_mirrors_a_module_or_says_what_it_is() -> None:
    """A folder below tests/ that has the name of a room has no folder inside that the room lacks."""
    rooms = {
        path.relative_to(ROOT / "server/ajkit").parent.as_posix() for path in files(".py") if "ajkit" in path.parts
    }
    tops = {room.split("/")[0] for room in rooms} - {"."}
    mirrored = {path.relative_to(ROOT / "tests").parent.as_posix() for path in files(".py") if "tests" in path.parts}
    assert sorted(each for each in mirrored if each.split("/")[0] in tops and each not in rooms) == []


def test_the_declared_dependencies_are_those_imported() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = [each for extra in project["optional-dependencies"].values() for each in extra]
    declared = {re.split(r"[^\w-]", each, maxsplit=1)[0] for each in (*project["dependencies"], *extras)}
    imported = set()
    for path in files(".py"):
        if named(path).startswith("server/"):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
                imported |= {each.split(".")[0] for each in names}
                if isinstance(node, ast.ImportFrom) and node.module:
                    imported.add(node.module.split(".")[0])
    others = imported - sys.stdlib_module_names - {"ajkit"}
    packages = {"azure": "azure-identity", "yaml": "pyyaml"}
    assert {packages.get(each, each.replace("_", "-")) for each in others} == declared


@pytest.mark.parametrize("arguments", [["--help"], ["--version"]])
def test_help_costs_no_heavy_import(arguments: list[str]) -> None:
    script = """if True:
        import contextlib, io, sys
        before = set(sys.modules)
        from ajkit.cli.main import main
        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.suppress(SystemExit):
            main(sys.argv[1:])
        assert out.getvalue(), "nothing was printed"
        print(*sorted({each.split(".")[0] for each in set(sys.modules) - before}))
    """
    done = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert set(done.stdout.split()) & HEAVY == set()
