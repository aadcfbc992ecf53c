"""`aj list`: names, services, shapes, states, descriptions."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.cli.conftest import Person

SEVERAL = """
--- .aj/template/a.yaml
config:
  description: |
    The first line of a long description that goes on and on and on until it is cut
    and a second one
  target: {service: local}
  jobs: [{command: [run]}]
--- .aj/template/part.yaml
config: {target: {service: slurm}}
--- .aj/template/team/b.yaml
base: template.part
config:
  target: {gpus_per_node: 8, queue: gpu}
  jobs: [{instance_count: 2, sku: "{nodes}xG{processes}", command: [run]}]
--- .aj/template/wrong.yaml
base: gone
config: {target: {service: local}}
"""


def test_a_table(person: Person) -> None:
    said = person.draw(SEVERAL).aj("list")
    assert (said.code, said.err) == (0, "")
    assert (
        said.out
        == """\
NAME    SERVICE  SHAPE    STATE    DESCRIPTION
a       local    -n × -p  ok       The first line of a long description that goes on and on an…
team.b  slurm    2xG8     ok
wrong   local    -n × -p  1 error
"""
    )


def test_all_lists_parts_too(person: Person) -> None:
    names = [each.split()[0] for each in person.draw(SEVERAL).aj("list", "--all").out.splitlines()]
    assert names == ["NAME", "a", "part", "team.b", "wrong"]


def test_json(person: Person) -> None:
    rows = json.loads(person.draw(SEVERAL).aj("list", "--format", "json").out)
    assert [each["name"] for each in rows] == ["a", "team.b", "wrong"]
    assert rows[1] == {
        "name": "team.b",
        "path": ".aj/template/team/b.yaml",
        "leaf": True,
        "service": "slurm",
        "nodes": 2,
        "per_node": 8,
        "sku": "2xG8",
        "derived": False,
        "errors": 0,
        "warnings": 0,
        "description": None,
    }
    assert rows[0]["nodes"] is None


def test_a_derived_shape_counts_its_nodes(person: Person) -> None:
    person.draw("""
--- .aj/template/rl.yaml
config:
  target: {service: volcano}
  environment: {image: x}
  jobs: [{command: [run]}]
  _extra:
    volcano:
      tasks:
        master: {replicas: 1, cpus_per_node: 1, memory: 1Gi, gpus_per_node: 0, rdma: false, processes_per_node: 1}
        worker: {replicas: 3, cpus_per_node: 1, memory: 1Gi, gpus_per_node: 8, rdma: false, processes_per_node: 8}
""")
    (row,) = json.loads(person.aj("list", "--format", "json").out)
    assert (row["nodes"], row["per_node"]) == (4, None)
    assert "4 nodes" in person.aj("list").out


def test_an_empty_home_and_none(person: Person) -> None:
    assert person.aj("list").code == 2
    person.draw("--- .aj/aj.toml\n")
    said = person.aj("list")
    assert (said.code, said.out, said.err) == (0, "", "There is no template in .aj/template yet.\n")
