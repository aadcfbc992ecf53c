"""Jobs on Volcano: resources, names and labels as Kubernetes takes them, and heterogeneous tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ajkit.backends.volcano.describe import Scratch, VolcanoOpts
from ajkit.shared.spec import DerivedShape, Role
from tests.backends.drawn import SERVICES, described, look, messages, options

if TYPE_CHECKING:
    from ajkit.shared.job.describe import Described

HEAD = """
--- .aj/template/leaf.yaml
base: cluster
config:
"""
CLUSTER = """
--- .aj/template/cluster.yaml
config:
  target: {service: volcano, cpus_per_node: 32, memory: 256Gi}
  environment: {image: "python:3.11"}
"""
TASKS = """
--- .aj/template/leaf.yaml
x-task: &task {cpus_per_node: 8, memory: 64Gi, gpus_per_node: 8, rdma: true, processes_per_node: 2, replicas: 2}
config:
  target: {service: volcano}
  environment: {image: "python:3.12"}
  _extra:
    volcano:
      tasks:
        worker: {<<: *task, replicas: 3}
        master: {<<: *task, replicas: 1, gpus_per_node: 0}
"""


def tasks(written: str) -> Described:
    """What comes of some tasks, written in one line."""
    text = TASKS[: TASKS.index("tasks:")] + f"tasks: {written}\n"
    return look(text)[1]


def test_options_of_like_pods() -> None:
    assert options(
        HEAD
        + """
  target:
    namespace: research
    queue: nlp.high
    context: gpu-cluster
    cpus_per_node: 0.5
    memory: 1073741824
    rdma: true
    priority_class: high
    labels: {team: nlp, example.com/cost-center: "4711", empty: ""}
  jobs:
    - submit_args: {container_args: {shm_size: 64g}}
  _extra:
    volcano:
      capabilities: [IPC_LOCK, SYS_PTRACE]
      scratch: {size: 1.5Ti}
      node_selector: {gpu: a100}
      gpu_resource: amd.com/gpu
"""
        + CLUSTER
    ) == VolcanoOpts(
        namespace="research",
        queue="nlp.high",
        context="gpu-cluster",
        cpus_per_node="0.5",
        memory="1073741824",
        rdma=True,
        priority_class="high",
        labels={"team": "nlp", "example.com/cost-center": "4711", "empty": ""},
        shm_size="64Gi",
        capabilities=["IPC_LOCK", "SYS_PTRACE"],
        scratch=Scratch(size="1.5Ti"),
        node_selector={"gpu": "a100"},
        gpu_resource="amd.com/gpu",
    )


def test_an_image_cpus_and_memory_are_needed() -> None:
    whole, target = messages("""
--- .aj/template/leaf.yaml
config:
#@ 0-6 schema.required
  target:
# ^^^^^^ schema.required
    service: volcano
""")
    assert whole.startswith("`volcano` needs `environment.image`, which is not set")
    assert target.startswith("`volcano` needs `target.cpus_per_node` and `target.memory`, which are not set")


def test_what_kubernetes_would_refuse_is_refused_where_it_was_written() -> None:
    described(
        HEAD
        + """
  target:
    namespace: Research
    #          ^^^^^^^^ volcano.name
    queue: nlp_high
    #      ^^^^^^^^ volcano.name
    priority_class: -high
    #               ^^^^^ volcano.name
    labels:
      team/nlp/x: a
    # ^^^^^^^^^^ volcano.label
      owner: a b
      #      ^^^ volcano.label
      "": x
    # ^^ volcano.label
  jobs:
    - submit_args: {container_args: {shm_size: "64"}}
      #                                        ^^^^ volcano.quantity
  _extra:
    volcano:
      capabilities: [ipc_lock, CAP_SYS_ADMIN, "1"]
      #              ^^^^^^^^ volcano.option
      #                        ^^^^^^^^^^^^^ volcano.option
      #                                       ^^^ volcano.option
      scratch:
        mount_dir: scratch
        #          ^^^^^^^ volcano.option
        sise: 5Gi
      # ^^^^ volcano.unknown-key
      node_selector: [a100]
      #              ^^^^^^ schema.type
      gpu_resource: nvidia gpu
      #             ^^^^^^^^^^ volcano.name
      rdma_device: rdma/hca
    # ^^^^^^^^^^^ volcano.unknown-key
