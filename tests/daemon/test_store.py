"""The store of code archives: whole or not at all, also for several daemons that share its folder."""

from __future__ import annotations

import asyncio
import hashlib
import io
import os
import tarfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import IO, TYPE_CHECKING

import pytest

from ajkit.daemon.archive import UnsafeArchive, unpack
from ajkit.daemon.store import CodeStore
from tests.daemon.driven import HANGS
from tests.daemons import Host, finish, host, job_spec

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["host"]


def packed(**files: str) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as tar:
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(text)
            tar.addfile(info, io.BytesIO(text.encode()))
    return made.getvalue()


def keep(store: CodeStore, content: bytes) -> str:
    digest = hashlib.sha256(content).hexdigest()
    with store.receive() as incoming:
        incoming.write(content)
        incoming.keep(digest)
    return digest


def test_many_daemons_unpack_one_archive_at_once(tmp_path: Path) -> None:
    stores = [CodeStore(str(tmp_path), size=10**6, entries=1000) for _ in range(8)]
    digest = keep(stores[0], packed(**{f"f{number}": "x" * 1000 for number in range(100)}))
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda store: store.snapshot(digest), stores))
    assert len(set(found)) == 1
    assert len(os.listdir(found[0].folder)) == 100
    assert sorted(os.listdir(stores[0].folder(digest))) == ["archive.tar", "tree"]


def test_many_jobs_that_wait_for_their_code_leave_threads_for_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = CodeStore(str(tmp_path), size=10**6, entries=1000)
    digest = keep(store, packed(a="1"))
    held, unpacked = threading.Event(), []

    def slow(file: IO[bytes], folder: str) -> None:
        held.wait(2 * HANGS)
        unpacked.append(folder)
        unpack(file, folder)

    monkeypatch.setattr("ajkit.daemon.store.unpack", slow)

    async def scene() -> None:
        waiting = [asyncio.create_task(store.ready(digest)) for _ in range(100)]
        try:
            async with asyncio.timeout(HANGS):
                assert await asyncio.to_thread(lambda: "answered") == "answered"
        finally:
            held.set()
        assert len(set(await asyncio.gather(*waiting))) == 1

    asyncio.run(scene())
    assert len(unpacked) == 1


def test_what_is_on_its_way_to_another_is_left(tmp_path: Path) -> None:
    for name, age in (("incoming-young", 60), ("incoming-old", 7200)):
        path = tmp_path / name
        path.write_bytes(b"half")
        os.utime(path, (time.time() - age, time.time() - age))
    CodeStore(str(tmp_path), size=1, entries=1)
    assert os.listdir(tmp_path) == ["incoming-young"]


def test_an_archive_that_was_changed_on_the_disk(tmp_path: Path) -> None:
    store = CodeStore(str(tmp_path), size=10**6, entries=10)
    digest = keep(store, packed(a="1"))
    with open(os.path.join(store.folder(digest), "archive.tar"), "ab") as file:
        file.write(b"x")
    with pytest.raises(UnsafeArchive, match="was changed on the disk"):
        store.snapshot(digest)
    assert os.listdir(store.folder(digest)) == ["archive.tar"]
    with pytest.raises(FileNotFoundError):
        store.snapshot("0" * 64)


def test_a_folder_that_nodes_share(host: Host, tmp_path: Path) -> None:
    shared = str(tmp_path / "shared")
    host.environ["AJ_CODE_FOLDER"] = shared
    code = tmp_path / "code"
    code.mkdir()
    (code / "f.txt").write_text("shared\n")
    daemon = host.daemon()
    spec = job_spec("cat f.txt")
    daemon.submit(spec, str(code))
    assert finish(daemon, spec.sid)[2] == {"node-0": "shared\n"}
    assert len(os.listdir(shared)) == 1
    assert not os.path.exists(os.path.join(host.state, "code"))
