"""The base graph: a scan of `base` alone that agrees with the parser on every form."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ajkit.shared.files import MemoryFiles
from ajkit.shared.template.graph import read_graph, scan_bases
from ajkit.shared.template.parse import parse_bytes
from ajkit.shared.template.source import read_template

FORMS = [
    "base: a\n",
    "base: a",
    "base: a.b-c_d  # why\nconfig: {}\n",
    "base:\nconfig: {base: x}\n",
    "base: ~\n",
    "base: null\n",
    "base: [a, b.c]\n",
    "base: [ a , b ] # two\n",
    "base: [a,\n  b]\n",
    "base: []\n",
    "base:\n- a\n- b\nconfig: {}\n",
    "base:\n  - a  # one\n\n  # two\n  - b.c\nconfig:\n  base: no\n",
    "base:\n  - a\n  - 'q'\n",
    "base: 'a'\n",
    '"base": a\n',
    "{base: a}\n",
    "config: {}\nbase: late\n",
    "config:\n  base: inner\n",
    "# base: comment\nconfig: {}\n",
    "base: on\n",
    "base: 1\n",
    "base: a b\n",
    "base: a\n  continued\n",
    "base: a\nbase: b\n",
    "base: &x a\n",
    "base: a/b\n",
    "base: >-\n  a\n",
    "base : a\n",
    "\ufeffbase: a\n",
    "---\nbase: a\n",
    "base: a\r\nconfig: {}\r\n",
    "base:\r\n- a\r\n- b\r\n",
    "base:\r- a\rconfig: {}\r",
    "base: [a, b\nconfig: {}\n",
    "base:\n  - a\n b\n",
    "basement: a\n",
    "base:a\n",
    "text: |\n  base: x\nbase: y\n",
    "",
    " base: a\n config: {}\n",
    "# first\n\n  config: {}\n  base: [a, b]\n",
    " {base: a}\n",
    "  # base: a\nbase: b\n",
    "\t\nbase: a\n",
    "base:\n|\n  a\n",
    "base:\n# c\n  a\n",
    "base: # c\n  # d\n\n  - a\n# e\n  - b\n# f\n",
]


def _parsed(data: bytes) -> list[str]:
    return [ref.name for ref in read_template("x", "", parse_bytes("x", data)).bases]


@pytest.mark.parametrize("text", FORMS)
def test_the_scan_agrees_with_the_parser(text: str) -> None:
    assert scan_bases("x", text.encode()) == _parsed(text.encode())


PIECES = st.sampled_from(
    [
        "base:",
        "base",
        " ",
        "  ",
        "\n",
        "\r\n",
        "- ",
        "a",
        "b.c",
        "[",
        "]",
        ", ",
        ",",
        "#",
        " # c",
        "config: {}",
        "~",
        "'",
        ":",
        "no",
    ]
)


@settings(max_examples=400, deadline=None)
@given(st.lists(PIECES, max_size=14).map("".join))
def test_the_scan_agrees_with_the_parser_on_anything_well_formed(text: str) -> None:
    data = text.encode()
    if not parse_bytes("x", data).problems:
        assert scan_bases("x", data) == _parsed(data)


def test_who_extends_whom() -> None:
    files = MemoryFiles(
        {
            "/p/.aj/template/leaf.yaml": "base: [mid, gone, env.gpu]\n",
            "/p/.aj/template/mid.yaml": "base: low\n",
            "/p/.aj/template/low.yaml": "config: {}\n",
            "/p/.aj/env/gpu.yaml": "base: template.low\n",
            "/p/.aj/scripts/x.sh": "base: a\n",
            "/p/.aj/template/broken.yaml": b"\xff\xfe",
        }
    )
    graph = read_graph(files, "/p/.aj")
    low = "/p/.aj/template/low.yaml"
    assert graph.bases("/p/.aj/template/leaf.yaml") == ["/p/.aj/template/mid.yaml", "/p/.aj/env/gpu.yaml"]
    assert sorted(graph.dependents[low]) == ["/p/.aj/env/gpu.yaml", "/p/.aj/template/mid.yaml"]
    assert graph.all_dependents(low)[-1] == "/p/.aj/template/leaf.yaml"
    assert "/p/.aj/scripts/x.sh" not in graph.paths


def test_a_graph_follows_edits() -> None:
    files = MemoryFiles({"/p/.aj/template/leaf.yaml": "base: [a, b]\n", "/p/.aj/template/b.yaml": ""})
    leaf, a, b = (f"/p/.aj/template/{name}.yaml" for name in ("leaf", "a", "b"))
    graph = read_graph(files, "/p/.aj")
    assert (graph.bases(leaf), list(graph.dependents[a])) == ([b], [leaf])
    graph.put(a, a, [])
    assert graph.bases(leaf) == [a, b]
    graph.put(leaf, leaf, [b])
    assert (graph.bases(leaf), list(graph.dependents[a])) == ([b], [])
    graph.drop(b)
    assert graph.bases(leaf) == []
    assert list(graph.dependents[b]) == [leaf]


def test_a_file_that_links_lead_to_is_shown_where_it_lies() -> None:
    files: dict[str, str | bytes] = {
        "/real/.aj/template/hello.yaml": "config: {}\n",
        "/real/.aj/template/sub/a.yaml": "base: base.x\n",
    }
    links = {"/real/.aj/template/alias.yaml": "hello.yaml", "/real/.aj/again.yaml": "template/sub/a.yaml"}
    for home in ("/real/.aj", "/p/.aj"):
        graph = read_graph(MemoryFiles(files, {**links, "/p/.aj": "/real/.aj"}), home)
        assert {*graph.paths.values()} == {f"{home}/template/hello.yaml", f"{home}/template/sub/a.yaml"}
