"""Texts that are YAML: their values, the places of keys and values, and what is wrong with them all the same."""

from __future__ import annotations

import pytest
import yaml

from ajkit.shared.template.parse import parse, parse_bytes
from ajkit.shared.template.tree import Document, Mapping, Node, Scalar, Sequence
from ajkit.shared.where import Json, Text


def read(content: str, *, pure: bool = False) -> Document:
    return parse(Text("x.yaml", content), pure=pure)


def told(document: Document) -> list[str]:
    """Every problem as ``line:column code`` (one-based)."""
    return [
        f"{each.span.first.line + 1}:{each.span.first.column + 1} {each.code}"
        for each in document.problems
        if each.span
    ]


def value(document: Document) -> Json:
    return document.root.value if document.root else None


def written(document: Document) -> list[str]:
    """Every key and value as it stands in the text: ``key`` or ``=value``, in the order of the tree."""
    content, found = document.text.content, []

    def look(node: Node) -> None:
        if isinstance(node, Scalar):
            found.append("=" + content[node.start : node.end])
        elif isinstance(node, Mapping):
            for entry in node.entries.values():
                found.append(content[entry.start : entry.end])
                look(entry.node)
        else:
            for item in node.items:
                look(item)

    if document.root:
        look(document.root)
    return found


VALUES = [
    ("a: 1\nb: [x, 2.5, true, null, ~]\nc: {d: e}\n", {"a": 1, "b": ["x", 2.5, True, None, None], "c": {"d": "e"}}),
    ("1: a\n'1.5': b\non: c\n~: d\n2024-01-01: e\n", {"1": "a", "1.5": "b", "on": "c", "~": "d", "2024-01-01": "e"}),
    ("a: &x {p: [1]}\nb: *x\nc: [*x, *x]\n", {"a": {"p": [1]}, "b": {"p": [1]}, "c": [{"p": [1]}, {"p": [1]}]}),
    ("a: &x word\n*x : 1\n", {"a": "word", "word": 1}),
    ("a: =\nb: [<<]\n<<: {c: 1}\n", {"c": 1, "a": "=", "b": ["<<"]}),
    ("'<<': 1\n", {"<<": 1}),
    ("a: !!str 12\nb: !!int '3'\nc: !!map {x: !!seq [1]}\nd: ! 4\n", {"a": "12", "b": 3, "c": {"x": [1]}, "d": 4}),
    ("b: ! 'x'\n!!str c: 1\n", {"b": "x", "c": 1}),
    ("? a\n? b\n: c\n", {"a": None, "b": "c"}),
    ("%YAML 1.1\n---\na: 1\n...\n", {"a": 1}),
    ("- a\n-\n- - b\n", ["a", None, ["b"]]),
    ("just text", "just text"),
]


@pytest.mark.parametrize("pure", [False, True])
@pytest.mark.parametrize(("content", "expected"), VALUES)
def test_values(content: str, expected: Json, pure: bool) -> None:
    document = read(content, pure=pure)
    assert (value(document), told(document)) == (expected, [])


@pytest.mark.parametrize("content", ["", "# only a comment\n", "---\n", "---\n...\n", "\n\n", "\ufeff"])
@pytest.mark.parametrize("pure", [False, True])
def test_a_text_that_says_nothing_has_no_root(content: str, pure: bool) -> None:
    document = read(content, pure=pure)
    assert (document.root, document.problems) == (None, ())


MERGES = [
    ("a: &a {p: 1, q: 1}\nb: {<<: *a, q: 2, r: 3}\n", {"p": 1, "q": 2, "r": 3}),
    ("a: &a {p: 1}\nz: &z {<<: *a, q: 2}\nb: {r: 3, <<: *z}\n", {"p": 1, "q": 2, "r": 3}),
    ("b: {<<: {p: 1, q: [1]}, p: 2}\n", {"p": 2, "q": [1]}),
    ("a: &a {}\nb: {<<: [*a, *a], <<: [], x: 1}\n", {"x": 1}),
    ("a: &a {p: 1}\nb: {!!merge x: *a}\n", {"p": 1}),
    ("a: &a {p: 1, q: 3}\nz: &z {r: 2}\nb: {<<: *a, <<: *z}\n", {"p": 1, "q": 3, "r": 2}),
]


