"""Where the fields of a JobSpec came from, as one line each."""

from __future__ import annotations

import pytest

from ajkit.shared.job.request import Ambient
from ajkit.shared.job.spec import JobSpec
from tests.shared.job.asking import HOME, ask
from tests.shared.job.test_shape import HETEROGENEOUS

FILES = {
    "template/leaf.yaml": """base: low
config:
  jobs:
    - instance_count: 2
      command: [mine]
      name: null
      sku: {1: G8, '2+': 'C{processes}'}
      submit_args: {env: {LR: 1.10, AJ_NODES: 9, HF_TOKEN: abcdef123456}}
""",
    "template/low.yaml": """config:
  target: {service: local, gpus_per_node: 8}
  code: {ignore: [data/]}
  jobs:
    - instance_count: 1
      command: [theirs]
      name: theirs
      process_count_per_node: 3
""",
}
CPU = "(a CPU SKU: the selector is a size tier, no GPUs)"
SID = "(with -0000000000, as local spells names)"
LEAF, LOW = f"{HOME}/template/leaf.yaml", f"{HOME}/template/low.yaml"


@pytest.mark.parametrize(
    ("field", "line"),
    [
        ("version", "the version of the JobSpec"),
        ("nodes", f"-n 4, over jobs[0].instance_count = 2 at {LEAF}:4, over 1 at {LOW}:5"),
        ("selector", f"target.gpus_per_node = 8 at {LOW}:2"),
        ("processes_per_node", f"jobs[0].process_count_per_node = 3 at {LOW}:8"),
        (
            "gpus_per_node",
            f'jobs[0].sku["2+"] = "C{{processes}}" at {LEAF}:7 and target.gpus_per_node = 8 at {LOW}:2 {CPU}',
        ),
        ("sku", f'jobs[0].sku["2+"] = "C{{processes}}" at {LEAF}:7 (for 4 nodes and 8 per node)'),
        (
            "name",
            f'the project folder `proj`, over jobs[0].name = null at {LEAF}:6, over "theirs" at {LOW}:7 {SID}',
        ),
        ("sid", "a fact of the run (--sid, AJ_SID, or drawn)"),
        ("template_name", f"the name of {LEAF}"),
        ("experiment", "-e exp"),
        ("service", f'target.service = "local" at {LOW}:2'),
        ("image", "not set in the template"),
        ("command", f"jobs[0].command at {LEAF}:5 and the words `echo 'a b'` given to aj run"),
        ("code", "--code here"),
        ("code.dir", "--code here"),
        ("code.ignore", f"code.ignore at {LOW}:3 and the ignore file of the code folder"),
        ("env", f"jobs[0].submit_args.env at {LEAF}:8 and the AJ_* values that aj injects"),
        ("env.LR", f'jobs[0].submit_args.env.LR = "1.10" at {LEAF}:8'),
        ("env.HF_TOKEN", f'jobs[0].submit_args.env.HF_TOKEN = "***" at {LEAF}:8'),
        ("env.AJ_NODES", f'-n 4, over jobs[0].submit_args.env.AJ_NODES = "9" at {LEAF}:8 (injected by aj)'),
        ("env.AJ_PROCESSES", "the shape (injected by aj)"),
        ("env.AJ_ID", "a fact of the run (injected by aj)"),
        ("storage", "no storage in the template"),
        ("backend_spec", "what local reads of target, jobs[0] and _extra.local"),
        ("extra", "not set in the template"),
        ("sources", "the files of the chain, 2 in all"),
        ("sources[1].path", f"the file at {LOW}:1"),
        ("code.ignore[0]", f'code.ignore[0] = "data/" at {LOW}:3'),
        ("code.ignore[1]", "the ignore file of the code folder"),
        ("template", "null: local needs no merged source"),
    ],
)
def test_every_field_explains_itself(field: str, line: str) -> None:
    plan = ask(
        FILES,
        facts=Ambient(ignore_file=("*.tmp",)),
        nodes=4,
        code_dir="here",
        experiment="exp",
        command=("echo", "a b"),
    )
    found = plan.trail(field)
    assert str(found) == line
    assert found is not None
    assert found.field == field


OPTIONS = """
config:
  target: {service: slurm, queue: long}
  environment: {setup: one}
  jobs: [{command: [x], sku: G1}]
  storage: {data: {mount_dir: /d}}
  _extra: {slurm: {modules: [a, b]}, tool: {deep: {er: 1}}}
"""


@pytest.mark.parametrize(
    ("field", "line"),
    [
        ("backend_spec.partition", f'target.queue = "long" at {LEAF}:3'),
        ("backend_spec.modules[1]", f'_extra.slurm.modules[1] = "b" at {LEAF}:7'),
        ("backend_spec.qos", "_extra.slurm.qos is not set in the template"),
        ("setup[0]", f'environment.setup = "one" at {LEAF}:4'),
        ("storage.data.mount_dir", f'storage.data.mount_dir = "/d" at {LEAF}:6'),
        ("storage.data.container_name", f"storage.data at {LEAF}:6"),
        ("extra.tool.deep.er", f"_extra.tool.deep.er = 1 at {LEAF}:7"),
    ],
)
def test_parts_of_a_section_explain_themselves(field: str, line: str) -> None:
    assert str(ask(OPTIONS, nodes=1, selector=1).trail(field)) == line


def test_parts_of_what_amlt_takes_whole_explain_themselves() -> None:
    assert str(ask(FILES, amlt=True).trail("template.code.ignore[0]")) == f'code.ignore[0] = "data/" at {LOW}:3'


def test_secrets_are_masked_in_what_is_explained() -> None:
    found = ask(FILES).trail("env.HF_TOKEN")
    assert found is not None
    assert found.value == "***"


def test_no_field_is_without_a_history() -> None:
    for plan in (ask(FILES), ask(HETEROGENEOUS), ask("config: {target: {service: local}}"), ask(FILES, amlt=True)):
        for field in JobSpec.model_fields:
            assert plan.trail(field) is not None, field
            assert str(plan.trail(field))


def test_what_is_no_field_has_none() -> None:
    plan = ask(FILES)
    for field in ("", "no", "env.NO", "nodes.x", "]["):
        assert plan.trail(field) is None


def test_missing_counts_say_how_to_give_them() -> None:
    plan = ask("config: {target: {service: local}}")
    assert str(plan.trail("nodes")) == "missing: give -n, or set jobs[0].instance_count"
    found = plan.trail("nodes")
    assert found is not None
    assert found.value == "‹-n›"


def test_derived_shapes_name_their_tasks() -> None:
    plan = ask(HETEROGENEOUS)
    assert str(plan.trail("nodes")) == (
        "the tasks of the template (1 × master, 2 × feeder, 4 × worker) (the sum of the replicas)"
    )


def test_amlt_is_its_flag_over_the_template() -> None:
    plan = ask(FILES, amlt=True)
    assert str(plan.trail("service")) == f'--amlt, over target.service = "local" at {LOW}:2'
    assert str(plan.trail("template")) == "the merged config, which amlt takes whole"
