"""What is told of a session that went through anything is what a new one over the same files and buffers tells."""

from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING, Any

import pytest

from ajkit.lsp import convert
from ajkit.lsp.capabilities import Client
from ajkit.lsp.indexing import homes_in_use
from ajkit.lsp.session import Session
from ajkit.shared.files import MemoryFiles
from ajkit.shared.template.graph import Graph, reading
from tests.lsp.fixture import VSCODE

if TYPE_CHECKING:
    from collections.abc import Callable

HOME, OTHER = "/w/.aj", "/v/.aj"
LINKS = {"/l": "/w", f"{HOME}/template/link.yaml": f"{HOME}/template/b.yaml"}
NAMES = [*(f"{HOME}/template/{name}.yaml" for name in ("a", "b", "c", "sub/d", "link")), f"{OTHER}/template/x.yaml"]
SETTINGS = [f"{HOME}/aj.toml", f"{OTHER}/aj.toml"]
BASES = ("a", "b", "c", "d", "sub.d", "template.sub.d", "template.a", "link", "nowhere")
LINES = (
    "target: {service: local}",
    "target: {service: volcano}",
    "target: {servce: aml}",
    "jobs: [{command: [x], sku: C1}, {command: [y]}]",
    "jobs: [{command: [$$x, x]}]",
    "storage: {data: {container_name: x}}",
    "storage:",
    "description: on",
    "jobs: [",
)
Diagnostics = dict[str, list[dict[str, Any]]]


def template(dice: random.Random) -> str:
    """A small template, as often wrong as right."""
    names = dice.sample(BASES, dice.choice([0, 1, 1, 2]))
    head = f"base: [{', '.join(names)}]\n" if names else ""
    return head + "config:\n" + "".join(f"  {each}\n" for each in dice.sample(LINES, dice.randrange(4)))


def settings(dice: random.Random) -> str:
    return dice.choice(["", 'with = ["c"]\n', 'severity = {"schema.unknown-key" = "error"}\n', "bad =\n"])


class Story:
    """An editor over files in memory, with others at work on them."""

    def __init__(self, files: dict[str, str | bytes]) -> None:
        self.memory = MemoryFiles(files, LINKS)
        self.session = Session(self.memory, folder="/w")
        self.client = Client(VSCODE)

    def read_homes(self, session: Session) -> None:
        """What the server does beside everything else."""
        for home in homes_in_use(session):
            if session.wants_graph(home):
                graph = Graph(home)
                for _ in reading(session.files, graph, session.engine.globbed(home)):
                    pass
                session.graph_is_read(graph)

    def step(self, dice: random.Random) -> None:
        """Open, type, close, or let somebody else write or delete a file."""
        what = dice.choice([self._open, self._type, self._type, self._type, self._close, self._write, self._delete])
        what(dice)
        self.read_homes(self.session)

    def _open(self, dice: random.Random) -> None:
        path = dice.choice(NAMES)
        if self.memory.kind(path) == "file" and not self._is_open(path):
            self.session.open(convert.uri_of(path), self.memory.read(path, 1 << 20).decode(), 1, "yaml")

    def _type(self, dice: random.Random) -> None:
        for uri in dice.sample(list(self.session.buffers), min(1, len(self.session.buffers))):
            self.session.change(uri, [{"text": template(dice)}], 2)

    def _close(self, dice: random.Random) -> None:
        for uri in dice.sample(list(self.session.buffers), min(1, len(self.session.buffers))):
            self.session.close(uri)

    def _write(self, dice: random.Random) -> None:
        path = dice.choice([*NAMES, *SETTINGS, NAMES[1].replace("/w", "/l")])
        if not self._is_open(path):
            self.memory.write(self.memory.real(path), settings(dice) if path in SETTINGS else template(dice))
            self.session.changed([path])

    def _delete(self, dice: random.Random) -> None:
        path = dice.choice(NAMES)
        if not self._is_open(path):
            self.memory.remove(self.memory.real(path))
            self.session.changed([path])

    def _is_open(self, path: str) -> bool:
        return self.memory.real(path) in {self.memory.real(each.path) for each in self.session.buffers.values()}

    def new_session(self) -> Session:
        """Another editor that opens the same buffers now."""
        found = Session(self.memory, folder="/w")
        for each in self.session.buffers.values():
            found.open(each.uri, each.text.content, each.version, each.language)
        self.read_homes(found)
        return found

    def opened(self, session: Session) -> Diagnostics:
        """What is told of open documents."""
        return {uri: items for uri, items in session.reports.of_open(session, self.client).items() if items}

    def workspace(self, session: Session) -> Diagnostics:
        """What is told to who asks for the whole workspace."""
        found = asyncio.run(session.workspace.reports(session, self.client, {}))
        return {each["uri"]: each["items"] for each in found if each["items"]}


