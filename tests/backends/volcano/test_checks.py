"""What is found before anything is sent, and the settings of the daemon."""

from __future__ import annotations

from typing import Any

import pytest

from ajkit.backends.volcano.blobstore import BlobStore
from ajkit.backends.volcano.checks import offline
from ajkit.backends.volcano.execute import VolcanoExecution
from ajkit.backends.volcano.place import InBlob, InClaim, Place, read_place
from ajkit.shared.problem import UsageError
from tests.backends.volcano.conftest import example, job_spec


def read(path: str) -> str:
    return {"/key": "a2V5\n", "/bad": "%"}[path]


BLOB = "blob:https://acc.blob.core.windows.net/code"
MOUNT = {"storage_account_name": "a", "container_name": "c", "mount_dir": "/data"}


def found(place: Place = Place(), **fields: Any) -> list[tuple[str, str]]:  # noqa: B008 - it cannot be changed
    return [(each.code, each.message) for each in offline(job_spec("true", **fields), place)]


@pytest.mark.parametrize("name", ["train", "tasks"])
def test_the_examples_are_fine(name: str) -> None:
    assert list(offline(example(name), Place())) == []


@pytest.mark.parametrize(
    ("fields", "code", "said"),
    [
        ({"name": "x" * 60}, "volcano.name", "69 characters; 63 are possible: shorten jobs[0].name"),
        ({"env": {"A B": "x"}}, "volcano.env", "a container cannot have a variable called 'A B'"),
        ({"env": {"A": "x\0"}}, "volcano.env", "the value of A holds a null character"),
        ({"image": None}, "volcano.image", "the pods of worker have no image: set environment.image"),
        (
            {"image": " img"},
            "volcano.image",
            "cannot have the image ' img': write REGISTRY/NAME:TAG, the name in lower",
        ),
        ({"image": "img:1\n"}, "volcano.image", "cannot have the image 'img:1\\n'"),
        ({"image": "ghcr.io/Lab/img:1"}, "volcano.image", "cannot have the image 'ghcr.io/Lab/img:1'"),
        ({"image": "https://ghcr.io/img"}, "volcano.image", "cannot have the image 'https://ghcr.io/img'"),
        ({"options": {"labels": {"aj/token": "x"}}}, "volcano.label", "the label aj/token is set by aj or Volcano"),
        ({"storage": {"d": {**MOUNT, "mount_dir": "data"}}}, "volcano.mount", "an absolute path in the container"),
        ({"storage": {"d": {**MOUNT, "mount_dir": "/aj/code"}}}, "volcano.mount", "/aj/code is where aj itself is"),
        ({"storage": {"d": {**MOUNT, "mount_dir": "/dev/shm/"}}}, "volcano.mount", "where shared memory is mounted"),
        ({"storage": {"d": MOUNT, "e": MOUNT}}, "volcano.mount", "storage.e: /data is where storage.d is mounted"),
        ({"storage": {"d": {"mount_dir": "/d"}}}, "volcano.mount", "set storage_account_name and container_name"),
        ({"setup": ["x" * 2**20]}, "volcano.text", "put them into a file of the code folder"),
    ],
)
def test_refused(fields: dict[str, Any], code: str, said: str) -> None:
    problems = found(**fields)
    assert [each for each, _ in problems] == [code]
    assert said in problems[0][1]


@pytest.mark.parametrize(
    "image",
    [
        "img",
        "lab/img:2.3-rc_1",
        "localhost:5000/img",
        "Registry.example.com:443/a/b__c/d-e.f:V1",
        "[::1]:5000/img:1",
        f"img@sha256:{'0' * 64}",
        f"ghcr.io/lab/img:1@sha256:{'a' * 64}",
    ],
)
def test_images(image: str) -> None:
    assert found(image=image) == []


def test_claims_are_called_like_the_storage() -> None:
    place = Place(storage_claims=True)
    assert found(place, storage={"data": {"mount_dir": "/d"}}) == []
    assert [code for code, _ in found(place, storage={"My_Data": {"mount_dir": "/d"}})] == ["volcano.mount"]


def test_settings() -> None:
    assert read_place({}, read) == Place()
    place = read_place(
        {"AJ_VOLCANO_CODE": "claim:code", "AJ_VOLCANO_STORAGE": "claims", "AJ_VOLCANO_KEEP_SECONDS": "60"}, read
    )
    assert place == Place(code=InClaim("code"), storage_claims=True, keep_seconds=60)


def test_a_blob_container_and_its_key() -> None:
    place = read_place({"AJ_VOLCANO_CODE": BLOB, "AJ_BLOB_KEY_FILE": "/key"}, read)
    assert place.code == InBlob(BlobStore("https://acc.blob.core.windows.net/code", b"key"))
    assert "key" not in repr(place)
    assert read_place({"AJ_VOLCANO_CODE": BLOB, "AJ_BLOB_KEY": "a2V5"}, read) == place


@pytest.mark.parametrize(
    "environ",
    [
        {"AJ_VOLCANO_CODE": BLOB},
        {"AJ_VOLCANO_CODE": BLOB, "AJ_BLOB_KEY": "%"},
        {"AJ_VOLCANO_CODE": "blob:https://acc.blob.core.windows.net/code?sig=x", "AJ_BLOB_KEY": "a2V5"},
        {"AJ_VOLCANO_CODE": "nfs"},
        {"AJ_VOLCANO_CODE": "claim:"},
        {"AJ_VOLCANO_STORAGE": "x"},
        {"AJ_VOLCANO_KEEP_SECONDS": "-1"},
    ],
)
def test_bad_settings(environ: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError):
        read_place(environ, read)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    assert [each.code for each in VolcanoExecution().check(job_spec("true"))] == ["volcano.setting"]


def test_missing_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SIMULATOR_LICENSE", raising=False)
    problems = VolcanoExecution().check(example("tasks"))
    assert [each.code for each in problems] == ["volcano.secret"]
    assert problems[0].message.startswith("SIMULATOR_LICENSE: the variable SIMULATOR_LICENSE is not set where")
