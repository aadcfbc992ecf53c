"""Code actions: applied, a problem is gone, an inherited value is the file's own, a key has moved; nothing else."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from ajkit.lsp import convert
from ajkit.lsp.diagnostics import diagnostic
from tests.lsp.fixture import BARE, CLIENTS, Editor, editor, short
from tests.shared.template.test_fixes import DRAWN, MAY_FOLLOW

ACTIONS: dict[str, Any] = {
    "textDocument": {
        "codeAction": {
            "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix", "refactor"]}},
            "isPreferredSupport": True,
            "disabledSupport": True,
        }
    },
    "workspace": {"workspaceEdit": {"resourceOperations": ["create", "rename", "delete"], "documentChanges": True}},
}


def without(*path: str) -> dict[str, Any]:
    """The capabilities less one."""
    found = copy.deepcopy(ACTIONS)
    here = found
    for step in path[:-1]:
        here = here[step]
    del here[path[-1]]
    return found


def reported(there: Editor) -> list[dict[str, Any]]:
    """The diagnostics of the open document as a client has them."""
    view = there.session.view(there.uri)
    assert view is not None
    own = [each for each in view.problems if each.span and each.span.path == view.path]
    made = [diagnostic(each, there.session.uri_of, "") for each in own]
    found: list[dict[str, Any]] = convert.wire(made, there.session.encoding)
    return found


def actions(there: Editor, where: dict[str, Any] | None = None, **context: Any) -> list[dict[str, Any]]:
    """The actions at the cursor, or in a range."""
    cursor = there.cursors[0] if there.cursors else {"line": 0, "character": 0}
    where = where or {"start": cursor, "end": cursor}
    context = {"diagnostics": reported(there), "triggerKind": 1} | context
    found: list[dict[str, Any]] = there.ask("textDocument/codeAction", range=where, context=context)
    return found


def titles(there: Editor, **context: Any) -> list[str]:
    return [each["title"] for each in actions(there, **context)]


def action(there: Editor, title: str, **context: Any) -> dict[str, Any]:
    found = [each for each in actions(there, **context) if each["title"].startswith(title)]
    assert len(found) == 1, titles(there)
    return found[0]


def apply(there: Editor, chosen: dict[str, Any]) -> dict[str, str]:
    """What the files that an action changes hold after it, by path; open ones are changed."""
    after: dict[str, str] = {}
    for change in chosen["edit"]["documentChanges"]:
        if change.get("kind") == "create":
            after[short(change["uri"])] = ""
            continue
        uri = change["textDocument"]["uri"]
        path = convert.path_of(uri)
        assert path is not None
        buffer = there.session.buffers.get(uri)
        assert change["textDocument"]["version"] == (buffer.version if buffer else None)
        known = after.get(short(uri))
        text = known if known is not None else there.session.files.read(path, 1 << 20).decode()
        made = there.session.open("file:///edited", text, 1, "yaml")
        assert made is not None
        edits = sorted(change["edits"], key=lambda each: _key(each["range"]["start"]), reverse=True)
        for each in edits:
            there.session.change("file:///edited", [{"range": each["range"], "text": each["newText"]}], 1)
        after[short(uri)] = there.text("file:///edited")
        there.session.close("file:///edited")
        if buffer:
            there.type(after[short(uri)], uri=uri)
    return after


def _key(position: dict[str, int]) -> tuple[int, int]:
    return position["line"], position["character"]


LEAF = ".aj/template/leaf.yaml"


def chosen(fixture: str, title: str) -> str:
    """The open document after an action."""
    there = editor(fixture, ACTIONS)
    return apply(there, action(there, title))[short(there.uri)]


# -- ways out of problems ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", DRAWN)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_a_fix_solves_its_problem_and_brings_no_new_error(code: str, line_end: str) -> None:
    there = editor(DRAWN[code], ACTIONS)
    there.type(there.text().replace("\n", line_end))
    problem = next(each for each in reported(there) if each["code"] == code)
    fixes = [
        each
        for each in actions(there, problem["range"], only=["quickfix"])
        if problem in each.get("diagnostics", []) and not each["title"].startswith("Ignore")
    ]
    assert fixes
    before = {each["code"] for each in reported(there) if each["severity"] == 1}
    text = apply(there, fixes[0]).get(short(there.uri), "")
    assert text.count("\n") == text.count(line_end)
    after = reported(there)
    assert code not in {each["code"] for each in after if each["message"] == problem["message"]} or "create" in str(
        fixes[0]
    )
    assert {each["code"] for each in after if each["severity"] == 1} - before <= MAY_FOLLOW.get(code, set())


def test_the_preferred_fix_comes_first_and_says_what_it_solves() -> None:
    there = editor("--- .aj/template/leaf.yaml\nbase: lo§\nconfig: {}\n--- .aj/template/low.yaml\n", ACTIONS)
    first, second, *_ = actions(there)
    assert (first["title"], first["kind"], first["isPreferred"]) == ('Replace with "low"', "quickfix", True)
    assert [each["code"] for each in first["diagnostics"]] == ["base.missing"]
    assert (second["title"], "isPreferred" in second) == ("Create base file", False)


def test_one_fix_for_two_problems_is_one_action() -> None:
    there = editor("--- .aj/template/leaf.yaml\nconfig: {target: {service: aml, name: N§O}}\n", ACTIONS)
    (quote,) = [each for each in actions(there) if each["title"] == "Quote value"]
    assert {each["code"] for each in quote["diagnostics"]} == {"schema.type", "yaml.implicit-type"}
    assert '{service: aml, name: "NO"}' in apply(there, quote)[LEAF]


def test_a_missing_base_is_created() -> None:
    there = editor("--- .aj/template/leaf.yaml\nbase: parts.§new\nconfig: {}\n", ACTIONS)
    after = apply(there, action(there, "Create base file"))
    assert after == {".aj/parts/new.yaml": "config: {}\n"}


@pytest.mark.parametrize("name", ["bare", "emacs"])
def test_what_a_client_cannot_do_is_not_sent(name: str) -> None:
    there = editor("--- .aj/template/leaf.yaml\nbase: lo§\n--- .aj/template/low.yaml\n", CLIENTS[name])
    assert actions(there) == []


def test_files_are_created_only_where_the_client_can() -> None:
    fixture = "--- .aj/template/leaf.yaml\nbase: lo§\n--- .aj/template/low.yaml\n"
    there = editor(fixture, without("workspace", "workspaceEdit"))
    create = action(there, "Create")
    assert create["disabled"] == {"reason": "this editor cannot create files in an edit"}
    assert "edit" not in create
    assert "changes" in action(there, "Replace")["edit"]
    poor = without("workspace", "workspaceEdit")
    del poor["textDocument"]["codeAction"]["disabledSupport"]
    assert not [each for each in titles(editor(fixture, poor)) if each.startswith("Create")]


def test_a_client_that_knows_no_preference_is_not_told_of_it() -> None:
    there = editor(
        "--- .aj/template/leaf.yaml\nbase: lo§\n--- .aj/template/low.yaml\n",
        without("textDocument", "codeAction", "isPreferredSupport"),
    )
    assert all("isPreferred" not in each for each in actions(there))


@pytest.mark.parametrize(
    ("only", "kinds"),
    [
        (["quickfix"], {"quickfix"}),
        (["refactor"], {"refactor.rewrite", "refactor.move"}),
        (["refactor.move"], {"refactor.move"}),
        (["source"], set()),
        ([], {"quickfix", "refactor.rewrite", "refactor.move"}),
        (["quickfix", "refactor.rewrite"], {"quickfix", "refactor.rewrite"}),
    ],
)
def test_only_the_kinds_that_are_wanted(only: list[str], kinds: set[str]) -> None:
    there = editor(
        """
