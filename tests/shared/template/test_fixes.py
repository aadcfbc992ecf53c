"""What a fix promises: applied, the problem it was offered for is gone, and nothing that stops a build is new."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ajkit.engine import Engine
from ajkit.shared.files import MemoryFiles
from tests.docs.pages import Example, examples
from tests.drawing import draw
from tests.repository import ROOT

if TYPE_CHECKING:
    from ajkit.shared.problem import Fix, Problem

PAGE = [
    each
    for each in examples((ROOT / "docs/problems.md").read_text("utf-8"))
    if not {"run", "home"} & each.options.keys()
]


def problems(files: dict[str, str]) -> list[Problem]:
    engine = Engine(files=MemoryFiles(dict(files)), folder="/w")
    return engine.check(engine.ours())


def applied(files: dict[str, str], fix: Fix) -> dict[str, str]:
    """The files after a fix; its edits do not overlap."""
    after = dict(files) | {each.path: each.content for each in fix.creates}
    last: dict[str, int] = {}
    for each in sorted(fix.edits, key=lambda each: (each.span.start, each.span.end), reverse=True):
        path = each.span.path
        assert each.span.end <= last.get(path, each.span.end)
        last[path] = each.span.start
        after[path] = after[path][: each.span.start] + each.new_text + after[path][each.span.end :]
    return after


def told(found: list[Problem]) -> list[tuple[str, str, str]]:
    """Problems by file, code and what they are about, so that one that only moved is the same."""
    return sorted((each.span.path if each.span else "", each.code, str(each.keypath or each.message)) for each in found)


def check(files: dict[str, str]) -> set[str]:
    """Apply every fix of every problem, one at a time; the codes that had one."""
    before = problems(files)
    codes = set()
    for each in before:
        for fix in each.fixes:
            after = problems(applied(files, fix))
            gone = told(before).count(told([each])[0]) - told(after).count(told([each])[0])
            assert gone == 1, (each, fix)
            errors = {entry[:2] for entry in told([late for late in after if late.is_error])}
            known = {entry[:2] for entry in told(before)}
            assert {code for path, code in errors - known} <= MAY_FOLLOW.get(each.code, set()), (each, fix, after)
            codes.add(each.code)
    return codes


MAY_FOLLOW = {
    "schema.required": {"schema.required"},
    "service.unknown": {"schema.required"},
    "template.unknown-key": {"schema.required", "base.missing"},
    "yaml.conflict-marker": {"schema.required"},
}
"""What a fix may bring to light: a service that is named now needs more, a file that can be read lacks something."""


@pytest.mark.parametrize("example", PAGE, ids=lambda each: each.heading)
def test_the_examples_of_the_page(example: Example) -> None:
    check({f"/w/.aj/{name}": text for name, text in example.files.items()})


DRAWN = {
    "schema.required": """
--- .aj/template/leaf.yaml
config:
  target:
    service: volcano
""",
    "schema.type": """
--- .aj/template/leaf.yaml
config:
  target: {service: local}
  description: 5
  jobs: [{instance_count: "2"}]
""",
    "yaml.implicit-type": """
--- .aj/template/leaf.yaml
config: {target: {service: aml, name: NO}, environment: {image: x}}
""",
    "shell.amlt-escape": """
--- .aj/template/leaf.yaml
config:
  target: {service: local}
  environment: {setup: "echo $$HOME"}
  jobs:
    - command:
        - |
          echo $$A
          kill $$
        - echo $${B}
""",
    "secret.inline": """
--- .aj/template/leaf.yaml
config:
  target: {service: local}
  jobs:
    - submit_args:
        env:
          HF_TOKEN: hf_abcdefghijklmnopqrstuvw0123
""",
    "schema.unknown-key": """
--- .aj/template/leaf.yaml
config:
  target: {service: local}
  enviroment:
    image: x
""",
    "merge.redundant": """
--- .aj/template/leaf.yaml
base: low
config:
  target:
    service: local
  jobs:
    - sku: G1
  environment: {image: x, setup: []}
--- .aj/template/low.yaml
config: {target: {service: local}, jobs: [{sku: G1}], environment: {image: x}}
""",
    "merge.clears": """
--- .aj/template/leaf.yaml
base: low
config:
  target:
    labels:
--- .aj/template/low.yaml
config: {target: {service: local, labels: {a: b}}}
""",
    "base.missing": """
--- .aj/template/leaf.yaml
base: [lo, new.part]
config: {target: {service: local}}
--- .aj/template/low.yaml
config: {}
""",
    "template.unknown-key": """
--- .aj/template/leaf.yaml
target:
  # where
  service: local
config:
  description: x
""",
    "yaml.duplicate-key": """
--- .aj/template/leaf.yaml
config:
  target: {service: local}
  description: x
  description: y
""",
    "yaml.tab-indent": """
--- .aj/template/leaf.yaml
config:
\ttarget:
\t\tservice: local
""",
}


@pytest.mark.parametrize("code", DRAWN)
def test_drawn(code: str) -> None:
    assert code in check(draw(DRAWN[code]).files)


def fixed(code: str) -> str:
    """The leaf of a drawing after the first fix of a code."""
    files = draw(DRAWN[code]).files
    fix = next(each.fixes[0] for each in problems(files) if each.code == code)
    return applied(files, fix)["/w/.aj/template/leaf.yaml"]


def test_missing_keys_stand_beside_the_others() -> None:
    assert fixed("schema.required") == (
        "config:\n  target:\n    service: volcano\n  environment:\n"
        "    image: pytorch/pytorch:2.4.0-cuda12.1-cudnn9-runtime\n"
    )


def test_a_redundant_key_takes_its_empty_parents_along() -> None:
    text = fixed("merge.redundant")
    assert text == "base: low\nconfig:\n  jobs:\n    - sku: G1\n  environment: {image: x, setup: []}\n"


def test_a_misplaced_section_moves_with_its_comments() -> None:
    text = fixed("template.unknown-key")
    assert text == "config:\n  description: x\n  target:\n    # where\n    service: local\n"


def test_without_a_config_a_misplaced_section_makes_one_in_its_column() -> None:
    files = {"/w/.aj/template/leaf.yaml": "  base: null\n  target:\n    service: local\n"}
    (fix,) = [each.fixes[0] for each in problems(files) if each.code == "template.unknown-key"]
    after = applied(files, fix)["/w/.aj/template/leaf.yaml"]
    assert after == "  base: null\n  config:\n    target:\n      service: local\n"
    assert problems({"/w/.aj/template/leaf.yaml": after}) == []


def test_every_doubled_dollar_of_a_file_is_mended_at_once() -> None:
    assert fixed("shell.amlt-escape").count("$$") == 1  # the shell's own process id


def test_a_key_that_stands_there_already_is_not_proposed() -> None:
    files = draw("--- .aj/template/leaf.yaml\nconfig: {target: {service: local, servce: x}}").files
    (found,) = [each for each in problems(files) if each.code == "schema.unknown-key"]
    assert not found.fixes