@pytest.mark.parametrize("tell", [Story.opened, Story.workspace])
@pytest.mark.parametrize("seed", range(6))
def test_after_anything_it_is_what_a_new_session_tells(
    seed: int, tell: Callable[[Story, Session], Diagnostics]
) -> None:
    dice = random.Random(seed)
    keep: dict[str, str | bytes] = {f"{home}/template/keep.yaml": template(dice) for home in (HOME, OTHER)}
    story = Story(keep | {path: template(dice) for path in NAMES[:-2] if dice.random() < 0.8})
    for _ in range(25):
        story.step(dice)
        assert tell(story, story.session) == tell(story, story.new_session())


def story(fixture: dict[str, str], *opened: str) -> Story:
    found = Story({f"{HOME}/{name}": text for name, text in fixture.items()})
    for name in opened:
        found.session.open(convert.uri_of(f"{HOME}/{name}"), fixture[name], 1, "yaml")
    found.read_homes(found.session)
    return found


def codes(told: Diagnostics, path: str) -> list[str]:
    return [each["code"] for each in told.get(convert.uri_of(path), [])]


def test_a_base_that_an_open_buffer_ceases_to_extend_must_be_complete() -> None:
    there = story(
        {"template/a.yaml": "base: b\nconfig: {}\n", "template/b.yaml": "config: {description: x}\n"},
        "template/a.yaml",
        "template/b.yaml",
    )
    base = f"{HOME}/template/b.yaml"
    assert codes(there.opened(there.session), base) == []
    there.session.change(convert.uri_of(f"{HOME}/template/a.yaml"), [{"text": "config: {}\n"}], 2)
    assert codes(there.opened(there.session), base) == ["schema.required"]


def test_a_missing_base_is_found_by_whichever_path_somebody_tells_of_it() -> None:
    there = Story({f"{HOME}/template/a.yaml": "base: b\nconfig: {}\n"})
    leaf = "/l/.aj/template/a.yaml"
    there.session.open(convert.uri_of(leaf), "base: b\nconfig: {}\n", 1, "yaml")
    there.read_homes(there.session)
    assert "base.missing" in codes(there.opened(there.session), leaf)
    there.memory.write(f"{HOME}/template/b.yaml", "config: {}\n")
    there.session.changed([f"{HOME}/template/b.yaml"])
    assert "base.missing" not in codes(there.opened(there.session), leaf)


def test_a_near_name_is_named_once_it_is_there_and_no_longer_than_that() -> None:
    there = story({"template/a.yaml": "base: comon\nconfig: {}\n"}, "template/a.yaml")
    near, leaf = f"{HOME}/template/common.yaml", convert.uri_of(f"{HOME}/template/a.yaml")

    def told() -> list[bool]:
        return [
            "did you mean `common`" in next(each["message"] for each in found[leaf] if each["code"] == "base.missing")
            for found in (there.opened(there.session), there.workspace(there.session))
        ]

    assert told() == [False, False]
    there.memory.write(near, "config: {}\n")
    there.session.changed([near])
    there.read_homes(there.session)
    assert told() == [True, True]
    there.memory.remove(near)
    there.session.changed([near])
    there.read_homes(there.session)
    assert told() == [False, False]


def test_what_aj_toml_lays_over_all_is_told_of_anew_when_it_changes() -> None:
    leaf = "config: {target: {service: local}, jobs: [{command: [x]}]}\n"
    there = story({"template/a.yaml": leaf, "aj.toml": 'with = ["parts.over"]\n'})
    over = f"{HOME}/parts/over.yaml"
    assert codes(there.workspace(there.session), f"{HOME}/aj.toml") == ["base.missing"]
    there.memory.write(over, "config: {}\n")
    there.session.changed([over])
    assert codes(there.workspace(there.session), f"{HOME}/aj.toml") == []


def test_a_home_that_nothing_is_open_of_any_more_is_told_of_no_longer() -> None:
    there = Story({f"{HOME}/template/a.yaml": "", f"{OTHER}/template/x.yaml": "base: nowhere\nconfig: {}\n"})
    uri = convert.uri_of(f"{OTHER}/template/x.yaml")
    there.session.open(uri, "base: nowhere\nconfig: {}\n", 1, "yaml")
    assert uri in there.workspace(there.session)
    there.session.close(uri)
    assert uri not in there.workspace(there.session)
