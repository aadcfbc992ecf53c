"""Inlay hints: beside what is written, what it replaces, inherits, comes to."""

from __future__ import annotations

from typing import Any

import pytest

from ajkit.lsp.settings import read_client_settings
from tests.lsp.fixture import BARE, Editor, editor, place

HINTS: dict[str, Any] = {"textDocument": {"inlayHint": {"dynamicRegistration": False}}}
WHOLE = {"start": {"line": 0, "character": 0}, "end": {"line": 10_000, "character": 0}}


def raw(there: Editor, where: dict[str, Any] = WHOLE) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = there.ask("textDocument/inlayHint", range=where)
    return found


def hints(there: Editor, where: dict[str, Any] = WHOLE) -> list[str]:
    """Hints as tests write them: the line with every hint in guillemets where it is shown."""
    lines = there.text().split("\n")
    for each in reversed(raw(there, where)):
        label = each["label"]
        words = label if isinstance(label, str) else "".join(part["value"] for part in label)
        line, at = each["position"]["line"], each["position"]["character"]
        lines[line] = f"{lines[line][:at]} «{words}»{lines[line][at:]}"
    return [each.strip() for each in lines if "«" in each]


CHAIN = """
--- .aj/template/leaf.yaml
base: common
config:
  target:
    name: mine§  # why
    queue: null
    labels:
    service: local
    context:
      - x
  description: |
    mine
    too
  environment: {image: new, registry: null}
--- .aj/template/common.yaml
base: root
config:
  target:
    name: theirs
    service: local
    labels: {a: b}
    context: text
  environment: {registry: ""}
--- .aj/template/root.yaml
config:
  target: {name: oldest, queue: big}
  description: first
  environment: {image: old}
"""


def test_what_a_value_replaces_and_clears() -> None:
    assert hints(editor(CHAIN, HINTS)) == [
        "name: mine «overrides theirs (common.yaml:4)»  # why",
        "queue: null «clears big (root.yaml:2)»",
        "labels: «clears {a: b} (common.yaml:6)»",
        "context: «overrides text (common.yaml:7)»",
        "description: | «overrides first (root.yaml:3)»",
        "environment: {image: new «overrides old (root.yaml:4)», registry: null}",
    ]


def test_the_place_is_a_link() -> None:
    first = raw(editor(CHAIN, HINTS))[0]
    assert [part["value"] for part in first["label"]] == ["overrides theirs (", "common.yaml:4", ")"]
    assert place(first["label"][1]["location"]) == ".aj/template/common.yaml:3:10-16"
    assert first["paddingLeft"]


def test_an_editor_that_says_nothing_of_hints_gets_plain_labels() -> None:
    assert raw(editor(CHAIN, BARE))[0]["label"] == "overrides theirs (common.yaml:4)"


def test_only_the_range_that_was_asked_for() -> None:
    one_line = {"start": {"line": 4, "character": 0}, "end": {"line": 4, "character": 80}}
    assert hints(editor(CHAIN, HINTS), one_line) == ["queue: null «clears big (root.yaml:2)»"]


LISTS = """
--- .aj/template/leaf.yaml
base: [one, two]
config:
  environment:
    setup: [leaf§]
  code:
    ignore:
      - leaf
  jobs:
    - command:
        - leaf
      sku: G8
--- .aj/template/one.yaml
config:
  environment: {setup: [a, b]}
  code: {ignore: [a]}
  jobs: [{command: [one], sku: G1}]
--- .aj/template/two.yaml
config:
  environment: {setup: [c]}
"""


def test_lists_say_how_much_they_inherit() -> None:
    there = editor(LISTS, HINTS)
    assert hints(there) == [
        "setup: [leaf] «+3 inherited (one.yaml:2)»",
        "ignore: «+1 inherited (one.yaml:3)»",
        "- command: «+1 inherited (one.yaml:4)»",
        "sku: G8 «overrides G1 (one.yaml:4)»",
    ]
    assert raw(there)[0]["tooltip"] == "a — one.yaml:2\nb — one.yaml:2\nc — two.yaml:2"


SHAPE = """
--- .aj/template/leaf.yaml
config:
  target: {service: local, gpus_per_node: 8}
  jobs:
    - sku: "{nodes}x80G{processes}-A100"§
      submit_args:
        env:
          A: b
"""


