"""Budgets of merging: what would grow without end is a clear problem in bounded time."""

from __future__ import annotations

import time

from ajkit.shared.files import MemoryFiles
from ajkit.shared.template.merge import NODE_LIMIT, count_nodes
from ajkit.shared.template.resolve import Resolved, resolve

HOME = "/p/.aj"


def _ladder(rungs: int, top: str) -> MemoryFiles:
    """Two files a rung, each extending both files of the next rung: 2**rungs roads to the top."""
    files: dict[str, str | bytes] = {f"{HOME}/template/top.yaml": top}
    for rung in range(rungs):
        above = "[top]" if rung == rungs - 1 else f"[a{rung + 1}, b{rung + 1}]"
        for side in ("a", "b"):
            files[f"{HOME}/template/{side}{rung}.yaml"] = f"base: {above}\n"
    files[f"{HOME}/template/leaf.yaml"] = "base: [a0, b0]\n"
    return MemoryFiles(files)


def _timed(files: MemoryFiles) -> tuple[Resolved, float]:
    start = time.process_time()
    found = resolve(files, f"{HOME}/template/leaf.yaml", HOME)
    assert found.problems is not None
    return found, time.process_time() - start


def test_a_ladder_of_diamonds_with_scalars_resolves() -> None:
    found, seconds = _timed(_ladder(24, "config: {a: 1, m: {b: x}}\n"))
    assert found.config == {"a": 1, "m": {"b": "x"}}
    assert [each for each in found.problems if each.is_error] == []
    assert seconds < 1


def test_a_ladder_of_diamonds_with_a_list_passes_the_node_budget() -> None:
    found, seconds = _timed(_ladder(24, "config: {a: [1]}\n"))
    assert {each.code for each in found.problems if each.is_error} == {"limit.nodes", "base.broken"}
    assert seconds < 1


def test_shared_items_count_each_time() -> None:
    item = "{" + ", ".join(f"k{index}: {index}" for index in range(100)) + "}"
    found, seconds = _timed(_ladder(14, f"config: {{a: [[{item}]]}}\n"))
    assert "limit.nodes" in {each.code for each in found.problems}
    assert seconds < 1


def test_one_large_base_named_a_thousand_times() -> None:
    files: dict[str, str | bytes] = {
        f"{HOME}/template/big.yaml": f"config: {{a: [{', '.join(['1'] * 5000)}]}}\n",
        f"{HOME}/template/leaf.yaml": f"base: [{', '.join(['big'] * 1000)}]\n",
    }
    found, _ = _timed(MemoryFiles(files))
    assert "limit.nodes" in {each.code for each in found.problems}
    assert found.config == {}


def test_long_lists_are_compared_in_time_in_proportion() -> None:
    def items(first: str) -> str:
        return ", ".join(f"{first}{index}" for index in range(20_000))

    files: dict[str, str | bytes] = {
        f"{HOME}/template/top.yaml": f"config: {{a: [{items('t')}]}}\n",
        f"{HOME}/template/a.yaml": "base: top\nconfig: {b: 1}\n",
        f"{HOME}/template/b.yaml": f"base: top\nconfig: {{a: [{items('b')}]}}\n",
        f"{HOME}/template/leaf.yaml": f"base: [a, b]\nconfig: {{a: [{items('l')}]}}\n",
    }
    found, seconds = _timed(MemoryFiles(files))
    assert [each.code for each in found.problems] == ["merge.diamond"]
    assert seconds < 3


def test_a_file_with_a_thousand_bases_over_one() -> None:
    files: dict[str, str | bytes] = {
        f"{HOME}/template/b{index}.yaml": f"base: top\nconfig: {{m: {{b: {index}}}}}\n" for index in range(1000)
    }
    files[f"{HOME}/template/top.yaml"] = "config: {m: {a: 1}}\n"
    files[f"{HOME}/template/leaf.yaml"] = f"base: [{', '.join(f'b{index}' for index in range(1000))}]\n"
    found, seconds = _timed(MemoryFiles(files))
    assert found.config == {"m": {"a": 1, "b": 999}}
    assert found.problems == ()
    assert seconds < 3


def test_a_long_chain_stops_at_the_limit() -> None:
    files: dict[str, str | bytes] = {
        f"{HOME}/template/n{index}.yaml": f"base: n{index + 1}\nconfig: {{k{index}: 1}}\n" for index in range(10_000)
    }
    files[f"{HOME}/template/leaf.yaml"] = "base: n0\n"
    found, seconds = _timed(MemoryFiles(files))
    assert [each.code for each in found.problems] == ["limit.chain"]
    assert seconds < 1


def test_counting_stops_just_past_the_limit() -> None:
    value: list[object] = [1] * 10
    for _ in range(12):
        value = [value] * 10
    assert NODE_LIMIT < count_nodes(value) < NODE_LIMIT * 20  # type: ignore[arg-type]
