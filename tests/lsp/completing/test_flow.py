"""Inside brackets: which key or item a cursor stands at."""

from __future__ import annotations

import pytest

from ajkit.lsp.completing.flow import flow_at


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("{§}", "key at : '' of []"),
        ("{na§}", "key at : 'na' of []"),
        ("{a: 1, na§, b: 2}", "key at : 'na' of ['a', 'b']"),
        ("{a: 1, §b: 2}", "key at : 'b' of ['a']"),
        ("{a: §}", "value at a: '' of ['a']"),
        ("{a: x§y}", "value at a: 'xy' of ['a']"),
        ('{"a": "x§y"}', "value at a: '\"xy\"' of ['a']"),
        ("{a: {b: 1, §}, c: 2}", "key at a: '' of ['b']"),
        ("{a: {b: 1}, §}", "key at : '' of ['a']"),
        ("[§]", "value at 0: '' of []"),
        ("[a, b§, c]", "value at 1: 'b' of []"),
        ("[a, {b: [c, §]}]", "value at 1.b.1: '' of []"),
        ("[a,\n  # no, [ {\n  b§", "value at 1: 'b' of []"),
        ("{a: 'it''s', b§", "key at : 'b' of ['a']"),
        ("{a: x:y, b§}", "key at : 'b' of ['a']"),
        ("{a: 1\n§, b: 2}", None),
        ("{a: {b: 1} §}", None),
        ("[a # no§\n]", None),
        ("[a] §", None),
        ("{[a]: §}", "value at : '' of ['']"),
    ],
)
def test_where_a_cursor_stands(text: str, wanted: str | None) -> None:
    before, after = text.split("§")
    content = before + after
    found = flow_at(content, 0, len(before))
    if found is None:
        assert wanted is None
        return
    kind = "key" if found.on_key else "value"
    path = ".".join(map(str, found.path))
    assert f"{kind} at {path}: {content[found.start : found.end]!r} of {sorted(found.taken)}" == wanted


@pytest.mark.parametrize(
    ("text", "more"),
    [
        ("{§ b: 2}", True),
        ("{§\n  b: 2}", True),
        ("[§ x]", True),
        ("[§, x]", False),
        ("{a: §}", False),
        ("{na§: 1}", False),
        ("[§ # words\n]", False),
        ("[com§\nconfig:\n", False),
    ],
)
def test_whether_another_item_follows(text: str, more: bool) -> None:
    before, after = text.split("§")
    found = flow_at(before + after, 0, len(before))
    assert found is not None
    assert found.more is more
