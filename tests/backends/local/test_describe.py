"""Jobs on this machine: nothing to choose, and no pretence."""

from __future__ import annotations

from ajkit.backends.local.describe import LocalOpts
from ajkit.shared.problem import Severity
from tests.backends.drawn import described


def test_what_this_machine_cannot_give_is_said() -> None:
    result, problems = described("""
--- .aj/template/leaf.yaml
config:
  target:
    service: local
    queue: fast
  # ^^^^^ schema.no-effect
  environment:
    image: "python:3.12"
  # ^^^^^ schema.no-effect
    registry: docker.io
  # ^^^^^^^^ schema.no-effect
    setup: date
  storage:
# ^^^^^^^ schema.no-effect
    data: {mount_dir: /mnt/data}
""")
    assert result.options == LocalOpts()
    severities = {str(each.keypath and each.keypath[-1]): each.severity for each in problems}
    assert severities == {
        "queue": Severity.INFORMATION,
        "image": Severity.INFORMATION,
        "registry": Severity.INFORMATION,
        "storage": Severity.WARNING,
    }


def test_there_are_no_options() -> None:
    described("""
--- .aj/template/leaf.yaml
config:
  target: {service: local}
  _extra:
    local:
      gpus: 2
    # ^^^^ local.unknown-key
""")