"""
        + """
--- .aj/template/cluster.yaml
config:
  target:
    service: volcano
    cpus_per_node: 8Gi
    #              ^^^ volcano.quantity
    memory: 256GB
    #       ^^^^^ volcano.quantity
  environment: {image: "python:3.12"}
"""
    )


@pytest.mark.parametrize(
    ("memory", "why", "instead"),
    [
        ("256GB", "Kubernetes does not read '256GB': write 256Gi", "256Gi"),
        ("1.5tb", "Kubernetes does not read '1.5tb': write 1536Gi", "1536Gi"),
        ("256", "256 would be 256 bytes: write the unit, like 256Gi", "256Gi"),
        ("256m", "Kubernetes does not read '256m': write 256Mi", "256Mi"),
        ("64Ki", "'64Ki' is too little to start anything in: write it like 64Gi", None),
        ("a lot", "'a lot' is no size of memory: write it like 64Gi", None),
        ("-1Gi", "'-1Gi' is no size of memory: write it like 64Gi", None),
    ],
)
def test_a_size_that_kubernetes_reads_otherwise(memory: str, why: str, instead: str | None) -> None:
    carets = "^" * len(memory)
    result, problems = described(f"""
--- .aj/template/leaf.yaml
config:
  target:
    service: volcano
    cpus_per_node: 8
    memory: {memory}
    #       {carets} volcano.quantity
  environment: {{image: "python:3.12"}}
""")
    assert problems[0].message == f"`target.memory`: {why}"
    assert [each.suggest for each in result.findings] == [instead]


@pytest.mark.parametrize("memory", ["512Gi", "256G", "1e9", "274877906944", "1.5Ti", "1048576Ki", "+2Mi"])
def test_a_size_that_kubernetes_reads(memory: str) -> None:
    opts = options(HEAD + f"  target: {{memory: '{memory}'}}\n" + CLUSTER)
    assert isinstance(opts, VolcanoOpts)
    assert opts.memory == memory


def test_variables_of_tasks_are_text_as_written() -> None:
    given = tasks("{master: {<<: *task, replicas: 1, env: {FLAG: on, V: 1.10, T: 12:30, SEED: 017, Q: '17'}}}")
    assert given.findings == ()
    assert isinstance(given.options, VolcanoOpts)
    assert given.options.tasks is not None
    found = given.options.tasks["master"].env
    assert found == {"FLAG": "on", "V": "1.10", "T": "12:30", "SEED": "017", "Q": "17"}


def test_variables_and_lines_of_tasks_are_looked_at_like_those_of_the_job() -> None:
    written = """      tasks:
        master:
          <<: *task
          replicas: 1
          command: python serve.py --token abc123def456
          #        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ secret.inline
          environment: {setup: ["export DB_PASSWORD=hunter22"]}
          #                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ secret.inline
          env:
            AJ_NODES: 3
#           ^^^^^^^^ env.overridden
            AJ_TASK_INDEX: 1
#           ^^^^^^^^^^^^^ env.overridden
            CACHE: $HOME/cache
            #      ^^^^^^^^^^^ env.unexpanded
            API_KEY: {from_env: API_KEY}
            HF_TOKEN: hf_aB3dE6gH9jaB3dE6gH9jaB3dE6gH9j
            #         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ secret.inline
