"""Texts that are no YAML: what is said about them, where, and what is still read."""

from __future__ import annotations

import pytest

from ajkit.shared.template.parse import parse
from ajkit.shared.template.tree import Document, Mapping, Node, Scalar
from ajkit.shared.where import Json, Text


def read(content: str, hint: int | None = None, *, pure: bool = False) -> Document:
    return parse(Text("x.yaml", content), hint=hint, pure=pure)


def told(document: Document) -> list[str]:
    """Every problem as ``line:start-end code`` (one-based, the end on the same line)."""
    found = []
    for each in document.problems:
        assert each.span is not None
        first = each.span.first
        found.append(
            f"{first.line + 1}:{first.column + 1}-{first.column + 1 + each.span.end - each.span.start} {each.code}"
        )
    return found


def value(document: Document) -> Json:
    return document.root.value if document.root else None


QUOTE, BRACKET, BRACE = "this quote is never closed", "this bracket is never closed", "this brace is never closed"

ONE_LINE = [
    # half a key, half an item
    (
        "a:\n  nam\n  b: 1\n",
        {"a": {"nam": None, "b": 1}},
        "2:3-6 yaml.syntax",
        "`nam` is neither a key nor a list item",
    ),
    ("nam\na: 1\n", {"nam": None, "a": 1}, "1:1-4 yaml.syntax", "write `nam: ` and a value"),
    ("a:\n- na\n  b: 1\n- c: 2\n", {"a": [{"na": None, "b": 1}, {"c": 2}]}, "2:3-5 yaml.syntax", "`na` is neither"),
    ("a:\n- x\nb\nc: 1\n", {"a": ["x"], "b": None, "c": 1}, "3:1-2 yaml.syntax", "`b` is neither"),
    (
        "a:\n  - echo a\n  echo b\n  - echo c\n",
        {"a": ["echo a", "echo b", "echo c"]},
        "3:3-9 yaml.syntax",
        "an item of a list begins",
    ),
    ("tar\n  a: 1\nb: 2\n", {"tar": {"a": 1}, "b": 2}, "1:1-4 yaml.syntax", "`tar` is neither"),
    ('"a b\n  c: 1\nd: 2\n', {"a b": {"c": 1}, "d": 2}, "1:1-5 yaml.syntax", QUOTE),
    # quotes
    ('a: "x\nb: 1\nc: 2\n', {"a": "x", "b": 1, "c": 2}, "1:4-6 yaml.syntax", QUOTE),
    ("a: 'x\nb: 'y'\nc: 2\n", {"a": "x", "b": "y", "c": 2}, "1:4-6 yaml.syntax", QUOTE),
    ('a: "x\\\nb: 1\n', {"a": "x", "b": 1}, "1:4-7 yaml.syntax", QUOTE),
    ("- 'x\n- b\n- 'c'\n", ["x", "b", "c"], "1:3-5 yaml.syntax", QUOTE),
    ('a: "x" y\nb: 1\n', {"a": '"x" y', "b": 1}, "1:4-9 yaml.syntax", "text after the closing quote"),
    ("a: 'it's'\nb: 1\n", {"a": "it's", "b": 1}, "1:4-10 yaml.syntax", "text after the closing quote"),
    ('a: "C:\\dir\\x"\nb: 1\n', {"a": "C:\\dir\\x", "b": 1}, "1:7-9 yaml.syntax", "`\\d` is no escape"),
    (
        'a: "\\uD83D\\uDE00!"\nb: 1\n',
        {"a": "\\uD83D\\uDE00!", "b": 1},
        "1:5-7 yaml.syntax",
        "write the character itself",
    ),
    ('a: "\\ud83d"\nb: 1\n', {"a": "\\ud83d", "b": 1}, "1:5-7 yaml.syntax", "an escape that names no character"),
    # brackets
    ("a: [x, y\nb: 1\n", {"a": ["x", "y"], "b": 1}, "1:4-9 yaml.syntax", BRACKET),
    ("a: {x: 1, y\nb: 1\n", {"a": {"x": 1, "y": None}, "b": 1}, "1:4-12 yaml.syntax", BRACE),
    ("a: [x, {y: [z  # why\nb: 1\n", {"a": ["x", {"y": ["z"]}], "b": 1}, "1:4-14 yaml.syntax", BRACKET),
    ('a: [x, "y\nb: 1\n', {"a": ["x", "y"], "b": 1}, "1:4-10 yaml.syntax", BRACKET),
    (
        "a: {x: [1, 2}\nb: 1\n",
        {"a": {"x": [1, 2]}, "b": 1},
        "1:8-9 yaml.syntax",
        "this bracket is not closed before `}`",
    ),
    ("a: [1, 2] 3\nb: 1\n", {"a": "[1, 2] 3", "b": 1}, "1:4-12 yaml.syntax", "text after the closing bracket"),
    ("a: [x, , y]\nb: 1\n", {"a": ["x", "y"], "b": 1}, "1:8-9 yaml.syntax", "nothing before this comma"),
    ("a: {x: 1,, y: 2}\nb: 1\n", {"a": {"x": 1, "y": 2}, "b": 1}, "1:10-11 yaml.syntax", "nothing before this comma"),
    ("a: [,]\nb: 1\n", {"a": [], "b": 1}, "1:5-6 yaml.syntax", "nothing before this comma"),
    (
        "a: {b: ${X}/y, c: d[0], e: 'f'}\nb: 1\n",
        {"a": {"b": "${X}/y", "c": "d[0]", "e": "f"}, "b": 1},
        "1:8-14 yaml.syntax",
        "needs quotes around it",
    ),
    (
        "a:\n- {b: {c}xG8, d: it's}\n- e: 1\n",
        {"a": [{"b": "{c}xG8", "d": "it's"}, {"e": 1}]},
        "2:7-13 yaml.syntax",
        "needs quotes around it",
    ),
    ("a: {b: c: d, e: 1}\n", {"a": {"b": "c: d", "e": 1}}, "1:8-12 yaml.syntax", "colon and a blank in it needs"),
    (
        "a: {b: c d e: [1], f: 1}\n",
        {"a": {"b": "c d", "e": [1], "f": 1}},
        "1:12-13 yaml.syntax",
        "a comma is missing before `e`",
    ),
    ("a: [b, 'c'd, \"e\"]\n", {"a": ["b", "'c'd", "e"]}, "1:8-12 yaml.syntax", "needs quotes around it"),
    ("a: [\n  b,\n  c ${D} [0],\n  e]\n", {"a": ["b", "c ${D} [0]", "e"]}, "3:3-13 yaml.syntax", "needs quotes"),
    ("a: ]\nb: 1\n", {"a": "]", "b": 1}, "1:4-5 yaml.syntax", "`]` closes nothing"),
    ("[1, 2", [1, 2], "1:1-6 yaml.syntax", BRACKET),
    # indentation
    (
        "a:\n  b: 1\n   c: 2\n  d: 3\n",
        {"a": {"b": 1, "c": 2, "d": 3}},
        "3:1-4 yaml.syntax",
        "indented by 3, which fits nothing around it; 2",
    ),
    ("a:\n  b: 1\n c: 2\nd: 3\n", {"a": {"b": 1}, "c": 2, "d": 3}, "3:1-2 yaml.syntax", "indented by 1"),
    (
        "a:\n - b: 1\n  c: 2\n - d: 3\n",
        {"a": [{"b": 1, "c": 2}, {"d": 3}]},
        "3:1-3 yaml.syntax",
        "indented by 2, which fits nothing around it; 3",
    ),
    ("a: 1\n- b\nc: 2\n", {"a": 1, "c": 2}, "2:1-4 yaml.syntax", "a list item cannot stand among keys"),
    # values that need quotes
    (
        "a: b: c\nd: 1\n",
        {"a": "b: c", "d": 1},
        "1:4-8 yaml.syntax",
        "a value with a colon and a blank in it needs quotes",
    ),
    ("a: @b\nd: 1\n", {"a": "@b", "d": 1}, "1:4-6 yaml.syntax", "no value can begin with `@`"),
    ("a: `b`\nd: 1\n", {"a": "`b`", "d": 1}, "1:4-7 yaml.syntax", "no value can begin with ```"),
    ("a: %b\nd: 1\n", {"a": "%b", "d": 1}, "1:4-6 yaml.syntax", "no value can begin with `%`"),
    ("a: *\nd: 1\n", {"a": "*", "d": 1}, "1:4-5 yaml.syntax", "no value can begin with `*`"),
    ("a: *.py\nd: 1\n", {"a": "*.py", "d": 1}, "1:4-8 yaml.syntax", "no value can begin with `*`"),
    ("- @b\n- c\n", ["@b", "c"], "1:3-5 yaml.syntax", "no value can begin with `@`"),
    ("a: - b\nd: 1\n", {"a": "- b", "d": 1}, "1:4-7 yaml.syntax", "a list begins on the line below its key"),
    ("a: |x\n  b\nd: 1\n", {"a": "b\n", "d": 1}, "1:4-6 yaml.syntax", "after `|` only a digit"),
    (
        "a:\n  b: x\n    c: 1\n    d: 2\n",
        {"a": {"b": {"c": 1, "d": 2}}},
        "2:6-7 yaml.syntax",
        "a value on its line and indented lines below",
    ),
    ("%YAML 9.9\n---\na: 1\n", {"a": 1}, "1:1-10 yaml.syntax", "asks for a version"),
]


