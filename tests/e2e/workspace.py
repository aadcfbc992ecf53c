"""A project with templates that the tests in editors open; it is drawn into a folder of each test."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.drawing import ROOT, draw

if TYPE_CHECKING:
    from pathlib import Path

PROJECT = """
--- .aj/template/train.yaml
base: [base.common, base.loud]
config:
  description: Trains a model
  jobs:
    - command: [bash train.sh]
      submit_args: {env: {LR: "0.1"}}
--- .aj/template/sweep.yaml
base: train
config:
  description: Trains it many times
--- .aj/template/broken.yaml
base: base.comon
config:
  target: {service: local}
--- .aj/base/common.yaml
config:
  target: {service: local, gpus_per_node: 0}
  jobs:
    - instance_count: 1
      submit_args: {env: {MODE: slow}}
--- .aj/base/loud.yaml
config:
  jobs:
    - submit_args: {env: {MODE: loud}}
--- train.sh
echo "trained with $LR in mode $MODE on node $AJ_NODE_RANK"
--- compose.yaml
base: nowhere
services: {web: {image: nginx}}
--- notes/job.yaml
# aj: template
base: nowhere
"""


def lay_out(folder: Path) -> None:
    """Write the project into a folder."""
    for path, content in draw(PROJECT).files.items():
        target = folder / path.removeprefix(f"{ROOT}/")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content, "utf-8")
