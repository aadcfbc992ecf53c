"""The command of a job: lines and words in, one bash script out."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ajkit.shared.job.command import job_command, script_candidate, script_of, words_line
from ajkit.shared.job.request import Ambient, JobRequest
from ajkit.shared.problem import Finding, UsageError

SCRIPTS = Ambient(scripts=frozenset({"train.py", "./train.py", "tools/prepare.sh"}))


def request(*words: str, shell: bool = False) -> JobRequest:
    return JobRequest("/w/leaf.yaml", command=words, shell=shell)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ((), None),
        (("python", "train.py"), "python train.py"),
        (("echo", "two words", "$HOME", "it's"), """echo 'two words' '$HOME' 'it'"'"'s'"""),
        (("echo", ""), "echo ''"),
        (("train.py", "--lr", "0.1"), "python train.py --lr 0.1"),
        (("./train.py",), "python ./train.py"),
        (("tools/prepare.sh", "a b"), "bash tools/prepare.sh 'a b'"),
        (("missing.py",), "missing.py"),
    ],
)
def test_words_are_quoted_and_scripts_get_their_runner(words: tuple[str, ...], line: str | None) -> None:
    assert words_line(request(*words), SCRIPTS) == line


def test_a_shell_line_is_taken_as_it_is() -> None:
    assert words_line(request("cd src && ./run.sh $HOME", shell=True), SCRIPTS) == "cd src && ./run.sh $HOME"
    assert words_line(request("train.py", shell=True), SCRIPTS) == "train.py"


@pytest.mark.parametrize("words", [(), ("one", "two")])
def test_a_shell_line_is_one_word(words: tuple[str, ...]) -> None:
    with pytest.raises(UsageError, match="--shell takes one word"):
        words_line(request(*words, shell=True), SCRIPTS)


@pytest.mark.parametrize(
    ("word", "candidate"),
    [
        ("train.py", "train.py"),
        ("sub/../train.py", "sub/../train.py"),
        ("run.sh", "run.sh"),
        ("../train.py", None),
        ("a/../../train.py", None),
        ("/opt/train.py", None),
        ("train", None),
        ("train.pyc", None),
        (".py", None),
    ],
)
def test_which_words_could_be_scripts_under_the_code_folder(word: str, candidate: str | None) -> None:
    assert script_candidate(request(word)) == candidate
    assert script_candidate(request(word, shell=True)) is None


def test_only_an_existing_script_counts() -> None:
    assert script_of(request("train.py"), SCRIPTS) == "train.py"
    assert script_of(request("train.py"), Ambient()) is None


@pytest.mark.parametrize(
    ("lines", "words", "script"),
    [
        (["python a.py"], None, "python a.py"),
        (["cd src", "python a.py"], None, "cd src\npython a.py"),
        (["cd src"], "python a.py", "cd src\npython a.py"),
        ([], "python a.py", "python a.py"),
        (["if x; then\n  y\nfi\n", "z"], None, "if x; then\n  y\nfi\nz"),
        (["a\n\n", "b"], None, "a\n\nb"),
    ],
)
def test_lines_then_words_are_one_script(lines: list[str], words: str | None, script: str) -> None:
    assert job_command(lines, words) == script


@pytest.mark.parametrize("lines", [[], [""], ["  ", "\n"]])
def test_command_missing(lines: list[str]) -> None:
    found = job_command(lines, None)
    assert isinstance(found, Finding)
    assert (found.code, found.path) == ("command.missing", ("jobs", 0, "command"))
    assert "jobs[0].command" in found.message


words = st.lists(
    st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=8), min_size=1, max_size=5
)


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here to read the line back")
@settings(max_examples=40)
@given(words)
def test_bash_reads_back_the_words_it_was_given(given_words: list[str]) -> None:
    line = words_line(request("printf", "%s\\0", *given_words), Ambient())
    assert line is not None
    done = subprocess.run(["bash", "-c", line], capture_output=True, check=True)
    assert done.stdout.decode().split("\0")[:-1] == given_words
