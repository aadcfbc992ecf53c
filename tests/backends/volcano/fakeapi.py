"""A loopback Kubernetes API server: objects, labels, conflicts, pruning by the real schema of Volcano, lost answers."""

from __future__ import annotations

import copy
import io
import json
import re
import threading
import uuid
from collections import deque
from datetime import UTC, datetime
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import jsonschema
import yaml
from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, BytesMessage, CloseConnection, Request

from tests.repository import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

    Json = dict[str, Any]

TOKEN = "a-token"
_PATH = re.compile(
    r"/(?:api/(?P<core>v1)|apis/(?P<group>[^/]+)/(?P<version>[^/]+))"
    r"(?:/namespaces/(?P<namespace>[^/]+))?/(?P<plural>[a-z]+)(?:/(?P<name>[^/]+))?(?:/(?P<sub>[a-z]+))?"
)
_MIB = 2**20


@cache
def schema_of(name: str) -> Json:
    """The schema of a custom resource, as Volcano publishes it."""
    text = (ROOT / "tests/data/volcano" / name).read_text("utf-8")
    found: Json = yaml.load(text, Loader=yaml.CSafeLoader)["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    return found


SCHEMAS = {"jobs": "batch.volcano.sh_jobs.yaml", "commands": "bus.volcano.sh_commands.yaml"}


def without_unknown(value: Any, schema: Json) -> Any:
    """What an API server keeps of a custom resource: the fields that its schema knows."""
    if isinstance(value, dict) and not schema.get("x-kubernetes-preserve-unknown-fields"):
        known = schema.get("properties", {})
        rest = schema.get("additionalProperties")
        if not known and not rest:
            return value
        return {
            key: without_unknown(below, known.get(key, rest or {}))
            for key, below in value.items()
            if key in known or isinstance(rest, dict)
        }
    if isinstance(value, list) and "items" in schema:
        return [without_unknown(each, schema["items"]) for each in value]
    return value


class Refusal(Exception):
    """An answer that is no success."""

    def __init__(self, code: int, message: str, reason: str = "", name: str = "") -> None:
        self.code, self.message, self.reason, self.name = code, message, reason, name
        super().__init__(message)

    def status(self) -> Json:
        """What Kubernetes answers with."""
        return {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": self.message,
            "reason": self.reason,
            "details": {"name": self.name} if self.name else {},
            "code": self.code,
        }

    @classmethod
    def of_absent(cls, plural: str, name: str) -> Refusal:
        """There is no such object: only then an answer says which."""
        return cls(404, f'{plural} "{name}" not found', "NotFound", name)


class FakeCluster:
    """The objects of a cluster by resource, namespace and name.

    `faults` are played one for each request that changes something and whose resource they name: ``lost`` does it and
    drops the connection, ``refused`` drops the connection before it, a number answers so, ``proxy`` and ``bare`` do it
    and answer 502 in another way than Kubernetes, ``conflict`` says that something else was changed meanwhile.
    `forbidden` are resources that nobody may touch, or what nobody may do with one (``GET secrets``). The next
    `starting` requests are denied as if the server had just been started. Resources that are `lacking` are not
    installed, those that are `undry` cannot be tried. The nodes of the pods in `silent` do not answer. `watchers` are
    told of every change. `log` and `execute` are the kubelet's.
    """

    def __init__(self) -> None:
        self.objects: dict[tuple[str, str, str], Json] = {}
        self.faults: deque[tuple[str, str | int]] = deque()
        self.forbidden: set[str] = set()
        self.starting = 0
        self.lacking: set[str] = set()
        self.undry: set[str] = set()
        self.silent: set[str] = set()
        self.requests: list[str] = []
        self.subprotocol = "v5.channel.k8s.io"
        self.lock = threading.RLock()
        self.watchers: list[Callable[[str, str, Json], None]] = []
        self.log: Callable[[str, str], bytes | None] = lambda _namespace, _pod: None
        self.execute: Callable[[str, list[str], bytes], tuple[int, bytes]] = lambda _pod, _command, _stdin: (1, b"")
        for name in ("default", "nlp", "rl"):
            self.put("queues", "", {"metadata": {"name": name}, "status": {"state": "Open", "running": 1}})
        self.put("priorityclasses", "", {"metadata": {"name": "high"}})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (_Handler,), {"cluster": self}))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)

    def kubeconfig(self) -> str:
        """The text of a kubeconfig with the contexts `kind` (current, namespace research) and `gpu-cluster`."""
        contexts = [
            {"name": name, "context": {"cluster": "c", "user": "u", "namespace": "research"}}
            for name in ("kind", "gpu-cluster")
        ]
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "kind",
            "clusters": [{"name": "c", "cluster": {"server": self.url}}],
            "users": [{"name": "u", "user": {"token": TOKEN}}],
            "contexts": contexts,
        }
        return yaml.safe_dump(config)

    def put(self, plural: str, namespace: str, body: Json) -> Json:
        """Store an object without a question."""
        body["metadata"].setdefault("uid", str(uuid.uuid4()))
        self.objects[plural, namespace, body["metadata"]["name"]] = body
        return body

    def named(self, plural: str, namespace: str = "research") -> dict[str, Json]:
        """The objects of a resource by name."""
        with self.lock:
            return {
                name: each for (kind, where, name), each in self.objects.items() if (kind, where) == (plural, namespace)
            }

    def answer(self, method: str, path: str, query: dict[str, list[str]], body: Json | None) -> tuple[int, str | bytes]:
        """What the API server says to a request: text is JSON."""
        with self.lock:
            # Written out in the lock: jobs and pods go on meanwhile.
            code, answer = self._answer(method, path, query, body)
            return code, answer if isinstance(answer, bytes) else json.dumps(answer)

    def _answer(self, method: str, path: str, query: dict[str, list[str]], body: Json | None) -> tuple[int, Any]:
        found = self._admit(method, path)
        if found is None:
            return (200, b"ok") if path == "/readyz" else (404, b"404 page not found\n")
        plural, namespace, name = found["plural"], found["namespace"] or "", found["name"]
        if found["sub"] == "log":
            if name in self.silent:
                raise Refusal(500, "Get https://10.0.0.1:10250/containerLogs: no route to host", "InternalError")
            text = self.log(namespace, name)
            if text is None:
                raise Refusal.of_absent("pods", name)
            return 200, text
        match method:
            case "POST":
                assert body is not None
                return 201, self._create(plural, namespace, body, dry="dryRun" in query)
            case "GET" if name is None:
                return 200, {"kind": "List", "metadata": {}, "items": self._list(plural, namespace, query)}
        if (plural, namespace, name) not in self.objects:
            raise Refusal.of_absent(plural, name)
        stored = self.objects[plural, namespace, name]
        match method:
            case "GET":
                return 200, stored
            case "DELETE":
                del self.objects[plural, namespace, name]
                self._tell("DELETE", plural, stored)
                return 200, {"kind": "Status", "status": "Success"}
            case "PATCH":
                assert body is not None
                _merge(stored, body)
            case "PUT":
                assert body is not None
                self.objects[plural, namespace, name] = {
                    **body,
                    "metadata": {**body["metadata"], "uid": stored["metadata"]["uid"]},
                }
        return 200, self.objects[plural, namespace, name]

    def _admit(self, method: str, path: str) -> re.Match[str] | None:
        """What a path names; None for what is no resource here."""
        found = _PATH.fullmatch(path)
        plural = found["plural"] if found else path
        self.starting -= bool(denied := self.starting > 0)
        if denied or self.forbidden & {plural, found["sub"] if found else None, f"{method} {plural}"}:
            raise Refusal(403, f"{plural} is forbidden: User cannot use it", "Forbidden")
        return None if plural in self.lacking else found

    def _create(self, plural: str, namespace: str, sent: Json, *, dry: bool) -> Json:
        body = copy.deepcopy(sent)
        name = body["metadata"]["name"]
        if namespace == "nowhere":
            raise Refusal.of_absent("namespaces", namespace)
        if plural in SCHEMAS:
            schema = schema_of(SCHEMAS[plural])
            for error in jsonschema.Draft202012Validator(schema).iter_errors(body):
                raise Refusal(422, f"{plural} is invalid: {error.json_path}: {error.message[:200]}", "Invalid")
            # The API server itself looks after these.
            body = {**without_unknown(body, schema), "metadata": body["metadata"]}
        if dry and plural in self.undry:
            raise Refusal(400, 'admission webhook "old" does not support dry run', "BadRequest")
        if plural == "podtemplates":
            for container in body["template"]["spec"]["containers"]:
                if container["image"].startswith("broken "):
                    raise Refusal(422, "image: Invalid value: must not have leading or trailing whitespace", "Invalid")
        if plural in {"configmaps", "secrets"}:
            size = sum(len(each) for part in ("data", "binaryData") for each in body.get(part, {}).values())
            if size > _MIB * 4 // 3:
                raise Refusal(422, "data: Too long: must have at most 1048576 bytes", "Invalid")
        if (plural, namespace, name) in self.objects:
            raise Refusal(409, f'{plural} "{name}" already exists', "AlreadyExists")
        if dry:
            return body
        body["metadata"]["creationTimestamp"] = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        self.put(plural, namespace, body)
        self._tell("CREATE", plural, body)
        return body

    def _list(self, plural: str, namespace: str, query: dict[str, list[str]]) -> list[Json]:
        labels = dict(each.split("=") for each in ",".join(query.get("labelSelector", [])).split(",") if each)
        fields = dict(each.split("=") for each in ",".join(query.get("fieldSelector", [])).split(",") if each)
        return [
            each
            for (kind, where, _), each in sorted(self.objects.items(), key=lambda item: item[0])
            if (kind, where) == (plural, namespace)
            and labels.items() <= each["metadata"].get("labels", {}).items()
            and all(each.get(field) == value for field, value in fields.items())
        ]

    def _tell(self, what: str, plural: str, body: Json) -> None:
        for each in self.watchers:
            each(what, plural, body)

    def fault(self, method: str, path: str, query: dict[str, list[str]]) -> str | int | None:
        """The fault to play on a request that changes something."""
        found = _PATH.fullmatch(path)
        with self.lock:
            if method != "GET" and "dryRun" not in query and self.faults and found:
                plural, fault = self.faults[0]
                if plural == found["plural"]:
                    self.faults.popleft()
                    return fault
        return None


