"""Completion over whole files: no cursor fails, and what is accepted leaves a document that says what was promised."""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from ajkit.lsp import convert
from ajkit.shared.template.parse import parse
from ajkit.shared.template.tree import Mapping, Scalar, Sequence
from ajkit.shared.where import MISSING, Text, at
from tests.lsp.accepting import accepted
from tests.lsp.fixture import BARE, NEOVIM, VSCODE, Editor, editor
from tests.repository import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ajkit.shared.template.tree import Document, Entry, Node
    from ajkit.shared.where import Json, KeyPath

COMPLETION = "textDocument/completion"
CHOSEN = frozenset({"env", "storage", "tasks", "runtime_env"})
"""Mappings whose keys people choose, so that not each of them is proposed."""

STYLES = {
    "four-blanks": """\
base:
- project.train
- target.local

config:
    # words
    target:
        service: volcano   # the service
        queue: "gpu"
    jobs:
    -   name: x
        command:
        - python a.py
        - |
            block text
            more

        sku: G8
        submit_args: {env: {A: b, C: "d"}, container_args: {shm_size: 64g}}
    -   name: y
    environment: {image: a/b:1,
        setup: [one, two],
        registry: r}
    storage:
        data: &d
            storage_account_name: a
            container_name: c
        more:
            <<: *d
            mount_dir: /x
    description: >
        some words
        here
""",
    "flow": """\
{base: [project.train],
 config: {
   target: {service: slurm, queue: gpu},  # words
   jobs: [{name: x, command: [a, "b c"], submit_args: {max_run_duration_seconds: 5}},
          {sku: "{nodes}xG8"}],
   environment: {setup: ["one"], image: i}}}
""",
}


def files() -> dict[str, str]:
    """Every example and the styles above, by path."""
    folder = ROOT / "examples" / ".azure_jobs"
    found = {str(each.relative_to(folder)): each.read_text() for each in sorted(folder.rglob("*.yaml"))}
    return found | {f"template/{name}.yaml": text for name, text in STYLES.items()}


FILES = files()
HOME = "\n".join(f"--- .azure_jobs/{path}\n{text.rstrip()}" for path, text in FILES.items())


CLIENTS = {"snippets": VSCODE, "plain": BARE, "other": NEOVIM}


def clients(path: str) -> list[str]:
    """The clients that a file is tried with: one that takes snippets or one that does not, for the odd styles all."""
    if path in (f"template/{name}.yaml" for name in STYLES):
        return list(CLIENTS)
    return ["plain" if len(path) % 2 else "snippets"]


@cache
def workspace(client: str) -> Editor:
    """The home in an editor, opened once."""
    return editor(HOME, CLIENTS[client])


def opened(path: str, client: str) -> Editor:
    """One of the files, open beside the others, which are as they were."""
    found = workspace(client)
    uri = f"file:///w/.azure_jobs/{path}"
    for other in found.session.buffers:
        found.type(FILES[other.removeprefix("file:///w/.azure_jobs/")], uri=other)
    found.session.open(uri, FILES[path], 1, "yaml")
    return Editor(found.session, found.client, uri)


@dataclass
class State:
    """A text with a cursor, typed into an open document."""

    document: Editor
    content: str
    offset: int

    def items(self) -> list[dict[str, Any]]:
        """What is proposed."""
        self.document.type(self.content)
        text = Text("", self.content)
        self.document.cursors = [convert.position(text, self.offset, self.document.session.encoding)]
        found: list[dict[str, Any]] = self.document.ask(COMPLETION)["items"]
        return found

    def accept(self, item: dict[str, Any]) -> str:
        """The text after an item was accepted."""
        return accepted(self.document, item)


def entries(node: Node | None, path: KeyPath = ()) -> Iterator[tuple[KeyPath, Entry]]:
    """Every key that is written in a tree, with its path."""
    if isinstance(node, Mapping):
        for key, entry in node.entries.items():
            if entry.start >= node.start:
                yield (*path, key), entry
                yield from entries(entry.node, (*path, key))
    elif isinstance(node, Sequence):
        for index, item in enumerate(node.items):
            yield from entries(item, (*path, index))


def read(content: str) -> Document:
    return parse(Text("/t.yaml", content))


def value(document: Document) -> Json:
    return document.root.value if document.root is not None else None


def covers(new: Json, old: Json) -> bool:
    """Whether everything that was said before is still said at its place (items of lists may have moved down)."""
    if isinstance(old, dict):
        return isinstance(new, dict) and all(key in new and covers(new[key], below) for key, below in old.items())
    if isinstance(old, list):
        rest = iter(new if isinstance(new, list) else [])
        return all(any(covers(each, below) for each in rest) for below in old)
    return old is None or (type(new) is type(old) and new == old)


