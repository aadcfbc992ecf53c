"""Who extends whom, by the names that people use, and drawn in words."""

from __future__ import annotations

from ajkit.shared.template.graph import read_graph
from ajkit.shared.template.pictures.dot import dot_text
from ajkit.shared.template.pictures.family import Family, family_of
from ajkit.shared.template.pictures.mermaid import mermaid_text
from tests.drawing import draw

HOME = """
--- .aj/template/leaf.yaml
base: [low, env.gpu]
--- .aj/template/low.yaml
--- .aj/env/gpu.yaml
--- .aj/env/odd.name.yaml
base: none
"""


def family(*leaves: str) -> tuple[Family, dict[str, str]]:
    files = draw(HOME).memory()
    graph = read_graph(files, "/w/.aj")
    return family_of(graph, {f"/w/.aj/{each}" for each in leaves}, lambda path: path.removeprefix("/w/"))


def test_names_are_those_that_people_use() -> None:
    found, names = family("template/leaf.yaml")
    assert [(each.name, each.leaf, each.bases) for each in found.members.values()] == [
        (".aj/env/odd.name.yaml", False, ()),
        ("env.gpu", False, ()),
        ("leaf", True, ("template.low", "env.gpu")),
        ("template.low", False, ()),
    ]
    assert names["/w/.aj/env/gpu.yaml"] == "env.gpu"


def test_pictures_have_every_member_and_edge() -> None:
    found, _ = family("template/leaf.yaml")
    mermaid, dot = mermaid_text(found), dot_text(found)
    assert mermaid.startswith("flowchart LR\n")
    assert '  n2["leaf"]:::leaf\n' in mermaid
    assert mermaid.count(" --> ") == dot.count(" -> ") == 2
    assert '  "leaf" -> "env.gpu";\n' in dot
    assert '  "leaf" [tooltip=".aj/template/leaf.yaml", penwidth=2];\n' in dot


def test_around_is_what_has_to_do_with_it() -> None:
    found, _ = family("template/leaf.yaml")
    assert list(found.around("env.gpu").members) == ["env.gpu", "leaf"]
    assert found.heads() == [".aj/env/odd.name.yaml", "leaf"]