def _merge(stored: Json, change: Json) -> None:
    for key, value in change.items():
        if isinstance(value, dict) and isinstance(stored.get(key), dict):
            _merge(stored[key], value)
        else:
            stored[key] = value


class _Handler(BaseHTTPRequestHandler):
    cluster: FakeCluster
    protocol_version = "HTTP/1.1"
    # Headers and body go apart; waiting for one another would cost 40 ms each time.
    disable_nagle_algorithm = True

    def log_message(self, *_: object) -> None:
        pass

    def _serve(self) -> None:
        address = urlsplit(self.path)
        query = parse_qs(address.query)
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.cluster.requests.append(f"{self.command} {address.path}{'?dry' if 'dryRun' in query else ''}")
        if self.headers.get("Upgrade") == "websocket" and "exec" not in self.cluster.forbidden:
            self._exec(address.path, query)
            return
        fault = self.cluster.fault(self.command, address.path, query)
        if fault == "refused":
            self._drop()
            return
        try:
            if fault == "conflict":
                raise Refusal(409, "resourcequotas: the object has been modified", "Conflict", "a-quota")
            if isinstance(fault, int):
                raise Refusal(fault, "the server is currently unable to handle the request")
            if self.headers.get("Authorization") != f"Bearer {TOKEN}":
                raise Refusal(401, "Unauthorized", "Unauthorized")
            body = json.loads(raw) if raw and self.command != "DELETE" else None
            code, answer = self.cluster.answer(self.command, address.path, query, body)
        except Refusal as error:
            code, answer = error.code, json.dumps(error.status())
        if fault == "lost":
            self._drop()
            return
        if fault in {"proxy", "bare"}:
            code, answer = 502, '{"error": "no route"}'
        data = answer if isinstance(answer, bytes) else answer.encode()
        self.send_response(code)
        if fault != "bare":
            self.send_header("Content-Type", "text/plain" if isinstance(answer, bytes) else "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _serve  # noqa: N815 - as the library wants them

    def _drop(self) -> None:
        self.close_connection = True
        self.connection.close()

    def _exec(self, path: str, query: dict[str, list[str]]) -> None:
        """A command in a pod, by the protocol v5.channel.k8s.io: standard input to its end, output, the status."""
        connection = WSConnection(ConnectionType.SERVER)
        head = f"{self.requestline}\r\n" + "".join(f"{key}: {value}\r\n" for key, value in self.headers.items())
        connection.receive_data(f"{head}\r\n".encode())
        stdin, closed, pieces = io.BytesIO(), False, b""
        pod = path.split("/")[-2]
        for event in connection.events():
            if isinstance(event, Request):
                self.connection.sendall(connection.send(AcceptConnection(subprotocol=self.cluster.subprotocol)))
        # Without input the client sends nothing at all.
        self.connection.settimeout(60 if "cat >" in query["command"][-1] else 0.1)
        while not closed:
            try:
                data = self.connection.recv(2**16)
            except TimeoutError:
                break
            if not data:
                self.close_connection = True
                return
            self.connection.settimeout(60)
            connection.receive_data(data)
            for event in connection.events():
                if isinstance(event, BytesMessage):
                    pieces += bytes(event.data)
                    if event.message_finished:
                        closed = pieces[0] == 255
                        stdin.write(b"" if closed else pieces[1:])
                        pieces = b""
        code, output = self.cluster.execute(pod, query["command"], stdin.getvalue())
        status: Json = {"status": "Success"}
        if code:
            cause = {"reason": "ExitCode", "message": str(code)}
            status = {"status": "Failure", "reason": "NonZeroExitCode", "details": {"causes": [cause]}}
        for message in (b"\x01" + output, b"\x03" + json.dumps(status).encode()):
            self.connection.sendall(connection.send(BytesMessage(message)))
        self.connection.sendall(connection.send(CloseConnection(1000)))
        self.close_connection = True
