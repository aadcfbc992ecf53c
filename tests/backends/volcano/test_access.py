"""Kubeconfigs as people have them: what is wrong with one is said, and what is right is used."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from ajkit.backends.volcano.access import access
from ajkit.backends.volcano.cluster import Cluster
from ajkit.backends.volcano.execute import VolcanoExecution
from ajkit.shared.job.execution import Unavailable
from tests.backends.volcano.conftest import job_spec
from tests.backends.volcano.fakeapi import TOKEN

if TYPE_CHECKING:
    from pathlib import Path

    from tests.backends.volcano.conftest import Bench


def config(user: Any = None, **fields: Any) -> str:
    """The text of a kubeconfig."""
    plain = {
        "current-context": "here",
        "clusters": [{"name": "c", "cluster": {"server": "http://127.0.0.1:9"}}],
        "users": [{"name": "u", "user": user or {"token": "t"}}],
        "contexts": [{"name": "here", "context": {"cluster": "c", "user": "u"}}],
    }
    return yaml.safe_dump({**plain, **fields})


def context(**fields: str) -> list[dict[str, Any]]:
    return [{"name": "here", "context": {"cluster": "c", "user": "u", **fields}}]


KUBECTL_EMPTY = {"clusters": None, "contexts": None, "current-context": "", "users": None}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "config is no kubeconfig"),
        ("[]", "config is no kubeconfig"),
        ("a: [", "config cannot be read: "),
        ("a: \x00", "config cannot be read: "),
        (yaml.safe_dump(KUBECTL_EMPTY), "has no current context: set target.context"),
        (config(clusters=None), "the context 'here' is of a cluster 'c', which is not in the kubeconfig"),
        (config(contexts=context(cluster="other")), "is of a cluster 'other', which is not in the kubeconfig"),
        (config(contexts=context(user="other")), "is of a user 'other', who is not in the kubeconfig"),
        (config(contexts=[{"name": "here"}]), "config is no kubeconfig: 'context' is missing"),
        (config(contexts=[{"name": "here", "context": {}}]), "no kubeconfig: Object missing required field `cluster`"),
        (config(contexts={"here": {}}), "config is no kubeconfig: "),
        (config({"token": [1]}), "config is no kubeconfig: Expected `str | null`"),
        (config({"tokenFile": "token"}), "names /.*/token, which is not there"),
        (config({"client-certificate": "/none.pem", "client-key": "/none.key"}), "names /none.pem, which is not there"),
        (
            config(clusters=[{"name": "c", "cluster": {"certificate-authority": "ca.crt"}}]),
            "names /.*/ca.crt, which is",
        ),
        (config(**{"current-context": "other"}), "has no context 'other'; there are: here"),
    ],
)
def test_what_is_wrong_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bench: Bench, text: str, said: str
) -> None:
    path = tmp_path / "config"
    path.write_text(text)
    with pytest.raises(Unavailable, match=said):
        access(None, str(path))
    monkeypatch.setenv("KUBECONFIG", str(path))
    execution = VolcanoExecution()
    with pytest.raises(Unavailable, match=said):
        execution.submit(bench.submission(job_spec("true")), lambda _: None)
    execution.close()


def test_what_is_not_yaml_is_not_quoted(tmp_path: Path) -> None:
    (tmp_path / "config").write_text("users: [{user: {token: s3cret ]")
    with pytest.raises(Unavailable) as caught:
        access(None, str(tmp_path / "config"))
    assert "s3cret" not in str(caught.value)


def test_a_token_beside_the_kubeconfig(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "token").write_text(TOKEN)
    known = yaml.safe_load(bench.cluster.kubeconfig())
    known["users"][0]["user"] = {"tokenFile": "token"}
    (tmp_path / "kubeconfig").write_text(yaml.safe_dump(known))
    assert bench.execution.dry_run(bench.submission(job_spec("true"))) is not None


def test_who_logs_in_again_is_known_at_once(bench: Bench, tmp_path: Path) -> None:
    bench.nodes.full = True
    handle = bench.submit(job_spec("true"))
    (tmp_path / "kubeconfig").write_text(bench.cluster.kubeconfig().replace(TOKEN, "expired"))
    with pytest.raises(Unavailable, match="the cluster does not know who asks"):
        bench.execution.status(handle)
    (tmp_path / "kubeconfig").write_text(bench.cluster.kubeconfig())
    assert not bench.execution.status(handle).state.is_terminal


def test_connections_are_closed_when_nobody_uses_them(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[Cluster] = []
    close = Cluster.close

    def seen(cluster: Cluster) -> None:
        closed.append(cluster)
        close(cluster)

    monkeypatch.setattr(Cluster, "close", seen)
    for now, expected in ((1000.0, 0), (1299.0, 0), (1301.0, 0), (5000.0, 1), (5301.0, 1)):
        monkeypatch.setattr("ajkit.backends.volcano.connections.time", SimpleNamespace(monotonic=lambda now=now: now))
        assert bench.execution.values("queues")
        assert len(closed) == expected
    bench.execution.close()
    assert len(closed) == len({id(each) for each in closed}) == 4


@pytest.mark.parametrize("version", ["v1beta1", "v1"])
def test_a_plug_in_that_gives_the_token(bench: Bench, tmp_path: Path, version: str) -> None:
    """The newer version is told for what it is asked, and may insist on it."""
    credential = {"kind": "ExecCredential", "status": {"token": TOKEN}}
    plug_in = tmp_path / "plug-in"
    insists = f'case "$KUBERNETES_EXEC_INFO" in *k8s.io/{version}\\"*) ;; *) exit 1;; esac' if version == "v1" else ""
    plug_in.write_text(f"#!/bin/sh\n{insists}\n[ \"$SAID\" = so ] || exit 2\necho '{json.dumps(credential)}'\n")
    plug_in.chmod(0o755)
    known = yaml.safe_load(bench.cluster.kubeconfig())
    said = {"name": "SAID", "value": "so"}
    known["users"][0]["user"] = {
        "exec": {"apiVersion": f"client.authentication.k8s.io/{version}", "command": str(plug_in), "env": [said]}
    }
    (tmp_path / "kubeconfig").write_text(yaml.safe_dump(known))
    assert bench.execution.dry_run(bench.submission(job_spec("true"))) is not None


def test_a_plug_in_that_is_not_there(bench: Bench, tmp_path: Path) -> None:
    known = yaml.safe_load(bench.cluster.kubeconfig())
    plug_in = {"apiVersion": "client.authentication.k8s.io/v1", "command": str(tmp_path / "none")}
    known["users"][0]["user"] = {"exec": plug_in}
    (tmp_path / "kubeconfig").write_text(yaml.safe_dump(known))
    job = bench.submission(job_spec("true"))
    for ask in (bench.execution.find, lambda job: bench.execution.submit(job, lambda _: None)):
        with pytest.raises(Unavailable, match=r"No such file or directory: .*/none"):
            ask(job)


def test_a_pod_that_is_not_told_where_the_server_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "token").write_text("t")
    (tmp_path / "namespace").write_text("research")
    monkeypatch.setattr("ajkit.backends.volcano.access.SERVICE_ACCOUNT", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    with pytest.raises(Unavailable, match=r"there is no kubeconfig /.*/\.kube/config"):
        access(None, None)
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1")
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", "443")
    (tmp_path / "ca.crt").write_text("")
    assert access(None, None).namespace == "research"