@pytest.mark.parametrize("path", FILES)
def test_on_an_empty_line_at_any_column_an_accepted_item_takes_nothing_away(path: str) -> None:
    draw = random.Random(path)
    lines = FILES[path].split("\n")
    for client in clients(path):
        document = opened(path, client)
        for number in range(len(lines)):
            for column in draw.sample(range(14), 3):
                before = "\n".join([*lines[:number], " " * column])
                state = State(document, "\n".join([before, *lines[number:]]), len(before))
                items = state.items()
                kept = value(read(state.content))
                for item in draw.sample(items, min(2, len(items))):
                    new = read(state.accept(item))
                    assert new.problems == (), new.text.content
                    assert covers(value(new), kept), new.text.content
                    assert value(new) != kept or item["label"] in {"base", "null"}, new.text.content


@pytest.mark.parametrize("path", FILES)
def test_a_key_typed_half_is_completed_to_the_text_as_it_was(path: str) -> None:
    source = FILES[path]
    for client in clients(path):
        document = opened(path, client)
        for keys, entry in entries(read(source).root):
            key = str(keys[-1])
            for length in {1, len(key) // 2} - {0}:
                state = State(
                    document, source[: entry.start] + key[:length] + source[entry.end :], entry.start + length
                )
                found = [each for each in state.items() if each["label"] == key]
                if found:
                    assert state.accept(found[0]) == source
                else:
                    assert not CHOSEN.isdisjoint(keys[:-1]) or key == "<<", (keys, state.content)


@pytest.mark.parametrize("path", FILES)
def test_a_line_that_is_half_a_key_becomes_that_key_at_its_place(path: str) -> None:
    source = FILES[path]
    text, document = Text("", source), read(source)
    for client in clients(path):
        typed = opened(path, client)
        for keys, entry in entries(document.root):
            line = text.position(entry.start).line
            end = text.starts[line] + len(text.line(line))
            rest = source[entry.end : end]
            several = "\n" in source[entry.end : entry.node.end] and rest[1:]
            if several or any(each in text.line(line) for each in "{}[]|>&*"):
                continue  # what else the line opens would be lost with it
            key = str(keys[-1])
            state = State(
                typed, source[: entry.start] + key[: len(key) // 2] + source[end:], entry.start + len(key) // 2
            )
            found = [each for each in state.items() if each["label"] == key]
            if not found:
                assert not CHOSEN.isdisjoint(keys[:-1]), (keys, state.content)
                continue
            new = read(state.accept(found[0]))
            assert new.problems == (), new.text.content
            assert at(value(new), keys) is not MISSING, new.text.content


@pytest.mark.parametrize("path", FILES)
def test_a_value_that_is_accepted_is_the_value(path: str) -> None:
    source = FILES[path]
    for client in clients(path):
        document = opened(path, client)
        for keys, entry in entries(read(source).root):
            node = entry.node
            if not isinstance(node, Scalar) or not node.raw or source[entry.end : node.start].count("\n"):
                continue
            if source[node.start] in "*|>":
                continue
            for start in (node.start, node.start - 1):
                state = State(document, source[:start] + source[node.end :], start)
                for item in state.items():
                    new = read(state.accept(item))
                    assert new.problems == (), new.text.content
                    assert _says(at(value(new), keys), item["label"]), (item["label"], new.text.content)


def _says(found: object, label: str) -> bool:
    if isinstance(found, dict):
        return label.startswith("{from_") or label in found
    spelt = {"None": "null", "True": "true", "False": "false"}
    return label == spelt.get(str(found), str(found))


@pytest.mark.parametrize("path", FILES)
def test_every_beginning_of_a_file_and_every_cursor_gets_an_answer(path: str) -> None:
    source = FILES[path]
    document = opened(path, clients(path)[0])
    draw = random.Random(path)
    for offset in draw.sample(range(len(source)), min(30, len(source))):
        State(document, source[:offset], offset).items()
    document.type(source)
    text = Text("", source)
    for line in range(len(text.starts)):
        for column in range(0, len(text.line(line)) + 1, 5):
            document.cursors = [{"line": line, "character": column}]
            document.ask(COMPLETION)


def test_texts_with_something_wrong_get_an_answer() -> None:
    draw = random.Random(1)
    document = opened("template/four-blanks.yaml", "plain")
    pieces = [
        '"',
        "'",
        "[",
        "{",
        "- ",
        ":",
        "\t",
        "#",
        "|",
        "\n",
        "]",
        "}",
        "&a ",
        "*a",
        "!x ",
        "? ",
        "%",
        ",",
        "$",
        "é",
    ]
    pieces += ["😀", "\u2028", "\r", "\x00", "", "---\n", "<<: "]
    for _ in range(250):
        source = draw.choice(list(FILES.values()))
        start = draw.randrange(len(source))
        end = min(len(source), start + draw.choice([0, 1, 5, 20]))
        content = source[:start] + draw.choice(pieces) + source[end:]
        text = Text("", content)
        offset = text.offset(*text.position(min(len(content), max(0, start + draw.randint(-3, 8)))))
        state = State(document, content, offset)
        for item in state.items()[:2]:
            state.accept(item)
