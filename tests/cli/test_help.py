"""The help of `aj` and of each verb: complete, with examples that are right."""

from __future__ import annotations

import shlex
from importlib import import_module
from typing import TYPE_CHECKING

import click
import pytest

from ajkit.cli.verbs import FIRST_STEPS, GROUPS, SUMMARIES, Verb, aj

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.cli.conftest import Person

WIDE = 110


def commands() -> Iterator[tuple[str, click.Command]]:
    """Every verb and sub-verb with its whole name."""
    for verb in SUMMARIES:
        command = import_module(f"ajkit.cli.{verb}").command
        yield verb, command
        if isinstance(command, click.Group):
            yield from ((f"{verb} {name}", below) for name, below in command.commands.items())


COMMANDS = dict(commands())


def examples() -> Iterator[str]:
    for command in COMMANDS.values():
        if isinstance(command, Verb):
            yield from (line for line, _ in command.examples)
    yield from (line for line, _ in FIRST_STEPS)


def test_the_help_lists_every_verb_in_its_group(person: Person) -> None:
    said = person.aj("--help")
    assert said.code == 0
    assert said.out == person.aj().err or person.aj().code == 2
    for group, verbs in GROUPS.items():
        assert f"\n{group}:\n" in said.out
        for verb in verbs:
            assert f"\n  {verb} " in said.out
    assert "_AJ_COMPLETE" in said.out


@pytest.mark.parametrize("name", COMMANDS)
def test_every_verb_teaches(person: Person, name: str) -> None:
    said = person.aj(*name.split(), "--help")
    assert said.code == 0
    assert said.out.startswith(f"Usage: aj {name} ")
    assert max(map(len, said.out.splitlines())) <= WIDE
    command = COMMANDS[name]
    if isinstance(command, Verb):
        assert "\nExamples:\n" in said.out
        assert command.examples
    undescribed = [each.name for each in command.params if isinstance(each, click.Option) and not each.help]
    assert undescribed == []
    assert person.aj(*name.split(), "-h") == said


@pytest.mark.parametrize("line", sorted(set(examples())))
def test_examples_can_be_typed(line: str) -> None:
    """Every example is a call that its verb takes; nothing is run."""
    words = shlex.split(line.partition(" > ")[0])
    assert words.pop(0) == "aj"
    command = COMMANDS[words.pop(0)]
    while isinstance(command, click.Group) and words:
        command = command.commands[words.pop(0)]
    command.make_context("x", words, resilient_parsing=False).close()


def test_summaries_are_sentences() -> None:
    assert all(text.endswith(".") and text[0].isupper() for text in SUMMARIES.values())


def test_a_typo_in_a_verb_is_answered_with_a_near_one(person: Person) -> None:
    said = person.aj("shwo")
    assert (said.code, said.out) == (2, "")
    assert "there is no verb `shwo`; did you mean `show`?" in said.err
    assert "aj --help lists them" in person.aj("zzz").err


def test_the_version(person: Person) -> None:
    said = person.aj("--version")
    assert said.code == 0
    assert said.out.startswith("aj ")


def test_the_group_is_named_aj() -> None:
    assert aj.name == "aj"
