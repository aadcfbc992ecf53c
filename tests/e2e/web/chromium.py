"""A real Chromium without a window, driven over the DevTools protocol by a pair of pipes."""

from __future__ import annotations

import base64
import json
import os
import select
import subprocess
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome")
PATIENCE = 60.0

KEYS = {"Tab": 9, "Enter": 13, "Escape": 27, " ": 32, "ArrowDown": 40}


class PageFailed(Exception):
    """A script of the page, or of a test in it, threw."""


class Chromium:
    """One browser with one page."""

    def __init__(self, program: str, folder: Path) -> None:
        """`folder` holds its profile."""
        ours_in, theirs_out = os.pipe()
        theirs_in, ours_out = os.pipe()
        words = [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        words += [
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--hide-scrollbars",
        ]
        words += [f"--user-data-dir={folder}", "--remote-debugging-pipe", "about:blank"]
        # Chromium reads commands from descriptor 3 and writes to 4.
        shell = f'exec "$@" 3<&{theirs_in} 4>&{theirs_out}'
        self._process = subprocess.Popen(
            ["bash", "-c", shell, "bash", *words],
            pass_fds=(theirs_in, theirs_out),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self._in, self._out = ours_in, ours_out
        self._rest = b""
        self._number = 0
        self._session = ""
        self.console: list[str] = []
        self.requests: list[str] = []
        self._loaded: set[str] = set()
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self._call(f"{domain}.enable")
        self._call("Page.setLifecycleEventsEnabled", enabled=True)

    def close(self) -> None:
        """End it."""
        self._process.terminate()
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._in)
        os.close(self._out)

    # -- the page ------------------------------------------------------------------------------------------------------

    def go(self, url: str) -> None:
        """Open an address and wait until it has loaded."""
        loading = self._call("Page.navigate", url=url)
        assert "errorText" not in loading, f"{url}: {loading['errorText']}"
        # Not what the document says: until the new one is there, the old one answers.
        until = time.monotonic() + PATIENCE
        while loading["loaderId"] not in self._loaded:
            assert time.monotonic() < until, f"{url} has not loaded in {PATIENCE:.0f} s"
            self._call("Page.getFrameTree")
            time.sleep(0.02)

    def run(self, script: str) -> Any:
        """The value of an expression in the page; a promise is waited for."""
        done = self._call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in done:
            raise PageFailed(json.dumps(done["exceptionDetails"])[:2000])
        return done["result"].get("value")

    def wait(self, condition: str) -> None:
        """Wait until an expression is true; while it cannot be told, it is not."""
        until = time.monotonic() + PATIENCE
        while True:
            said: object
            try:
                said = self.run(f"Boolean({condition})")
            except PageFailed as error:
                said = error
            if said is True:
                return
            assert time.monotonic() < until, (
                f"not in {PATIENCE:.0f} s: {condition} ({said})\nthe page says: {self.text}\nconsole: {self.console}"
            )
            time.sleep(0.05)

    @property
    def text(self) -> str:
        """What the page says."""
        return str(self.run("document.body.innerText"))

    def see(self, text: str) -> None:
        """Wait until the page says something."""
        self.wait(f"document.body.innerText.includes({json.dumps(text)})")

    def type(self, text: str) -> None:
        """Type into what has the focus."""
        self._call("Input.insertText", text=text)

    def press(self, key: str, *, shift: bool = False) -> None:
        """Press and let go of a key."""
        more: dict[str, Any] = {"key": key, "code": key, "windowsVirtualKeyCode": KEYS[key], "modifiers": 8 * shift}
        text = {"Enter": "\r", " ": " "}.get(key)
        self._call("Input.dispatchKeyEvent", type="keyDown", **more, **({"text": text} if text else {}))
        self._call("Input.dispatchKeyEvent", type="keyUp", **more)

    def tree(self) -> list[dict[str, Any]]:
        """What assistive programs are told of the page."""
        nodes: list[dict[str, Any]] = self._call("Accessibility.getFullAXTree")["nodes"]
        return [each for each in nodes if not each.get("ignored")]

    def scheme(self, name: str) -> None:
        """Prefer ``light`` or ``dark`` colours."""
        self._call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def size(self, width: int, height: int, scale: float = 1) -> None:
        """The size of the window, in CSS pixels."""
        size = {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": False}
        self._call("Emulation.setDeviceMetricsOverride", **size)
        self.wait(f"innerWidth === {width} && innerHeight === {height}")

    def picture(self) -> bytes:
        """What is to be seen, as PNG."""
        return base64.b64decode(self._call("Page.captureScreenshot", format="png")["data"])

    # -- the protocol --------------------------------------------------------------------------------------------------

    def _call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        for each in self._messages():
            if each.get("id") == self._number:
                if "error" in each:
                    raise PageFailed(f"{method}: {each['error']}")
                result: dict[str, Any] = each["result"]
                return result
            self._note(each)
        raise PageFailed(f"{method}: no answer in {PATIENCE:.0f} s")

    def _note(self, message: dict[str, Any]) -> None:
        """Keep what the page did by itself."""
        method, parameters = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.console.append(json.dumps(parameters["exceptionDetails"])[:500])
        elif method == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            self.console.append(f"{parameters['entry']['text']} {parameters['entry'].get('url', '')}")
        elif method == "Page.lifecycleEvent" and parameters["name"] == "load":
            self._loaded.add(parameters["loaderId"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])

    def _messages(self) -> Iterator[dict[str, Any]]:
        until = time.monotonic() + PATIENCE
        while True:
            message, mark, rest = self._rest.partition(b"\0")
            if mark:
                self._rest = rest
                yield json.loads(message)
                continue
            left = until - time.monotonic()
            if left <= 0 or not select.select([self._in], [], [], left)[0]:
                return
            data = os.read(self._in, 1 << 20)
            if not data:
                return
            self._rest += data


def contrast_script() -> str:
    """An expression whose value lists the texts of a page that are too faint for their ground (WCAG AA)."""
    return """(() => {
      const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
      const rgb = (colour) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data]; };
      const light = ([r, g, b]) => { const [x, y, z] = [r, g, b].map((each) => { const c = each / 255;
        return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; });
        return 0.2126 * x + 0.7152 * y + 0.0722 * z; };
      const ground = (element) => { for (let each = element; each; each = each.parentElement) {
        const colour = rgb(getComputedStyle(each).backgroundColor); if (colour[3] === 255) return colour; }
        return rgb(getComputedStyle(document.body).backgroundColor); };
      const found = [];
      for (const element of document.body.querySelectorAll("*")) {
        const own = [...element.childNodes].some((each) => each.nodeType === 3 && each.textContent.trim());
        if (!own || !element.checkVisibility() || element.matches(":disabled")) continue;
        const [a, b] = [light(rgb(getComputedStyle(element).color)), light(ground(element))].sort((x, y) => y - x);
        const ratio = (a + 0.05) / (b + 0.05);
        if (ratio < 4.5) found.push(`${element.className} ${ratio.toFixed(2)}: ${element.textContent.slice(0, 40)}`);
      }
      return found;
    })()"""