--- .aj/template/leaf.yaml
base: low
config:
  targ§et: {nam: x}
--- .aj/template/low.yaml
config: {target: {service: local}}
""",
        ACTIONS,
    )
    whole = {"start": there.cursors[0], "end": {"line": 2, "character": 15}}
    assert {each["kind"] for each in actions(there, whole, only=only)} == kinds


def test_a_problem_of_a_base_can_be_solved_in_the_base() -> None:
    there = editor(
        """
--- .aj/template/low.yaml
config: {target: {service: loc§l}}
--- .aj/template/leaf.yaml (open)
base: low
config: {}
""",
        ACTIONS,
    )
    assert "{service: local}" in apply(there, action(there, "Replace with `local`"))[".aj/template/low.yaml"]


# -- silencing ---------------------------------------------------------------------------------------------------------

IGNORED = [
    ("target: {§nmae: x}", "target: {nmae: x}  # aj: ignore[schema.unknown-key]"),
    ("targ§: {name: x}  # why", "targ: {name: x}  # why  # aj: ignore[schema.unknown-key]"),
    ("targ§: x  # aj: ignore[a.b]", "targ: x  # aj: ignore[a.b, schema.unknown-key]"),
    ("targ§: |\n    text", "targ: |  # aj: ignore[schema.unknown-key]\n    text"),
    ('targ§: "one\n    two"', '# aj: ignore[schema.unknown-key]\n  targ: "one\n    two"'),
    ("targ§: one\n    two", "# aj: ignore[schema.unknown-key]\n  targ: one\n    two"),
    ('targ§: "# aj: ignore[a.b]"', 'targ: "# aj: ignore[a.b]"  # aj: ignore[schema.unknown-key]'),
    ("targ§:\n    a: b", "targ:  # aj: ignore[schema.unknown-key]\n    a: b"),
]


@pytest.mark.parametrize(("before", "after"), IGNORED)
def test_a_warning_is_silenced_where_it_stands(before: str, after: str) -> None:
    there = editor(f"--- .aj/template/leaf.yaml\nconfig:\n  target: {{service: local}}\n  {before}\n", ACTIONS)
    if "target: {§" in before:
        there = editor(f"--- .aj/parts/leaf.yaml\nconfig:\n  {before}\n", ACTIONS)
    text = apply(there, action(there, "Ignore schema.unknown-key here"))[short(there.uri)]
    assert text.endswith(f"  {after}\n")
    assert "schema.unknown-key" not in {each["code"] for each in reported(there)}


def test_an_error_cannot_be_silenced() -> None:
    there = editor("--- .aj/template/leaf.yaml\nbase: n§o\nconfig: {}\n", ACTIONS)
    assert not [each for each in titles(there) if each.startswith("Ignore")]


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


def test_on_a_base_name_and_in_a_file_without_bases_there_is_nothing_to_override() -> None:
    assert titles(editor(INHERITED.replace("§", "").replace("base: low", "base: l§ow"), ACTIONS)) == []
    assert titles(editor("--- .aj/template/leaf.yaml\nconfig: {description: §x}\n", ACTIONS), only=["refactor"]) == []


# -- going up ----------------------------------------------------------------------------------------------------------

FAMILY = """
--- .aj/template/leaf.yaml
base: [low, side]
config:
  target:
    name: mine
    service: local
  environment:  # what it runs in
    im§age: x  # of us
    setup: [leaf]
