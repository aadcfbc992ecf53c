"""Changes of what is inherited: a value becomes the file's own, a key moves to a base; what it comes to stays."""

from __future__ import annotations

import pytest

from tests.lsp.choosing import ACTIONS, FAMILY, LEAF, action, actions, apply, chosen, titles
from tests.lsp.fixture import Editor, editor

# -- overriding --------------------------------------------------------------------------------------------------------

INHERITED = """
--- .aj/template/leaf.yaml
base: low
config:
  target:
    queue: mi§ne
--- .aj/template/low.yaml
config:
  target: {name: theirs, queue: big, labels: {a: b}}
  environment: {setup: [one]}
  jobs:
    - sku: G1
      submit_args: {env: {FLAG: on, HF_TOKEN: hf_abcdefghijklmnopqrstuvw0123}}
  description: "yes"
"""


def test_the_keys_beside_the_cursor_can_be_overridden() -> None:
    there = editor(INHERITED, ACTIONS)
    assert titles(there, only=["refactor.rewrite"]) == [
        "Override `target.name` here (theirs, low.yaml:2)",
        "Override `target.labels.a` here (b, low.yaml:2)",
    ]
    text = apply(there, action(there, "Override `target.labels.a`"))[LEAF]
    assert text == "base: low\nconfig:\n  target:\n    queue: mine\n    labels:\n      a: b\n"


def test_from_the_whole_config_everything_can_be_but_lists_and_secrets() -> None:
    there = editor(INHERITED.replace("§", "").replace("config:\n  target:\n    queue: mine", "con§fig: {}"), ACTIONS)
    assert titles(there, only=["refactor.rewrite"]) == [
        'Override `description` here ("yes", low.yaml:7)',
        "Override `target.name` here (theirs, low.yaml:2)",
        "Override `target.queue` here (big, low.yaml:2)",
        "Override `target.labels.a` here (b, low.yaml:2)",
        "Override `jobs[0].sku` here (G1, low.yaml:5)",
        "Override `jobs[0].submit_args.env.FLAG` here (true, low.yaml:6)",
    ]
    text = apply(there, action(there, "Override `jobs[0].submit_args.env.FLAG`"))[LEAF]
    assert text == "base: low\nconfig:\n  jobs:\n    - submit_args:\n        env:\n          FLAG: on\n"


def test_a_file_without_a_config_gets_one() -> None:
    after = chosen(
        "--- .aj/template/leaf.yaml\nba§se: low\n--- .aj/template/low.yaml\nconfig: {description: x}\n", "Ov"
    )
    assert after == "base: low\nconfig:\n  description: x\n"


def test_an_override_means_the_same_as_before() -> None:
    there = editor(INHERITED, ACTIONS)
    view = there.session.view(there.uri)
    assert view is not None
    before = view.resolved.config
    for each in titles(there, only=["refactor.rewrite"]):
        apply(there, action(there, each))
        view = there.session.view(there.uri)
        assert view is not None
        assert view.resolved.config == before


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("target: 5", "target: {name: x, queue: y}"),
        ("target: null", "target: {name: x, queue: y}"),
        ("jobs: [a]", "jobs: [{name: x, sku: C1}, {name: y}]"),
        ("jobs: [a, b]", "jobs: [{}, {name: x, sku: C1}]"),
    ],
)
def test_what_an_override_would_take_away_others_with_is_not_offered(first: str, second: str) -> None:
    there = editor(
        f"--- .aj/template/leaf.yaml\nbase: [low, high]\nconfig:§\n--- .aj/template/low.yaml\nconfig: {{{first}}}\n"
        f"--- .aj/template/high.yaml\nconfig: {{{second}}}\n",
        ACTIONS,
    )
    assert titles(there, only=["refactor.rewrite"]) == []


def test_on_a_base_name_and_in_a_file_without_bases_there_is_nothing_to_override() -> None:
    assert titles(editor(INHERITED.replace("§", "").replace("base: low", "base: l§ow"), ACTIONS)) == []
    assert titles(editor("--- .aj/template/leaf.yaml\nconfig: {description: §x}\n", ACTIONS), only=["refactor"]) == []


# -- going up ----------------------------------------------------------------------------------------------------------


def moved(there: Editor, title: str) -> dict[str, str]:
    """What a move makes of the files; the template comes to the same as before."""
    view = there.session.view(there.uri)
    assert view is not None
    before = view.resolved.config
    after = apply(there, action(there, title))
    for path, text in after.items():
        there.session.open(f"file:///w/{path}", text, 1, "yaml")
    view = there.session.view(there.uri)
    assert view is not None
    assert view.resolved.config == before
    return after