@pytest.mark.parametrize(("content", "expected"), MERGES)
def test_merge_keys_give_what_the_safe_loader_gives_in_the_same_order(content: str, expected: Json) -> None:
    document = read(content)
    assert isinstance(document.root, Mapping)
    below = document.root.entries["b"].node
    assert isinstance(below, Mapping)
    assert (repr(below.value), list(below.entries)) == (repr(expected), list(below.value))
    assert repr(document.root.value) == repr(yaml.safe_load(content))
    assert document.problems == ()


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (
            "a: &a {pp: 1, qq: 1}\nb: &b {qq: 2, ss: 4}\nc: {tt: 5, <<: [*a, *b], ss: 6}\n",
            {"qq": 1, "ss": 6, "pp": 1, "tt": 5},
        ),
        ("a: &a {pp: 1, qq: 1}\nb: &b {qq: 2, ss: 4}\nc: {<<: *a, <<: *b}\n", {"pp": 1, "qq": 2, "ss": 4}),
    ],
)
def test_the_first_of_a_list_wins_and_the_last_of_two_merge_keys(content: str, expected: dict[str, Json]) -> None:
    # PyYAML to 6.0.3 and the YAML specification; 6.0.4 lets the last of a list win, so it is no measure here.
    document = read(content)
    assert isinstance(document.root, Mapping)
    assert repr(document.root.entries["c"].node.value) == repr(expected)


def test_what_a_merge_key_takes_over_keeps_the_place_where_it_was_written() -> None:
    document = read("a: &a {p: 1}\nb:\n  <<: *a\n  q: 2\n")
    assert written(document) == ["a", "p", "=1", "b", "p", "=1", "q", "=2"]


def test_an_alias_stands_where_it_is_written_and_shares_the_value() -> None:
    document = read("a: &x {p: [1]}\nb: *x\nc: &y word\nd: *y\n")
    assert isinstance(document.root, Mapping)
    first, second = document.root.entries["a"].node, document.root.entries["b"].node
    assert first.value is second.value
    assert document.span(second).written == "*x"
    word = document.root.entries["d"].node
    assert isinstance(word, Scalar)
    assert (word.value, word.raw, word.plain, document.span(word).written) == ("word", "word", False, "*y")


PLACES = [
    ("a:   word  # why\n", ["a", "=word"]),
    ("'a b' : \"x y\"  \n", ["'a b'", '="x y"']),
    ("a:\nb: \nc:   # nothing\n", ["a", "=", "b", "=", "c", "="]),
    ("- a\n-\n", ["=a", "="]),
    ("a: &x 1\nb: &y\n  c: 2\n", ["a", "=1", "b", "c", "=2"]),
    ("a: !!str 1\n", ["a", "=!!str 1"]),
    ("a: two\n  lines\nb: 'and\n\n  more'\n", ["a", "=two\n  lines", "b", "='and\n\n  more'"]),
    ("a: |\n  x\n   y\n\n\nb: >-  # c\n\n  z\n# d\n", ["a", "=|\n  x\n   y", "b", "=>-  # c\n\n  z"]),
    ("a: |+\n  x\n\nb: 1\n", ["a", "=|+\n  x\n\n", "b", "=1"]),
    ("{a: 1, b, c: , 'd':e}", ["a", "=1", "b", "=", "c", "=", "'d'", "=e"]),
    ("a: 😀y\r\nb:\r\n- é\r\n- c\r\n", ["a", "=😀y", "b", "=é", "=c"]),
    ("a: 1\rb: 2\r", ["a", "=1", "b", "=2"]),
    ("a: x\u2028b: 1\n", ["a", "=x", "b", "=1"]),
    ('a: "x\u2028y\x85z"\nb: 1\n', ["a", '="x\u2028y\x85z"', "b", "=1"]),
    ("\ufeffa: 1\nb: 2\n", ["a", "=1", "b", "=2"]),
    ("\ufeff- 1\n- 2\n", ["=1", "=2"]),
]