@pytest.mark.parametrize("pure", [False, True])
@pytest.mark.parametrize(("content", "expected", "place", "says"), ONE_LINE)
def test_one_broken_line(content: str, expected: Json, place: str, says: str, pure: bool) -> None:
    document = read(content, pure=pure)
    assert value(document) == expected
    assert told(document) == [place]
    assert says in document.problems[0].message
    assert document.broken == (int(place.partition(":")[0]) - 1,)


@pytest.mark.parametrize(
    ("content", "expected", "place", "says"), [each for each in ONE_LINE if "%YAML" not in each[0]]
)
def test_the_hint_changes_nothing_but_the_number_of_parses(content: str, expected: Json, place: str, says: str) -> None:
    document = read(content, hint=int(place.partition(":")[0]) - 1)
    assert (value(document), told(document)) == (expected, [place])
    assert says in document.problems[0].message
    assert document.parses <= read(content).parses


@pytest.mark.parametrize(
    ("content", "expected", "places"),
    [
        (
            "a: [1\nb\nc: 'x\nd: 1\n",
            {"a": [1], "b": None, "c": "x", "d": 1},
            ["1:4-6 yaml.syntax", "2:1-2 yaml.syntax", "3:4-6 yaml.syntax"],
        ),
        (
            "a:\n  b\n  c: {\n  d: 1\ne: 2\n",
            {"a": {"b": None, "c": {}, "d": 1}, "e": 2},
            ["2:3-4 yaml.syntax", "3:6-7 yaml.syntax"],
        ),
        (
            "a: {\n  b: ${X},\n  c: y, d: e[0] }\nf: 1\n",
            {"a": {"b": "${X}", "c": "y", "d": "e[0]"}, "f": 1},
            ["2:6-10 yaml.syntax", "3:12-16 yaml.syntax"],
        ),
        ("a: 1\nb\na: 2\n", {"a": 2, "b": None}, ["2:1-2 yaml.syntax", "3:1-2 yaml.duplicate-key"]),
    ],
)
def test_several_broken_lines_are_each_told(content: str, expected: Json, places: list[str]) -> None:
    document = read(content)
    assert (value(document), told(document)) == (expected, places)


