"""`aj run` as a person calls it, in a project of their own, on a host of its own with a real daemon."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.daemons import Host, finish
from tests.drawing import ROOT, draw

if TYPE_CHECKING:
    from pathlib import Path


@dataclass
class Driver:
    """A project folder, and the host that `aj` is called on."""

    host: Host
    folder: Path

    def draw(self, text: str) -> None:
        """Write the files of a drawing (`--- path` sections) into the project."""
        for path, content in draw(text).files.items():
            target = self.folder / path.removeprefix(f"{ROOT}/")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(content, "utf-8")

    def aj(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Call `aj` and wait for its end."""
        return subprocess.run(
            [os.path.join(sys.prefix, "bin", "aj"), *arguments],
            cwd=self.folder,
            env=self.host.environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=90,
            check=False,
        )

    def survive(self, sid: str) -> str:
        """Kill the daemon as a power cut would, start another, and follow a job to its end: its state."""
        self.host.kill()
        return finish(self.host.daemon(), sid)[0]
