"""Volcano jobs on a real API server, where `KUBEBUILDER_ASSETS` names a folder with kube-apiserver and etcd."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
import yaml
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from ajkit.backends.volcano.execute import VolcanoExecution
from ajkit.shared.job.execution import Handle, JobState, Rejected, Snapshot, Submission
from tests.backends.volcano.conftest import example, job_spec
from tests.repository import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ajkit.shared.job.spec import JobSpec

ASSETS = os.environ.get("KUBEBUILDER_ASSETS", "")
DATA = ROOT / "tests/data/volcano"
CRDS = ("jobs-stripped.yaml", "bus.volcano.sh_commands.yaml", "scheduling.volcano.sh_queues.yaml")
TOKEN = "an-admin"
JOBS = "/apis/batch.volcano.sh/v1alpha1/namespaces/research/jobs"

pytestmark = [
    pytest.mark.optional("a real API server is used where there is one"),
    pytest.mark.skipif(not ASSETS, reason="KUBEBUILDER_ASSETS names no folder with kube-apiserver and etcd"),
]


def free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


def write_key(path: Path) -> None:
    key = rsa.generate_private_key(65537, 2048)
    form = serialization.PrivateFormat.TraditionalOpenSSL
    path.write_bytes(key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption()))


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx2.Client]:
    """An API server with Volcano's definitions, the namespace `research` and the queues of the examples."""
    home = tmp_path_factory.mktemp("kube")
    store, peer, port = free_ports(3)
    write_key(home / "sa.key")
    (home / "tokens.csv").write_text(f'{TOKEN},admin,admin,"system:masters"\n')
    etcd = [
        *("etcd", "--name", "e", "--data-dir", home / "etcd", "--unsafe-no-fsync"),
        *(f"--listen-client-urls=http://127.0.0.1:{store}", f"--advertise-client-urls=http://127.0.0.1:{store}"),
        *(f"--listen-peer-urls=http://127.0.0.1:{peer}", f"--initial-advertise-peer-urls=http://127.0.0.1:{peer}"),
        f"--initial-cluster=e=http://127.0.0.1:{peer}",
    ]
    server = [
        *("kube-apiserver", f"--etcd-servers=http://127.0.0.1:{store}", "--bind-address=127.0.0.1"),
        *(f"--secure-port={port}", f"--cert-dir={home}", "--service-cluster-ip-range=10.0.0.0/24"),
        *("--service-account-issuer=https://kubernetes.default.svc", f"--service-account-key-file={home}/sa.key"),
        *(f"--service-account-signing-key-file={home}/sa.key", f"--token-auth-file={home}/tokens.csv"),
        *("--authorization-mode=RBAC", "--disable-admission-plugins=ServiceAccount"),
    ]
    headers = {"authorization": f"Bearer {TOKEN}"}
    client = httpx2.Client(base_url=f"https://127.0.0.1:{port}", verify=False, headers=headers, timeout=10)
    started: list[subprocess.Popen[bytes]] = []
    try:
        for words in (etcd, server):
            with (home / f"{words[0]}.log").open("wb") as log:
                command = [str(Path(ASSETS) / str(words[0])), *map(str, words[1:])]
                started.append(subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log))
        wait_for(client, "/readyz", started, home)
        for name in CRDS:
            body = yaml.load((DATA / name).read_text(), Loader=yaml.CSafeLoader)
            answer = client.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", json=body)
            assert answer.status_code == 201, answer.text
        client.post("/api/v1/namespaces", json={"metadata": {"name": "research"}})
        wait_for(client, JOBS, started, home)
        queues = "/apis/scheduling.volcano.sh/v1beta1/queues"
        wait_for(client, queues, started, home)
        for name in ("default", "nlp", "rl"):
            kind = {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue"}
            assert client.post(queues, json={**kind, "metadata": {"name": name}, "spec": {}}).status_code == 201
        yield client
    finally:
        client.close()
        for each in reversed(started):
            each.terminate()
        for each in reversed(started):
            with contextlib.suppress(subprocess.TimeoutExpired):
                each.wait(10)
            each.kill()
            each.wait()


def wait_for(client: httpx2.Client, path: str, started: list[subprocess.Popen[bytes]], home: Path) -> None:
    until = time.monotonic() + 60
    while True:
        with contextlib.suppress(httpx2.HTTPError):
            if client.get(path).status_code == 200:
                return
        assert time.monotonic() < until, f"it is not there: see the logs in {home}"
        assert all(each.poll() is None for each in started), f"it has ended: see the logs in {home}"
        time.sleep(0.1)


@pytest.fixture
def execution(api: httpx2.Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[VolcanoExecution]:
    cluster = {"server": str(api.base_url), "insecure-skip-tls-verify": True}
    context = {"cluster": "c", "user": "u", "namespace": "research"}
    config = {
        "current-context": "gpu-cluster",
        "clusters": [{"name": "c", "cluster": cluster}],
        "users": [{"name": "u", "user": {"token": TOKEN}}],
        "contexts": [{"name": "gpu-cluster", "context": context}],
    }
    (tmp_path / "kubeconfig").write_text(yaml.safe_dump(config))
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "kubeconfig"))
    monkeypatch.setenv("SIMULATOR_LICENSE", "a license")
    found = VolcanoExecution()
    yield found
    found.close()


