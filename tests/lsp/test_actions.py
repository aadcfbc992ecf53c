"""Code actions: applied, a problem is gone or silenced and nothing else has changed; only what the client can take."""

from __future__ import annotations

import pytest

from tests.lsp.choosing import ACTIONS, FAMILY, LEAF, action, actions, apply, reported, titles, without
from tests.lsp.fixture import BARE, CLIENTS, editor, short
from tests.shared.template.test_fixes import DRAWN, MAY_FOLLOW


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
