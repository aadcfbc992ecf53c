"""A Kubernetes cluster as this backend asks it: plain objects in and out, and what goes wrong as it counts here."""

from __future__ import annotations

import contextlib
import re
from typing import TYPE_CHECKING, Any, BinaryIO

import httpx2
from httpx2.websockets import HTTPXWSException, WebSocketUpgradeError
from lightkube.config.client_adapter import Client as RawClient
from lightkube.config.client_adapter import ConnectionParams
from lightkube.config.kubeconfig import DEFAULT_KUBECONFIG, KubeConfig, SingleConfig
from lightkube.config.models import User
from lightkube.core.client import Client
from lightkube.core.exceptions import ApiError, ConfigError
from lightkube.generic_resource import create_global_resource, create_namespaced_resource
from lightkube.types import PatchType

from ajkit.backends.volcano.blobstore import quiet
from ajkit.shared.job.execution import OutcomeUnknown, Rejected, Unavailable

if TYPE_CHECKING:
    from collections.abc import Iterator

    Json = dict[str, Any]

JOB = create_namespaced_resource("batch.volcano.sh", "v1alpha1", "Job", "jobs")
COMMAND = create_namespaced_resource("bus.volcano.sh", "v1alpha1", "Command", "commands")
QUEUE = create_global_resource("scheduling.volcano.sh", "v1beta1", "Queue", "queues")
CONFIG_MAP = create_namespaced_resource("", "v1", "ConfigMap", "configmaps")
SECRET = create_namespaced_resource("", "v1", "Secret", "secrets")
POD = create_namespaced_resource("", "v1", "Pod", "pods")
POD_TEMPLATE = create_namespaced_resource("", "v1", "PodTemplate", "podtemplates")
EVENT = create_namespaced_resource("", "v1", "Event", "events")

_SECONDS = 20.0
_NOT_SENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, httpx2.UnsupportedProtocol)
_NOT_PROCESSED = re.compile(r"failed calling webhook|too many requests", re.IGNORECASE)
_UNCLEAR = frozenset({500, 502, 503, 504})


class Absent(Exception):
    """There is no such object."""


class Exists(Exception):
    """There is an object of this name already."""


class Forbidden(Rejected):
    """One may not do this here."""


class Cluster:
    """One context of a kubeconfig, or the cluster that this process runs in.

    Raises, whatever is called: `Unavailable` where the cluster cannot be asked, `Rejected` where it says no, and from
    the calls that change something `OutcomeUnknown` where the answer is lost.
    """

    def __init__(self, context: str | None, kubeconfig: str | None) -> None:
        """A connection to be.

        Args:
            context: its name in the kubeconfig; None for the current one.
            kubeconfig: the path of that file; None for the cluster that this process runs in, else
                ``~/.kube/config``.

        Raises:
            Unavailable: no configuration, or no such context.
        """
        quiet()
        with _reading():
            config = _config(context, kubeconfig)
            # A context may do without a user, which the library does not expect.
            self._config = config._replace(user=config.user or User())
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

    def get(self, kind: type[Any], name: str, namespace: str | None = None) -> Json:
        """One object.

        Raises:
            Absent: there is none.
        """
        with _reading():
            if namespace is None:
                return dict(self._client.get(kind, name))
            return dict(self._client.get(kind, name, namespace=namespace))

    def all(self, kind: type[Any]) -> list[Json]:
        """The objects of a kind that has no namespaces."""
        with _reading():
            return [dict(each) for each in self._client.list(kind)]

    def labelled(self, kind: type[Any], namespace: str, label: str, value: str) -> list[Json]:
        """The objects of a kind that have a label."""
        with _reading():
            return [dict(each) for each in self._client.list(kind, namespace=namespace, labels={label: value})]

    def warnings(self, namespace: str, about: str) -> list[str]:
        """What the cluster has warned of about objects whose names begin so, oldest first."""
        events: list[Json] = []
        with contextlib.suppress(Forbidden), _reading():
            events += [dict(each) for each in self._client.list(EVENT, namespace=namespace, fields={"type": "Warning"})]
        found = [each for each in events if str(each.get("involvedObject", {}).get("name", "")).startswith(about)]
        found.sort(key=lambda each: str(each.get("lastTimestamp") or each.get("eventTime") or ""))
        return [str(each.get("message", "")) for each in found]

    def create(self, kind: type[Any], body: Json, *, dry_run: bool = False) -> Json:
        """Make an object; the answer is what the cluster made of it.

        Raises:
            Exists: there is one.
        """
        with _writing():
            namespace = body["metadata"]["namespace"]
            return dict(self._client.create(kind(body), namespace=namespace, dry_run=dry_run))

    def put(self, kind: type[Any], body: Json) -> None:
        """Make an object, or replace the one of its name."""
        with contextlib.suppress(Exists):
            self.create(kind, body)
            return
        with _writing():
            metadata = body["metadata"]
            self._client.replace(kind(body), metadata["name"], namespace=metadata["namespace"])

    def merge(self, kind: type[Any], name: str, namespace: str, change: Json) -> None:
        """Change some fields of an object.

        Raises:
            Absent: there is none.
        """
        with _writing():
            self._client.patch(kind, name, change, namespace=namespace, patch_type=PatchType.MERGE)

    def delete(self, kind: type[Any], name: str, namespace: str, *, at_once: bool = False) -> None:
        """Take an object away, there or not."""
        with contextlib.suppress(Absent), _writing():
            self._client.delete(kind, name, namespace=namespace, grace_period=0 if at_once else None)

    def log(self, pod: str, container: str, namespace: str, since: str | None) -> bytes:
        """The output of a container, each line behind its time, from a time on (to the second).

        Raises:
            Absent: there is no such pod.
            Rejected: it has not started.
        """
        path = f"api/v1/namespaces/{namespace}/pods/{pod}/log"
        params = {"container": container, "timestamps": "true"} | ({"sinceTime": since} if since else {})
        with _reading():
            answer = self._raw.get(path, params=params)
            if answer.is_error:
                raise _refused(answer.status_code, answer.text[:500]) from None
            return answer.content

    def run(self, pod: str, namespace: str, command: list[str], stdin: BinaryIO | None, seconds: float) -> str:
        """What a command in a pod prints, both streams.

        Raises:
            Rejected: it failed.
        """
        with _writing(), _talking():
            done = self._client.exec(
                pod, namespace=namespace, command=command, stdin=stdin, stdout=True, stderr=True, timeout=seconds
            )
            said = "".join(each for each in (done.stdout, done.stderr) if isinstance(each, str))
            if done.exit_code:
                raise Rejected(f"{pod}: {said.strip()[-500:] or f'exited with {done.exit_code}'}")
            return said