def submission(spec: JobSpec, folder: Path) -> Submission:
    (folder / "archive.tar").write_bytes(b"\0" * 10240)
    code = Snapshot("d" * 64, str(folder), str(folder / "archive.tar"))
    return Submission(f"aj-{spec.sid}", spec, str(folder / "job"), code)


def set_phase(api: httpx2.Client, name: str, phase: str) -> None:
    headers = {"content-type": "application/merge-patch+json"}
    body: dict[str, Any] = {"status": {"state": {"phase": phase}}}
    assert api.patch(f"{JOBS}/{name}/status", json=body, headers=headers).status_code == 200


@pytest.mark.parametrize("name", ["train", "tasks"])
def test_the_examples_are_taken(execution: VolcanoExecution, tmp_path: Path, name: str) -> None:
    said = execution.dry_run(submission(example(name), tmp_path))
    assert said is not None
    assert said.startswith("the cluster would take the job")


def test_a_job(execution: VolcanoExecution, api: httpx2.Client, tmp_path: Path) -> None:
    spec = job_spec("true", nodes=2, env={"TOKEN": {"from_env": "SIMULATOR_LICENSE"}})
    job = submission(spec, tmp_path)
    assert execution.find(job) is None
    handle = Handle(job, execution.submit(job, lambda _: None))
    assert execution.find(job) == handle.backend_id == execution.submit(job, lambda _: None)
    assert execution.status(handle).state is JobState.QUEUED
    owned = api.get("/api/v1/namespaces/research/configmaps", params={"labelSelector": f"aj/token={job.token}"}).json()
    assert {each["metadata"]["ownerReferences"][0]["kind"] for each in owned["items"]} == {"Job"}
    set_phase(api, spec.name, "Running")
    assert execution.status(handle).state is JobState.RUNNING
    execution.cancel(handle)
    commands = api.get("/apis/bus.volcano.sh/v1alpha1/namespaces/research/commands").json()["items"]
    assert [(each["action"], each["target"]["name"]) for each in commands] == [("TerminateJob", spec.name)]
    set_phase(api, spec.name, "Terminated")
    assert execution.status(handle).state is JobState.CANCELLED
    assert api.get(f"/api/v1/namespaces/research/secrets/{spec.name}-env").status_code == 404
    assert api.delete(f"{JOBS}/{spec.name}").status_code == 200
    assert execution.status(handle).state is JobState.LOST


def test_what_only_the_pods_own_checks_find(execution: VolcanoExecution, tmp_path: Path) -> None:
    with pytest.raises(Rejected, match=r"the pods of worker: .*image"):
        execution.submit(submission(job_spec("true", image=" an image"), tmp_path), lambda _: None)
