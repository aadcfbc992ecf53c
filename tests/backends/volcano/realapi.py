"""A real API server for tests, with Volcano's definitions: it can be stopped and started again over the same store."""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import httpx2
import pytest
import yaml
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from ajkit.shared.job.execution import Unavailable
from tests.daemons import wait_until
from tests.e2e.ports import free_ports
from tests.repository import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Json = dict[str, Any]

T = TypeVar("T")

ASSETS = os.environ.get("KUBEBUILDER_ASSETS", "")
ADMIN = "an-admin"
JOBS = "/apis/batch.volcano.sh/v1alpha1/namespaces/research/jobs"
CORE = "/api/v1/namespaces/research"
COMMANDS = "/apis/bus.volcano.sh/v1alpha1/namespaces/research/commands"
_RIGHTS = "/apis/rbac.authorization.k8s.io/v1"
_DATA = ROOT / "tests/data/volcano"
_CRDS = ("jobs-stripped.yaml", "bus.volcano.sh_commands.yaml", "scheduling.volcano.sh_queues.yaml")
_USERS = ("nobody", "daemon", "poor")
_MERGE = {"content-type": "application/merge-patch+json"}

needs_it = [
    pytest.mark.optional("a real API server is used where there is one"),
    pytest.mark.skipif(not ASSETS, reason="KUBEBUILDER_ASSETS names no folder with kube-apiserver and etcd"),
]