"""
    result, _ = described(TASKS[: TASKS.index("      tasks:")] + written)
    assert result.options is not None


def test_tasks_are_the_whole_shape() -> None:
    result, _ = described(TASKS)
    assert result.shape == DerivedShape((Role("master", 1, 0, 2), Role("worker", 3, 8, 2)))
    assert isinstance(result.options, VolcanoOpts)
    assert list(result.options.tasks) == ["master", "worker"]
    assert result.options.rank_bases == {"master": 0, "worker": 1}


def test_tasks_follow_the_master_by_name_and_their_ranks_add_up() -> None:
    opts = options(
        TASKS.replace("worker:", "zebra:")
        + "        actor: {<<: *task, replicas: 4}\n        learner: {<<: *task, replicas: 2}\n"
    )
    assert isinstance(opts, VolcanoOpts)
    assert opts.rank_bases == {"master": 0, "actor": 1, "learner": 5, "zebra": 7}


def test_with_tasks_the_target_sets_no_resources() -> None:
    result, problems = described(
        TASKS.replace(
            "{service: volcano}",
            """
    service: volcano
    cpus_per_node: 8
  # ^^^^^^^^^^^^^ volcano.tasks
    memory: 64Gi
  # ^^^^^^ volcano.tasks
    gpus_per_node: 8
  # ^^^^^^^^^^^^^ volcano.tasks
    rdma: true
  # ^^^^ volcano.tasks
  jobs:
    - instance_count: 4
    # ^^^^^^^^^^^^^^ schema.no-effect
      process_count_per_node: 2
    # ^^^^^^^^^^^^^^^^^^^^^^ schema.no-effect
      sku: G8
    # ^^^ schema.no-effect""",
        )
    )
    assert "`target.memory` cannot be set beside `_extra.volcano.tasks`" in problems[1].message
    assert [each.origin for each in result.findings][:4] == [("_extra", "volcano", "tasks")] * 4


def test_a_base_that_sets_resources_is_cleared_with_null() -> None:
    text = TASKS.replace("config:", "base: cluster\nconfig:")
    text = text.replace("{service: volcano}", "{cpus_per_node: null, memory: ~}")
    opts = options(text + CLUSTER)
    assert isinstance(opts, VolcanoOpts)
    assert (opts.cpus_per_node, opts.memory, len(opts.tasks)) == (None, None, 2)


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("{worker: {<<: *task}}", "one of the tasks must be called `master`"),
        ("{master: {<<: *task}}", "the task `master` must have one replica, not 2"),
        ("{master: {<<: *task, replicas: 0}}", "must be at least 1, not 0"),
        ("{master: {<<: *task, replicas: 1, rdma: null}}", "`_extra.volcano.tasks.master` lacks `rdma`"),
        (
            "{master: {replicas: 1, memory: 1Gi, rdma: true}}",
            "lacks `cpus_per_node`, `gpus_per_node` and `processes_per",
        ),
        ("{master: {<<: *task, replicas: 1, gpus: 8}}", "unknown key `_extra.volcano.tasks.master.gpus`"),
        ("{master: {<<: *task, replicas: 1}, Worker_1: *task}", "'Worker_1' cannot be the name of a task"),
        ("{master: {<<: *task, replicas: 1}, 1st: *task}", "'1st' cannot be the name of a task"),
        ("{master: {<<: *task, replicas: 1, env: {SEED: [17]}}}", "env.SEED` must be text, not a list"),
        ("{master: {<<: *task, replicas: 1, env: {KEY: {from_vault: x}}}}", "a variable is text, or a secret"),
        ("{master: {<<: *task, replicas: 1, container_args: {shm: 1g}}}", "known here: shm_size"),
        ("{master: {<<: *task, replicas: 1, environment: {imagee: x}}}", "did you mean `image`?"),
        ("[master]", "`_extra.volcano.tasks` must be a mapping, not a list"),
        ("{master: {<<: *task, replicas: 1}, twenty-one-characters: *task}", "is 1 characters too long"),
    ],
)
def test_tasks_that_are_refused(written: str, message: str) -> None:
    (finding,) = tasks(written).findings
    assert message in finding.message
    assert finding.code.startswith(("volcano.", "schema."))
    assert finding.path[:3] == ("_extra", "volcano", "tasks")


def test_a_shape_that_cannot_be_derived_is_said_to_have_failed() -> None:
    result = tasks("{master: {replicas: 1}}")
    assert (result.shape, result.failed, result.options) == (None, True, None)


def test_a_pods_name_fits_into_a_host_name() -> None:
    volcano = SERVICES.find("volcano")
    assert volcano
    assert tasks("{master: {<<: *task, replicas: 1}, seventeen-letters: {<<: *task, replicas: 10000}}").findings == ()
    job = volcano.normalize_job_name(f"{'x' * 80}-0123456789")
    assert len(f"{job}-seventeen-letters-9999") == 63