def test_a_hint_on_a_good_line_does_no_harm() -> None:
    content = "a: 1\nb:\n  c: 2\n  nam\n  d: [3]\ne: 4\n"
    for hint in (None, -1, 0, 1, 2, 4, 5, 6, 99):
        document = read(content, hint=hint)
        assert value(document) == {"a": 1, "b": {"c": 2, "nam": None, "d": [3]}, "e": 4}
        assert (told(document), document.broken) == (["4:3-6 yaml.syntax"], (3,))


def places(document: Document) -> dict[str, str]:
    """The text of every key and of its scalar, as the tree finds it in the true text."""
    found: dict[str, str] = {}
    content = document.text.content

    def look(node: Node) -> None:
        if isinstance(node, Mapping):
            for name, entry in node.entries.items():
                below = entry.node
                found[content[entry.start : entry.end]] = (
                    content[below.start : below.end] if isinstance(below, Scalar) else name
                )
                look(below)

    if document.root:
        look(document.root)
    return found


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_what_is_inserted_to_mend_does_not_shift_what_follows(newline: str) -> None:
    content = newline.join(["é😀: 'first", "nam", "key: {a: [1", "last: 😀 value", "end: x", ""])
    document = read(content)
    assert places(document) == {
        "é😀": "'first",
        "nam": "",
        "key": "key",
        "a": "a",
        "last": "😀 value",
        "end": "x",
    }
    assert document.broken == (0, 1, 2)