@pytest.mark.parametrize(("content", "expected"), PLACES)
def test_keys_and_values_are_where_they_are_written(content: str, expected: list[str]) -> None:
    document = read(content)
    assert (written(document), told(document)) == (expected, [])


def test_an_empty_value_stands_right_behind_its_colon() -> None:
    document = read("a:  # later\nb: 1\n")
    assert isinstance(document.root, Mapping)
    empty = document.root.entries["a"].node
    assert isinstance(empty, Scalar)
    assert (empty.start, empty.end, empty.raw, empty.plain) == (2, 2, "", True)


def test_containers_end_with_what_is_in_them() -> None:
    document = read("a:\n  b: 1\n  c:\n  - x\n  - y  # z\n\n# end\nd: [1,\n 2 ]\n")
    assert isinstance(document.root, Mapping)
    assert [document.span(each.node).written for each in document.root.entries.values()] == [
        "b: 1\n  c:\n  - x\n  - y",
        "[1,\n 2 ]",
    ]
    assert document.span(document.root).written == document.text.content.rstrip("\n")


def test_plain_says_how_a_scalar_was_written() -> None:
    document = read("[a, 'b', \"c\", !!str d, ~, ! e, &f f]\n")
    assert isinstance(document.root, Sequence)
    assert [each.plain for each in document.root.items if isinstance(each, Scalar)] == [
        True,
        False,
        False,
        False,
        True,
        False,
        True,
    ]


PROBLEMS = [
    ("a: 1\nb: 2\na: 3\n", {"a": 3, "b": 2}, ["3:1 yaml.duplicate-key"]),
    ("1: a\n'1': b\n", {"1": "b"}, ["2:1 yaml.duplicate-key"]),
    ("a: {x: 1, x: 2, x: 3}\n", {"a": {"x": 3}}, ["1:11 yaml.duplicate-key", "1:17 yaml.duplicate-key"]),
    ("? [1]\n: 2\nb: 1\n{c: d}: e\n", {"b": 1}, ["1:3 yaml.key", "4:1 yaml.key"]),
    ("a: &a [1]\n*a : 2\n", {"a": [1]}, ["2:1 yaml.key"]),
    ("a: !env HOME\nb: .inf\n", {"a": "HOME", "b": ".inf"}, ["1:4 yaml.tag", "2:4 yaml.tag"]),
    ("a: !!set {x}\nb: &k !!omap [x: 1]\n", {"a": {"x": None}, "b": [{"x": 1}]}, ["1:4 yaml.tag", "2:7 yaml.tag"]),
    ("a: !!seq {x: 1}\nb: !!str [1]\n", {"a": {"x": 1}, "b": [1]}, ["1:4 yaml.tag", "2:4 yaml.tag"]),
    ("!foo a: 1\n", {"a": 1}, ["1:1 yaml.tag"]),
    ("a: *nope\n", {"a": None}, ["1:4 yaml.syntax"]),
    (
        "a: &a [*a]\nb: &b {c: {<<: *b}}\n",
        {"a": [None], "b": {"c": {}}},
        ["1:8 yaml.recursive-alias", "2:16 yaml.recursive-alias"],
    ),
    ("a: &x 1\nb: &x 2\nc: *x\n", {"a": 1, "b": 2, "c": 2}, ["2:4 yaml.syntax"]),
    ("a: {<<: 1}\nb: {<<: [x]}\n", {"a": {}, "b": {}}, ["1:5 yaml.syntax", "2:5 yaml.syntax"]),
    ("a: 1\n---\nb: 2\n", {"a": 1}, ["2:1 yaml.documents"]),
    ("a: 1\n...\n---\nb: 2\n", {"a": 1}, ["3:1 yaml.documents"]),
    ("a: " + "1" * 5000 + "\n", {"a": "1" * 5000}, ["1:4 yaml.tag"]),
]


