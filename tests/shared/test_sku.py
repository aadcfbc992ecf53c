"""SKU texts, node ranges and counts: text in, answer out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ajkit.shared.problem import Finding
from ajkit.shared.sku import (
    SKU_PATH,
    NodeRange,
    check_counts,
    check_sku,
    choose_sku,
    counts_gpus,
    fill,
    has_placeholder,
    parse_range,
    parse_sku,
)

if TYPE_CHECKING:
    from ajkit.shared.where import Json, KeyPath


@pytest.mark.parametrize(
    ("text", "groups"),
    [
        ("G8", "- - - G 8 none -"),
        ("C4", "- - - C 4 none -"),
        ("G", "- - - G - none -"),
        ("C", "- - - C - none -"),
        ("40G8", "- - 40 G 8 none -"),
        ("80G4-H100", "- - 80 G 4 -H100 -"),
        ("4xG8", "4 - - G 8 none -"),
        ("2x40G8-A100-NvLink", "2 - 40 G 8 -A100-NvLink -"),
        ("NDv2g1:G1", "- NDv2g1 - G 1 none -"),
        ("2xNDv2g1:32G1-IB@eastus2", "2 NDv2g1 32 G 1 -IB eastus2"),
        ("G8@eastus2", "- - - G 8 none eastus2"),
        ("{nodes}x40G{processes}-A100", "{nodes} - 40 G {processes} -A100 -"),
    ],
)
def test_counted_form(text: str, groups: str) -> None:
    """`groups`: nodes, instance, memory, kind, count, features, region; a dash for what is not there."""
    found = parse_sku(text)
    assert found is not None
    names = ("nodes", "instance", "memory", "kind", "count", "features", "region")
    assert " ".join({None: "-", "": "none"}.get(found[name], found[name]) for name in names) == groups


@pytest.mark.parametrize(
    ("text", "nodes", "instance", "region"),
    [
        ("D16sv3", None, "D16sv3", None),
        ("4xStandard_ND96asr_v4@westeurope", "4", "Standard_ND96asr_v4", "westeurope"),
        ("ND{processes}v2", None, "ND{processes}v2", None),
        ("Gold", None, "Gold", None),
        ("C4x", None, "C4x", None),
    ],
)
def test_named_form(text: str, nodes: str | None, instance: str, region: str | None) -> None:
    found = parse_sku(text)
    assert found is not None
    assert found.groupdict() == {"nodes": nodes, "instance": instance, "region": region}


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "8",
        "8x",
        "G8 A100",
        " G8",
        "G8-",
        "G8--A100",
        "G8@",
        ":G8",
        "8 GPUs",
        "not-a-sku",
        "G8:",
        "2*G8",
        "٣xG8",
    ],
)
def test_other_texts_are_not_skus(text: str) -> None:
    assert parse_sku(text) is None
    assert parse_sku(f"{text}\n") is None


@pytest.mark.parametrize(
    ("text", "gpus"),
    [
        (None, True),
        ("", True),
        ("G8", True),
        ("D16sv3", True),
        ("anything at all", True),
        ("C4", False),
        ("{nodes}xC{processes}", False),
        ("${NODES}xC${TIER}", False),
        ("${NODES}xG${GPUS}", True),
    ],
)
def test_what_the_selector_counts(text: str | None, gpus: bool) -> None:
    assert counts_gpus(text) is gpus


@pytest.mark.parametrize(
    ("text", "nodes", "selector", "filled"),
    [
        ("{nodes}xG{processes}", 2, 8, "2xG8"),
        ("{nodes}xG{processes}", 2, "‹-p›", "2xG‹-p›"),
        ("G8", 2, 4, "G8"),
        ("${NODES}xG{processes}", 2, 8, "${NODES}xG8"),
        ("${nodes}xG8", 2, 8, "${nodes}xG8"),
    ],
)
def test_fill(text: str, nodes: int, selector: int | str, filled: str) -> None:
    assert fill(text, nodes, selector) == filled


def test_placeholders_are_not_variables() -> None:
    assert has_placeholder("{nodes}xG8")
    assert has_placeholder("G{processes}")
    assert not has_placeholder("${nodes}xG8")
    assert not has_placeholder("4xG8")


@pytest.mark.parametrize(
    ("key", "first", "last"),
    [("1", 1, 1), ("2-7", 2, 7), ("3-3", 3, 3), ("8+", 8, None), ("1+", 1, None), (" 4 ", 4, 4)],
)
def test_ranges(key: str, first: int, last: int | None) -> None:
    assert parse_range(key) == NodeRange(key, first, last)


@pytest.mark.parametrize("key", ["0", "7-2", "0-3", "a", "", "+", "1-", "-1", "1+2", "1.5", "1,2", "{nodes}", "٣"])
def test_not_ranges(key: str) -> None:
    assert parse_range(key) is None


RANGES: dict[str, Json] = {"1": "G1", "2-7": "{nodes}xG4", "8+": "{nodes}xG8"}


@pytest.mark.parametrize(
    ("sku", "nodes", "key"),
    [
        (RANGES, 1, "1"),
        (RANGES, 2, "2-7"),
        (RANGES, 7, "2-7"),
        (RANGES, 800, "8+"),
        ({"1+": "first", "2": "second"}, 2, "1+"),
        ({"2": "second", "1+": "first"}, 2, "2"),
        ({"1": None, "1+": "open"}, 1, "1+"),
        ({"odd": "x", "1+": "open"}, 1, "1+"),
    ],
)
def test_the_first_range_in_written_order_counts(sku: dict[str, Json], nodes: int, key: str) -> None:
    assert choose_sku(sku, nodes) == ((*SKU_PATH, key), sku[key])


def test_one_text_is_for_every_number_of_nodes() -> None:
    assert choose_sku("G8", 99) == (SKU_PATH, "G8")
    assert choose_sku(None, 99) is None
    assert choose_sku({}, 99) is None
    assert choose_sku({"1": None}, 1) is None


def test_no_range_holds_the_nodes() -> None:
    found = choose_sku({"1": "G1", "2-7": "G4"}, 9)
    assert isinstance(found, Finding)
    assert (found.path, found.code) == (SKU_PATH, "sku.no-range")
    assert "9 nodes" in found.message
    assert "`1`, `2-7`" in found.message
    assert "`9+`" in found.message


def found_codes(sku: Json, *, any_text: bool = False, variables: bool = False) -> list[tuple[KeyPath, str]]:
    return [(each.path[3:], each.code) for each in check_sku(sku, any_text=any_text, variables=variables)]


@pytest.mark.parametrize(
    ("sku", "expected"),
    [
        (None, []),
        ("G8", []),
        ("{nodes}x40G{processes}-A100", []),
        ("D16sv3", []),
        ("G8 A100", [((), "sku.syntax")]),
        ("{gpus}xG8", [((), "sku.placeholder")]),
        ("{nodes}xG{", [((), "sku.placeholder")]),
        ("{}xG8", [((), "sku.placeholder")]),
        ("${NODES}xG8", [((), "sku.placeholder")]),
        ({"1": "G1", "2-7": "G 4"}, [(("2-7",), "sku.syntax")]),
        ({"one": "G1"}, [(("one",), "sku.syntax")]),
        ({"1": "G1", "3-4": "G4"}, [(("3-4",), "sku.gap")]),
        ({"3-4": "G4", "1": "G1"}, [(("3-4",), "sku.gap")]),
        ({"2+": "G4"}, []),
        ({"1": "G1", "2-7": "G4"}, []),
        ({"1-4": "G1", "4-7": "G4"}, [(("4-7",), "sku.overlap")]),
        ({"4-7": "G4", "1-4": "G1"}, [(("1-4",), "sku.overlap")]),
        ({"2+": "G4", "9": "G8"}, [(("9",), "sku.overlap")]),
        ({"1+": "G4", "2+": "G8", "3": "G9"}, [(("2+",), "sku.overlap"), (("3",), "sku.overlap")]),
        ({"1-9": "G1", "2": "G2", "11": "G3"}, [(("2",), "sku.overlap"), (("11",), "sku.gap")]),
        ({"1": "G1", "2": "G2", "1+": "G8"}, [(("1+",), "sku.overlap")]),
    ],
)
def test_what_is_wrong_whatever_the_shape(sku: Json, expected: list[tuple[KeyPath, str]]) -> None:
    assert found_codes(sku) == expected


def test_gap_says_what_is_missing() -> None:
    (one,) = check_sku({"1": "G1", "3": "G3"}, any_text=False, variables=False)
    assert "holds 2 nodes" in one.message
    (more,) = check_sku({"1": "G1", "5+": "G3"}, any_text=False, variables=False)
    assert "holds 2-4 nodes" in more.message
    assert (more.origin, more.on_key) == ((*SKU_PATH, "1"), True)


def test_services_that_take_any_text_still_know_placeholders_and_ranges() -> None:
    assert found_codes("whatever they call it", any_text=True) == []
    assert found_codes("{gpus}", any_text=True) == [((), "sku.placeholder")]
    assert found_codes("${NODES}xG8", any_text=True) == [((), "sku.placeholder")]
    assert found_codes({"many": "G8"}, any_text=True) == [(("many",), "sku.syntax")]


def test_variables_pass_unchecked_where_amlt_fills_them() -> None:
    assert found_codes("${NODES}x${MEMORY:-40}G${GPUS} or so", variables=True) == []
    assert found_codes("${NODES}xG{gpus}", variables=True) == [((), "sku.placeholder")]


@pytest.mark.parametrize(
    ("text", "nodes", "selector", "suggest"),
    [
        ("2xG8", 2, 8, None),
        ("2xG8", 4, 8, "{nodes}xG8"),
        ("2xG8", 2, 4, "2xG{processes}"),
        ("2x40G8-A100@eastus2", 4, 4, "{nodes}x40G{processes}-A100@eastus2"),
        ("G8", 4, 8, None),
        ("G8", None, 4, "G{processes}"),
        ("2xG8", 4, None, "{nodes}xG8"),
        ("C8", 1, 2, None),
        ("2xC8", 1, 8, "{nodes}xC8"),
        ("2xD16sv3", 1, 8, "{nodes}xD16sv3"),
        ("{nodes}xG{processes}", 4, 4, None),
        ("2xG${GPUS}", 4, 4, None),
        ("2 times G8", 4, 4, None),
        ("02xG8", 2, 8, None),
    ],
)
def test_literal_counts_follow_the_shape(
    text: str, nodes: int | None, selector: int | None, suggest: str | None
) -> None:
    found = check_counts(SKU_PATH, text, nodes, selector)
    if suggest is None:
        assert found is None
    else:
        assert found is not None
        assert (found.code, found.path, found.suggest) == ("sku.shape-mismatch", SKU_PATH, f'"{suggest}"')
        assert suggest in found.message


counts = st.one_of(st.just(""), st.integers(0, 99).map(str), st.sampled_from(["{nodes}", "{processes}"]))
heads = counts.map(lambda number: f"{number}x" if number else "")
regions = st.sampled_from(["", "@eastus2", "@west-europe"])
names = st.from_regex(r"[A-Za-z][A-Za-z0-9_.]{0,9}", fullmatch=True)


@given(
    heads, st.one_of(st.just(""), names.map(lambda each: f"{each}:")), counts, st.sampled_from("GC"), counts, regions
)
def test_every_text_of_the_grammar_is_read(
    head: str, instance: str, memory: str, kind: str, count: str, region: str
) -> None:
    text = f"{head}{instance}{memory}{kind}{count}-IB{region}"
    found = parse_sku(text)
    assert found is not None
    assert (found["kind"], found["count"] or "", found["features"]) == (kind, count, "-IB")
    assert check_sku(text, any_text=False, variables=False) == []


@given(st.text(max_size=30))
def test_no_text_is_too_odd(text: str) -> None:
    for each in check_sku(text, any_text=False, variables=False):
        assert each.code in {"sku.syntax", "sku.placeholder"}
    check_sku({text: text}, any_text=True, variables=True)
    check_counts(SKU_PATH, text, 1, 1)


@given(
    st.lists(
        st.one_of(
            st.integers(1, 30).map(str),
            st.tuples(st.integers(1, 30), st.integers(0, 9)).map(lambda two: f"{two[0]}-{sum(two)}"),
            st.integers(1, 30).map(lambda first: f"{first}+"),
        ),
        unique=True,
        max_size=6,
    )
)
def test_overlaps_and_gaps_are_what_counting_finds(keys: list[str]) -> None:
    ranges = [each for key in keys if (each := parse_range(key))]
    holders = [sum(each.holds(nodes) for each in ranges) for nodes in range(1, 60)]
    sku: dict[str, Json] = dict.fromkeys(keys, "G8")
    codes = {each.code for each in check_sku(sku, any_text=False, variables=False)}
    assert ("sku.overlap" in codes) == any(count > 1 for count in holders)
    held = [nodes for nodes, count in enumerate(holders) if count]
    assert ("sku.gap" in codes) == any(not holders[nodes] for nodes in range(*(held[0], held[-1]) if held else (0, 0)))
