"""Both YAML parsers of PyYAML give the same values, problems and places, and they give what the safe loader gives."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from ajkit.shared.template import events
from ajkit.shared.template.parse import parse
from ajkit.shared.where import Text
from tests.bench.typing_states import KINDS, corpus_folder, states
from tests.shared.template.test_typing_states import OWN

if TYPE_CHECKING:
    from ajkit.shared.template.tree import Document


def answer(document: Document) -> tuple[object, ...]:
    found = [(each.code, each.span.start if each.span else -1) for each in document.problems]
    return (document.root.value if document.root else None, found, document.broken)


@pytest.mark.parametrize(("name", "content"), OWN, ids=[name for name, _ in OWN])
def test_whole_files(name: str, content: str) -> None:
    assert answer(parse(Text(name, content))) == answer(parse(Text(name, content), pure=True))


def test_typing_states() -> None:
    for state in states(OWN, 12 * len(KINDS), 21):
        hint = state.lines[0]
        fast, pure = (parse(Text("x", state.after), hint=hint, pure=each) for each in (False, True))
        assert answer(fast) == answer(pure), (state.name, state.kind, state.lines)


@settings(max_examples=100)
@given(
    st.lists(
        st.sampled_from(["a", "b: ", "- ", "\n", "\n  ", "'", '"', "[", "]", "{", "}", ", ", "# c", "1"]), max_size=14
    ).map("".join)
)
def test_small_broken_texts_have_the_same_codes(content: str) -> None:
    fast, pure = (parse(Text("x", content), pure=each) for each in (False, True))
    assert {each.code for each in fast.problems} == {each.code for each in pure.problems}


def test_the_pure_parser_is_used_where_the_c_one_is_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    content = "a: [1, {b: c}]\nd\ne: 'x'\n"
    expected = answer(parse(Text("x", content)))
    monkeypatch.setattr(events, "CParser", None)
    assert answer(parse(Text("x", content))) == expected


@pytest.mark.optional("the corpus may not be copied into the repository")
@pytest.mark.skipif(corpus_folder() is None, reason="the corpus of real files is not here (AJ_CORPUS names its folder)")
def test_real_files_have_the_values_of_the_safe_loader() -> None:
    folder = corpus_folder()
    assert folder is not None
    read = 0
    for path in sorted(folder.rglob("*.yaml")):
        document = parse(Text(path.name, path.read_bytes().decode("utf-8-sig")))
        if document.problems:
            continue
        loaded = yaml.load(path.read_bytes(), yaml.CSafeLoader)
        value = document.root.value if document.root else None
        assert repr(_with_text_keys(value)) == repr(_with_text_keys(loaded)), path
        read += 1
    assert read > 800


def _with_text_keys(value: object) -> object:
    """Keys as text where the loader made numbers of them; dates as the text that was written."""
    if isinstance(value, dict):
        return {str(key): _with_text_keys(below) for key, below in value.items()}
    if isinstance(value, list):
        return [_with_text_keys(each) for each in value]
    return value
