"""Commands: versioned JSON about previews, provenance, inheritance and whole homes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from ajkit.lsp import convert
from ajkit.lsp.capabilities import Client, server_capabilities
from ajkit.lsp.failure import RequestFailed
from ajkit.lsp.features.table import COMMANDS, REQUESTS
from tests.lsp.fixture import CLIENTS, Editor, editor, editor_on_disk, short, span

if TYPE_CHECKING:
    from pathlib import Path

HOME = """
--- .aj/template/leaf.yaml
base: [env.common, env.setup]
config:
  description: A leaf
  environment: {image: mi§ne, setup: [echo leaf]}
  jobs: [{command: [python train.py], sku: "G{processes}"}]
--- .aj/template/other.yaml
base: env.common
config:
  target: {queue: short}
  jobs: [{command: [ls], sku: 5}]
--- .aj/env/common.yaml (open)
base: setup
config:
  target: {service: slurm, queue: long, gpus_per_node: 8}
  environment: {image: theirs}
  jobs: [{instance_count: 2, submit_args: {env: {API_KEY: abc123secret0}}}]
--- .aj/env/setup.yaml
config:
  environment: {setup: [echo base]}
"""

OF_A_DAEMON = {"aj.cancelJob", "aj.followLogs", "aj.jobLogs", "aj.jobSpec", "aj.jobs", "aj.submit"}


def uri(name: str) -> str:
    return convert.uri_of(f"/w/.aj/{name}.yaml")


class TestArguments:
    @pytest.mark.parametrize("command", [each for each in COMMANDS if each != "aj.jobs"])
    @pytest.mark.parametrize(
        "arguments", [[{"url": "x"}], [{"uri": 5}], [{"uri": "http://x"}], [1, 2, 3, 4, 5, 6], [{"uri": ""}]]
    )
    def test_nonsense_is_refused_in_words(self, command: str, arguments: list[Any]) -> None:
        with pytest.raises(RequestFailed) as refused:
            editor(HOME).run(command, *arguments)
        assert refused.value.code == -32602
        assert str(refused.value)

    def test_a_name_that_was_mistyped(self) -> None:
        there = editor(HOME)
        with pytest.raises(RequestFailed, match="did you mean `request`"):
            there.run("aj.preview", {"uri": there.uri, "requests": {}})
        with pytest.raises(RequestFailed, match="did you mean `nodes`"):
            there.run("aj.dryRun", {"uri": there.uri, "request": {"node": 1}})

    @pytest.mark.parametrize("command", ["aj.bases", "aj.graph", "aj.merged", "aj.preview", "aj.templates"])
    def test_values_in_order_are_the_same_as_names(self, command: str) -> None:
        there = editor(HOME)
        assert there.run(command, there.uri) == there.run(command, {"uri": there.uri})

    def test_every_answer_says_its_version(self) -> None:
        there = editor(HOME)
        for command in COMMANDS:
            if command in OF_A_DAEMON:
                continue
            more: dict[str, Any] = {
                "aj.diff": {"other": there.uri},
                "aj.explain": {"keypath": "nodes"},
                "aj.revealInPreview": {"position": there.cursors[0]},
            }
            arguments = {} if command == "aj.status" else {"uri": there.uri, **more.get(command, {})}
            answer = there.run(command, arguments)
            assert answer["version"] == 1
            assert json.loads(json.dumps(answer)) == answer

    def test_a_preview_s_uri_names_its_template(self) -> None:
        there = editor(HOME)
        found = there.run("aj.preview", there.uri)
        assert there.run("aj.bases", found["uri"]) == there.run("aj.bases", there.uri)

    def test_all_are_announced(self) -> None:
        found = server_capabilities(Client(CLIENTS["neovim"]), REQUESTS, COMMANDS)
        assert found["executeCommandProvider"]["commands"] == sorted(COMMANDS)
        assert "textDocumentContent" not in found["workspace"]
        able = Client({"workspace": {"textDocumentContent": {"dynamicRegistration": False}}})
        found = server_capabilities(able, REQUESTS, COMMANDS)
        assert found["workspace"]["textDocumentContent"] == {"schemes": ["aj-preview"]}


class TestMerged:
    def test_text_and_value(self) -> None:
        there = editor(HOME)
        answer = there.run("aj.merged", there.uri)
        assert answer["config"]["environment"] == {
            "setup": ["echo base", "echo base", "echo leaf"],
            "image": "mine",
        }
        assert answer["text"].startswith("environment:\n")
        assert "abc123secret0" not in json.dumps(answer)

    def test_what_is_laid_over_it(self) -> None:
        there = editor(HOME)
        answer = there.run("aj.merged", there.uri, {"set": {"target.queue": "x"}, "env": ["LR=1.10"]})
        assert answer["config"]["target"]["queue"] == "x"
        assert answer["config"]["jobs"][0]["submit_args"]["env"]["LR"] == "1.10"

    def test_what_is_wrong(self) -> None:
        there = editor("--- .aj/template/leaf.yaml\nbase: nope\nconfig: {description: d}\n")
        answer = there.run("aj.merged", there.uri)
        assert [each["code"] for each in answer["problems"]] == ["base.missing"]
        assert (short(answer["problems"][0]["uri"]), answer["config"]) == (
            ".aj/template/leaf.yaml",
            {"description": "d"},
        )


class TestExplain:
    def test_a_value(self) -> None:
        there = editor(HOME)
        value = there.run("aj.explain", there.uri, "environment.image")["value"]
        assert (value["value"], value["rule"]) == ("mine", "last value wins")
        assert (short(value["winner"]["uri"]), span(value["winner"]["range"])) == (
            ".aj/template/leaf.yaml",
            "3:16-21",
        )
        (other,) = value["overrode"]
        assert (other["value"], other["road"], short(other["uri"])) == (
            "theirs",
            ["env.common"],
            ".aj/env/common.yaml",
        )

    def test_under_the_cursor(self) -> None:
        there = editor(HOME)
        answer = there.run("aj.explain", {"uri": there.uri, "position": there.cursors[0]})
        assert answer["keypath"] == "environment.image"
        there = editor(HOME.replace("mi§ne", "mine").replace("echo leaf", "echo l§eaf"))
        answer = there.run("aj.explain", {"uri": there.uri, "position": there.cursors[0]})
        assert (answer["keypath"], answer["value"]["value"]) == ("environment.setup[2]", "echo leaf")

    def test_nothing_under_the_cursor(self) -> None:
        there = editor(HOME.replace("mi§ne", "mine").replace("base: [env", "base: [e§nv"))
        answer = there.run("aj.explain", {"uri": there.uri, "position": there.cursors[0]})
        assert (answer["value"], answer["field"]) == (None, None)

    def test_a_field_of_the_job(self) -> None:
        there = editor(HOME)
        field = there.run("aj.explain", {"uri": there.uri, "keypath": "nodes", "request": {"nodes": 4}})["field"]
        assert (field["value"], field["sources"]) == (4, [{"words": "-n 4", "origin": None}])
        assert short(field["over"][0]["origin"]["uri"]) == ".aj/env/common.yaml"

    def test_secrets_are_masked(self) -> None:
        there = editor(HOME)
        for keypath in ("jobs[0].submit_args.env.API_KEY", "jobs", "env.API_KEY", "env"):
            request = {"env": {"MY_TOKEN": "abc123secret0"}}
            answer = there.run("aj.explain", {"uri": there.uri, "keypath": keypath, "request": request})
            assert answer["value"] or answer["field"]
            assert "abc123secret0" not in json.dumps(answer)

    def test_what_there_is_not(self) -> None:
        there = editor(HOME)
        answer = there.run("aj.explain", there.uri, "no.such")
        assert (answer["value"], answer["field"]) == (None, None)
        with pytest.raises(RequestFailed, match="not a key path"):
            there.run("aj.explain", there.uri, "][")


def tree(node: dict[str, Any]) -> Any:
    """A tree of bases as nested names."""
    marks = "".join(f" {each}" for each in ("again", "missing", "cycle") if node.get(each))
    return node["name"] + marks, *(tree(each) for each in node["bases"])


class TestBases:
    def test_the_tree_names_what_is_met_again_once_more(self) -> None:
        there = editor(HOME)
        root = there.run("aj.bases", there.uri)["root"]
        assert tree(root) == ("leaf", ("env.common", ("setup",)), ("env.setup again",))
        assert root["keys"] == ["description", "environment", "jobs"]
        assert short(root["bases"][0]["uri"]) == ".aj/env/common.yaml"
        assert span(root["bases"][1]["range"]) == "0:19-28"

    def test_names_that_lead_nowhere(self) -> None:
        there = editor(
            "--- .aj/template/leaf.yaml\nbase: [nope, a.b, round]\n--- .aj/template/round.yaml\nbase: [round]\n"
        )
        root = there.run("aj.bases", there.uri)["root"]
        assert tree(root) == ("leaf", ("nope missing",), ("a.b missing",), ("round", ("round cycle",)))
        assert root["bases"][0]["uri"] is None
        assert root["errors"] == 3

    def test_a_ladder_of_diamonds_stays_small(self) -> None:
        steps = [f"--- .aj/template/s{n}.yaml\nbase: [l{n}, r{n}]\n" for n in range(16)]
        steps += [f"--- .aj/template/{side}{n}.yaml\nbase: s{n + 1}\n" for n in range(15) for side in "lr"]
        steps += [f"--- .aj/template/{side}15.yaml\nconfig: {{}}\n" for side in "lr"]
        there = editor("".join(steps))
        assert len(json.dumps(there.run("aj.bases", there.uri))) < 30_000


class TestDependents:
    def test_nearest_first(self) -> None:
        answer = editor(HOME).run("aj.dependents", uri("env/setup"))
        assert [(each["name"], each["leaf"], each["direct"]) for each in answer["dependents"]] == [
            ("leaf", True, True),
            ("env.common", False, True),
            ("other", True, False),
        ]
        assert (answer["leaves"], answer["effective"]) == (2, None)

    def test_what_became_of_a_value(self) -> None:
        there = editor(HOME)
        answer = there.run("aj.dependents", uri("env/common"), "target.queue")
        found = {each["name"]: each for each in answer["dependents"]}
        assert (found["leaf"]["standing"], found["other"]["standing"]) == ("effective", "overridden")
        winner = found["other"]["winner"]
        assert (short(winner["uri"]), span(winner["range"])) == (".aj/template/other.yaml", "2:11-16")
        assert answer["effective"] == 1
        answer = there.run("aj.dependents", uri("env/setup"), "environment.setup[0]")
        assert {each["standing"] for each in answer["dependents"]} == {"effective"}
        answer = there.run("aj.dependents", uri("env/common"), "no.such")
        assert {each["standing"] for each in answer["dependents"]} == {"absent"}

    def test_by_the_cursor(self) -> None:
        there = editor(HOME.replace("mi§ne", "mine").replace("queue: lo", "queue: l§o"))
        answer = there.run("aj.dependents", {"uri": there.uri, "position": there.cursors[0]})
        assert answer["effective"] == 1

    def test_without_a_home_nothing_is_known(self) -> None:
        there = editor("--- lonely.yaml\n# aj: template\nconfig: {}\n")
        assert there.run("aj.dependents", there.uri)["dependents"] == []


def counted(answer: dict[str, Any]) -> dict[str, tuple[int, int, int]]:
    (home,) = answer["homes"]
    return {
        each["name"]: (each["errors"], each["warnings"], each["dependents"])
        for each in [*home["leaves"], *home["bases"]]
    }


class TestHomes:
    @pytest.mark.parametrize("graph", [True, False])
    def test_the_tree_of_templates(self, graph: bool) -> None:
        there = editor(HOME, graph=graph)
        answer = there.run("aj.templates")
        (home,) = answer["homes"]
        assert [each["name"] for each in home["leaves"]] == ["leaf", "other"]
        leaf = home["leaves"][0]
        assert (leaf["service"], leaf["description"], leaf["folder"]) == ("slurm", "A leaf", "template")
        assert leaf["extends"] == ["env.common", "env.setup"]
        assert [each["name"] for each in home["bases"]] == ["env.common", "env.setup"]
        assert counted(answer)["other"] == (1, 1, 0)
        assert counted(answer)["env.common"][2] == 2

    def test_counts_follow_edits(self) -> None:
        there = editor(HOME)
        assert counted(there.run("aj.templates"))["leaf"][0] == 0
        base = convert.uri_of("/w/.aj/env/common.yaml")
        whole = there.text(base)
        there.type(whole.replace("gpus_per_node: 8", "gpus_per_node: [x]"), uri=base)
        found = counted(there.run("aj.templates"))
        assert (found["leaf"][0], found["other"][0], found["env.common"][0]) == (1, 2, 1)
        there.type(whole, uri=base)
        assert counted(there.run("aj.templates"))["leaf"][0] == 0

    def test_a_base_that_nothing_extends_any_more_is_a_leaf(self) -> None:
        there = editor("--- .aj/template/leaf.yaml\nbase: low\n--- .aj/template/low.yaml\nconfig: {description: d}\n")
        (home,) = there.run("aj.templates")["homes"]
        assert [each["name"] for each in home["bases"]] == ["template.low"]
        there.type("config: {description: e}\n")
        (home,) = there.run("aj.templates")["homes"]
        assert [each["name"] for each in home["leaves"]] == ["leaf", "low"]

    def test_the_graph(self) -> None:
        there = editor(HOME)
        answer = there.run("aj.graph", {"uri": there.uri, "format": "mermaid"})
        assert [(each["name"], each["leaf"], each["errors"]) for each in answer["nodes"]] == [
            ("env.common", False, 0),
            ("env.setup", False, 0),
            ("leaf", True, 0),
            ("other", True, 1),
        ]
        assert {"from": "leaf", "to": "env.setup"} in answer["edges"]
        assert answer["text"].startswith("flowchart LR\n")
        assert there.run("aj.graph", {"format": "dot"})["text"].startswith("digraph aj {\n")
        assert there.run("aj.graph")["text"] is None
        around = there.run("aj.graph", {"uri": there.uri, "around": True})
        assert [each["name"] for each in around["nodes"]] == ["env.common", "env.setup", "leaf"]

    def test_no_home_no_graph(self) -> None:
        there = editor("--- lonely.yaml\n# aj: template\nconfig: {}\n")
        with pytest.raises(RequestFailed, match="aj init"):
            there.run("aj.graph", there.uri)
        assert there.run("aj.templates")["homes"] == []

    def test_status(self) -> None:
        there = editor(HOME, graph=False)
        there.session.views()
        answer = there.run("aj.status")
        assert [(short(each["uri"]), each["state"], each["files"]) for each in answer["homes"]] == [
            (".aj", "unread", None)
        ]
        assert answer["open"] == 2
        there.session.wants_graph("/w/.aj")
        assert there.run("aj.status")["homes"][0]["state"] == "indexing"
        there.run("aj.templates")
        assert (there.run("aj.status")["homes"][0]["state"], there.run("aj.status")["homes"][0]["files"]) == (
            "ready",
            4,
        )

    def test_status_says_whether_a_file_is_a_template_by_its_place(self) -> None:
        there = editor(HOME + '--- .aj/aj.toml\ntemplates = ["jobs/*.yaml"]\n')
        names = {".aj/new.yaml": True, "jobs/one.yaml": True, "other/one.yaml": False, ".aj/aj.toml": False}
        assert {name: there.run("aj.status", convert.uri_of(f"/w/{name}"))["ours"] for name in names} == names
        assert there.run("aj.status")["ours"] is None


def test_a_buffer_without_a_file_has_the_home_of_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leaf = tmp_path / ".aj" / "template" / "leaf.yaml"
    leaf.parent.mkdir(parents=True)
    leaf.write_text("config: {target: {service: local}}\n")
    monkeypatch.chdir(tmp_path)
    there = editor_on_disk(tmp_path, ".aj/template/leaf.yaml")
    there.session.open("untitled:Untitled-1", "base: template.leaf\n", 1, "aj-template")
    assert [each["path"] for each in there.run("aj.templates")["homes"]] == [(tmp_path / ".aj").as_posix()]


def test_settings_that_appear_are_seen_though_no_template_is_open(tmp_path: Path) -> None:
    leaf = tmp_path / ".aj" / "template" / "leaf.yaml"
    leaf.parent.mkdir(parents=True)
    leaf.write_text("config: {target: {service: local}}\n")
    there = editor_on_disk(tmp_path, ".aj/template/leaf.yaml")
    there.session.close(there.uri)
    other, settings = (tmp_path / "jobs" / "one.yaml").as_uri(), tmp_path / ".aj" / "aj.toml"
    assert there.run("aj.status", other)["ours"] is False
    assert there.session.stamps() == {settings.as_posix(): None}
    settings.write_text('templates = ["jobs/*.yaml"]\n')
    there.session.changed([settings.as_posix()])
    assert there.run("aj.status", other)["ours"] is True


def test_the_workspace_s_folders_have_homes_too() -> None:
    there: Editor = editor(HOME.replace(".aj/", "sub/.aj/"))
    there.session.close(there.uri)
    there.session.close(convert.uri_of("/w/sub/.aj/env/common.yaml"))
    assert there.run("aj.templates")["homes"] == []
    there.session.folders = ["/w/sub"]
    assert len(there.run("aj.templates")["homes"]) == 1


@pytest.mark.parametrize("folders", [[], ["/w/b"]])
def test_homes_keep_their_order_whichever_file_was_opened_last(folders: list[str]) -> None:
    there = editor("--- b/.aj/template/t.yaml\nconfig: {§}\n--- a/.aj/template/t.yaml (open)\nconfig: {}\n")
    there.session.folders = folders
    first = [each["path"] for each in there.run("aj.templates")["homes"]]
    assert first == ["/w/b/.aj", "/w/a/.aj"] if folders else ["/w/a/.aj", "/w/b/.aj"]
    buffers = there.session.buffers
    for each in sorted(buffers, reverse=True):
        buffers[each] = buffers.pop(each)
    assert [each["path"] for each in there.run("aj.status")["homes"]] == first


@pytest.mark.parametrize("name", ["template/leaf", "env/common"])
def test_every_command_answers_in_every_state_of_typing(name: str) -> None:
    there = editor(HOME)
    document = uri(name)
    whole = there.text(document)
    for end in range(0, len(whole), 5):
        there.type(whole[:end], uri=document)
        lines = whole[:end].split("\n")
        position = {"line": len(lines) - 1, "character": len(lines[-1])}
        for command in ("aj.merged", "aj.bases", "aj.graph", "aj.templates", "aj.dryRun"):
            assert there.run(command, there.uri)
        for kind in ("merged", "spec", "amlt"):
            assert there.run("aj.preview", there.uri, kind)["text"]
        for command in ("aj.explain", "aj.dependents", "aj.revealInPreview"):
            assert there.run(command, {"uri": document, "position": position})
        assert refused(there).data["reason"] in ("problems", "unseen")


def refused(there: Editor) -> RequestFailed:
    with pytest.raises(RequestFailed) as error:
        there.run("aj.submit", there.uri)
    return error.value
