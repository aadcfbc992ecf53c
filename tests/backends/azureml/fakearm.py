"""A loopback Azure: tokens, a workspace with its parts, blobs behind signed addresses, and jobs that run here.

Bodies of jobs are held to the real schema; errors, throttling, lost answers and slow states are played on demand.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import threading
import time
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, unquote, urlsplit

import jsonschema

from tests.repository import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

    Json = dict[str, Any]

SUBSCRIPTION = "00000000-0000-0000-0000-000000000000"
WORKSPACE = (
    f"/subscriptions/{SUBSCRIPTION}/resourceGroups/research-rg"
    "/providers/Microsoft.MachineLearningServices/workspaces/research-ws"
)
CLUSTER = (
    "/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/clusters-rg"
    "/providers/Microsoft.MachineLearningServices/virtualclusters/research-vc"
)
_PROVIDER = "providers/Microsoft.MachineLearningServices"
_SIGNED = "sv=2022-11-02&sig=c2lnbmF0dXJl"
_RANGE = re.compile(r"bytes=(\d+)-(\d+)")


@cache
def schema() -> Json:
    """The schema of a job's body."""
    text = (ROOT / "tests/data/azureml/command_job_body.schema.json").read_text("utf-8")
    found: Json = json.loads(text)
    return found


class FakeAzure:
    """Resources by their ids, blobs by their paths, and what was asked.

    `faults` are played in order, each on the first request whose method and path hold its text: ``lost`` does it and
    drops the connection, a number answers so, a pair does so with a Retry-After. `hold` keeps jobs in their queue.
    `lifetime` is how long tokens are good for.
    """

    def __init__(self, root: str) -> None:
        self.root = root
        self.resources: dict[str, Json] = {}
        self.blobs: dict[str, bytes] = {}
        self.blocks: dict[str, bytes] = {}
        self.faults: list[tuple[str, str | int | tuple[int, str]]] = []
        self.requests: list[str] = []
        self.tokens: list[str] = []
        self.revoked: set[str] = set()
        self.lifetime = 3600
        self.hold = False
        self.lock = threading.RLock()
        self._closed = False
        self._threads: list[threading.Thread] = []
        self._readers: dict[int, threading.Thread] = {}
        self._processes: list[subprocess.Popen[bytes]] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (_Handler,), {"azure": self}))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self.resources[WORKSPACE] = {"name": "research-ws", "properties": {"discoveryUrl": f"{self.url}/discovery"}}
        for name, size in (("a100-cluster", "Standard_ND96amsr_A100_v4"), ("cpu", "Standard_D4s_v3")):
            about = {"computeType": "AmlCompute", "properties": {"vmSize": size}, "provisioningState": "Succeeded"}
            self.resources[f"{WORKSPACE}/computes/{name}"] = {"name": name, "properties": about}
        self.resources[CLUSTER] = {"name": "research-vc", "properties": {}}

    def environ(self) -> dict[str, str]:
        """The variables by which azure-identity and the daemon find this Azure."""
        return {
            "AJ_AML_ENDPOINT": self.url,
            "AJ_AML_SUBSCRIPTION_ID": SUBSCRIPTION,
            "AJ_AML_RESOURCE_GROUP": "research-rg",
            "AJ_AML_WORKSPACE": "research-ws",
            "IDENTITY_ENDPOINT": f"{self.url}/msi/token",
            "IDENTITY_HEADER": "header",
        }

    def close(self) -> None:
        with self.lock:
            # No job starts a process from here on.
            self._closed = True
        for each in self._processes:
            _signal(each, signal.SIGKILL)
        for thread in self._threads:
            thread.join(60)
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)

    def jobs(self) -> list[str]:
        """The names of the jobs there are."""
        with self.lock:
            return [path.rpartition("/")[2] for path in self.resources if "/jobs/" in path]

    def answer(self, method: str, path: str, query: dict[str, list[str]], body: Json | None) -> tuple[int, Any]:
        """What Azure says to a request that it lets in."""
        if path == "/discovery":
            return 200, {"api": self.url, "history": self.url}
        if path.startswith("/history/v1.0"):
            return self._details(path)
        if query.get("api-version") not in (["2025-12-01"], ["2021-03-01-preview"]):
            return _wrong(400, "MissingApiVersionParameter", "The api-version query parameter is required")
        match method:
            case "POST":
                return self._act(path)
            case "PUT":
                assert body is not None
                return self._put(path, body)
        if path not in self.resources:
            found = [each for name, each in sorted(self.resources.items()) if name.rpartition("/")[0] == path]
            if path.endswith(f"/{_PROVIDER}/virtualclusters"):
                found = [{"id": name, **each} for name, each in self.resources.items() if "/virtualclusters/" in name]
            if found:
                return 200, {"value": found}
            return _wrong(404, "ResourceNotFound", f"The resource {path.rpartition('/')[2]} was not found")
        return 200, self.resources[path]

    def _act(self, path: str) -> tuple[int, Any]:
        if path.endswith("/startPendingUpload"):
            container = f"{self.url}/blob/{path.split('/codes/')[1].partition('/')[0]}-container"
            place = {"blobUri": container, "credential": {"credentialType": "SAS", "sasUri": f"{container}?{_SIGNED}"}}
            return 200, {"pendingUploadType": "TemporaryBlobReference", "blobReferenceForConsumption": place}
        about = self.resources[path.removesuffix("/cancel")]["properties"]
        if about["status"] not in {"Completed", "Failed", "Canceled"}:
            about["status"] = "CancelRequested"
        return 202, {}

    def _put(self, path: str, body: Json) -> tuple[int, Any]:
        if "/jobs/" in path:
            for error in jsonschema.Draft202012Validator(schema()).iter_errors(body):
                return _wrong(400, "UserError", f"Invalid body: {error.json_path}: {error.message[:200]}")
            for part in ("codeId", "environmentId", "computeId"):
                if unquote(body["properties"][part]) not in self.resources:
                    return _wrong(400, "UserError", f"{part} {body['properties'][part]} does not exist")
            if path in self.resources:
                return 200, self.resources[path]
        if "/codes/" in path and not any(
            each.startswith(_path_of(body["properties"]["codeUri"])) for each in self.blobs
        ):
            return _wrong(400, "UserError", "there is nothing at codeUri")
        made: Json = {"id": path, "name": path.rpartition("/")[2], "properties": {**body["properties"]}}
        self.resources[path] = made
        if "/jobs/" in path:
            made["properties"]["status"] = "NotStarted"
            thread = threading.Thread(target=self._run, args=(made,), daemon=True)
            self._threads.append(thread)
            thread.start()
        return 201, made

    def _details(self, path: str) -> tuple[int, Any]:
        name = path.split("/runs/")[1].partition("/")[0]
        job = self.resources.get(f"{WORKSPACE}/jobs/{name}")
        if job is None:
            return _wrong(404, "UserError", f"Run {name} was not found")
        folder = f"logs/{name}/"
        logs = {
            each.removeprefix(folder): f"{self.url}/blob/{each}?{_SIGNED}"
            for each in self.blobs
            if each.startswith(folder)
        }
        return 200, {"runId": name, "logFiles": logs, "error": job.get("error")}

    def _run(self, job: Json) -> None:
        """Take a job through its states as Azure ML does, its nodes as processes of this machine."""
        about = job["properties"]
        for state in ("Queued", "Preparing"):
            if not self._to(job, state):
                return
            time.sleep(0.02)
        while self.hold and not self._closed:
            time.sleep(0.02)
            if not self._to(job, "Preparing"):
                return
        nodes = self._nodes(job)
        if nodes is None:
            return
        code = 0
        while any(each.poll() is None for each in nodes) or (not code and any(each.poll() for each in nodes)):
            time.sleep(0.02)
            # The first node that fails is the one that Azure ML tells of.
            code = code or next((each.poll() or 0 for each in nodes if each.poll()), 0)
            if code or about["status"] == "CancelRequested":
                for each in nodes:
                    _signal(each, signal.SIGTERM)
        for each in nodes:
            each.wait()
            self._readers[each.pid].join()
        code = 128 - code if code < 0 else code
        if not self._to(job, "Finalizing"):
            return
        if code:
            message = f"Execution failed. User process 'bash' exited with status code {code}. Please check the log."
            job["error"] = {"error": {"code": "UserError", "message": message}}
        self._to(job, "Failed" if code else "Completed")

    def _to(self, job: Json, state: str) -> bool:
        """The next state of a job; False where it was to be cancelled and is."""
        with self.lock:
            if job["properties"]["status"] == "CancelRequested" and state not in {"Completed", "Failed"}:
                job["properties"]["status"] = "Canceled"
                return False
            job["properties"]["status"] = state
            return True

    def _nodes(self, job: Json) -> list[subprocess.Popen[bytes]] | None:
        """The processes of a job; None where it is not to start any more."""
        with self.lock:
            if self._closed or not self._to(job, "Running"):
                return None
            return [self._node(job, rank) for rank in range(job["properties"]["resources"]["instanceCount"])]

    def _node(self, job: Json, rank: int) -> subprocess.Popen[bytes]:
        about = job["properties"]
        home = os.path.join(self.root, job["name"], str(rank))
        os.makedirs(home)
        prefix = _path_of(self.resources[about["codeId"]]["properties"]["codeUri"]) + "/"
        for name, content in self.blobs.items():
            if name.startswith(prefix):
                with open(os.path.join(home, name.removeprefix(prefix)), "wb") as file:
                    file.write(content)
        command = about["command"]
        for name, output in about.get("outputs", {}).items():
            folder = os.path.join(self.root, "mounted", output["uri"].split("/")[3])
            os.makedirs(folder, exist_ok=True)
            command = command.replace(f"${{{{outputs.{name}}}}}", folder)
        env = {"PATH": os.environ["PATH"], "HOME": home, **about.get("environmentVariables", {})}
        if about.get("distribution"):
            size = str(about["resources"]["instanceCount"])
            env |= {"NODE_RANK": str(rank), "RANK": str(rank), "LOCAL_RANK": "0", "WORLD_SIZE": size}
            env |= {"MASTER_ADDR": "10.0.0.4", "MASTER_PORT": "6105"}
        log = f"logs/{job['name']}/user_logs/std_log{f'_process_{rank:02d}' if about.get('distribution') else ''}.txt"
        self.blobs[log] = b""
        process = subprocess.Popen(
            ["bash", "-c", command],
            env=env,
            cwd=home,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self._processes.append(process)
        thread = threading.Thread(target=self._collect, args=(process, log), daemon=True)
        self._threads.append(thread)
        self._readers[process.pid] = thread
        thread.start()
        return process

    def _collect(self, process: subprocess.Popen[bytes], log: str) -> None:
        assert process.stdout is not None
        with process.stdout:
            for line in process.stdout:
                with self.lock:
                    self.blobs[log] += line

    def fault(self, method: str, path: str) -> str | int | tuple[int, str] | None:
        """The fault to play on a request."""
        with self.lock:
            for index, (where, fault) in enumerate(self.faults):
                if where in f"{method} {path}":
                    del self.faults[index]
                    return fault
        return None


def _signal(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    if process.poll() is None:
        # Who else watches it may see its end first.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)


def _path_of(address: str) -> str:
    """The path of a blob from its address."""
    return urlsplit(address).path.removeprefix("/blob/")


def _wrong(status: int, code: str, message: str) -> tuple[int, Json]:
    return status, {"error": {"code": code, "message": message}}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Headers and body go apart; waiting for one another would cost 40 ms each time.
    disable_nagle_algorithm = True
    azure: FakeAzure

    def log_message(self, *_: object) -> None:
        pass

    def _serve(self) -> None:
        address = urlsplit(self.path)
        path, query = unquote(address.path), parse_qs(address.query)
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.azure.requests.append(f"{self.command} {path}")
        fault = self.azure.fault(self.command, path)
        extra: dict[str, str] = {}
        if isinstance(fault, tuple):
            fault, extra["Retry-After"] = fault
        if isinstance(fault, int):
            status, answer = _wrong(fault, "ServerError", "played")
        elif path == "/msi/token":
            status, answer = self._token()
        elif path.startswith("/blob/"):
            with self.azure.lock:
                status, data = self._blob(path.removeprefix("/blob/"), query, raw)
            self._send(status, data)
            return
        elif (problem := self._who()) is not None:
            status, answer = problem
        else:
            with self.azure.lock:
                body = json.loads(raw) if raw else None
                status, answer = self.azure.answer(self.command, path, query, body)
                text = json.dumps(answer)
            answer = json.loads(text)
        if fault == "lost":
            self.close_connection = True
            self.connection.close()
            return
        self._send(status, json.dumps(answer).encode(), extra)

    do_GET = do_POST = do_PUT = _serve  # noqa: N815 - as the library wants them

    def _token(self) -> tuple[int, Json]:
        token = f"token-{len(self.azure.tokens)}"
        self.azure.tokens.append(token)
        expires = str(int(time.time()) + self.azure.lifetime)
        return 200, {"access_token": token, "expires_on": expires, "resource": "r", "token_type": "Bearer"}

    def _who(self) -> tuple[int, Json] | None:
        token = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
        if token not in self.azure.tokens or token in self.azure.revoked:
            return _wrong(401, "ExpiredAuthenticationToken", "The access token expiry UTC time is earlier than now")
        return None

    def _blob(self, path: str, query: dict[str, list[str]], raw: bytes) -> tuple[int, bytes]:
        if query.get("sig") is None or "Authorization" in self.headers:
            return 403, b"<Error/>"
        if query.get("comp") == ["block"]:
            self.azure.blocks[f"{path} {query['blockid'][0]}"] = raw
            return 201, b""
        if query.get("comp") == ["blocklist"]:
            ids: Iterator[str] = iter(re.findall(r"<Latest>(.+?)</Latest>", raw.decode()))
            self.azure.blobs[path] = b"".join(self.azure.blocks[f"{path} {each}"] for each in ids)
            return 201, b""
        if path not in self.azure.blobs:
            return 404, b"<Error/>"
        found = _RANGE.fullmatch(self.headers.get("x-ms-range") or "")
        first, last = (int(found[1]), int(found[2])) if found else (0, 2**40)
        content = self.azure.blobs[path]
        return (416, b"") if first >= len(content) else (206, content[first : last + 1])

    def _send(self, status: int, data: bytes, extra: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {**(extra or {}), "Content-Length": str(len(data))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)
