"""`aj.impact` and `aj.diff`: what an edit of a base changes before it is saved, and what templates differ in."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from ajkit.lsp.failure import RequestFailed
from ajkit.lsp.surroundings import Surroundings
from tests.lsp.fixture import Editor, editor, editor_on_disk, place
from tests.lsp.variants import ROOT

if TYPE_CHECKING:
    from pathlib import Path

HOME = """
--- .aj/base/common.yaml
config:
  target: {service: local, queue: short}
  environment: {setup: [one, two]}
  jobs: [{command: [run]}]
--- .aj/template/big.yaml
base: base.common
config: {description: big, target: {queue: mine}}
--- .aj/template/small.yaml
base: base.common
config: {description: small}
--- .aj/template/other.yaml
config: {target: {service: local}, jobs: [{command: [x]}]}
"""


def home() -> Editor:
    return editor(HOME)


def states(answer: dict[str, Any]) -> dict[str, str]:
    return {each["name"]: each["state"] for each in answer["templates"]}


class TestImpact:
    def test_of_what_is_not_saved(self) -> None:
        there = home()
        assert there.run("aj.impact")["templates"] == []
        there.type(there.text().replace("short", "long").replace("two", "three"))
        answer = there.run("aj.impact")
        assert answer["version"] == 1
        assert answer["looked_at"] == 2, "only what extends the file is looked at"
        assert states(answer) == {"big": "changed", "small": "changed"}
        small = next(each for each in answer["templates"] if each["name"] == "small")
        queue, setup = small["changes"]
        assert (queue["keypath"], queue["change"], queue["before"], queue["after"]) == (
            "target.queue",
            "changed",
            "short",
            "long",
        )
        assert place(queue["origin"]) == ".aj/base/common.yaml:1:27-32"
        assert (setup["keypath"], setup["before"], setup["after"]) == (
            "environment.setup",
            ["one", "two"],
            ["one", "three"],
        )
        assert answer["message"] == "2 of 2 templates come to something else by what is not saved"
        assert answer["text"] == (
            "big (changed)\n"
            "  environment.setup:\n"
            "    - two  (common.yaml:3)\n"
            "    + three  (common.yaml:3)\n"
            "small (changed)\n"
            "  target.queue: short → long  (common.yaml:2)\n"
            "  environment.setup:\n"
            "    - two  (common.yaml:3)\n"
            "    + three  (common.yaml:3)\n"
        )

    def test_once_it_is_saved_there_is_nothing_left(self) -> None:
        there = home()
        there.type(there.text().replace("short", "long"))
        memory: Any = there.session.files.below
        memory.write(f"{ROOT}/.aj/base/common.yaml", there.text())
        there.session.saved(there.uri)
        assert there.run("aj.impact")["templates"] == []
        assert there.run("aj.impact", there.uri)["looked_at"] == 2

    def test_of_one_file(self) -> None:
        there = home()
        there.type(there.text().replace("short", "long"))
        leaf = f"file://{ROOT}/.aj/template/small.yaml"
        assert states(there.run("aj.impact", leaf)) == {"small": "changed"}

    def test_templates_that_break_and_mend(self) -> None:
        there = home()
        there.type(there.text().replace("[run]", "[run"))
        answer = there.run("aj.impact", {"uri": there.uri})
        assert states(answer) == {"big": "broken", "small": "broken"}
        memory: Any = there.session.files.below
        memory.write(f"{ROOT}/.aj/base/common.yaml", there.text())
        there.type(there.text().replace("[run", "[run]"))
        assert set(states(there.run("aj.impact", there.uri)).values()) == {"mended"}

    def test_a_template_that_is_not_on_disk_yet(self) -> None:
        there = home()
        uri = f"file://{ROOT}/.aj/template/fresh.yaml"
        there.session.open(uri, "base: base.common\n", 1, "yaml")
        assert states(there.run("aj.impact", uri)) == {"fresh": "new"}

    def test_secrets_are_masked(self) -> None:
        there = home()
        there.type(there.text().replace("queue: short", "queue: short, labels: {api_key: s3cr3t-s3cr3t}"))
        answer = there.run("aj.impact")
        assert states(answer).keys() == {"big", "small"}
        assert "s3cr3t" not in str(answer)

    def test_long_lists_of_changes_are_cut(self) -> None:
        there = home()
        labels = ", ".join(f"l{number}: x" for number in range(130))
        there.type(there.text().replace("queue: short", f"queue: short, labels: {{{labels}}}"))
        before = there.text()
        memory: Any = there.session.files.below
        memory.write(f"{ROOT}/.aj/base/common.yaml", before)
        there.type(before.replace(": x", ": y"))
        small = there.run("aj.impact")["templates"][1]
        assert (len(small["changes"]), small["more"]) == (100, 30)
        assert "and 30 more" in there.run("aj.impact")["text"]

    def test_a_long_comparison_is_shown_and_can_be_stopped(self) -> None:
        many = "".join(f"--- .aj/template/t{number}.yaml\nbase: base.common\n" for number in range(60))
        there = editor(HOME + many)
        titles: list[str] = []

        class Stopped:
            def __init__(self) -> None:
                import threading

                self.stopped = threading.Event()
                self.stopped.set()

            def report(self, *_: Any) -> None:
                """Say nothing."""

            def end(self) -> None:
                titles.append("end")

        def start(title: str, /, *, stoppable: bool = False) -> Any:
            titles.append(title)
            assert stoppable
            return Stopped()

        there.session.progress = start
        answer = there.run("aj.impact", there.uri)
        assert titles == ["Comparing templates", "end"]
        assert (answer["stopped"], answer["looked_at"]) == (True, 0)


class TestDiff:
    def test_with_another_template(self) -> None:
        there = home()
        big, small = (f"file://{ROOT}/.aj/template/{name}.yaml" for name in ("big", "small"))
        for other in (small, "small"):
            answer = there.run("aj.diff", big, other)
            assert answer["before"]["name"] == "small"
            assert answer["after"]["name"] == "big"
            assert answer["text"] == (
                "target.queue: short → mine  (big.yaml:2)\ndescription: small → big  (big.yaml:2)\n"
            )

    def test_what_cannot_be_resolved_says_why(self) -> None:
        there = home()
        there.session.open(f"file://{ROOT}/.aj/template/broken.yaml", "base: nowhere\n", 1, "yaml")
        answer = there.run("aj.diff", f"file://{ROOT}/.aj/template/broken.yaml", "small")
        assert answer["changes"] == []
        assert [each["code"] for each in answer["problems"]] == ["base.missing"]

    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            ({"other": "nowhere"}, "no template `nowhere`"),
            ({"other": "small", "rev": "HEAD"}, "not with both"),
            ({"rev": "HEAD"}, "git"),
            ({"what": 1}, "no argument `what`"),
        ],
    )
    def test_what_cannot_be_compared(self, arguments: dict[str, Any], words: str) -> None:
        there = home()
        with pytest.raises(RequestFailed, match=words):
            there.run("aj.diff", {"uri": f"file://{ROOT}/.aj/template/big.yaml", **arguments})


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / ".aj" / "template"
    folder.mkdir(parents=True)
    (folder / "low.yaml").write_text("config: {target: {service: local}, jobs: [{command: [x], instance_count: 1}]}\n")
    (folder / "leaf.yaml").write_text("base: low\nconfig: {description: mine}\n")
    environ = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull}
    for pair in ("AUTHOR", "COMMITTER"):
        environ |= {f"GIT_{pair}_NAME": "n", f"GIT_{pair}_EMAIL": "n@example.org"}
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "all"]):
        subprocess.run(["git", *command], cwd=tmp_path, env=environ, check=True)
    return tmp_path


class TestGit:
    def there(self, repository: Path) -> Editor:
        return editor_on_disk(repository, ".aj/template/low.yaml", surroundings=Surroundings(os.environ))

    def test_open_buffers_and_saved_files_against_a_revision(self, repository: Path) -> None:
        there = self.there(repository)
        leaf = repository / ".aj" / "template" / "leaf.yaml"
        assert there.run("aj.diff", leaf.as_uri())["changes"] == []
        leaf.write_text("base: low\nconfig: {description: ours}\n")
        there.type(there.text().replace("instance_count: 1", "instance_count: 2"))
        answer = there.run("aj.diff", leaf.as_uri())
        assert answer["before"]["rev"] == "HEAD"
        assert answer["text"] == (
            "jobs[0].instance_count: 1 → 2  (low.yaml:1)\ndescription: mine → ours  (leaf.yaml:2)\n"
        )
        impact = there.run("aj.impact", there.uri, "HEAD")
        assert states(impact) == {"leaf": "changed", "low": "changed"}
        assert impact["message"] == "2 of 2 templates come to something else since HEAD"

    def test_changes_from_outside_are_noticed_all_the_same(self, repository: Path) -> None:
        there = self.there(repository)
        there.session.open((repository / ".aj/template/leaf.yaml").as_uri(), "base: low\n", 1, "yaml")
        assert there.session.views()
        before = there.session.stamps()
        there.run("aj.impact", there.uri)
        assert there.session.stamps() == before

    def test_no_such_revision(self, repository: Path) -> None:
        there = self.there(repository)
        with pytest.raises(RequestFailed, match="no commit `nope`"):
            there.run("aj.diff", {"uri": there.uri, "rev": "nope"})
