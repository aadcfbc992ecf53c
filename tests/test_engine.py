"""The engine: homes, template names, leaves, reports; over files in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import ajkit
from ajkit.engine import Engine
from ajkit.shared.files import MemoryFiles
from ajkit.shared.problem import UsageError
from ajkit.shared.template.overlay import Overlays
from tests.drawing import ROOT, draw, seen

if TYPE_CHECKING:
    from pathlib import Path

LOCAL = "config: {target: {service: local}, jobs: [{command: [python train.py]}]}\n"


def _engine(files: dict[str, str], *, home: str | None = None, environ_home: str | None = None) -> Engine:
    return Engine(files=MemoryFiles(dict(files)), folder="/p", home=home, environ_home=environ_home)


class TestHome:
    def test_the_nearest_folder_walking_up(self) -> None:
        files = {"/p/.aj/template/a.yaml": "", "/p/q/.azure_jobs/template/b.yaml": "", "/p/q/r/c.yaml": ""}
        engine = _engine(files)
        assert engine.home_of("/p/.aj/template/a.yaml") == "/p/.aj"
        assert engine.home_of("/p/q/r/c.yaml") == "/p/q/.azure_jobs"
        assert engine.home_here() == "/p/.aj"
        assert engine.home_of("/elsewhere/x.yaml") is None

    def test_the_flag_wins_over_the_environment_and_both_over_the_walk(self) -> None:
        files = {"/p/.aj/template/a.yaml": "", "/one/template/a.yaml": "", "/two/template/a.yaml": ""}
        assert _engine(files, environ_home="/one").home_here() == "/one"
        assert _engine(files, environ_home="/one", home="/two").home_here() == "/two"
        assert _engine(files, environ_home="").home_here() == "/p/.aj"
        assert _engine(files, home="../two").home_here() == "/two"


class TestFind:
    FILES = {
        "/p/.aj/template/train.yaml": LOCAL,
        "/p/.aj/template/big/eval.yaml": LOCAL,
        "/p/.aj/template/part.yaml": "config: {}\n",
        "/p/.aj/template/user.yaml": "base: part\n" + LOCAL,
    }

    def test_names_and_paths(self) -> None:
        engine = _engine(self.FILES)
        assert engine.find("train") == "/p/.aj/template/train.yaml"
        assert engine.find("big.eval") == "/p/.aj/template/big/eval.yaml"
        assert engine.find("./x.yaml") == "/p/x.yaml"
        assert engine.find("x.yaml") == "/p/x.yaml"

    def test_a_typo_is_answered_with_near_names(self) -> None:
        with pytest.raises(UsageError, match="did you mean `train`"):
            _engine(self.FILES).find("tarin")

    def test_nothing_to_choose_by_lists_the_leaves(self) -> None:
        with pytest.raises(UsageError, match=r"Choose one with -t: big\.eval, train, user"):
            _engine(self.FILES).find(None)

    def test_the_only_leaf_and_the_default(self) -> None:
        only = {"/p/.aj/template/train.yaml": LOCAL, "/p/.aj/template/part.yaml": "", "/p/.aj/template/x.yaml": ""}
        assert _engine(only).find(None) == "/p/.aj/template/train.yaml"
        assert _engine({**self.FILES, "/p/.aj/aj.toml": 'default = "big.eval"\n'}).find(None).endswith("eval.yaml")

    def test_without_a_home(self) -> None:
        with pytest.raises(UsageError, match="aj init"):
            _engine({"/q/x.yaml": ""}).find("train")


class TestLeaves:
    FILES = {
        "/p/.aj/template/leaf.yaml": "base: part\nconfig: {}\n",
        "/p/.aj/template/part.yaml": "config: {}\n",
        "/p/.aj/template/both.yaml": LOCAL,
        "/p/.aj/template/user.yaml": "base: both\n",
        "/p/.aj/template/empty.yaml": "# soon\n",
        "/p/.aj/target/gpu.yaml": "config: {}\n",
        "/p/jobs/here.yaml": "config: {}\n",
        "/p/.aj/aj.toml": 'templates = ["jobs/*.yaml"]\n',
    }

    @pytest.mark.parametrize(
        ("path", "is_leaf"),
        [
            ("/p/.aj/template/leaf.yaml", True),
            ("/p/.aj/template/part.yaml", False),
            ("/p/.aj/template/both.yaml", True),
            ("/p/.aj/template/user.yaml", True),
            ("/p/.aj/template/empty.yaml", False),
            ("/p/.aj/target/gpu.yaml", False),
            ("/p/jobs/here.yaml", True),
        ],
    )
    def test_what_is_a_leaf(self, path: str, *, is_leaf: bool) -> None:
        assert _engine(self.FILES).is_leaf(path) is is_leaf

    def test_a_named_file_outside_counts_as_a_leaf(self) -> None:
        engine = _engine({"/q/x.yaml": "config: {}\n"})
        assert engine.is_leaf("/q/x.yaml", named=True)
        assert not engine.is_leaf("/q/x.yaml")


@pytest.mark.parametrize(
    ("glob", "called"),
    [
        ("jobs/*.yaml", {"a"}),
        ("jobs/**/*.yaml", {"a", "b", "c"}),
        ("jobs/**", {"a", "b", "c"}),
        ("**/[bc].yaml", {"b", "c"}),
        ("./jobs/?/b.yaml", {"b"}),
        ("*.yaml", set()),
        ("jobs", set()),
        ("../p/jobs/a.yaml", set()),
        ("**/d/**/**/c.yaml", {"c"}),
        ("**/d/**/d/**", set()),
    ],
)
def test_a_star_stays_in_one_folder_and_two_go_through_any_number(glob: str, called: set[str]) -> None:
    paths = {"/p/jobs/a.yaml": "a", "/p/jobs/d/b.yaml": "b", "/p/jobs/d/e/c.yaml": "c"}
    engine = _engine({"/p/.aj/aj.toml": f"templates = ['{glob}']\n", **dict.fromkeys(paths, "config: {}\n")})
    assert {paths[each] for each in engine.globbed("/p/.aj")} == called
    assert {paths[each] for each in paths if engine.in_globs(each, "/p/.aj")} == called


def test_a_glob_of_many_double_stars_is_matched_in_no_time() -> None:
    engine = _engine({"/p/.aj/aj.toml": f"templates = ['{'**/' * 30}x.yaml']\n"})
    assert not engine.in_globs("/p/" + "d/" * 30 + "y.yaml", "/p/.aj")


class TestOverlaysOfSettings:
    FILES = {
        "/p/.aj/aj.toml": 'with = ["site.here"]\n',
        "/p/.aj/site/here.yaml": "config: {target: {queue: site}}\n",
        "/p/.aj/template/leaf.yaml": "base: part\nconfig: {target: {service: local}, jobs: [{}]}\n",
        "/p/.aj/template/part.yaml": "config: {target: {queue: part}}\n",
        "/p/.aj/template/over.yaml": "config: {target: {queue: over}}\n",
    }

    def test_they_lie_over_leaves_only(self) -> None:
        engine = _engine(self.FILES)
        assert engine.resolve("/p/.aj/template/leaf.yaml").config["target"] == {"queue": "site", "service": "local"}
        assert engine.resolve("/p/.aj/template/part.yaml").config["target"] == {"queue": "part"}

    def test_the_command_line_lies_over_them(self) -> None:
        found = _engine(self.FILES).resolve("/p/.aj/template/leaf.yaml", Overlays(bases=("over",)))
        assert found.config["target"] == {"queue": "over", "service": "local"}


class TestCheck:
    WORKSPACE = """