def test_a_key_moves_to_a_base_and_takes_its_comment_along() -> None:
    there = editor(FAMILY, ACTIONS)
    assert titles(there, only=["refactor.move"]) == [
        "Move `environment.image` to `low`, which changes 1 other template",
        "Move `environment.image` to `side`",
    ]
    after = moved(there, "Move `environment.image` to `low`")
    assert after[".aj/template/low.yaml"] == (
        "base: root\nconfig:\n    target:\n        queue: big\n    environment:\n        image: x  # of us\n"
    )
    assert after[LEAF] == (
        "base: [low, side]\nconfig:\n  target:\n    name: mine\n    service: local\n"
        "  environment:  # what it runs in\n    setup: [leaf]\n"
    )


def test_a_whole_section_moves_as_it_is_written() -> None:
    there = editor(FAMILY.replace("§", "").replace("  environment:  #", "  envir§onment:  #"), ACTIONS)
    after = moved(there, "Move `environment` to `low`")
    assert after[".aj/template/low.yaml"].endswith(
        "    environment:  # what it runs in\n      image: x  # of us\n      setup: [leaf]\n"
    )
    assert "environment" not in after[LEAF]


def test_into_braces_it_moves_on_one_line() -> None:
    there = editor(FAMILY.replace("§", "").replace("  environment:  #", "  envir§onment:  #"), ACTIONS)
    after = moved(there, "Move `environment` to `side`")
    assert after[".aj/template/side.yaml"] == (
        "config: {target: {name: sides}, environment: {image: x, setup: [leaf]}}\n"
    )


def test_values_keep_their_spelling() -> None:
    there = editor(
        """
--- .aj/template/leaf.yaml
base: low
config:
  target: {service: local}
  jobs:
    - command: run
      submit§_args:
        env:
          FLAG: on
          VERSION: 1.10
--- .aj/template/low.yaml
config: {jobs: [{sku: G1}]}
""",
        ACTIONS,
    )
    after = moved(there, "Move `jobs[0].submit_args` to `low`")
    assert after[".aj/template/low.yaml"] == (
        "config: {jobs: [{sku: G1, submit_args: {env: {FLAG: on, VERSION: 1.10}}}]}\n"
    )


@pytest.mark.parametrize(
    ("cursor", "base", "reason"),
    [
        ("na§me: mine", "low", "this template would come to something else: another base sets it too"),
        ("targ§et:\n    name", "low", "the base has a mapping or list of its own there"),
        ("targ§et:\n    name", "side", "the base has a mapping or list of its own there"),
    ],
)
def test_a_move_that_would_change_the_template_is_refused(cursor: str, base: str, reason: str) -> None:
    there = editor(FAMILY.replace("§", "").replace(cursor.replace("§", ""), cursor, 1), ACTIONS)
    found = action(there, f"Move `{'target.name' if 'mine' in cursor else 'target'}` to `{base}`")
    assert found["disabled"] == {"reason": reason}


def test_what_is_tied_to_the_file_stays() -> None:
    there = editor(
        """
--- .aj/template/leaf.yaml
base: low
x-image: &image x
config: {environment: {im§age: *image}}
--- .aj/template/low.yaml
config: {}
""",
        ACTIONS,
    )
    assert "anchors" in action(there, "Move")["disabled"]["reason"]


def test_a_broken_base_takes_nothing() -> None:
    fixture = (
        "--- .aj/template/leaf.yaml\nbase: low\nconfig: {description§: x}\n--- .aj/template/low.yaml\nbase: gone\n"
    )
    assert action(editor(fixture, ACTIONS), "Move")["disabled"]["reason"] == "the base has errors of its own"


def test_a_half_typed_file_keeps_its_keys() -> None:
    there = editor(FAMILY, ACTIONS)
    there.type(there.text() + "  half\n")
    assert "mend it first" in action(there, "Move `environment.image` to `low`")["disabled"]["reason"]


def test_a_value_of_the_base_is_replaced() -> None:
    there = editor(FAMILY.replace("§", "").replace("name: mine", "na§me: mine"), ACTIONS)
    after = moved(there, "Move `target.name` to `side`")
    assert after[".aj/template/side.yaml"] == "config: {target: {name: mine}}\n"


def test_while_typing_other_templates_are_only_counted() -> None:
    there = editor(FAMILY, ACTIONS)
    assert titles(there, only=[], triggerKind=2)[-2:] == [
        "Move `environment.image` to `low` (2 other templates extend it)",
        "Move `environment.image` to `side`",
    ]
    assert (
        titles(editor(FAMILY, ACTIONS, graph=False), only=["refactor.move"])[0] == "Move `environment.image` to `low`"
    )


def test_what_has_errors_of_its_own_stays() -> None:
    there = editor(FAMILY.replace("im§age: x  # of us", "im§age: {a: x, a: y}"), ACTIONS)
    moves = [each for each in actions(there) if each["title"].startswith("Move")]
    assert {each["disabled"]["reason"] for each in moves} == {"it has errors of its own: mend them first"}