--- .aj/template/low.yaml
base: root
config:
    target:
        queue: big
--- .aj/template/side.yaml
config: {target: {name: sides}}
--- .aj/template/root.yaml
config: {environment: {image: roots}}
--- .aj/template/other.yaml
base: low
config: {}
--- .aj/template/own.yaml
base: low
config: {environment: {image: own}}
--- .aj/parts/part.yaml
base: template.low
config: {}
"""


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


# -- anywhere ----------------------------------------------------------------------------------------------------------


def test_at_any_cursor_of_a_half_typed_file() -> None:
    there = editor(FAMILY, ACTIONS)
    text = there.text()
    for length in range(0, len(text), 7):
        there.type(text[:length])
        for line, content in enumerate(text[:length].split("\n")):
            where = {"line": line, "character": len(content)}
            assert isinstance(actions(there, {"start": where, "end": where}, diagnostics=[]), list)


def test_other_documents_have_none() -> None:
    there = editor("--- notes/other.yaml\nbase: §x\n", ACTIONS)
    where = {"start": there.cursors[0], "end": there.cursors[0]}
    assert there.ask("textDocument/codeAction", range=where, context={"diagnostics": []}) is None
    assert editor("--- .aj/template/leaf.yaml\nbase: §x\n", BARE).ask("textDocument/codeAction", range=where) == []
