"""Reports over problems made by hand: text for people, and each format for machines against its golden text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest

from ajkit.cli.reports.data import json_report
from ajkit.cli.reports.github import github_report
from ajkit.cli.reports.junit import junit_report
from ajkit.cli.reports.sarif import sarif_report
from ajkit.cli.reports.text import rendered, summary
from ajkit.shared.problem import Edit, Fix, Problem, Related, Severity, problem
from ajkit.shared.where import Span, Text

if TYPE_CHECKING:
    from tests.plugins.goldens import Golden

GOLDENS = Path(__file__).parent / "goldens"
TEXT = Text("/p/odd name, 100%:x.yaml", 'base: comon\n\tkey: "🚀日"  # \x1b[31mred\nlast: |\n  one\n  two\n')


def at(words: str, text: Text = TEXT) -> Span:
    start = text.content.index(words)
    return Span(text, start, start + len(words))


PROBLEMS = [
    problem(
        "base.missing",
        "base `comon` is not there\nand never was: 50% sure, or less",
        at("comon"),
        related=[
            Related(at("key"), "asked for <here> & there"),
            Related(Span(Text("/q/o.yaml", "x\n"), 0, 1), "other"),
        ],
        fixes=[Fix("Write `common`", (Edit(at("comon"), "common"),))],
    ),
    problem("merge.repeats", "twice \x07", at("🚀日")),
    problem("merge.clears", "over two lines", at("one\n  two")),
    problem("jobs.extra", "no more", Span(TEXT, 0, 0), severity=Severity.INFORMATION),
    problem("plugin.broken", "of no place", None),
]


def text(found: Problem, folder: str = "/p") -> str:
    return click.unstyle(rendered(found, folder))


def test_text_has_place_line_caret_related_places_and_fixes() -> None:
    assert (
        text(PROBLEMS[0])
        == """\
odd name, 100%:x.yaml:1:7: error base.missing: base `comon` is not there
    and never was: 50% sure, or less
  1 | base: comon
    |       ^^^^^
  odd name, 100%:x.yaml:2:2: asked for <here> & there
  ../q/o.yaml:1:1: other
  fix: Write `common`
"""
    )


def test_carets_stand_under_wide_characters_and_tabs_and_nothing_acts_on_the_terminal() -> None:
    assert (
        text(PROBLEMS[1])
        == """\
odd name, 100%:x.yaml:2:8: hint merge.repeats: twice \\x07
  2 |  key: "🚀日"  # \\e[31mred
    |        ^^^^
"""
    )


def test_a_span_of_several_lines_is_marked_to_the_end_of_the_first() -> None:
    assert text(PROBLEMS[2]).splitlines()[1:] == ["  4 |   one", "    |   ^^^"]


def test_an_empty_span_has_a_caret_and_no_place_none() -> None:
    assert text(PROBLEMS[3]).splitlines()[1:] == ["  1 | base: comon", "    | ^"]
    assert text(PROBLEMS[4]) == "warning plugin.broken: of no place\n"


def test_a_long_line_is_cut_around_its_place() -> None:
    long = Text("/p/l.yaml", "a" * 500 + "HERE" + "b" * 500)
    head, line, carets = text(problem("yaml.syntax", "m", at("HERE", long))).splitlines()
    assert head.startswith("l.yaml:1:501: ")
    assert len(line) < 140
    assert line[carets.index("^") : carets.index("^") + 4] == "HERE"
    assert line[6] == line[-1] == "…"


@pytest.mark.parametrize("columns", [30, 50, 80])
@pytest.mark.parametrize("words", ["HERE", "HERE" + "b" * 50, "a" * 500])
def test_a_line_and_its_carets_fit_on_the_terminal(columns: int, words: str) -> None:
    long = Text("/p/l.yaml", "a" * 500 + "HERE" + "b" * 500)
    found = problem("yaml.syntax", "m", at(words, long))
    line, carets = click.unstyle(rendered(found, "/p", columns)).splitlines()[1:]
    assert max(len(line), len(carets)) <= columns
    marked = "".join(each for each, mark in zip(line, carets.ljust(len(line)), strict=True) if mark == "^")
    assert words.startswith(marked)
    assert marked


def test_secrets_are_masked_and_the_caret_keeps_its_place() -> None:
    secret = "hf_" + "a1" * 15
    line = Text("/p/s.yaml", f"env: {{HF_TOKEN: {secret}, MODE: fast}}\n")
    head, shown, carets = text(problem("secret.inline", f"never {secret}", at(secret, line))).splitlines()
    assert head.endswith(": never ***")
    assert shown == "  1 | env: {HF_TOKEN: ***, MODE: fast}"
    assert carets == "    |                 ^^^"
    shown, carets = text(problem("schema.type", "m", at("fast", line))).splitlines()[1:]
    assert shown[carets.index("^") :] == "fast}"


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("json", lambda found: json_report(found, "/p")),
        ("github", lambda found: github_report(found, "/p")),
        ("junit", lambda found: junit_report(found, ["/p/fine.yaml", TEXT.path], "/p", lambda each: each.is_error)),
        ("sarif", lambda found: _without_pages(sarif_report(found, "/p"))),
    ],
)
def test_formats_for_machines(golden: Golden, name: str, made: object) -> None:
    assert callable(made)
    golden(GOLDENS / f"report.{name}", made(PROBLEMS))


def _without_pages(log: str) -> str:
    """A SARIF log without the pages of problems, which are edited for reasons of their own."""
    whole = json.loads(log)
    for rule in whole["runs"][0]["tool"]["driver"]["rules"]:
        assert rule.pop("help")["markdown"].startswith(f"## {rule['id']}\n")
    whole["runs"][0]["tool"]["driver"].pop("semanticVersion")
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


def test_summaries() -> None:
    assert summary([], 1) == "no problems in 1 file"
    assert summary(PROBLEMS, 2) == "1 error, 2 warnings, 1 note, 1 hint in 2 files"
