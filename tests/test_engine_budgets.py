"""Files that grow, nest or go on without end: from disk, through the whole engine, in a second and little memory."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from ajkit.engine import Engine
from ajkit.shared.files import MemoryFiles
from ajkit.shared.template.collector import collector_paused
from tests.bench.workspace import make_workspace

if TYPE_CHECKING:
    from pathlib import Path

SECONDS = 1.0
"""What a process may take of a processor, in the least disturbed of a few runs: others on the machine only add."""
RUNS = 5
MEGABYTES = 200
"""What a process may hold at its largest; one that only checks a small template holds some 50."""

CHILD = """
import json, sys, time
from ajkit.engine import Engine

small, path = sys.argv[1:]
engine = Engine(folder="/")
assert not engine.problems(engine.resolve(small, named=True), named=True)
began = time.process_time()
found = engine.resolve(path, named=True)
problems = engine.problems(found, named=True)
spent = time.process_time() - began
with open("/proc/self/status") as file:  # ru_maxrss would count what the parent held
    most = next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmHWM"))
print(json.dumps({
    "seconds": spent,
    "megabytes": most,
    "errors": sorted({each.code for each in problems if each.is_error}),
    "messages": [each.message for each in problems if each.code.startswith("limit.")],
    "config": found.config if len(str(found.config)) < 1000 else None,
}))
"""


@dataclass(frozen=True)
class Answer:
    """What a fresh process says of a template, and what it took."""

    seconds: float
    megabytes: float
    errors: list[str]
    messages: list[str]
    config: dict[str, Any] | None


def ask(folder: Path, files: dict[str, str]) -> Answer:
    """Write a home of templates and have `leaf` examined by a process of its own; time and memory must do."""
    templates = folder / ".aj" / "template"
    templates.mkdir(parents=True)
    for name, text in files.items():
        (templates / f"{name}.yaml").write_text(text, encoding="utf-8")
    small = folder / "small.yaml"
    small.write_text("config: {target: {service: local}, jobs: [{command: [true]}]}\n".replace("true", '"true"'))
    command = [sys.executable, "-c", CHILD, small.as_posix(), (templates / "leaf.yaml").as_posix()]
    answer = _asked(command)
    for _ in range(RUNS - 1):
        if answer.seconds < SECONDS:
            break
        answer = min(answer, _asked(command), key=lambda each: each.seconds)
    assert answer.seconds < SECONDS
    assert answer.megabytes < MEGABYTES
    return answer


def _asked(command: list[str]) -> Answer:
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    return Answer(**json.loads(done.stdout))


def ladder(rungs: int, top: str) -> dict[str, str]:
    """Two files a rung, each with both files of the next rung as bases: 2**rungs roads lead to the top."""
    files = {"top": top, "leaf": "base: [a0, b0]\n"}
    for rung in range(rungs):
        bases = "[top]" if rung == rungs - 1 else f"[a{rung + 1}, b{rung + 1}]"
        files |= {f"{side}{rung}": f"base: {bases}\n" for side in "ab"}
    return files


def test_an_alias_bomb(tmp_path: Path) -> None:
    lines = ["config:", "  a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"  a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    answer = ask(tmp_path, {"leaf": "\n".join(lines) + "\n"})
    assert answer.errors == ["limit.aliases"]
    assert "use fewer aliases of aliases" in answer.messages[0]


@pytest.mark.parametrize("opening", ["[", "{a: ", "- ", "? ", "[{a: ", "- ? "])
def test_a_hundred_thousand_levels_on_one_line(tmp_path: Path, opening: str) -> None:
    answer = ask(tmp_path, {"leaf": f"x-deep:\n {opening * 100_000}\n"})
    assert answer.errors == ["limit.nesting"]
    assert answer.messages == ["nested more than 100 levels deep: nothing below this place is read"]


def test_as_many_levels_of_indentation_as_fit_a_file(tmp_path: Path) -> None:
    answer = ask(tmp_path, {"leaf": "\n".join(f"{' ' * depth}a:" for depth in range(5700)) + "\n"})
    assert answer.errors == ["limit.nesting"]


def test_a_chain_of_ten_thousand_files(tmp_path: Path) -> None:
    files = {f"n{n}": f"base: n{n + 1}\nconfig: {{k: {n}}}\n" for n in range(10_000)}
    answer = ask(tmp_path, {**files, "leaf": "base: n0\n"})
    assert answer.errors == ["limit.chain"]
    assert "deeper than 256 levels" in answer.messages[0]


def test_a_ladder_of_diamonds_with_scalars_is_resolved(tmp_path: Path) -> None:
    files = ladder(24, "config: {a: 1, m: {b: x}}\n")
    assert len(files) == 50
    answer = ask(tmp_path, files)
    assert answer.config == {"a": 1, "m": {"b": "x"}}
    assert not [each for each in answer.errors if each != "schema.required"]


def test_a_ladder_of_diamonds_with_a_list_ends_where_it_gets_too_large(tmp_path: Path) -> None:
    answer = ask(tmp_path, ladder(24, "config: {a: [1]}\n"))
    assert answer.errors == ["base.broken", "limit.nodes"]


def test_a_file_of_fifty_megabytes(tmp_path: Path) -> None:
    line = "  key: value that goes on and on\n"
    answer = ask(tmp_path, {"leaf": "config:\n" + line * (50_000_000 // len(line))})
    assert answer.errors == ["limit.size"]
    assert "larger than 16 MiB" in answer.messages[0]


def test_the_largest_file_that_is_read(tmp_path: Path) -> None:
    line = "# a line that says nothing, of which there are many\n"
    answer = ask(tmp_path, {"leaf": line * (16 * 1024 * 1024 // len(line) - 100) + "config: {a: 1}\n"})
    assert answer.config == {"a": 1}


MANY = 5000
SERVICE = "config:\n  target:\n    service: {service}\n"
FAULTS = {
    "merge.redundant": "base: base\nconfig:\n" + "".join(f"  k{n}: 1\n" for n in range(MANY)),
    "merge.clears": "base: base\nconfig:\n" + "".join(f"  k{n}:\n" for n in range(MANY)),
    "base.missing": "base:\n" + "".join(f"- absent.b{n}\n" for n in range(MANY)),
    "template.unknown-key": "".join(f"k{n}: 1\n" for n in range(MANY)),
    "schema.unknown-key": SERVICE.format(service="aml") + "".join(f"    k{n}: 1\n" for n in range(MANY)),
    "schema.type": SERVICE.format(service="aml") + "  jobs:\n" + "  - {sku: 1, command: 2}\n" * MANY,
    "secret.inline": SERVICE.format(service="aml")
    + "  jobs:\n  - submit_args:\n      env:\n"
    + "".join(f"        A{n}_TOKEN: abc{n}def\n" for n in range(MANY)),
    "schema.required": SERVICE.format(service="volcano")
    + "  _extra:\n    volcano:\n      tasks:\n"
    + "".join(f"        t{n}: {{x: 1}}\n" for n in range(MANY)),
}


@pytest.mark.parametrize("code", FAULTS)
def test_thousands_of_problems_take_time_in_proportion(code: str) -> None:
    above = "config:\n" + "".join(f"  k{n}: 1\n" for n in range(MANY))
    engine = Engine(files=MemoryFiles({"/w/leaf.yaml": FAULTS[code], "/w/base.yaml": above}), home="/w")
    assert [*engine.registry.all()], "to load every service takes a while, and is not what is measured"
    began = time.process_time()
    found = engine.problems(engine.resolve("/w/leaf.yaml", named=True), named=True)
    assert time.process_time() - began < 5, "a search in proportion takes half of that at most"
    assert sum(each.code == code for each in found) >= MANY


def test_what_was_checked_leaves_nothing_to_collect(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path, 20)
    engine = Engine(home=workspace.home)
    engine.check(engine.ours())
    gc.collect()
    with collector_paused():
        assert engine.check(workspace.leaves)
        assert gc.collect() < 50, "circles of references: a check of ten thousand templates would hold them all"
    assert gc.isenabled()
