"""Jobs on Slurm: what is passed to sbatch, and what must never be."""

from __future__ import annotations

import pytest

from ajkit.backends.slurm.describe import SlurmOpts
from tests.backends.drawn import described, options

LEAF = """
--- .aj/template/leaf.yaml
config:
  target:
    service: slurm
"""


def test_options() -> None:
    assert options(
        LEAF
        + """
    queue: gpu,long
    cpus_per_node: "64"
    memory: 480GB
  _extra:
    slurm:
      account: nlp
      qos: high
      constraint: "[a100|h100]&nvlink"
      gres: gpu:a100
      modules: cuda/12.4
      host: me@login.example
"""
    ) == SlurmOpts(
        partition="gpu,long",
        account="nlp",
        qos="high",
        constraint="[a100|h100]&nvlink",
        gres="gpu:a100",
        modules=["cuda/12.4"],
        host="me@login.example",
        cpus_per_node=64,
        memory="491520M",
    )


def test_the_queue_that_other_services_call_default_is_the_clusters_default() -> None:
    assert options(LEAF + "    queue: default\n") == SlurmOpts(partition=None)


@pytest.mark.parametrize("memory", ["64Gi", "64g", "65536M", "68719476736", "'68719476736'"])
def test_memory_in_any_notation(memory: str) -> None:
    assert options(LEAF + f"    memory: {memory}\n") == SlurmOpts(memory="65536M")


def test_what_would_become_another_argument_or_command_is_refused() -> None:
    _, problems = described(
        LEAF
        + """
    queue: --wrap=date
    #      ^^^^^^^^^^^ slurm.option
    cpus_per_node: 1.5
    #              ^^^ slurm.option
    memory: 64
    #       ^^ slurm.option
  _extra:
    slurm:
      account: a b
      #        ^^^ slurm.option
      qos: $(date)
      #    ^^^^^^^ slurm.option
      constraint: ""
      #           ^^ slurm.option
      host: -oProxyCommand=date
      #     ^^^^^^^^^^^^^^^^^^^ slurm.option
      modules: [cuda, {}, "x; date"]
      #               ^^ schema.type
      #                   ^^^^^^^^^ slurm.option
      acount: nlp
    # ^^^^^^ slurm.unknown-key
"""
    )
    assert "`target.memory`: 64 is no size of memory: write it with its unit, like 64Gi" in [
        each.message for each in problems
    ]


def test_what_slurm_cannot_give_is_said() -> None:
    described(
        LEAF
        + """
  environment:
    image: "python:3.12"
  # ^^^^^ schema.no-effect
    registry: docker.io
  # ^^^^^^^^ schema.no-effect
    setup: date
  storage:
# ^^^^^^^ schema.no-effect
    data: {mount_dir: /mnt/data}
"""
    )


TASKS = """
--- .aj/template/leaf.yaml
config:
  target:
    service: slurm
    queue: gpu
  jobs:
    - command: python train.py
  _extra:
    slurm:
      tasks:
        head: {replicas: 1, cpus_per_node: 8, memory: 32Gi, partition: cpu, command: python serve.py}
        worker: {replicas: 2, gpus_per_node: 8, processes_per_node: 4}
"""


def test_tasks_give_unlike_nodes_their_shapes() -> None:
    result, problems = described(TASKS)
    assert problems == []
    assert result.shape is not None
    assert [(each.name, each.replicas, each.gpus_per_node) for each in result.shape.roles] == [
        ("head", 1, 0),
        ("worker", 2, 8),
    ]
    found = options(TASKS)
    assert isinstance(found, SlurmOpts)
    head = found.tasks["head"]
    assert (head.command, head.memory, head.partition) == (["python serve.py"], "32768M", "cpu")


def test_what_tasks_leave_no_room_for() -> None:
    described("""
--- .aj/template/leaf.yaml
config:
  target:
    service: slurm
    gpus_per_node: 8
  # ^^^^^^^^^^^^^ slurm.tasks
  jobs:
    - command: python train.py
      instance_count: 2
    # ^^^^^^^^^^^^^^ schema.no-effect
  _extra:
    slurm:
      tasks:
        worker:
          replicas: 0
          #         ^ slurm.option
        Head: {replicas: 1}
      # ^^^^ slurm.option
""")
