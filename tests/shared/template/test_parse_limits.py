"""Budgets: whatever a text holds, it is answered soon, with a clear problem and never a crash."""

from __future__ import annotations

import gc
import threading
import time

import pytest

from ajkit.shared.template.parse import SIZE_LIMIT, parse, parse_bytes
from ajkit.shared.template.tree import Document, Mapping
from ajkit.shared.where import Text


def read(content: str, hint: int | None = None, *, pure: bool = False) -> Document:
    return parse(Text("x.yaml", content), hint=hint, pure=pure)


def codes(document: Document) -> list[str]:
    return [each.code for each in document.problems]


def nested(levels: int) -> str:
    return "[" * levels + "]" * levels


@pytest.mark.parametrize("pure", [False, True])
def test_a_hundred_levels_and_no_more(pure: bool) -> None:
    assert codes(read(nested(100), pure=pure)) == []
    assert codes(read(nested(101), pure=pure)) == ["limit.nesting"]


def test_what_was_read_before_the_depth_stays() -> None:
    document = read("a: 1\nb: [2, " + nested(120) + "]\nc: 3\n")
    assert codes(document) == ["limit.nesting"]
    assert isinstance(document.root, Mapping)
    assert list(document.root.value) == ["a", "b"]
    assert document.root.end >= document.root.entries["b"].node.end > 0


def test_aliases_count_as_deep_as_what_they_repeat() -> None:
    lines = ["a0: &a0 " + nested(60)] + [f"a{each + 1}: &a{each + 1} [*a{each}]" for each in range(60)]
    assert set(codes(read("\n".join(lines)))) == {"limit.nesting"}


@pytest.mark.parametrize("unit", ["[", "{", "- ", "? ", "{a: ", "[a, ", "- - "])
def test_a_hundred_thousand_levels_are_no_crash(unit: str) -> None:
    began = time.process_time()
    assert codes(read(unit * 100_000)) == ["limit.nesting"]
    assert codes(read("a: 1\nb:\n  " + unit * 100_000)) == ["limit.nesting"]
    assert time.process_time() - began < 1


def bomb(levels: int, fan: int) -> str:
    lines = [f"a0: &a0 [{', '.join(['x'] * fan)}]"]
    lines += [f"a{each + 1}: &a{each + 1} [{', '.join([f'*a{each}'] * fan)}]" for each in range(levels)]
    return "\n".join(lines)


def test_aliases_are_counted_without_being_written_out() -> None:
    began = time.process_time()
    document = read(bomb(90, 10))
    assert codes(document) == ["limit.aliases"]
    assert time.process_time() - began < 0.5
    small = read(bomb(4, 10))
    assert codes(small) == []
    assert small.nodes == 123_456  # the mapping, and 11 + 111 + 1,111 + ... below it


def test_merge_keys_are_counted_too() -> None:
    keys = ", ".join(f"k{each}: 1" for each in range(2_000))
    began = time.process_time()
    document = read(f"a: &a {{{keys}}}\nb:\n" + "- <<: *a\n" * 20_000)
    assert codes(document) == ["limit.aliases"]
    assert document.nodes < 1_100_000
    assert time.process_time() - began < 3


def test_a_file_of_more_than_sixteen_mebibytes_is_not_read() -> None:
    began = time.process_time()
    for document in (parse_bytes("x.yaml", b"a" * (SIZE_LIMIT + 1)), read("é" * (SIZE_LIMIT // 2 + 1))):
        assert (codes(document), document.root, document.parses) == (["limit.size"], None, 0)
    assert time.process_time() - began < 0.5


def test_a_file_of_too_many_values_ends_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ajkit.shared.template.attempt.NODES_LIMIT", 1_000)  # a million take seconds
    for content, nodes in (
        ("- a\n" * 1_100, 1_000),
        ("- {a: b}\n" * 600, 1_000),
        ("".join(f"k{n}: 1\n" for n in range(2_000)), 1_000),
    ):
        document = read(content)
        assert (codes(document), document.nodes) == (["limit.nodes"], nodes)
    assert codes(read("- aa\n" * 999)) == []


QUARTER = 256 * 1024
HARD = {
    "an open quote": 'a: "' + "x y\n" * (QUARTER // 4),
    "a line that never ends": "a: b: " + "x " * (QUARTER // 2),
    "colons": ":" * QUARTER,
    "half keys": "a\n" + "b: 1\nc\n" * (QUARTER // 7),
    "tabs": "a:\n" + "\tb: 1\n" * (QUARTER // 6),
    "control characters": "\x00\x0c" * (QUARTER // 2),
    "conflicts": "a: 1\n" + "<<<<<<< a\n=======\n>>>>>>> b\n" * (QUARTER // 28),
    "open brackets": "a: [\n" * (QUARTER // 5),
    "directives": "%a b\n" * (QUARTER // 5),
    "quotes": "'\"" * (QUARTER // 2),
    "backslashes": 'a: "' + "\\" * QUARTER,
    "a long number": "a: " + "1" * QUARTER,
    "undefined aliases": "- *a\n" * (QUARTER // 5),
    "worse and worse": "".join(f"{' ' * (each % 7)}k{each}: [\n" for each in range(QUARTER // 12)),
}


@pytest.mark.parametrize("content", HARD.values(), ids=HARD.keys())
def test_a_quarter_of_a_mebibyte_of_anything_takes_a_second_or_two(content: str) -> None:
    began = time.process_time()
    document = read(content, hint=3)
    assert document.parses <= 12
    assert document.problems
    assert time.process_time() - began < 3


def test_a_block_text_of_blank_lines_takes_no_time() -> None:
    began = time.process_time()
    document = read("a: |\n" + "\n" * QUARTER + "  x  \n" + " \n" * QUARTER + "b: 1\n")
    assert time.process_time() - began < 1
    assert isinstance(document.root, Mapping)
    written = document.span(document.root.entries["a"].node).written
    assert written == "|\n" + "\n" * QUARTER + "  x  "


def test_a_long_file_with_many_broken_lines_is_parsed_a_bounded_number_of_times() -> None:
    lines = [f"k{each}: v" if each % 100 else f"bad{each}" for each in range(20_000)]
    document = read("\n".join(lines), hint=10_000)
    assert document.parses == 12
    assert isinstance(document.root, Mapping)
    assert len(document.broken) >= 5


def test_the_garbage_collector_is_left_as_it_was() -> None:
    assert gc.isenabled()
    read("a: [")
    assert gc.isenabled()
    gc.disable()
    try:
        read("a: 1")
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_threads_leave_the_garbage_collector_on() -> None:
    content = "".join(f"k{each}: [1, 2, {{x: y}}]\n" for each in range(2_000))
    threads = [threading.Thread(target=read, args=(content,)) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert gc.isenabled()