def test_a_multi_line_value_is_mended_in_the_line_that_is_edited() -> None:
    content = "a: [\n  {x: 1, y: 2},\n  {x: 3, y\n  {x: 4}\n]\nb: 1\n"
    document = read(content, hint=2)
    assert value(document) == {"a": [{"x": 1, "y": 2}, {"x": 3, "y": None}, {"x": 4}], "b": 1}
    assert (document.broken, document.parses) == ((2,), 2)
    quoted = read('a: "one\n  two\n  three\nb: "x"\n', hint=2)
    assert value(quoted) == {"a": "one two three", "b": "x"}


def test_lines_that_went_on_with_a_value_do_not_end_the_mapping() -> None:
    content = "a: 1\nanch\n  [32, 96], [45, 135]]\nb: 2\n"
    document = read(content, hint=1)
    assert value(document) == {"a": 1, "anch": [[32, 96], [45, 135]], "b": 2}
    assert document.broken == (1,)


class TestTabs:
    def test_each_tab_indentation_is_replaced_at_once(self) -> None:
        document = read("a:\n\tb: 1\n\tc:\n\t\t- x\n\t\t- y\nd: 2\n")
        assert value(document) == {"a": {"b": 1, "c": ["x", "y"]}, "d": 2}
        assert (told(document), document.parses, document.broken) == (["2:1-2 yaml.tab-indent"], 2, (1, 2, 3, 4))
        assert document.problems[0].message.endswith("(and on 3 more lines)")
        (fix,) = document.problems[0].fixes
        assert (fix.preferred, len(fix.edits), {each.new_text for each in fix.edits}) == (True, 4, {"  ", "    "})

    @pytest.mark.parametrize(
        ("content", "expected"),
        [
            ("config:\n  target:\n\tservice: local\n", {"config": {"target": {"service": "local"}}}),
            ("a:\n    b: 1\n\tc: 2\nd: 3\n", {"a": {"b": 1, "c": 2}, "d": 3}),
            ("a:\n        b: 1\n\tc: 2\n", {"a": {"b": 1, "c": 2}}),
            ("- \ta\n- b\n", ["a", "b"]),
        ],
    )
    @pytest.mark.parametrize("pure", [False, True])
    def test_a_tab_is_as_wide_as_its_neighbours_say(self, content: str, expected: Json, pure: bool) -> None:
        document = read(content, pure=pure)
        assert value(document) == expected
        assert [each.code for each in document.problems] == ["yaml.tab-indent"]

    @pytest.mark.parametrize("pure", [False, True])
    def test_tabs_that_yaml_takes_are_no_problem(self, pure: bool) -> None:
        content = 'a:\tb\nc: d\t# e\nf: "x\ty"\ng: |\n  x\n  \ty\nh: [\t1,\t2 ]\ni: j\tk\n'
        document = read(content, pure=pure)
        assert document.problems == ()
        assert value(document) == {"a": "b", "c": "d", "f": "x\ty", "g": "x\n\ty\n", "h": [1, 2], "i": "j\tk"}


