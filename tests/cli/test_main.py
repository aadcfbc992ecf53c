"""The process `aj`: exit codes, pure standard output, pipes that break, disks that fill, faults without a traceback."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.cli.conftest import TRAIN

if TYPE_CHECKING:
    from tests.cli.conftest import Person

AJ = [sys.executable, "-m", "ajkit.cli"]


def environ(**others: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("AJ_", "PYTHON", "LC_", "LANG"))}
    return {**kept, **others}


def aj(person: Person, *arguments: str, **settings: str) -> subprocess.CompletedProcess[bytes]:
    """Run `aj` as a process of its own; `settings` are variables."""
    return subprocess.run(
        [*AJ, *arguments], cwd=person.folder, env=environ(**settings), capture_output=True, check=False
    )


@pytest.fixture
def huge(person: Person) -> Person:
    """A person whose one template is larger than any pipe holds."""
    items = "".join(f"    item{each}: {'x' * 50}\n" for each in range(4000))
    return person.draw(f"--- .aj/template/huge.yaml\nconfig:\n  _extra:\n{items}")


def test_exit_codes(person: Person) -> None:
    person.draw(TRAIN)
    for arguments, code in (
        (["show"], 0),
        (["show", "./gone.yaml"], 1),
        (["show", "gone"], 2),
        (["show", "--bogus"], 2),
        (["bogus"], 2),
        ([], 2),
        (["--version"], 0),
    ):
        done = aj(person, *arguments)
        assert done.returncode == code, arguments
        assert b"Traceback" not in done.stderr
        assert (done.stdout != b"") == (code == 0), arguments


def test_a_reader_that_goes_away_is_no_fault(huge: Person) -> None:
    for arguments in (["show"], ["show", "--format", "json"], ["show", "--origins"]):
        started = subprocess.Popen(
            [*AJ, *arguments],
            cwd=huge.folder,
            env=environ(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert started.stdout is not None
        assert started.stderr is not None
        with started.stdout:
            started.stdout.read(10)
        with started.stderr:
            errors = started.stderr.read()
        assert (started.wait(), errors) == (141, b"")


def test_an_answer_that_cannot_be_written_is_said(huge: Person, person: Person) -> None:
    with open("/dev/full", "wb") as full:
        for arguments in (["show"], ["--help"], ["show", "--help"]):
            done = subprocess.run(
                [*AJ, *arguments], cwd=huge.folder, env=environ(), stdout=full, stderr=subprocess.PIPE, check=False
            )
            assert done.returncode == 1
            assert done.stderr == b"aj: cannot write the answer: No space left on device\n"


def test_closed_streams(huge: Person) -> None:
    for redirection in (">&-", "2>&-", ">&- 2>&-", "<&-"):
        script = f'"$0" -m ajkit.cli show {redirection}'
        done = subprocess.run(
            ["bash", "-c", script, sys.executable], cwd=huge.folder, env=environ(), capture_output=True, check=False
        )
        assert b"Traceback" not in done.stderr, redirection
        assert done.returncode == (1 if redirection.startswith(">&-") else 0), redirection
        if redirection == ">&-":
            assert done.stderr == b"aj: cannot write the answer: standard output is closed\n"


def test_data_is_utf_8_whatever_the_locale(person: Person) -> None:
    person.draw("--- .aj/template/a.yaml\nconfig: {description: über 🚀}\n")
    for settings in ({"LC_ALL": "C"}, {"PYTHONIOENCODING": "latin-1"}, {"LC_ALL": "C", "PYTHONUTF8": "0"}):
        done = aj(person, "show", **settings)
        assert done.stdout.decode() == 'description: "über 🚀"\n'


def test_odd_names_and_bytes(person: Person) -> None:
    folder = person.folder / ".aj" / "template"
    folder.mkdir(parents=True)
    for name in (b"a b.yaml", b"new\nline.yaml", b"bytes\xff.yaml", b"esc\x1b[31m.yaml"):
        with open(os.fsencode(folder) + b"/" + name, "wb") as file:
            file.write(b"base: gone\nconfig: {target: {service: local}}\n")
    for arguments in (
        ["check"],
        ["list"],
        ["graph", "--format", "svg"],
        ["check", "--format", "json"],
        ["show", "--origins", "--partial", ".aj/template/new\nline.yaml"],
    ):
        done = aj(person, *arguments)
        assert b"mistake in aj" not in done.stderr, (arguments, done.stderr)
        assert b"Traceback" not in done.stderr
        assert b"\x1b[31m" not in done.stdout + done.stderr or "--format" in arguments
    assert aj(person, "run", "--dry-run", os.fsdecode(b"\xff")).returncode == 2


def test_a_folder_that_went_away(person: Person) -> None:
    gone = person.folder / "gone"
    gone.mkdir()
    script = f'rmdir {gone}; "$0" -m ajkit.cli show'
    done = subprocess.run(
        ["bash", "-c", script, sys.executable], cwd=gone, env=environ(), capture_output=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr.startswith(b"aj: the working directory does not exist any more")


def test_a_mistake_of_ours_is_one_line_and_a_traceback_on_demand(
    person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("first line\nsecond")

    monkeypatch.setattr("ajkit.engine.Engine.find", broken)
    monkeypatch.delenv("AJ_DEBUG", raising=False)
    said = person.aj("show")
    assert (said.code, said.out) == (1, "")
    assert said.err.startswith("aj: this is a mistake in aj: ZeroDivisionError: first line (please report it ")
    assert said.err.count("\n") == 1
    monkeypatch.setenv("AJ_DEBUG", "1")
    assert "Traceback" in person.aj("show").err


def test_an_interrupt_is_130(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("ajkit.engine.Engine.find", interrupted)
    said = person.aj("show")
    assert (said.code, said.out, said.err) == (130, "", "\naj: interrupted\n")


def test_colours_are_for_terminals(person: Person) -> None:
    person.draw("--- .aj/template/a.yaml\nbase: gone\n")
    assert b"\x1b[" not in aj(person, "show").stderr
    coloured = {
        (): True,
        (("NO_COLOR", "1"),): False,
        (("NO_COLOR", ""),): True,
        (("TERM", "dumb"),): False,
    }
    for settings, expected in coloured.items():
        ours, theirs = pty.openpty()
        variables = {"TERM": "xterm", **dict(settings)}
        started = subprocess.Popen([*AJ, "show", "a"], cwd=person.folder, env=environ(**variables), stderr=theirs)
        os.close(theirs)
        shown = b""
        try:
            while data := os.read(ours, 4096):
                shown += data
        except OSError:
            pass
        os.close(ours)
        assert started.wait() == 1
        assert (b"\x1b[" in shown) is expected, settings


def test_pydantic_finds_no_plugins_and_all_else_it_wants() -> None:
    script = """if True:
        import sys
        from ajkit.cli.main import _NoPlugins
        _NoPlugins.install()
        from pydantic import BaseModel
        class A(BaseModel):
            a: int
        assert A.model_validate({"a": "1"}).a == 1
        assert "importlib.metadata" not in sys.modules
        loader = sys.modules["pydantic.plugin._loader"]
        assert list(loader.get_plugins()) == []
        assert loader.PYDANTIC_ENTRY_POINT_GROUP == "pydantic"
        assert sys.modules["pydantic.plugin._loader"] is not loader
    """
    subprocess.run([sys.executable, "-c", script], env=environ(), check=True)


def test_odd_names_in_every_report(person: Person) -> None:
    folder = person.folder / ".aj" / "template"
    folder.mkdir(parents=True)
    for name in ("a b", "new\nline", "quote\"'<&>"):
        (folder / f"{name}.yaml").write_text("base: gone\nconfig: {target: {service: local}}\n")
    for form in ("text", "json", "sarif", "junit", "github"):
        said = person.aj("check", "--format", form)
        assert (said.code, said.err) == (1, "3 errors in 3 files\n")
    for form in ("text", "mermaid", "dot", "json", "svg"):
        assert person.aj("graph", "--format", form).code == 0
    assert person.aj("list").out.count("\n") == 4
    assert person.aj("explain", "a b", "target.service").code == 1
