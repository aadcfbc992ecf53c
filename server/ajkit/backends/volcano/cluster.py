"""A Kubernetes cluster as this backend asks it: plain objects in and out, and what goes wrong as it counts here."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING, Any, BinaryIO

import httpx2
from lightkube.config.client_adapter import Client as RawClient
from lightkube.config.client_adapter import ConnectionParams
from lightkube.core.client import Client
from lightkube.generic_resource import create_global_resource, create_namespaced_resource
from lightkube.types import PatchType

from ajkit.backends.volcano.access import access
from ajkit.backends.volcano.answers import Absent, Exists, Forbidden, NodeSilent, reading, refused, talking, writing
from ajkit.backends.volcano.blobstore import quiet
from ajkit.shared.job.execution import Rejected, Unavailable

if TYPE_CHECKING:
    Json = dict[str, Any]

JOB = create_namespaced_resource("batch.volcano.sh", "v1alpha1", "Job", "jobs")
COMMAND = create_namespaced_resource("bus.volcano.sh", "v1alpha1", "Command", "commands")
PRIORITY = create_global_resource("scheduling.k8s.io", "v1", "PriorityClass", "priorityclasses")
QUEUE = create_global_resource("scheduling.volcano.sh", "v1beta1", "Queue", "queues")
CONFIG_MAP = create_namespaced_resource("", "v1", "ConfigMap", "configmaps")
SECRET = create_namespaced_resource("", "v1", "Secret", "secrets")
POD = create_namespaced_resource("", "v1", "Pod", "pods")
POD_TEMPLATE = create_namespaced_resource("", "v1", "PodTemplate", "podtemplates")
EVENT = create_namespaced_resource("", "v1", "Event", "events")

_SECONDS = 20.0
_LOOKS, _LOOK_SECONDS = 21, 0.25


class Cluster:
    """One context of a kubeconfig, or the cluster that this process runs in.

    Raises, whatever is called: `Unavailable` where the cluster cannot be asked, `Rejected` where it says no, and from
    the calls that change something `OutcomeUnknown` where the answer is lost.
    """

    def __init__(self, context: str | None, kubeconfig: str | None) -> None:
        """A connection to be; see `access`."""
        quiet()
        with reading():
            self._config = access(context, kubeconfig)
            params = ConnectionParams(timeout=httpx2.Timeout(_SECONDS))
            self._client = Client(self._config, timeout=httpx2.Timeout(_SECONDS), field_manager="aj")
            self._raw = RawClient(self._config, params)

    def close(self) -> None:
        """Let go of its connections."""
        self._client.close()
        self._raw.close()

    @property
    def namespace(self) -> str:
        """The namespace of the context."""
        return self._config.namespace

    def is_ready(self) -> bool:
        """Whether the API server is ready; one that is being started denies rights and kinds that there are.

        It denies that question too at first. Where it is never answered (few clusters keep it from whom they know), the
        server counts as ready.
        """
        # Looks are counted, not seconds: a machine that stands still has not looked.
        for left in reversed(range(_LOOKS)):
            with reading():
                answer = self._raw.get("readyz")
            if answer.status_code != httpx2.codes.FORBIDDEN:
                return not answer.is_server_error
            if left:
                time.sleep(_LOOK_SECONDS)
        return True

    def get(self, kind: type[Any], name: str, namespace: str | None = None) -> Json:
        """One object.

        Raises:
            Absent: there is none.
        """
        with reading():
            if namespace is None:
                return dict(self._client.get(kind, name))
            return dict(self._client.get(kind, name, namespace=namespace))

    def all(self, kind: type[Any]) -> list[Json]:
        """The objects of a kind that has no namespaces."""
        with reading():
            return [dict(each) for each in self._client.list(kind)]

    def labelled(self, kind: type[Any], namespace: str, label: str, value: str) -> list[Json]:
        """The objects of a kind that have a label."""
        with reading():
            return [dict(each) for each in self._client.list(kind, namespace=namespace, labels={label: value})]

    def warnings(self, namespace: str, about: str) -> list[str]:
        """What the cluster has warned of about objects whose names begin so, oldest first."""
        events: list[Json] = []
        with contextlib.suppress(Forbidden), reading():
            events += [dict(each) for each in self._client.list(EVENT, namespace=namespace, fields={"type": "Warning"})]
        found = [each for each in events if str(each.get("involvedObject", {}).get("name", "")).startswith(about)]
        found.sort(key=lambda each: str(each.get("lastTimestamp") or each.get("eventTime") or ""))
        return [str(each.get("message", "")) for each in found]

    def create(self, kind: type[Any], body: Json, *, dry_run: bool = False) -> Json:
        """Make an object; the answer is what the cluster made of it.

        Raises:
            Exists: there is one.
        """
        with writing():
            namespace = body["metadata"]["namespace"]
            return dict(self._client.create(kind(body), namespace=namespace, dry_run=dry_run))

    def put(self, kind: type[Any], body: Json) -> None:
        """Make an object, or replace the one of its name."""
        with contextlib.suppress(Exists):
            self.create(kind, body)
            return
        metadata = body["metadata"]
        try:
            with writing():
                self._client.replace(kind(body), metadata["name"], namespace=metadata["namespace"])
        except Absent as error:
            raise Unavailable(f"it was taken away while it was written: {error}") from None

    def merge(self, kind: type[Any], name: str, namespace: str, change: Json) -> None:
        """Change some fields of an object.

        Raises:
            Absent: there is none.
        """
        with writing():
            self._client.patch(kind, name, change, namespace=namespace, patch_type=PatchType.MERGE)

    def delete(self, kind: type[Any], name: str, namespace: str, *, at_once: bool = False) -> None:
        """Take an object away, there or not."""
        with contextlib.suppress(Absent), writing():
            self._client.delete(kind, name, namespace=namespace, grace_period=0 if at_once else None)

    def log(self, pod: str, container: str, namespace: str, since: str | None) -> bytes:
        """The output of a container, each line behind its time, from a time on (to the second).

        Raises:
            Absent: there is no such pod, or its node is gone.
            Rejected: it has not started.
            NodeSilent: its node cannot be asked.
        """
        path = f"api/v1/namespaces/{namespace}/pods/{pod}/log"
        params = {"container": container, "timestamps": "true"} | ({"sinceTime": since} if since else {})
        with reading():
            answer = self._raw.get(path, params=params)
            if answer.is_server_error:
                raise NodeSilent(f"the node of {pod} cannot be asked: {refused(answer)}")
            if answer.is_error:
                raise refused(answer)
            return answer.content

    def run(self, pod: str, namespace: str, command: list[str], stdin: BinaryIO | None, seconds: float) -> str:
        """What a command in a pod prints, both streams.

        Raises:
            Rejected: it failed.
        """
        with writing(), talking():
            done = self._client.exec(
                pod, namespace=namespace, command=command, stdin=stdin, stdout=True, stderr=True, timeout=seconds
            )
            said = "".join(each for each in (done.stdout, done.stderr) if isinstance(each, str))
            if done.exit_code:
                raise Rejected(f"{pod}: {said.strip()[-500:] or f'exited with {done.exit_code}'}")
            return said
