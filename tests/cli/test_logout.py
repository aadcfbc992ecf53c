"""Who loses their programs at log-out, by systemd's configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ajkit.cli.logout import ends_at_logout, read_config

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("config", "ends"),
    [
        ("", False),
        ("[Login]\n#KillUserProcesses=yes\n", False),
        ("[Login]\nKillUserProcesses=yes\n", True),
        ("[Login]\n  KillUserProcesses = TRUE \n", True),
        ("KillUserProcesses=yes\nKillUserProcesses=no\n", False),
        ("KillUserProcesses=no\n[Login]\nKillUserProcesses=1\n", True),
        ("KillUserProcesses=yes\nKillExcludeUsers=root ana\n", False),
        ("KillUserProcesses=yes\nKillExcludeUsers=root bo\n", True),
        ("KillUserProcesses=yes\nKillOnlyUsers=bo\n", False),
        ("KillUserProcesses=yes\nKillOnlyUsers=bo ana\n", True),
    ],
)
def test_configurations(config: str, *, ends: bool) -> None:
    assert ends_at_logout(config, "ana", lingers=False) is ends
    assert not ends_at_logout(config, "ana", lingers=True)


def test_root_is_exempt_unless_others_are() -> None:
    assert not ends_at_logout("KillUserProcesses=yes", "root", lingers=False)
    assert ends_at_logout("KillUserProcesses=yes\nKillExcludeUsers=ana", "root", lingers=False)


def test_files_in_their_order(tmp_path: Path) -> None:
    for place, said in (
        ("etc/systemd/logind.conf", "a=1"),
        ("usr/lib/systemd/logind.conf", "a=0"),
        ("etc/systemd/logind.conf.d/10-x.conf", "a=2"),
        ("run/systemd/logind.conf.d/20-y.conf", "a=3"),
    ):
        path = tmp_path / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(said)
    assert read_config(str(tmp_path)).split() == ["a=0", "a=1", "a=2", "a=3"]
    assert read_config(str(tmp_path / "nothing")) == ""
