"""What makes a fake cluster run: a controller that treats jobs as Volcano does, and pods that are local processes."""

from __future__ import annotations

import base64
import contextlib
import os
import re
import signal
import subprocess
import threading
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.backends.volcano.fakeapi import FakeCluster

    Json = dict[str, Any]

_NAMESPACE = "research"


def expanded(text: str, known: dict[str, str]) -> str:
    """A variable's value as Kubernetes makes it: ``$(NAME)`` filled in where known, ``$$`` is a dollar."""

    def one(found: re.Match[str]) -> str:
        if found[0] == "$$":
            return "$"
        return known.get(found[1], found[0])

    return re.sub(r"\$\$|\$\(([^)]*)\)", one, text)


class FakeNodes:
    """Starts the pods of every job at once, or none while `full`; ends jobs by their policies.

    Paths of a pod that begin with ``/aj`` lie below a folder of its own.
    """

    def __init__(self, cluster: FakeCluster, root: str, *, full: bool = False) -> None:
        self.cluster = cluster
        self.root = root
        self.full = full
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._output: dict[str, list[bytes]] = {}
        self._threads: list[threading.Thread] = []
        self._terminated: set[str] = set()
        cluster.watchers.append(self._changed)
        cluster.log = self._log
        cluster.execute = self._execute

    def close(self) -> None:
        with self.cluster.lock:
            # No job starts a pod from here on.
            self._terminated |= set(self.cluster.named("jobs"))
        for each in list(self._processes.values()):
            _kill(each)
        for thread in self._threads:
            thread.join(60)

    def _changed(self, what: str, plural: str, body: Json) -> None:
        name = body["metadata"]["name"]
        if (what, plural) == ("CREATE", "jobs"):
            self._spawn(self._run_job, body)
        elif (what, plural) == ("CREATE", "pods") and name.endswith("-upload"):
            body["status"] = {"phase": "Running"}
        elif (what, plural) == ("CREATE", "commands"):
            self._terminated.add(body["target"]["name"])
        elif (what, plural) == ("DELETE", "jobs"):
            self._terminated.add(name)
            for pod in [each for each in self.cluster.named("pods") if each.startswith(f"{name}-")]:
                self.cluster.objects.pop(("pods", _NAMESPACE, pod), None)

    def _spawn(self, target: Any, *arguments: Any) -> None:
        thread = threading.Thread(target=target, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _run_job(self, job: Json) -> None:
        name, spec = job["metadata"]["name"], job["spec"]
        self._phase(job, "Pending")
        pods = [self._pod(job, task, index) for task in spec["tasks"] for index in range(task["replicas"])]
        while self.full and name not in self._terminated:
            time.sleep(0.02)
        with self.cluster.lock:
            if name in self._terminated:
                for pod in pods:
                    self.cluster.objects.pop(("pods", _NAMESPACE, pod["metadata"]["name"]), None)
                self._phase(job, "Terminated")
                return
            for pod in pods:
                self._start(pod)
            self._phase(job, "Running")
        going = {pod["metadata"]["name"]: pod for pod in pods}
        end = "Completed"
        while going:
            time.sleep(0.02)
            if end == "Completed" and name in self._terminated:
                end = self._stop(job, "Terminating", going)
            for pod_name, pod in list(going.items()):
                code = self._processes[pod_name].poll()
                if code is None:
                    continue
                del going[pod_name]
                self._threads_of(pod_name)
                with self.cluster.lock:
                    self._ended(pod, code)
                    if end != "Completed":
                        self.cluster.objects.pop(("pods", _NAMESPACE, pod_name), None)
                if code and end == "Completed":
                    end = self._stop(job, "Aborting", going)
        self._phase(job, {"Terminating": "Terminated", "Aborting": "Aborted"}.get(end, end))

    def _stop(self, job: Json, phase: str, going: Json) -> str:
        self._phase(job, phase)
        for each in going:
            self._processes[each].send_signal(signal.SIGTERM)
        return phase

    def _threads_of(self, pod: str) -> None:
        """Wait until the output of a pod that has ended is all there."""
        stream = self._processes[pod].stdout
        while stream is not None and not stream.closed:
            time.sleep(0.01)

    def _phase(self, job: Json, phase: str) -> None:
        with self.cluster.lock:
            job["status"] = {"state": {"phase": phase}}

    def _pod(self, job: Json, task: Json, index: int) -> Json:
        name = f"{job['metadata']['name']}-{task['name']}-{index}"
        message = "0/2 nodes are available: 2 Insufficient nvidia.com/gpu."
        condition = {"type": "PodScheduled", "status": "False", "message": message}
        with self.cluster.lock:
            return self.cluster.put(
                "pods",
                _NAMESPACE,
                {
                    "metadata": {"name": name, "labels": dict(task["template"]["metadata"]["labels"])},
                    "spec": task["template"]["spec"],
                    "status": {"phase": "Pending", "conditions": [condition] if self.full else []},
                    "index": index,
                },
            )

    def _start(self, pod: Json) -> None:
        name = pod["metadata"]["name"]
        home = os.path.join(self.root, name)
        container = pod["spec"]["containers"][0]
        volumes = {each["name"]: each for each in pod["spec"]["volumes"]}
        for mount in container["volumeMounts"]:
            if mount["mountPath"].startswith("/aj"):
                self._mount(home + mount["mountPath"], volumes[mount["name"]], home)
        known = {"VC_TASK_INDEX": str(pod["index"]), "HOSTNAME": name, "PATH": os.environ["PATH"], "HOME": home}
        for each in container["env"]:
            value = each.get("value")
            if value is None:
                key = each["valueFrom"]["secretKeyRef"]
                stored = self.cluster.named("secrets")[key["name"]]["data"][key["key"]]
                known[each["name"]] = base64.b64decode(stored).decode()
            else:
                known[each["name"]] = expanded(value, known)
        command = [each.replace("/aj/", f"{home}/aj/") for each in container["command"]]
        process = subprocess.Popen(
            command, env=known, cwd=home, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
        )
        self._processes[name] = process
        self._output[name] = []
        pod["status"] = {"phase": "Running"}
        self._spawn(self._collect, name, process)

    def _mount(self, place: str, volume: Json, home: str) -> None:
        os.makedirs(place, exist_ok=True)
        maps = self.cluster.named("configmaps")
        if "persistentVolumeClaim" in volume:
            os.rmdir(place)
            os.symlink(self.claim(volume["persistentVolumeClaim"]["claimName"]), place)
        if "configMap" in volume:
            data = maps[volume["configMap"]["name"]]["data"]
            for item in volume["configMap"]["items"]:
                with open(os.path.join(place, item["path"]), "w", encoding="utf-8") as file:
                    file.write(re.sub(r"/aj/(store|code)", rf"{home}/aj/\1", data[item["key"]]))
        for item in volume.get("secret", {}).get("items", []):
            stored = self.cluster.named("secrets")[volume["secret"]["secretName"]]["data"][item["key"]]
            with open(os.path.join(place, item["path"]), "wb") as secret:
                secret.write(base64.b64decode(stored))
        for source in volume.get("projected", {}).get("sources", []):
            for key, value in maps.get(source["configMap"]["name"], {}).get("binaryData", {}).items():
                with open(os.path.join(place, key), "wb") as binary:
                    binary.write(base64.b64decode(value))

    def claim(self, name: str) -> str:
        """The folder behind a PersistentVolumeClaim."""
        folder = os.path.join(self.root, "claims", name)
        os.makedirs(folder, exist_ok=True)
        return folder

    def _collect(self, name: str, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            at = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f") + "000Z "
            with self.cluster.lock:
                self._output[name].append(at.encode() + line)
        process.wait()
        process.stdout.close()

    def _ended(self, pod: Json, code: int) -> None:
        shown = 128 - code if code < 0 else code
        ended = {"exitCode": shown, "reason": "Error" if code else "Completed"}
        pod["status"] = {
            "phase": "Failed" if code else "Succeeded",
            "containerStatuses": [{"name": "main", "state": {"terminated": ended}}],
        }

    def _log(self, namespace: str, pod: str) -> bytes | None:
        if ("pods", namespace, pod) not in self.cluster.objects or pod not in self._output:
            return None
        return b"".join(self._output[pod])

    def _execute(self, pod: str, command: list[str], stdin: bytes) -> tuple[int, bytes]:
        found = self.cluster.named("pods").get(pod)
        if found is None:
            return 1, b"the pod went away meanwhile"
        folder = self.claim(found["spec"]["volumes"][0]["persistentVolumeClaim"]["claimName"])
        words = [each.replace("/aj-store", folder) for each in command]
        done = subprocess.run(words, input=stdin, capture_output=True, check=False)
        return done.returncode, done.stdout + done.stderr


def _kill(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        # Who watches it may see its end first.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
