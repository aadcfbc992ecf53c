"""`aj graph`: the whole home or what is around one file, in every format."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Person
    from tests.plugins.goldens import Golden

GOLDENS = Path(__file__).parent / "goldens"

FAMILY = """
--- .aj/template/big.yaml
base: [train, base.gpu]
config: {jobs: [{}]}
--- .aj/template/train.yaml
base: base.common
config: {target: {service: local}, jobs: [{}]}
--- .aj/base/gpu.yaml
base: common
--- .aj/base/common.yaml
base: [deep.one, gone]
--- .aj/base/deep/one.yaml
--- .aj/deep/one.yaml
config: {}
--- .aj/round/a.yaml
base: b
--- .aj/round/b.yaml
base: a
"""


def test_text(person: Person) -> None:
    assert (
        person.draw(FAMILY).aj("graph").out
        == """\
base.deep.one      .aj/base/deep/one.yaml
big                .aj/template/big.yaml
├─ train           .aj/template/train.yaml
│  └─ base.common  .aj/base/common.yaml
│     └─ deep.one  .aj/deep/one.yaml
└─ base.gpu        .aj/base/gpu.yaml
   └─ base.common  see above
round.a            .aj/round/a.yaml
└─ round.b         .aj/round/b.yaml
   └─ round.a      a cycle
"""
    )


def test_around_one_file(person: Person) -> None:
    person.draw(FAMILY)
    assert (
        person.aj("graph", "base.gpu").out
        == """\
big                .aj/template/big.yaml
└─ base.gpu        .aj/base/gpu.yaml
   └─ base.common  .aj/base/common.yaml
      └─ deep.one  .aj/deep/one.yaml
"""
    )
    assert person.aj("graph", "train").out.splitlines()[0].startswith("big ")
    assert person.aj("graph", ".aj/base/gpu.yaml").out == person.aj("graph", "base.gpu").out
    cycle = person.aj("graph", "round.b").out
    assert cycle.count("round.a") == 2


@pytest.mark.parametrize("form", ["mermaid", "dot", "svg"])
def test_pictures(person: Person, golden: Golden, form: str) -> None:
    said = person.draw(FAMILY).aj("graph", "--format", form)
    assert (said.code, said.err) == (0, "")
    golden(GOLDENS / f"graph.{form}", said.out)


def test_json(person: Person) -> None:
    found = json.loads(person.draw(FAMILY).aj("graph", "big", "--format", "json").out)
    assert found[-1] == {
        "name": "train",
        "path": ".aj/template/train.yaml",
        "leaf": True,
        "bases": ["base.common"],
    }


def test_odd_names_are_escaped(person: Person) -> None:
    odd = 'x<&"\\]'
    folder = person.folder / ".aj" / "template"
    folder.mkdir(parents=True)
    (folder / f"{odd}.yaml").write_text("config: {target: {service: local}, jobs: [{}]}\n")
    ET.fromstring(person.aj("graph", "--format", "svg").out)
    assert '"x<&\\"\\\\]"' in person.aj("graph", "--format", "dot").out
    assert '["x#60;#38;#34;#92;#93;"]' in person.aj("graph", "--format", "mermaid").out


def test_what_is_not_there(person: Person) -> None:
    assert person.aj("graph").code == 2
    person.draw(FAMILY)
    assert person.aj("graph", "nobody").code == 2
    assert person.aj("graph", "./nobody.yaml").code == 2


def test_a_long_chain_is_drawn(person: Person) -> None:
    chain = "".join(f"--- .aj/chain/c{each}.yaml\nbase: c{each + 1}\n" for each in range(1500))
    person.draw(chain + "--- .aj/chain/c1500.yaml\nconfig: {}\n")
    assert person.aj("graph").out.count("\n") == 1501
    assert person.aj("graph", "--format", "dot").out.count("->") == 1500
