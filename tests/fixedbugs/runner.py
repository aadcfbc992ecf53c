"""Plays the cases of `cases.json` against a real server: files, what the client does, one action, what must come of it.

Each case is a kind of fault that hurt users of another tool; `source` names the public report. Positions are those of
LSP (UTF-16); paths are relative to the folder of the case.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.lsp.fixture import VSCODE

if TYPE_CHECKING:
    from tests.lsp.wire import Wire

CASES: dict[str, dict[str, Any]] = {
    case["id"]: case for case in json.loads(Path(__file__).with_name("cases.json").read_text("utf-8"))["cases"]
}
# Told of problems without having to ask.
CAPABILITIES = VSCODE | {"textDocument": {k: each for k, each in VSCODE["textDocument"].items() if k != "diagnostic"}}


class Case:
    """One case laid out in a folder, with a server that looks at it."""

    def __init__(self, case: dict[str, Any], folder: Path, wire: Wire) -> None:
        self.case = case
        self.folder = folder
        self.wire = wire
        self.expected: dict[str, Any] = case["expected"]
        self.action: dict[str, Any] = case["action"]
        self._versions: dict[str, int] = {}
        self._seen = len(wire.told)
        for path, text in case["files"].items():
            self.write(path, text.encode())
        self._generate()

    def _generate(self) -> None:
        recipe = self.case["generate"]
        if not recipe:
            return
        count = recipe["count"]
        if recipe["kind"] == "repeat":
            body = "".join(_filled(recipe["body"], index) for index in range(count))
            self.write(recipe["path"], (recipe["head"] + body).encode())
            return
        for index in range(count):
            last = index == count - 1 and "last_body" in recipe
            text = _filled(recipe["last_body"] if last else recipe["body"], index)
            self.write(_filled(recipe["path"], index), text.encode())

    # -- the client -------------------------------------------------------------------------------------------------

    def path(self, name: str) -> Path:
        """A file of the case."""
        return self.folder / name

    def uri(self, name: str) -> str:
        """The URI of a file; names with a scheme are URIs already."""
        return name if ":" in name else self.path(name).as_uri()

    def write(self, name: str, data: bytes) -> None:
        """Put a file on disk."""
        path = self.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    def open(self, name: str, text: str | None = None, language: str = "yaml") -> str:
        """Open a document unless it is open already."""
        uri = self.uri(name)
        if uri not in self._versions:
            self._versions[uri] = 1
            content = text if text is not None else self.path(name).read_bytes().decode()
            item = {"uri": uri, "languageId": language, "version": 1, "text": content}
            self.wire.tell("textDocument/didOpen", {"textDocument": item})
        return uri

    def change(self, name: str, text: str) -> None:
        """Replace the text of an open document."""
        uri = self.open(name)
        self._versions[uri] += 1
        self.wire.change(uri, self._versions[uri], {"text": text})

    def close(self, name: str) -> None:
        """Close a document without saving it."""
        uri = self.uri(name)
        if self._versions.pop(uri, None) is not None:
            self.wire.tell("textDocument/didClose", {"textDocument": {"uri": uri}})

    def close_all(self) -> None:
        """Close what is open, so that the next case begins with nothing."""
        for uri in list(self._versions):
            self.close(uri)

    def play(self, steps: list[dict[str, Any]]) -> None:
        """What the client or the file system does before the action."""
        for step in steps:
            if "open" in step:
                self.open(step["open"], step.get("text"), step.get("languageId", "yaml"))
            elif "replace" in step:
                name = step["change"]
                self.change(name, self.path(name).read_text("utf-8").replace(*step["replace"]))
            elif "change" in step:
                self.change(step["change"], step["text"])
            elif "close" in step:
                self.close(step["close"])
            elif "write" in step:
                self.write(step["write"], step["text"].encode())
            elif "write_bytes" in step:
                self.write(step["write_bytes"], bytes.fromhex(step["hex"]))
            elif "notify" in step:
                kind = {"created": 1, "changed": 2, "deleted": 3}[step["type"]]
                self.wire.tell(step["notify"], {"changes": [{"uri": self.uri(step["file"]), "type": kind}]})
            elif "symlink" in step:
                os.symlink(self.path(step["to"]), self.path(step["symlink"]), target_is_directory=True)

    # -- questions --------------------------------------------------------------------------------------------------

    def ask(self, method: str, name: str, where: dict[str, int] | None = None, **more: Any) -> Any:
        """The result of a request about a document, which is opened first."""
        uri = self.open(name)
        params: dict[str, Any] = {"textDocument": {"uri": uri}, **more}
        if where is not None:
            params["position"] = {"line": where["line"], "character": where["character"]}
        return self.wire.result(method, params)

    def diagnostics(self, name: str) -> list[dict[str, Any]]:
        """What stands in a file now."""
        uri = self.uri(name)
        if uri in self._versions:  # answered once it is read: a large one is read beside the requests
            self.wire.result("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
        self.wire.settle()
        found = [
            each["params"]["diagnostics"]
            for each in self.wire.told[self._seen :]
            if each["method"] == "textDocument/publishDiagnostics" and each["params"]["uri"] == uri
        ]
        return found[-1] if found else []

    def check_diagnostics(self, wanted: list[dict[str, Any]]) -> None:
        """Every listed diagnostic is there, as described."""
        for each in wanted:
            found = [one for one in self.diagnostics(each["file"]) if _is_like(one, each)]
            assert found, f"{each} is not among {json.dumps(self.diagnostics(each['file']), indent=1)}"
            for related in each.get("relatedInformation", []):
                places = [
                    (one["location"]["uri"], one["location"]["range"]["start"]["line"])
                    for one in found[0].get("relatedInformation", [])
                ]
                assert (self.uri(related["file"]), related["line"]) in places
            if "code_action" in each:
                actions = self.actions(each["file"], found[0])
                assert any(title.startswith(each["code_action"]) for title in actions), actions

    def actions(self, name: str, diagnostic: dict[str, Any]) -> list[str]:
        """The titles of the code actions for a diagnostic."""
        context = {"diagnostics": [diagnostic]}
        found = self.ask("textDocument/codeAction", name, range=diagnostic["range"], context=context)
        return [each["title"] for each in found or []]

    def merged(self, name: str) -> Any:
        """The merged config as the server has it."""
        answer = self.wire.result("workspace/executeCommand", {"command": "aj.merged", "arguments": [self.open(name)]})
        return answer["config"]


def _filled(recipe: str, index: int) -> str:
    """A recipe's text with ``{i}`` and ``{i+1}`` filled in, doubled braces made single."""
    filled = recipe.replace("{i+1}", str(index + 1)).replace("{i}", str(index))
    return filled.replace("{{", "{").replace("}}", "}")