@pytest.mark.parametrize("pure", [False, True])
@pytest.mark.parametrize(("content", "expected", "problems"), PROBLEMS)
def test_problems_of_texts_that_parse(content: str, expected: Json, problems: list[str], pure: bool) -> None:
    document = read(content, pure=pure)
    assert (value(document), told(document)) == (expected, problems)
    assert document.parses == 1


def fixed(document: Document, number: int, title: str) -> str:
    """The text after a fix of a problem."""
    fix = next(each for each in document.problems[number].fixes if each.title == title)
    content = document.text.content
    for edit in sorted(fix.edits, key=lambda each: -each.span.start):
        content = content[: edit.span.start] + edit.new_text + content[edit.span.end :]
    return content


@pytest.mark.parametrize(
    ("content", "title", "after"),
    [
        ("a: 1\nb: 2 # x\nb: 3 # y\nc: 4\n", "Remove this one", "a: 1\nb: 2 # x\nc: 4\n"),
        ("a: 1\nb: 2\nb: 3\n", "Remove the first one", "a: 1\nb: 3\n"),
        ("- a: 1\n  b: 2\n  a: 3\n", "Remove the first one", "- b: 2\n  a: 3\n"),
        ("a: {b: 1, c: 2, b: 3}\n", "Remove this one", "a: {b: 1, c: 2}\n"),
        ("a: {b: 1, c: 2, b: 3}\n", "Remove the first one", "a: {c: 2, b: 3}\n"),
        ("a: .inf\n", "Put quotes around it", 'a: ".inf"\n'),
        ("a: !env HOME\n", "Remove the tag !env", "a: HOME\n"),
        ("a: &here 1\nb: *hre\n", "Change to *here", "a: &here 1\nb: *here\n"),
    ],
)
def test_fixes_leave_good_yaml(content: str, title: str, after: str) -> None:
    assert fixed(read(content), 0, title) == after
    assert read(after).problems == ()


def test_a_duplicate_key_leads_to_the_first() -> None:
    (problem,) = read("a: 1\nb: 2\na: 3\n").problems
    assert [(str(each.span), each.message) for each in problem.related] == [("x.yaml:1:1", "`a` is set here first")]
    assert "first on line 1" in problem.message


def test_many_problems_of_one_code_are_counted() -> None:
    document = read("".join("a: 1\n" for _ in range(500)))
    assert len(document.problems) == 100
    assert document.problems[-1].message.endswith("(and 399 more in this file)")


class TestBytes:
    def test_a_byte_order_mark_is_no_part_of_the_text(self) -> None:
        document = parse_bytes("x.yaml", b"\xef\xbb\xbfa: 1\r\n")
        assert document.text.content == "a: 1\r\n"
        assert (value(document), document.problems) == ({"a": 1}, ())

    @pytest.mark.parametrize(
        ("data", "place", "says"),
        [
            (b"a: 1\nb: caf\xe9\n", "2:7", "the byte 0xE9 at offset 11"),
            ("a: 1\n".encode("utf-16"), "1:1", "this is UTF-16"),
            ("a: 1\n".encode("utf-32"), "1:1", "this is UTF-32"),
            (b"\0\0\xfe\xff" + "a: 1\n".encode("utf-32-be"), "1:3", "this is UTF-32"),
            (b"\xed\xa0\x80", "1:1", "the byte 0xED at offset 0"),
        ],
    )
    def test_what_is_not_utf8(self, data: bytes, place: str, says: str) -> None:
        document = parse_bytes("x.yaml", data)
        assert (told(document), document.root) == ([f"{place} yaml.encoding"], None)
        assert says in document.problems[0].message


@pytest.mark.parametrize("content", ["a: \ud800\n", 'a: "\ud83d\ude00"\n', 'a: "\\ud83d"\n'])
@pytest.mark.parametrize("pure", [False, True])
def test_halves_of_characters_are_refused(content: str, pure: bool) -> None:
    document = read(content, pure=pure)
    assert {each.code for each in document.problems} == {"yaml.syntax"}
    assert isinstance(document.root, Mapping)
    assert list(document.root.value) == ["a"]
    assert "\ud83d" not in str(document.root.value)
