"""The places of a daemon: owner-only folders, one lock, short socket paths, shared file systems told by their kind."""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING

import pytest

from ajkit.daemon import place

if TYPE_CHECKING:
    from pathlib import Path

MOUNTS = r"""
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 22 0:30 / /home rw,relatime shared:2 master:1 - nfs4 server:/home rw
31 30 0:31 / /home/me/local rw - xfs /dev/sdb rw
32 22 0:32 / /mnt/with\040space rw - cifs //server/share rw
33 22 0:33 / /scratch rw - lustre server rw
"""


@pytest.mark.parametrize(
    ("path", "shared"),
    [
        ("/var/lib", False),
        ("/home", True),
        ("/home/me/.local/state", True),
        ("/home/me/local/state", False),
        ("/homework", False),
        ("/mnt/with space/x", True),
        ("/scratch/me", True),
    ],
)
def test_shared_file_systems(path: str, shared: bool) -> None:
    assert place.is_shared(path, MOUNTS) is shared


def test_nothing_is_known_without_mounts() -> None:
    assert not place.is_shared("/home", "")


def test_this_machine_can_be_asked() -> None:
    assert " / " in place.read_mounts()


def test_one_lock(tmp_path: Path) -> None:
    first = place.take_lock(str(tmp_path))
    assert first is not None
    assert place.take_lock(str(tmp_path)) is None
    os.close(first)
    again = place.take_lock(str(tmp_path))
    assert again is not None
    os.close(again)


def test_own_folder_closes_an_open_one(tmp_path: Path) -> None:
    folder = tmp_path / "open"
    folder.mkdir(mode=0o755)
    place.own_folder(str(folder))
    assert folder.stat().st_mode & 0o777 == 0o700


def test_own_folder_is_no_link_and_no_file(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "file").write_text("")
    for name in ("link", "file"):
        with pytest.raises(place.PlaceProblem, match="folder"):
            place.own_folder(str(tmp_path / name))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
@pytest.mark.optional("only root can give files away")
def test_own_folder_is_nobody_elses(tmp_path: Path) -> None:
    os.chown(tmp_path, 12345, 12345)
    with pytest.raises(place.PlaceProblem, match="not a folder of yours"):
        place.own_folder(str(tmp_path))


def test_socket_in_the_runtime_folder(tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="aj-") as runtime:
        path = place.socket_path("/state/a", {"XDG_RUNTIME_DIR": runtime})
        assert path.startswith(os.path.join(runtime, "aj", ""))
        assert path == place.socket_path("/state/a", {"XDG_RUNTIME_DIR": runtime})
        assert path != place.socket_path("/state/b", {"XDG_RUNTIME_DIR": runtime})
        assert os.stat(os.path.dirname(path)).st_mode & 0o777 == 0o700


@pytest.mark.parametrize("runtime", ["", "/not/there", "{tmp}/" + "x" * 100])
def test_socket_elsewhere_when_the_runtime_folder_does_not_do(tmp_path: Path, runtime: str) -> None:
    runtime = runtime.replace("{tmp}", str(tmp_path))
    if runtime.startswith(str(tmp_path)):
        os.makedirs(runtime)
    path = place.socket_path("/state/a", {"XDG_RUNTIME_DIR": runtime})
    assert path.startswith(os.path.join(tempfile.gettempdir(), f"aj-{os.getuid()}", ""))
    place.bind(path).close()
    assert os.stat(path).st_mode & 0o777 == 0o600
    place.remove(path)
    place.remove(path)


def test_a_socket_left_behind_is_replaced() -> None:
    with tempfile.TemporaryDirectory(prefix="aj-") as runtime:
        path = os.path.join(runtime, "s.sock")
        place.bind(path).close()
        place.bind(path).close()


def test_a_path_too_long_to_listen_at(tmp_path: Path) -> None:
    with pytest.raises(place.PlaceProblem, match="XDG_RUNTIME_DIR"):
        place.bind(str(tmp_path / ("x" * 120)))