def preview(there: Editor, **settings: Any) -> Editor:
    there.session.configure(read_client_settings(settings))
    return there


def test_the_sku_and_the_variables_under_the_shape_of_the_preview() -> None:
    there = preview(editor(SHAPE, HINTS), preview={"nodes": 2})
    assert hints(there) == [
        '- sku: "{nodes}x80G{processes}-A100" «= 2x80G8-A100»',
        "env: «+9 AJ_* (AJ_NODES=2, AJ_PROCESSES=16)»",
    ]
    sku, env = raw(there)
    assert sku["tooltip"] == "With -n 2 -p 8"
    assert env["tooltip"].split("\n")[4].startswith("AJ_NODES=2 — The number of nodes")


def test_without_a_whole_shape_there_is_nothing_to_resolve() -> None:
    assert hints(editor(SHAPE, HINTS)) == ["env: «+9 AJ_*»"]


def test_ranges_of_nodes_show_the_text_that_is_chosen() -> None:
    text = SHAPE.replace('"{nodes}x80G{processes}-A100"', '{"1": "G{processes}", "2+": "{nodes}xG{processes}"}')
    shown = hints(preview(editor(text, HINTS), preview={"nodes": 3}))
    assert shown[0] == '- sku: {"1": "G{processes}", "2+": "{nodes}xG{processes}" «= 3xG8»}'


def test_tasks_have_a_shape_of_their_own() -> None:
    task = "{replicas: 1, cpus_per_node: 4, memory: 8Gi, gpus_per_node: 2, rdma: false, processes_per_node: 2}"
    there = editor(
        f"""
--- .aj/template/leaf.yaml
config:
  target: {{service: volcano}}
  environment: {{image: x}}
  jobs: [{{command: [run], submit_args: {{env: {{A: §b}}}}}}]
  _extra: {{volcano: {{tasks: {{master: {task}}}}}}}
""",
        HINTS,
    )
    assert hints(there) == [
        "jobs: [{command: [run], submit_args: {env: «+14 AJ_* (AJ_NODES=1, AJ_PROCESSES=2)» {A: b}}}]"
    ]


@pytest.mark.parametrize(
    ("setting", "left"),
    [
        ("overrides", ["+", "+", "+"]),
        ("inherited", ["o"]),
        ("sku", ["+", "+", "+", "o"]),
        ("env", ["+", "+", "+", "o"]),
    ],
)
def test_settings(setting: str, left: list[str]) -> None:
    there = preview(editor(LISTS, HINTS), inlay={setting: False})
    assert [each.split("«")[1][0] for each in hints(there)] == left
    there = preview(editor(SHAPE, HINTS), preview={"nodes": 2}, inlay={setting: False})
    assert len(hints(there)) == (1 if setting in ("sku", "env") else 2)


def test_secrets_are_masked() -> None:
    there = editor(
        """
--- .aj/template/leaf.yaml
base: low
config: {jobs: [{submit_args: {env: {HF_TOKEN: nothing§}}}]}
--- .aj/template/low.yaml
config: {jobs: [{submit_args: {env: {HF_TOKEN: hf_abcdefghijklmnopqrstuvw0123}}}]}
""",
        HINTS,
    )
    assert hints(there) == [
        'config: {jobs: [{submit_args: {env: «+9 AJ_*» {HF_TOKEN: nothing «overrides "***" (low.yaml:1)»}}}]}'
    ]


def test_what_is_laid_over_a_leaf_is_said_to_win() -> None:
    there = editor(
        """
--- .aj/template/leaf.yaml
config: {target: {service: local}, description: mine§, jobs: [{sku: G1}]}
--- .aj/template/over.yaml
config: {description: theirs}
--- .aj/aj.toml
with = ["over"]
""",
        HINTS,
    )
    assert [each.split("«")[1].split("»")[0] for each in hints(there)] == ["overridden by theirs (over.yaml:1)"]


def test_a_value_that_is_inherited_anyway_overrides_nothing() -> None:
    text = CHAIN.replace("name: mine", "name: theirs")
    assert not [each for each in hints(editor(text, HINTS)) if each.startswith("name")]


def test_a_half_typed_file_and_an_empty_one() -> None:
    there = editor(CHAIN, HINTS)
    there.type(there.text() + "  code: [")
    assert len(hints(there)) == 6
    there.type("")
    assert hints(there) == []