def _config(context: str | None, kubeconfig: str | None) -> SingleConfig:
    if kubeconfig is not None or context is not None:
        everything = KubeConfig.from_file(kubeconfig or DEFAULT_KUBECONFIG)
    else:
        everything = KubeConfig.from_env()
    if context is not None and context not in everything.contexts:
        known = ", ".join(sorted(everything.contexts)) or "none"
        raise Unavailable(f"the kubeconfig has no context {context!r}; there are: {known}")
    config = everything.get(context)
    if config is None:
        raise Unavailable("the kubeconfig has no current context: set target.context")
    return config


@contextlib.contextmanager
def _reading() -> Iterator[None]:
    """Calls that change nothing."""
    try:
        yield
    except ApiError as error:
        raise _refused(_code(error), str(error)) from None
    except httpx2.HTTPStatusError as error:
        raise _refused(error.response.status_code, error.response.text[:500]) from None
    except httpx2.HTTPError as error:
        raise Unavailable(f"the cluster does not answer: {_words(error)}") from None
    except (ConfigError, KeyError, OSError, ValueError) as error:
        raise Unavailable(f"no Kubernetes cluster can be asked from here: {error}") from None


@contextlib.contextmanager
def _writing() -> Iterator[None]:
    """Calls that may have changed something although no answer came."""
    try:
        yield
    except ApiError as error:
        code, text = _code(error), str(error)
        if code in _UNCLEAR and not _NOT_PROCESSED.search(text):
            raise OutcomeUnknown(f"the cluster answered {code}: {text}") from None
        raise _refused(code, text) from None
    except httpx2.HTTPStatusError as error:
        code, text = error.response.status_code, error.response.text[:500]
        if code in _UNCLEAR:
            raise OutcomeUnknown(f"the cluster answered {code}: {text}") from None
        raise _refused(code, text) from None
    except _NOT_SENT as error:
        raise Unavailable(f"the cluster does not answer: {_words(error)}") from None
    except httpx2.HTTPError as error:
        raise OutcomeUnknown(f"the answer of the cluster was lost: {_words(error)}") from None
    except (KeyError, ValueError) as error:
        raise OutcomeUnknown(f"the cluster gave an answer that is none: {error!r}") from None
    except ConfigError as error:
        raise Unavailable(f"no Kubernetes cluster can be asked from here: {error}") from None


@contextlib.contextmanager
def _talking() -> Iterator[None]:
    """A websocket, which the cluster may refuse to open or close early."""
    try:
        yield
    except WebSocketUpgradeError as error:
        code = error.response.status_code
        raise _refused(code, f"no command can be run in a pod here (pods/exec: {code})") from None
    except HTTPXWSException as error:
        raise Unavailable(f"the connection to a pod broke: {type(error).__name__} {error}") from None


def _code(error: ApiError) -> int:
    return int(error.status.code or 0)


def _words(error: httpx2.HTTPError) -> str:
    """What an exception says; some say nothing but their name."""
    return str(error) or type(error).__name__


def _refused(code: int, text: str) -> Exception:
    """What an answer means that is no success and certainly changed nothing."""
    match code:
        case 404:
            return Absent(text)
        case 409:
            return Exists(text)
        case 401:
            return Unavailable(f"the cluster does not know who asks: {text or 'unauthorized'}")
        case 403:
            return Forbidden(text)
        case 0 | 400 | 405 | 413 | 415 | 422:
            return Rejected(text)
        case _:
            return Unavailable(f"the cluster answered {code}: {text}")
