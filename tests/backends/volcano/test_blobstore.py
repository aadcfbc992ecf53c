"""Azure Blob as a store of code: signatures as Azure's own library makes them, uploads, jobs that read their code."""

from __future__ import annotations

import base64
import os
import shutil
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from ajkit.backends.volcano.blobstore import BlobStore, read_key
from ajkit.shared.job.execution import Handle, JobState, Rejected, Unavailable
from tests.backends.volcano.conftest import job_spec
from tests.backends.volcano.fakeblobs import KEY, FakeBlobs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.backends.volcano.conftest import Bench

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@pytest.fixture
def blobs() -> Iterator[FakeBlobs]:
    found = FakeBlobs()
    yield found
    found.close()


@pytest.mark.parametrize(
    ("permission", "signature"),
    [
        ("r", "9zKU56oVO%2BfHWdSer2aY%2BxnMiMyLHSCrHEuy2LBXcyk%3D"),
        ("cw", "eQSL9lsruFCJITAZ9lUkww1mYdfxdvc%2FTam3i8zRxDY%3D"),
    ],
)
def test_signatures_are_those_of_azures_library(permission: str, signature: str) -> None:
    """The signatures were made by `generate_blob_sas` of azure-storage-blob 12.31.1, which signs for this version."""
    store = BlobStore("https://acc.blob.core.windows.net/code", b"k" * 32)
    address = store.signed("aj-code/abc.tar.gz", permission, NOW, version="2026-10-06")
    query = f"se=2026-01-02T03%3A04%3A05Z&sp={permission}&spr=https&sv=2026-10-06&sr=b&sig={signature}"
    assert address == f"https://acc.blob.core.windows.net/code/aj-code/abc.tar.gz?{query}"


def test_put(blobs: FakeBlobs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ajkit.backends.volcano.blobstore._BLOCK", 4)
    (tmp_path / "file").write_bytes(b"0123456789")
    store, said = BlobStore(blobs.address, KEY), list[str]()
    for _ in range(2):
        store.put("a b/c", str(tmp_path / "file"), NOW, said.append)
    assert blobs.blobs == {"a b/c": b"0123456789"}
    assert blobs.requests == ["HEAD", "PUT block", "PUT block", "PUT block", "PUT blocklist", "HEAD"]
    assert said == ["uploading 0.0 MiB of code", "the code is there already"]


@pytest.mark.parametrize(
    ("answers", "kind", "said"),
    [
        ([404, 503], Unavailable, r"the store of code is busy \(503\)"),
        ([404, 403], Rejected, "the store does not take the code: 403"),
    ],
)
def test_trouble(blobs: FakeBlobs, tmp_path: Path, answers: list[int], kind: type[Exception], said: str) -> None:
    (tmp_path / "file").write_bytes(b"x")
    blobs.answers += answers
    with pytest.raises(kind, match=said):
        BlobStore(blobs.address, KEY).put("a", str(tmp_path / "file"), NOW, print)
    assert blobs.blobs == {}
    with pytest.raises(Rejected, match="403"):
        BlobStore(blobs.address, b"another").put("a", str(tmp_path / "file"), NOW, print)
    with pytest.raises(Unavailable, match="the store of code does not answer"):
        BlobStore("http://127.0.0.1:9/acc/code", KEY).put("a", str(tmp_path / "file"), NOW, print)


def test_a_key_that_is_none() -> None:
    with pytest.raises(ValueError, match="base64"):
        read_key("%%%")


@pytest.mark.parametrize("without", [None, "curl"])
def test_a_job_reads_its_code(
    bench: Bench,
    blobs: FakeBlobs,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    without: str | None,
) -> None:
    caplog.set_level("DEBUG")
    monkeypatch.setenv("AJ_VOLCANO_CODE", f"blob:{blobs.address}")
    monkeypatch.setenv("AJ_BLOB_KEY", base64.b64encode(KEY).decode())
    if without:
        place = tmp_path / "bin"
        place.mkdir()
        for each in ("bash", "tar", "gzip", "dirname", "mktemp", "cat", "rm", "sleep", "env"):
            found = shutil.which(each)
            assert found is not None
            (place / each).symlink_to(found)
        (place / "python3").symlink_to(os.path.realpath(sys.executable))
        monkeypatch.setenv("PATH", str(place))
    bench.nodes.full = True
    spec = job_spec("cat hello.txt")
    job = bench.submission(spec)
    handle = Handle(job, bench.execution.submit(job, lambda _: None))
    stored = bench.cluster.named("secrets")[f"{spec.name}-env"]["data"]
    assert base64.b64decode(stored["address"]).startswith(blobs.address.encode())
    assert "sig=" not in str(bench.cluster.named("jobs")) + str(bench.cluster.named("configmaps"))
    assert "sig=" not in "".join(bench.execution.render(job).files.values())
    bench.nodes.full = False
    assert bench.finish(handle).state is JobState.DONE
    assert bench.output(handle)["node-0"] == "hello from the code\n"
    assert "sig=" not in caplog.text
