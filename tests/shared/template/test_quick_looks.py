"""Quick looks, so that the full ones are seldom needed: where one says that there is nothing, there is nothing."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from hypothesis import given, settings
from hypothesis import strategies as st

from ajkit.shared.files import MemoryFiles
from ajkit.shared.template import checks, lint, replaced, secrets
from ajkit.shared.template.resolve import resolve
from ajkit.shared.template.secrets import hold_no_secret, named_secret, spans

if TYPE_CHECKING:
    from ajkit.shared.problem import Problem
    from ajkit.shared.template.resolve import Resolved
    from ajkit.shared.where import Json

HOME = "/w/.aj"

SCALARS = st.sampled_from([None, None, True, 1, 1.0, 0.0, "x", "1", ""])
KEYS = st.sampled_from(["a", "b"])
VALUES = st.recursive(
    SCALARS,
    lambda below: st.lists(below, max_size=3) | st.dictionaries(KEYS, below, max_size=2),
    max_leaves=8,
)
CONFIGS = st.dictionaries(KEYS, VALUES, max_size=2)


def _resolved(bases: list[dict[str, Any]], leaf: dict[str, Any]) -> Resolved:
    """A leaf over bases, in which null is left out instead of written."""
    names = [f"b{index}" for index in range(len(bases))]
    texts: dict[str, dict[str, Any]] = {name: {"config": config} for name, config in zip(names, bases, strict=True)}
    texts["leaf"] = {"base": names, "config": leaf}
    files: dict[str, str | bytes] = {f"{HOME}/template/{name}.yaml": _text(content) for name, content in texts.items()}
    return resolve(MemoryFiles(files), f"{HOME}/template/leaf.yaml", HOME)


def _text(content: dict[str, Any]) -> str:
    return json.dumps(content).replace(": null", ": ")


def _problems(bases: list[dict[str, Any]], leaf: dict[str, Any]) -> list[Problem]:
    return list(_resolved(bases, leaf).problems)


@settings(max_examples=300)
@given(st.lists(CONFIGS, min_size=2, max_size=5), st.sampled_from([{}, {"a": 1}]))
def test_two_bases_by_themselves_do_what_all_of_them_do(bases: list[dict[str, Any]], leaf: dict[str, Any]) -> None:
    with patch.object(replaced, "_may_replace", return_value=True):
        expected = _problems(bases, leaf)
    assert _problems(bases, leaf) == expected


def test_lists_that_grew_together_are_compared_in_full() -> None:
    bases: list[dict[str, Any]] = [{"a": ["x", "x"]}, {"a": [["z"]]}]
    bases += [{}] * 8 + [{"a": [["p"], {}, "s"]}]
    (found,) = _problems(bases, {})
    assert found.code == "merge.type-change"


ITEMS = st.lists(SCALARS.filter(lambda each: each is not None) | st.lists(SCALARS, max_size=1), max_size=4)


@given(ITEMS, ITEMS, ITEMS)
def test_an_item_that_repeats_is_seen_at_a_glance(first: list[Any], second: list[Any], own: list[Any]) -> None:
    bases = [{"a": first}, {"a": second}]
    with patch.object(lint, "_may_repeat", return_value=True):
        expected = _problems(bases, {"a": own})
    assert _problems(bases, {"a": own}) == expected


HF = "hf_" + "aB3dE6gH9j" * 3
NAMES = ["A", "HF_TOKEN", "", "A=B", "N\0", "api key", "DB_PASSWORD_2", "TOKENS", "x_pat", "PAT", "a.pat"]
PIECES = [*NAMES, "$", "$$", "HOME", "=", ": ", " ", "'", "--", "\n", "@", "://", "u:", "sig=", "abc123", "1234567", HF]
PIECES += [
    "AKIAABCDEFGHIJKLMNOP",
    "Authorization: ",
    "Bearer",
    "\t",
    "--pat",
    "wandb login ",
    "Key=",
    "ghp_",
    "0a1b2c3d4e" * 4,
]
WHOLE = ["$HOME", "$$HOME", "a\0b", "--token abc123", "https://u:abc123@host", "x" * 20]
TEXTS = st.sampled_from(WHOLE) | st.lists(st.sampled_from(PIECES), max_size=5).map("".join) | st.text(max_size=8)


@settings(max_examples=1000)
@given(st.lists(st.sampled_from(NAMES) | st.text(max_size=5), max_size=3), st.lists(TEXTS, max_size=3))
def test_harmless_texts_hold_no_secret(names: list[str], texts: list[str]) -> None:
    if hold_no_secret("\n".join(names), "\n".join(texts)):
        assert not any(spans(text) for text in texts)
        values: list[Json] = [*texts, HF, 12345678]
        assert not any(named_secret(name, value) for name in names for value in values)


def _formed(text: str) -> set[tuple[int, int]]:
    """What the patterns of all forms find, without a quick look."""
    found = (each for _, pattern in secrets._FORMS for each in re.finditer(pattern, text))
    return {each.span("s") for each in found if not re.match(secrets._VARIABLE, each["s"])}


@settings(max_examples=1000)
@given(TEXTS)
def test_no_form_is_overlooked(text: str) -> None:
    assert set(secrets._formed(text)) == _formed(text)


NEARLY_PLAIN = st.none() | st.just("x") | st.just(12345678) | TEXTS  # so that an oddity often stands alone
LINES = NEARLY_PLAIN | st.lists(NEARLY_PLAIN, max_size=2)
VARIABLES = st.dictionaries(st.sampled_from(NAMES), NEARLY_PLAIN, max_size=2)
JOBS = st.fixed_dictionaries({"submit_args": st.fixed_dictionaries({"env": VARIABLES}), "command": LINES})
ODD_CONFIGS = st.fixed_dictionaries(
    {"jobs": st.lists(JOBS, min_size=1, max_size=2)},
    optional={
        "environment": st.fixed_dictionaries({"setup": LINES}),
        "search": st.fixed_dictionaries({"job_template": JOBS}),
    },
)


@settings(max_examples=300)
@given(ODD_CONFIGS)
def test_texts_that_look_plain_together_are_not_odd_one_by_one(config: dict[str, Any]) -> None:
    with patch.object(checks, "_is_plain", return_value=False):
        expected = checks.writes_odd_texts(_resolved([], config).merged)
    assert checks.writes_odd_texts(_resolved([], config).merged) == expected
