"""Following edits by parsing what surrounds them: the same document as a parse of the whole text, or none."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ajkit.shared.template.parse import parse
from ajkit.shared.template.splice import difference, spliced
from ajkit.shared.template.tree import Document, Mapping, Scalar, Sequence
from ajkit.shared.where import Text
from tests.bench.lsp_typing import Typist
from tests.bench.workspace import one_file

REACH = 300
"""So little that files of a few hundred lines are worth it."""


def drawn(document: Document) -> Any:
    """All that a document says, as plain values."""

    def node(each: Any) -> Any:
        match each:
            case None:
                return None
            case Scalar():
                return each.value, each.raw, each.start, each.end, each.plain
            case Mapping():
                below = [(key, entry.start, entry.end, node(entry.node)) for key, entry in each.entries.items()]
                assert list(each.value) == list(each.entries)
                assert all(each.value[key] is entry.node.value for key, entry in each.entries.items())
                return each.start, each.end, each.value, below
            case Sequence():
                assert all(one is item.value for one, item in zip(each.value, each.items, strict=True))
                return each.start, each.end, each.value, [node(item) for item in each.items]

    return (
        node(document.root),
        document.problems,
        [(each.span and each.span.first, each.related, each.fixes) for each in document.problems],
        document.broken,
        document.nodes,
        document.whole,
    )


def follow(before: Document, content: str, hint: int | None, reach: int = REACH) -> Document | None:
    """The spliced document, which must be what a parse of the whole gives."""
    text = Text(before.text.path, content)
    found = spliced(before, text, hint, reach)
    if found is not None:
        assert drawn(found) == drawn(parse(text, hint=hint))
        assert found.text is text
    return found


def document(content: str) -> Document:
    found = parse(Text("a.yaml", content))
    assert not found.problems
    return found


def line_of(content: str, offset: int) -> int:
    return content.count("\n", 0, offset)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_typing_is_followed(newline: str) -> None:
    content = one_file(400)
    before = document(content.replace("\n", newline))
    typist = Typist(content)
    followed = 0
    for _ in range(120):
        typist.keystroke()
        now = newline.join(typist.lines)
        found = follow(before, now, typist.line, 1_500)
        followed += found is not None
        whole = found or parse(Text("a.yaml", now), hint=typist.line)
        if not whole.problems and not whole.broken:
            before = whole
    assert followed > 105


def test_the_tree_before_stays_as_it_is() -> None:
    content = one_file(300)
    before = document(content)
    drawing = drawn(before)
    at = content.index("\n", len(content) // 2)
    assert follow(before, content[:at] + "9" + content[at:], line_of(content, at)) is not None
    assert drawn(before) == drawing


LIST = "config:\n  jobs:\n    - command:\n" + "".join(f"        - run {n} --with some=words\n" for n in range(60))
KEYS = "base:\nconfig:\n  _extra:\n" + "".join(f"    key_{n}: {{a: {n}, b: [x, y]}}\n" for n in range(60))


@pytest.mark.parametrize(
    ("content", "old", "new", "followed"),
    [
        (LIST, "run 30", "run 30 x", True),
        (LIST, "- run 30 --with some=words\n", "", True),
        (LIST, "        - run 30", "        - one\n        - run 30", True),
        (LIST, "- run 59 --with some=words\n", "- run 59 --with some=words\n        - the last\n", True),
        (LIST, "run 30", "'run 30", False),  # the quote is closed by none: how far it reaches, the whole text says
        (LIST, "- run 30", "- &name run 30", False),
        (LIST, "        - run 30", "      - run 30", False),
        (LIST, "- run 30", "- - run 30", True),
        (KEYS, "key_30:", "key_3x:", True),
        (KEYS, "key_30:", "key_5:", False),  # there is one already
        (KEYS, "key_30:", "key_31:", False),
        (KEYS, "{a: 30,", "{a: 30", True),
        (KEYS, "{a: 30,", "{a: 30, %,", False),  # no sure way to mend it: what else may be meant, the whole text says
        (KEYS, "    key_30: {", "key_30: {", False),
        (KEYS, "key_30: {a: 30, b: [x, y]}", "key_30:\n      a: 30\n      b:\n      - x", True),
        (KEYS, "key_30: {a: 30, b: [x, y]}", "key_30", True),
        (KEYS, "key_30: {a: 30, b: [x, y]}", "key_30: !!set {a, b}", True),
        (KEYS, "key_30: {a: 30, b: [x, y]}", "<<: {a: 1}", False),
        (KEYS, "base:", "base: x", False),
        (KEYS, "y]}\n    key_30", "y]}\n---\n    key_30", False),
        (KEYS, "key_30: {a", "key_30: {\u2028a", False),
    ],
)
def test_edits(content: str, old: str, new: str, followed: bool) -> None:
    before = document(content)
    at = content.index(old)
    changed = content[:at] + new + content[at + len(old) :]
    assert (follow(before, changed, line_of(content, at)) is not None) == followed


def test_what_has_problems_is_not_followed() -> None:
    text = Text("a.yaml", KEYS + "    key_5: again\n")
    before = parse(text)
    assert before.problems
    assert spliced(before, Text("a.yaml", text.content.replace("x, y", "x", 1)), 4, REACH) is None


def test_small_texts_are_parsed_whole() -> None:
    before = document("config:\n  a: 1\n")
    assert follow(before, "config:\n  a: 12\n", 1) is None


FRAGMENTS = (
    *("\n", "  ", "\t", "-", "- ", "    - ", "x: ", "x", ": ", ":", ",", "'", '"', "#", " # c", "\\", "$X", "''", '""'),
    *(
        "|\n",
        "|+\n\n",
        ">-\n  a\n",
        "{a: 1}",
        "{",
        "}",
        "[",
        "]",
        "? ",
        "~",
        "null",
        "1.10",
        "0x_",
        "=",
        "!!str ",
        "!foo ",
    ),
    *(
        "key: value\n",
        "          NEW: 1\n",
        "        - x\n",
        "    - name: y\n",
        "- - 1\n",
        ": : :",
        "%",
        "@",
        "`",
        "é",
        "\r\n",
    ),
    *(
        "&a ",
        "*a ",
        "<<: ",
        "---\n",
        "...\n",
        "<<<<<<< x\n",
        "=======\n",
        "\u2028",
        "  storage:\n    a: {mount_dir: /x}\n",
    ),
)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_whatever_is_edited_the_document_is_that_of_a_parse(data: st.DataObject) -> None:
    content = one_file(data.draw(st.sampled_from([60, 120])), seed=data.draw(st.integers(0, 30)))
    if data.draw(st.booleans()):
        content = content.replace("\n", "\r\n")
    before = document(content)
    at = data.draw(st.integers(0, len(content)))
    if data.draw(st.booleans()):
        at = content.find("\n", at) + 1
    gone = data.draw(st.sampled_from([0, 0, 0, 1, 2, 8, 40]))
    new = data.draw(st.sampled_from(["", *FRAGMENTS]))
    hint = data.draw(st.sampled_from([line_of(content, at), None]))
    follow(before, content[:at] + new + content[at + gone :], hint)


@given(st.text("ab", max_size=9), st.text("ab", max_size=9))
def test_the_difference_of_two_texts(old: str, new: str) -> None:
    change = difference(old, new)
    assert old[: change.start] + new[change.start : change.new_end] + old[change.old_end :] == new
    assert change.start <= min(change.old_end, change.new_end)


def test_the_difference_of_long_texts() -> None:
    old = "x" * 20_000 + "y" * 20_000
    for at in (0, 4_095, 4_096, 19_999, 20_000, 35_904, 39_999, 40_000):
        assert difference(old, old[:at] + "z" + old[at:]) == (at, at, at + 1)