class TestConflicts:
    CONTENT = "a: 1\n<<<<<<< HEAD\nb: ours\n||||||| base\nb: old\n=======\nb: theirs\nc: 2\n>>>>>>> topic\nd: 3\n"

    def test_the_first_side_is_read(self) -> None:
        document = read(self.CONTENT)
        assert value(document) == {"a": 1, "b": "ours", "d": 3}
        assert (told(document), document.broken, document.parses) == (
            ["2:1-13 yaml.conflict-marker"],
            (1, 3, 4, 5, 6, 7, 8),
            2,
        )
        related = [each.span.first.line + 1 for each in document.problems[0].related]
        assert related == [4, 6, 9]

    @pytest.mark.parametrize(("number", "after"), [(0, "a: 1\nb: ours\nd: 3\n"), (1, "a: 1\nb: theirs\nc: 2\nd: 3\n")])
    def test_a_fix_keeps_either_side(self, number: int, after: str) -> None:
        document = read(self.CONTENT)
        content = self.CONTENT
        fix = document.problems[0].fixes[number]
        assert fix.title == ("Keep HEAD", "Keep topic")[number]
        for edit in sorted(fix.edits, key=lambda each: -each.span.start):
            content = content[: edit.span.start] + edit.new_text + content[edit.span.end :]
        assert content == after

    def test_a_conflict_that_is_half_resolved(self) -> None:
        document = read("a: 1\n<<<<<<< HEAD\nb: 2\nc: 3\n")
        assert (value(document), told(document)) == ({"a": 1, "b": 2, "c": 3}, ["2:1-13 yaml.conflict-marker"])

    def test_two_conflicts_are_two_problems(self) -> None:
        one = "<<<<<<< a\nx{0}: 1\n=======\ny{0}: 1\n>>>>>>> b\n"
        document = read(one.format(1) + one.format(2))
        assert value(document) == {"x1": 1, "x2": 1}
        assert [each.code for each in document.problems] == ["yaml.conflict-marker"] * 2

    def test_what_only_looks_like_one_in_a_block_text_is_text(self) -> None:
        document = read("a: |\n  <<<<<<< HEAD\n  =======\n  >>>>>>> x\n")
        assert document.problems == ()


@pytest.mark.parametrize("pure", [False, True])
@pytest.mark.parametrize(
    ("content", "expected", "place", "name"),
    [
        ("a: \x0c1\nb: 2\n", {"a": 1, "b": 2}, "1:4-5 yaml.syntax", "a form feed (U+000C)"),
        ('a: "x\x00y"\nb: 2\n', {"a": "x y", "b": 2}, "1:6-7 yaml.syntax", "a NUL character (U+0000)"),
        ("a: x\x7fy\n", {"a": "x y"}, "1:5-6 yaml.syntax", "a delete character (U+007F)"),
        ("a: x\x81y\n", {"a": "x y"}, "1:5-6 yaml.syntax", "a control character (U+0081)"),
        ("a: x\uffffy\n", {"a": "x y"}, "1:5-6 yaml.syntax", "an unassigned character (U+FFFF)"),
        ("a: x\udc00y\n", {"a": "x y"}, "1:5-6 yaml.syntax", "half of a character (U+DC00)"),
    ],
)
def test_characters_that_yaml_refuses(content: str, expected: Json, place: str, name: str, pure: bool) -> None:
    document = read(content, pure=pure)
    assert (value(document), told(document)) == (expected, [place])
    assert document.problems[0].message.startswith(name)


def test_where_nothing_helps_what_was_read_before_stays() -> None:
    document = read("a: 1\nb:\n  c: 2\n" + "}{" * 30_000 + "\n}\n{\n" * 30)
    assert isinstance(document.root, Mapping)
    assert document.root.value["a"] == 1
    assert document.problems


def test_an_alias_of_an_anchor_on_a_broken_line_is_not_told_too() -> None:
    document = read("a: &x @1\nb: *x\nc: *y\n")
    assert told(document) == ["1:1-9 yaml.syntax", "3:4-6 yaml.syntax"]
