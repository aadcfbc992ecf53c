"""Edit scripts at the wire: after every step the set that the editor shows, and how often it was told."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from tests.lsp.wire import Wire

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FILES = {
    "leaf": "base: common\nconfig: {target: {service: local}}\n",
    "second": "base: common\nconfig: {target: {service: local}, jobs: [{command: [y]}]}\n",
    "common": "config: {jobs: [{command: [x]}]}\n",
}
BROKEN = "config: {jobs: [{command: [x]}\n"
PUBLISH = "textDocument/publishDiagnostics"


class Script:
    """A person at an editor that is pushed diagnostics; templates go by their names."""

    def __init__(self, wire: Wire) -> None:
        self.wire = wire
        self.versions: dict[str, int] = {}
        self._seen = 0

    def path(self, name: str) -> Path:
        folder = self.wire.folder / ".aj"
        return folder / name if name == "aj.toml" else folder / "template" / f"{name}.yaml"

    def uri(self, name: str) -> str:
        return self.path(name).as_uri()

    # -- steps ------------------------------------------------------------------------------------------------------

    def open(self, *names: str, text: str | None = None) -> None:
        for name in names:
            self.versions[name] = 1
            self.wire.open(self.path(name), text)

    def type(self, name: str, text: str) -> None:
        self.versions[name] += 1
        self.wire.change(self.uri(name), self.versions[name], {"text": text})

    def save(self, name: str, text: str) -> None:
        self._put(name, text)
        self.wire.tell("textDocument/didSave", {"textDocument": {"uri": self.uri(name)}})
        self.watched(name)

    def close(self, name: str) -> None:
        del self.versions[name]
        self.wire.tell("textDocument/didClose", {"textDocument": {"uri": self.uri(name)}})

    def write(self, name: str, text: str) -> None:
        """Somebody else writes a file."""
        self._put(name, text)
        self.watched(name)

    def _put(self, name: str, text: str) -> None:
        """Write a file in one step: the server looks at it by itself, too, and must not meet the half of it."""
        new = self.wire.folder / "new"
        new.write_text(text)
        new.replace(self.path(name))

    def delete(self, name: str) -> None:
        self.path(name).unlink()
        self.watched(name)

    def watched(self, *names: str) -> None:
        changes = [{"uri": self.uri(name), "type": 2 if self.path(name).exists() else 3} for name in names]
        self.wire.tell("workspace/didChangeWatchedFiles", {"changes": changes})

    def rename(self, old: str, new: str) -> None:
        """The editor renames a file: it asks for edits, makes them, moves the file, and tells of all that."""
        files = {"files": [{"oldUri": self.uri(old), "newUri": self.uri(new)}]}
        edit = self.wire.result("workspace/willRenameFiles", files)
        for uri, changes in edit["changes"].items():
            name = next(each for each in self.versions if self.uri(each) == uri)
            self.versions[name] += 1
            self.wire.change(
                uri, self.versions[name], *({"range": each["range"], "text": each["newText"]} for each in changes)
            )
        self.path(old).rename(self.path(new))
        self.wire.tell("workspace/didRenameFiles", files)
        self.watched(old, new)

    # -- what came of it --------------------------------------------------------------------------------------------

    def settle(self) -> None:
        """Wait until everything that follows from the steps so far has been told."""
        assert self.wire.settle() == {"ready"} or not self.versions

    def told(self) -> list[dict[str, Any]]:
        """What was published, in order."""
        return [each["params"] for each in list(self.wire.told) if each["method"] == PUBLISH]

    def shown(self) -> dict[str, list[str]]:
        """What the editor shows now: the codes of every file that has some."""
        last = {each["uri"]: [item["code"] for item in each["diagnostics"]] for each in self.told()}
        return {path_name(uri): codes for uri, codes in last.items() if codes}

    def expect(self, publishes: dict[str, int], **shown: list[str]) -> None:
        """What is shown, and how often each file was told of since the last look."""
        self.settle()
        told = self.told()
        assert self.shown() == shown
        assert Counter(path_name(each["uri"]) for each in told[self._seen :]) == publishes
        self._seen = len(told)
        last: dict[str, Any] = {}
        for each in told:
            assert each != last.get(each["uri"]), "the same was told twice"
            last[each["uri"]] = each


def path_name(uri: str) -> str:
    return uri.rpartition("/")[2].removesuffix(".yaml")


@pytest.fixture
def script(tmp_path: Path) -> Iterator[Script]:
    folder = tmp_path / ".aj" / "template"
    folder.mkdir(parents=True)
    for name, text in FILES.items():
        (folder / f"{name}.yaml").write_text(text)
    with Wire(tmp_path) as wire:
        wire.initialize()
        yield Script(wire)
        assert wire.finish() == 0
        assert list(wire.stderr) == []


def test_an_unsaved_base_and_its_dependents(script: Script) -> None:
    script.open("leaf", "second", "common")
    script.expect({"leaf": 1, "second": 1, "common": 1})
    script.type("common", BROKEN)
    broken = {"leaf": ["base.broken"], "second": ["base.broken"], "common": ["yaml.syntax"]}
    script.expect({"leaf": 1, "second": 1, "common": 1}, **broken)
    for end in ("# a\n", "# ab\n", "# abc\n"):
        script.type("common", BROKEN + end)
        script.settle()
    script.expect({"common": 3}, **broken)
    script.type("common", FILES["common"])
    script.expect({"leaf": 1, "second": 1, "common": 1})
    script.save("common", FILES["common"])
    script.expect({})


def test_a_base_that_is_not_open(script: Script) -> None:
    script.open("leaf")
    script.expect({"leaf": 1})
    script.write("common", FILES["common"] + "# nothing that matters\n")
    script.expect({})
    script.write("common", BROKEN)
    script.expect({"leaf": 1, "common": 1}, leaf=["base.broken"], common=["yaml.syntax"])
    script.open("common")
    script.expect({"common": 1}, leaf=["base.broken"], common=["yaml.syntax"])
    script.close("common")
    script.expect({"common": 1}, leaf=["base.broken"], common=["yaml.syntax"])
    script.delete("common")
    script.expect({"leaf": 1, "common": 1}, leaf=["base.missing"])
    script.write("common", FILES["common"])
    script.expect({"leaf": 1})


def test_what_closes_takes_its_problems_along(script: Script) -> None:
    script.write("common", BROKEN)
    script.open("leaf", "second", text="base: common\nconfig: {targett: {}}\n")
    script.expect(
        {"leaf": 1, "second": 1, "common": 1},
        leaf=["base.broken", "schema.unknown-key"],
        second=["base.broken", "schema.unknown-key"],
        common=["yaml.syntax"],
    )
    script.close("leaf")
    script.expect({"leaf": 1}, second=["base.broken", "schema.unknown-key"], common=["yaml.syntax"])
    script.close("second")
    script.expect({"second": 1, "common": 1})


def test_a_base_closed_without_saving(script: Script) -> None:
    script.open("leaf", "common")
    script.type("common", BROKEN)
    script.settle()
    script.expect({"leaf": 2, "common": 2}, leaf=["base.broken"], common=["yaml.syntax"])
    script.close("common")
    script.expect({"leaf": 1, "common": 1})


def test_the_buffer_counts_and_not_what_others_write(script: Script) -> None:
    script.open("leaf", "common")
    script.type("common", FILES["common"] + "# mine\n")
    script.expect({"leaf": 1, "common": 2})
    script.write("common", BROKEN)
    script.expect({})
    script.delete("common")
    script.expect({})
    script.close("common")
    script.expect({"leaf": 1, "common": 1}, leaf=["base.missing"])


def test_a_base_is_renamed(script: Script) -> None:
    script.open("leaf", "second", "common")
    script.expect({"leaf": 1, "second": 1, "common": 1})
    script.rename("common", "shared")
    script.close("common")
    script.open("shared")
    script.settle()
    assert script.shown() == {}
    told = [(path_name(each["uri"]), [item["code"] for item in each["diagnostics"]]) for each in script.told()[3:]]
    assert Counter(name for name, _ in told)["shared"] == 1
    assert told[-1] == ("shared", [])
    # Between the edits and the move the new name leads nowhere, and nothing extends the old file.
    assert {code for _, codes in told for code in codes} <= {"base.missing", "schema.required"}


def test_settings_of_the_home(script: Script) -> None:
    script.open("leaf", text="base: common\nconfig: {target: {service: local}, targett: 1}\n")
    script.expect({"leaf": 1}, leaf=["schema.unknown-key"])
    script.write("aj.toml", '[severity]\n"schema.unknown-key" = "error"\n')
    script.expect({"leaf": 1}, leaf=["schema.unknown-key"])
    assert script.told()[-1]["diagnostics"][0]["severity"] == 1
    script.write("aj.toml", '[severity]\n"schema.unknown-key" = "error"\n# again\n')
    script.expect({}, leaf=["schema.unknown-key"])


def test_without_watchers(script: Script) -> None:
    """Editors that watch nothing: what open templates read is looked at again by itself."""
    script.watched = lambda *_: None  # type: ignore[method-assign]
    script.open("leaf")
    script.expect({"leaf": 1})
    for text, codes in ((BROKEN, ["base.broken"]), (FILES["common"], [])):
        seen = len(script.wire.told)
        script.write("common", text)
        script.wire.wait_told(PUBLISH, lambda each: each["uri"] == script.uri("leaf"), after=seen)
        script.settle()
        assert script.shown().get("leaf", []) == codes
    script.expect({"leaf": 2, "common": 2})


def test_many_edits_at_once_are_told_of_once(script: Script) -> None:
    script.open("leaf", "common")
    script.expect({"leaf": 1, "common": 1})
    for number in range(60):
        script.type("common", (BROKEN if number % 2 else FILES["common"]) + f"# {number}\n")
    script.settle()
    assert script.shown() == {"leaf": ["base.broken"], "common": ["yaml.syntax"]}
    told = Counter(path_name(each["uri"]) for each in script.told())
    assert script.told()[-1]["version"] in (1, 61)
    assert told["common"] <= 61
    versions = [each["version"] for each in script.told() if path_name(each["uri"]) == "common"]
    assert versions == sorted(set(versions)), "each version once, in order"
    assert versions[-1] == 61


def test_related_places_go_by_the_name_that_the_editor_gave(tmp_path: Path) -> None:
    folder = tmp_path / ".aj" / "template"
    folder.mkdir(parents=True)
    (folder / "leaf.yaml").write_text(FILES["leaf"])
    (folder / "common.yaml").write_text(BROKEN)
    with Wire(tmp_path) as wire:
        wire.initialize({"textDocument": {"publishDiagnostics": {"relatedInformation": True}}})
        script = Script(wire)
        script.open("leaf")
        ours = script.uri("common")
        theirs = ours.replace("common", "%63ommon")

        def related() -> str:
            script.settle()
            last = [each for each in script.told() if each["uri"] == script.uri("leaf")][-1]
            (found,) = last["diagnostics"][0]["relatedInformation"]
            return str(found["location"]["uri"])

        assert related() == ours
        document = {"uri": theirs, "languageId": "yaml", "version": 1, "text": BROKEN}
        wire.tell("textDocument/didOpen", {"textDocument": document})
        assert related() == theirs
        wire.tell("textDocument/didClose", {"textDocument": {"uri": theirs}})
        assert related() == ours
        assert wire.finish() == 0
