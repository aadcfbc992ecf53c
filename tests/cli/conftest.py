"""A person at a command line, in a folder of their own."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from ajkit.cli.invocation import Invocation
from ajkit.cli.main import run
from tests.daemons import host
from tests.drawing import ROOT, draw

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["host"]

SID, NOW = "a1b2c3d4e5", "2024-05-06T07:08:09Z"


@dataclass(frozen=True)
class Said:
    """What a command answered."""

    code: int
    out: str
    err: str


@dataclass
class Person:
    """Types `aj` commands in a folder; the clock stands still, and every new sid is the same."""

    folder: Path
    capsys: pytest.CaptureFixture[str]
    environ: dict[str, str] = field(default_factory=dict)

    def draw(self, text: str) -> Person:
        """Write the files of a drawing (`--- path` sections) into the folder."""
        for path, content in draw(text).files.items():
            target = self.folder / path.removeprefix(f"{ROOT}/")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(content, "utf-8")
        return self

    def aj(self, *arguments: str, inside: str = ".") -> Said:
        """Run a command in this process, from a folder inside."""
        where = os.path.normpath(self.folder / inside)
        self.capsys.readouterr()
        code = run([*arguments], Invocation(where, self.environ, os.path.expanduser, lambda: NOW, lambda: SID))
        captured = self.capsys.readouterr()
        return Said(code, captured.out, captured.err)


@pytest.fixture
def person(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Person:
    """A person in an empty folder `p`, whose environment says nothing."""
    folder = tmp_path / "p"
    folder.mkdir()
    return Person(folder, capsys)


TRAIN = """
--- .aj/template/train.yaml
base: [base.gpu, base.common]
config:
  description: Train it
  jobs:
    - command: [python train.py]
      submit_args: {env: {LR: 0.1, MODE: fast}}
--- .aj/base/gpu.yaml
base: common
config:
  target: {gpus_per_node: 8}
--- .aj/base/common.yaml
config:
  target: {service: local}
  jobs:
    - instance_count: 2
      submit_args:
        env:
          MODE: slow
"""
"""A leaf over two bases, one of which extends the other: MODE and the common base arrive by two roads."""


@pytest.fixture
def trainer(person: Person) -> Person:
    """A person with the templates of `TRAIN`."""
    return person.draw(TRAIN)