class RealApi:
    """etcd and kube-apiserver on loopback; nothing runs pods there, so phases are set by hand.

    The token `ADMIN` may do everything. The tokens of the users `daemon`, `poor` and `nobody` are their names, and they
    may do what `allow` gives them. `client` asks as the administrator.
    """

    def __init__(self, home: Path) -> None:
        self.home = home
        self._store, self._peer, self._port = free_ports(3)
        _write_key(home / "sa.key")
        rows = [f'{ADMIN},admin,admin,"system:masters"', *(f"{each},{each},{each}" for each in _USERS)]
        (home / "tokens.csv").write_text("\n".join(rows) + "\n")
        self.url = f"https://127.0.0.1:{self._port}"
        headers = {"authorization": f"Bearer {ADMIN}"}
        self.client = httpx2.Client(base_url=self.url, verify=False, headers=headers, timeout=60)
        self._given: dict[str, set[tuple[str, str]]] = {}
        self._etcd: subprocess.Popen[bytes] | None = None
        self._server: subprocess.Popen[bytes] | None = None

    @property
    def authority(self) -> Path:
        """The certificates that the server is known by."""
        return self.home / "apiserver.crt"

    def start(self) -> None:
        """Start what does not run yet, and wait until it is ready."""
        if self._etcd is None:
            self._etcd = self._run(
                *("etcd", "--name", "e", "--data-dir", self.home / "etcd", "--unsafe-no-fsync"),
                f"--listen-client-urls=http://127.0.0.1:{self._store}",
                f"--advertise-client-urls=http://127.0.0.1:{self._store}",
                f"--listen-peer-urls=http://127.0.0.1:{self._peer}",
                f"--initial-advertise-peer-urls=http://127.0.0.1:{self._peer}",
                f"--initial-cluster=e=http://127.0.0.1:{self._peer}",
            )
        self.launch()
        self.wait_for("/readyz")

    def launch(self) -> None:
        """Start the API server alone, without waiting."""
        key = self.home / "sa.key"
        self._server = self._run(
            *("kube-apiserver", f"--etcd-servers=http://127.0.0.1:{self._store}", "--bind-address=127.0.0.1"),
            *(f"--secure-port={self._port}", f"--cert-dir={self.home}", "--service-cluster-ip-range=10.0.0.0/24"),
            *("--service-account-issuer=https://kubernetes.default.svc", f"--service-account-key-file={key}"),
            *(f"--service-account-signing-key-file={key}", f"--token-auth-file={self.home}/tokens.csv"),
            *("--authorization-mode=RBAC", "--disable-admission-plugins=ServiceAccount"),
        )

    def stop_server(self) -> None:
        """Stop the API server; what is stored stays."""
        _end(self._server)
        self._server = None

    def stop(self) -> None:
        """Stop everything."""
        self.client.close()
        self.stop_server()
        _end(self._etcd)

    def furnish(self) -> None:
        """Make the definitions of Volcano, the namespace `research` and the queues of the examples."""
        for name in _CRDS:
            body = yaml.load((_DATA / name).read_text(), Loader=yaml.CSafeLoader)
            self.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", body)
        self.post("/api/v1/namespaces", {"metadata": {"name": "research"}})
        queues = "/apis/scheduling.volcano.sh/v1beta1/queues"
        for path in (JOBS, COMMANDS, queues):
            self.wait_for(path)
        kind = {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue"}
        self.post("/apis/scheduling.k8s.io/v1/priorityclasses", {"metadata": {"name": "high"}, "value": 1})
        for name in ("default", "nlp", "rl"):
            self.post(queues, {**kind, "metadata": {"name": name}, "spec": {}})

    def post(self, path: str, body: Json) -> Json:
        """Make an object."""
        answer = self.client.post(path, json=body)
        assert answer.status_code == 201, answer.text
        made: Json = answer.json()
        return made

    def get(self, path: str, **query: str) -> Json:
        """An object, or the objects, at a path."""
        answer = self.client.get(path, params=query)
        assert answer.status_code == 200, answer.text
        found: Json = answer.json()
        return found

    def names(self, path: str) -> list[str]:
        """The names of the objects at a path."""
        return [each["metadata"]["name"] for each in self.get(path)["items"]]

    def set_status(self, path: str, status: Json) -> None:
        """Change the status of an object."""
        answer = self.client.patch(f"{path}/status", json={"status": status}, headers=_MERGE)
        assert answer.status_code == 200, answer.text

    def set_phase(self, job: str, phase: str) -> None:
        """Put a job into a phase, as Volcano would."""
        self.set_status(f"{JOBS}/{job}", {"state": {"phase": phase}})

    def add_pods(self, job: str, *nodes: str | None) -> None:
        """Make the pods of a job's first task, each on a node: `silent` is there and does not answer."""
        made = self.client.post("/api/v1/nodes", json={"metadata": {"name": "silent"}})
        assert made.status_code in {201, 409}, made.text
        address = {"addresses": [{"type": "InternalIP", "address": "127.0.0.1"}]}
        self.set_status("/api/v1/nodes/silent", {"daemonEndpoints": {"kubeletEndpoint": {"Port": 9}}, **address})
        task = self.get(f"{JOBS}/{job}")["spec"]["tasks"][0]
        template = task["template"]
        for index, node in enumerate(nodes):
            name = f"{job}-{task['name']}-{index}"
            spec = {**template["spec"], **({"nodeName": node} if node else {})}
            self.post(f"{CORE}/pods", {"metadata": {**template["metadata"], "name": name}, "spec": spec})
            self.set_status(f"{CORE}/pods/{name}", {"phase": "Running" if node else "Pending"})

    def allow(self, user: str, rules: dict[str, str], *, everywhere: bool = False) -> None:
        """Give a user rights: verbs by ``group/resource`` (``/pods``: the core group), in `research` or everywhere."""
        kind, where = ("ClusterRole", "") if everywhere else ("Role", "/namespaces/research")
        name = f"of-{user}-{kind.lower()}"
        made = []
        for resource, verbs in rules.items():
            group, _, plural = resource.partition("/")
            made.append({"apiGroups": [group], "resources": [plural], "verbs": verbs.split()})
        plural = f"{_RIGHTS}{where}/{kind.lower()}s"
        self.client.delete(f"{plural}/{name}")
        self.post(plural, {"metadata": {"name": name}, "rules": made})
        subjects = [{"kind": "User", "name": user, "apiGroup": "rbac.authorization.k8s.io"}]
        role = {"kind": kind, "name": name, "apiGroup": "rbac.authorization.k8s.io"}
        bindings = f"{_RIGHTS}{where}/{kind.lower()}bindings"
        self.client.delete(f"{bindings}/{name}")
        self.post(bindings, {"metadata": {"name": name}, "subjects": subjects, "roleRef": role})
        # The server comes to know of it a while after it was written.
        given = {(resource, verb) for resource, verbs in rules.items() for verb in verbs.split()}
        for resource, verb in given | self._given.get(name, set()):
            wait_until(partial(self._may, user, resource, verb, is_allowed=(resource, verb) in given))
        self._given[name] = given

    def _may(self, user: str, resource: str, verb: str, *, is_allowed: bool) -> bool:
        """Whether a user may do something in `research`, or may not, by what the server knows now."""
        group, _, plural = resource.partition("/")
        plural, _, below = plural.partition("/")
        asked = {"group": group, "resource": plural, "subresource": below, "verb": verb, "namespace": "research"}
        review = {"spec": {"user": user, "resourceAttributes": asked}}
        answer = self.post("/apis/authorization.k8s.io/v1/subjectaccessreviews", review)
        return bool(answer["status"]["allowed"]) == is_allowed

    def kubeconfig(self, token: str = ADMIN, *, server: str | None = None) -> str:
        """The text of a kubeconfig with the context `gpu-cluster`, namespace `research`."""
        cluster = {"server": server or self.url, "insecure-skip-tls-verify": True}
        context = {"cluster": "c", "user": "u", "namespace": "research"}
        config = {
            "current-context": "gpu-cluster",
            "clusters": [{"name": "c", "cluster": cluster}],
            "users": [{"name": "u", "user": {"token": token}}],
            "contexts": [{"name": "gpu-cluster", "context": context}],
        }
        return yaml.safe_dump(config)

    def wait_for(self, path: str) -> None:
        """Wait until something is there."""
        until = time.monotonic() + 90
        while True:
            with contextlib.suppress(httpx2.HTTPError):
                if self.client.get(path).status_code == 200:
                    return
            assert time.monotonic() < until, f"{path} is not there: see the logs in {self.home}"
            for each in (self._etcd, self._server):
                assert each is not None
                assert each.poll() is None, f"it has ended: see the logs in {self.home}"
            time.sleep(0.1)

    def _run(self, program: str, *words: object) -> subprocess.Popen[bytes]:
        with (self.home / f"{program}.log").open("ab") as log:
            command = [str(Path(ASSETS) / program), *map(str, words)]
            return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)


@contextlib.contextmanager
def real_api(home: Path) -> Iterator[RealApi]:
    """A furnished API server that keeps its data in a folder."""
    api = RealApi(home)
    try:
        api.start()
        api.furnish()
        yield api
    finally:
        api.stop()


def when_well(ask: Callable[[], T]) -> T:
    """What the server answers once it is well: while its store stands still it denies nothing for good."""
    until = time.monotonic() + 60
    while True:
        try:
            return ask()
        except Unavailable as error:
            if "is not well" not in str(error) or time.monotonic() > until:
                raise
        time.sleep(0.1)


def _end(process: subprocess.Popen[bytes] | None) -> None:
    if process is not None:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(10)
        process.kill()
        process.wait()


def _write_key(path: Path) -> None:
    key = rsa.generate_private_key(65537, 2048)
    form = serialization.PrivateFormat.TraditionalOpenSSL
    path.write_bytes(key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption()))