_SEVERITIES = {"error": 1, "warning": 2, "information": 3, "hint": 4}


def _is_like(found: dict[str, Any], wanted: dict[str, Any]) -> bool:
    if found["code"] != wanted["code"]:
        return False
    if "severity" in wanted and found["severity"] != _SEVERITIES[wanted["severity"]]:
        return False
    if "range" in wanted and found["range"] != wanted["range"]:
        return False
    if "line" in wanted and found["range"]["start"]["line"] != wanted["line"]:
        return False
    return all(part in found["message"] for part in wanted.get("message_contains", []))


def contains(whole: Any, part: Any) -> bool:
    """Whether a value holds a part of it, at every level."""
    if isinstance(part, dict):
        return all(key in whole and contains(whole[key], value) for key, value in part.items())
    if isinstance(part, list):
        return len(whole) >= len(part) and all(contains(*pair) for pair in zip(whole, part, strict=False))
    return bool(whole == part)


def applied(text: str, edit: dict[str, Any]) -> str:
    """A text after one LSP edit (of texts without characters beyond the basic plane)."""
    where = edit.get("range") or edit["insert"]
    lines = text.split("\n")
    start, end = where["start"], where["end"]
    head = "\n".join([*lines[: start["line"]], lines[start["line"]][: start["character"]]])
    tail = "\n".join([lines[end["line"]][end["character"] :], *lines[end["line"] + 1 :]])
    return f"{head}{edit['newText']}{tail}"


def memory(wire: Wire) -> float:
    """The resident memory of the server, in MiB."""
    with open(f"/proc/{wire.process.pid}/status", encoding="ascii") as status:
        found = re.search(r"VmRSS:\s+(\d+) kB", status.read())
    assert found
    return int(found[1]) / 1024
