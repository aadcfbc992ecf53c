"""Properties of the parser: any value comes back, every place re-read gives its value, and no input makes it raise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from ajkit.shared.template.parse import parse, parse_bytes
from ajkit.shared.template.tree import Document, Mapping, Node, Scalar, Sequence
from ajkit.shared.where import Text
from tests.bench.typing_states import ROOT

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

    from ajkit.shared.where import Json

WORDS = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")) | st.sampled_from("\n \t:#-'\"[]{}&*!|>%@,?~=<")
)
KEYS = st.text("abcd:# -'\"é0123.~", min_size=1, max_size=8)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | WORDS
VALUES = st.recursive(
    SCALARS, lambda below: st.lists(below, max_size=4) | st.dictionaries(KEYS, below, max_size=4), max_leaves=12
)
STYLES = st.fixed_dictionaries(
    {
        "default_flow_style": st.sampled_from([True, False, None]),
        "default_style": st.sampled_from([None, None, "'", '"', "|", ">"]),
        "indent": st.integers(2, 6),
        "width": st.sampled_from([10, 40, 80, 10_000]),
        "allow_unicode": st.booleans(),
        "explicit_start": st.booleans(),
        "line_break": st.sampled_from(["\n", "\r\n", "\r"]),
        "sort_keys": st.just(value=False),
    }
)


def nodes(document: Document) -> Iterator[Node]:
    """Every node, parents first."""
    todo = [document.root] if document.root else []
    while todo:
        node = todo.pop()
        yield node
        if isinstance(node, Mapping):
            todo += [each.node for each in node.entries.values()]
        elif isinstance(node, Sequence):
            todo += node.items


def as_block(document: Document, node: Node) -> str:
    """The text of a node as a document of its own: indented as it stands, so that its lines keep their columns."""
    column = document.text.position(node.start).column
    written = document.span(node).written
    if isinstance(node, Scalar) and written.startswith(("|", ">")):
        return f"-  {written}\n"
    return "-\n" + " " * column + written + "\n" if column else "- " + written.replace("\n", "\n  ")


@settings(max_examples=120)
@given(VALUES, STYLES)
def test_a_value_that_was_dumped_comes_back(value: Json, style: dict[str, Any]) -> None:
    content = yaml.safe_dump(value, **style)
    document = parse(Text("x.yaml", content))
    assert document.problems == ()
    loaded = yaml.safe_load(content)
    if document.root is None:
        assert loaded is None
    else:
        assert _same(document.root.value, loaded)


def _same(value: Json, loaded: object) -> bool:
    """Equal, with keys as text, and with what the dumper wrote as a timestamp left as text."""
    if isinstance(value, dict) and isinstance(loaded, dict):
        return len(value) == len(loaded) and all(
            _same(a, b) for a, b in zip(value.values(), loaded.values(), strict=True)
        )
    if isinstance(value, list) and isinstance(loaded, list):
        return len(value) == len(loaded) and all(_same(a, b) for a, b in zip(value, loaded, strict=True))
    return type(value) is type(loaded) and repr(value) == repr(loaded)


@settings(max_examples=120)
@given(VALUES, STYLES)
def test_every_place_re_read_gives_its_value(value: Json, style: dict[str, Any]) -> None:
    document = parse(Text("x.yaml", yaml.safe_dump(value, **style)))
    for node in nodes(document):
        assert 0 <= node.start <= node.end <= len(document.text.content)
        if isinstance(node, Mapping):
            for name, entry in node.entries.items():
                written = document.span(entry).written
                again = parse(Text("k", "? " + written.replace("\n", "\n  ") + "\n"))
                assert isinstance(again.root, Mapping)
                assert list(again.root.entries) == [name]
        elif isinstance(node, Scalar) and not document.span(node).written.startswith(("|", ">")):
            again = parse(Text("v", "- " + document.span(node).written.replace("\n", "\n  ") + "\n"))
            assert isinstance(again.root, Sequence)
            assert repr(again.root.value) == repr([node.value])


@settings(max_examples=60)
@given(VALUES, STYLES)
def test_the_pure_parser_reads_the_same(value: Json, style: dict[str, Any]) -> None:
    content = yaml.safe_dump(value, **style)
    fast, pure = parse(Text("x.yaml", content)), parse(Text("x.yaml", content), pure=True)
    assert [(repr(each.value), each.start, each.end) for each in nodes(fast)] == [
        (repr(each.value), each.start, each.end) for each in nodes(pure)
    ]


PIECES = [
    *"abc:-# \n\t'\"[]{}&*!|>%@,?017._~=<\\\r\x85\u2028\ufeff\x00\x0c😀é…",
    *(
        "- ",
        ": ",
        "? ",
        "&a ",
        "*a",
        "!!int ",
        "!!set ",
        "<<: ",
        "|\n",
        ">-\n",
        "\n  ",
        "\n    ",
        "---\n",
        "...\n",
        "a: ",
    ),
    *(
        "%YAML 1.1\n",
        "<<<<<<< x\n",
        "=======\n",
        ">>>>>>> y\n",
        "0x_",
        ".inf",
        "\r\n",
        "\ud800",
        "# aj: ignore[x]",
        "\\ud83d",
    ),
]


def check(document: Document) -> None:
    """What holds of every document whatever."""
    size = len(document.text.content)
    spans = [each.span for each in document.problems]
    spans += [each.span for problem in document.problems for each in problem.related]
    spans += [edit.span for problem in document.problems for fix in problem.fixes for edit in fix.edits]
    assert all(each is not None and 0 <= each.start <= each.end <= size for each in spans)
    assert all(each.message for each in document.problems)
    assert all(0 <= each.start <= each.end <= size for each in nodes(document))
    assert all(0 <= each < len(document.text.starts) for each in document.broken)
    assert document.parses <= 12
    assert bool(document.broken) <= bool(document.problems)


@settings(max_examples=300)
@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join), st.none() | st.integers(-1, 9), st.booleans())
def test_no_text_makes_it_raise(content: str, hint: int | None, pure: bool) -> None:
    check(parse(Text("x.yaml", content), hint=hint, pure=pure))


@settings(max_examples=200)
@given(
    st.binary(max_size=60)
    | st.lists(st.sampled_from(PIECES), max_size=20).map(lambda each: "".join(each).encode("utf-8", "replace"))
)
def test_no_bytes_make_it_raise(data: bytes) -> None:
    check(parse_bytes("x.yaml", data))


TEMPLATES = [each.read_text("utf-8") for each in sorted((ROOT / "tests" / "data" / "typing").glob("*.yaml"))]


@settings(max_examples=150)
@given(st.randoms(use_true_random=False))
def test_no_mutation_of_a_template_makes_it_raise(rng: random.Random) -> None:
    content, at = rng.choice(TEMPLATES), 0
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(content))
        match rng.randrange(3):
            case 0:
                content = content[:at] + rng.choice(PIECES) + content[at:]
            case 1:
                content = content[:at] + content[at + rng.randint(1, 30) :]
            case _:
                other = rng.randrange(len(content))
                content = content[:at] + content[other : other + rng.randint(1, 60)] + content[at:]
    check(parse(Text("x.yaml", content), hint=rng.choice([None, content.count("\n", 0, at)])))