--- .aj/template/leaf.yaml
base: common
config:
  jobs: [{instance_count: two}]
#                         ^^^ schema.type
--- .aj/template/other.yaml
base: common
--- .aj/template/common.yaml
config:
  target: {service: local}
  description: [1]
#              ^^^ schema.type
  jobs: [{command: [x]}]
--- .aj/target/part.yaml
config:
  target: {nmae: x}
#          ^^^^ schema.unknown-key
--- .aj/template/incomplete.yaml
config:
#@ 0-6 schema.required
  jobs: [{command: [x]}]
"""

    def test_everything_of_a_home_each_fault_once(self) -> None:
        drawing = draw(self.WORKSPACE)
        engine = Engine(files=drawing.memory(), folder=ROOT)
        found = engine.check(engine.ours())
        assert seen(found) == drawing.expected
        (shared,) = [each for each in found if each.keypath == ("description",)]
        assert shared.leaf is None

    def test_named_files_only(self) -> None:
        drawing = draw(self.WORKSPACE)
        engine = Engine(files=drawing.memory(), folder=ROOT)
        path = f"{ROOT}/.aj/template/leaf.yaml"
        found = engine.check([path], named=[path])
        assert {each.keypath for each in found} == {("description",), ("jobs", 0, "instance_count")}
        assert next(each for each in found if each.keypath == ("description",)).message.endswith("(in leaf)")

    def test_without_a_home_there_is_nothing_to_check(self) -> None:
        with pytest.raises(UsageError, match="no AJ_HOME found"):
            Engine(files=MemoryFiles({"/q/x.yaml": ""}), folder="/q").ours()


def test_what_changed_is_read_again() -> None:
    files: dict[str, str | bytes] = {
        "/p/.aj/template/leaf.yaml": "base: low\n",
        "/p/.aj/template/low.yaml": "config: {a: 1}\n",
    }
    memory = MemoryFiles(files)
    engine = Engine(files=memory, folder="/p")
    assert engine.resolve("/p/.aj/template/leaf.yaml").config == {"a": 1}
    memory.write("/p/.aj/template/low.yaml", "config: {a: 2}\n")
    assert engine.resolve("/p/.aj/template/leaf.yaml").config == {"a": 1}
    engine.forget(["/p/.aj/template/low.yaml"])
    assert engine.resolve("/p/.aj/template/leaf.yaml").config == {"a": 2}


def test_the_door_for_scripts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / ".aj" / "template"
    folder.mkdir(parents=True)
    (folder / "leaf.yaml").write_text("base: low\nconfig: {a: 1}\n")
    (folder / "low.yaml").write_text("config: {a: 0, b: 2}\n")
    (folder / "over.yaml").write_text("config: {c: 3}\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("AJ_HOME", raising=False)
    found = ajkit.resolve("leaf", overlay_bases=["over"], set_values=["d=4"], env={"K": "v"}).require()
    assert found.config == {"a": 1, "b": 2, "c": 3, "d": 4, "jobs": [{"submit_args": {"env": {"K": "v"}}}]}
    trail = found.trail(("a",))
    assert trail
    assert [origin.value for origin in trail.overrode] == [0]
    assert ajkit.resolve(str(folder / "low.yaml")).config == {"a": 0, "b": 2}
