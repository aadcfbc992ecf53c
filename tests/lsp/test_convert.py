"""Positions in every encoding and URIs of every system: pure functions, so that all of it is tried here."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ajkit.lsp import convert
from ajkit.shared.where import Text

LINE = "a: ä🚀b\u2028c"


@pytest.mark.parametrize(
    ("encoding", "columns"),
    [
        (convert.UTF8, [0, 1, 2, 3, 5, 9, 10, 13, 14]),
        (convert.UTF16, [0, 1, 2, 3, 4, 6, 7, 8, 9]),
        (convert.UTF32, [0, 1, 2, 3, 4, 5, 6, 7, 8]),
    ],
)
def test_columns(encoding: str, columns: list[int]) -> None:
    text = Text("/x", f"one\n{LINE}\ntwo\n")
    places = [convert.position(text, 4 + offset, encoding) for offset in range(len(LINE) + 1)]
    assert places == [{"line": 1, "character": each} for each in columns]
    assert [convert.offset(text, 1, each, encoding) - 4 for each in columns] == [*range(len(LINE) + 1)]


@pytest.mark.parametrize(("encoding", "inside"), [(convert.UTF8, 6), (convert.UTF16, 5)])
def test_inside_of_a_character_is_its_beginning(encoding: str, inside: int) -> None:
    assert convert.offset(Text("/x", LINE), 0, inside, encoding) == LINE.index("🚀")


@pytest.mark.parametrize("encoding", convert.ENCODINGS)
@pytest.mark.parametrize(
    ("line", "character", "offset"),
    [(0, 99, 3), (1, 99, 8), (7, 0, 9), (-1, 5, 0), (0, -5, 0), (2, 0, 9)],
)
def test_past_the_ends(encoding: str, line: int, character: int, offset: int) -> None:
    text = Text("/x", "äbc\r\nd🚀f\n")
    assert len(text.content) == 9
    assert convert.offset(text, line, character, encoding) == offset


@given(st.text("aä🚀\r\n\u2028\x0c\x85", max_size=30), st.sampled_from(convert.ENCODINGS))
def test_there_and_back(content: str, encoding: str) -> None:
    text = Text("/x", content)
    for offset in range(len(content) + 1):
        if content[offset - 1 : offset + 1] == "\r\n":
            continue  # no place of its own
        place = convert.position(text, offset, encoding)
        found = convert.offset(text, place["line"], place["character"], encoding)
        assert found == offset or content[found:offset].strip("\r\n") == ""


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///w/leaf.yaml", "/w/leaf.yaml"),
        ("file:///w/a%20b%23c%25d/%C3%BC%F0%9F%9A%80.yaml", "/w/a b#c%d/ü🚀.yaml"),
        ("file:///w/a#b?c.yaml", "/w/a#b?c.yaml"),
        ("file:///w/x/../leaf.yaml", "/w/leaf.yaml"),
        ("file:///c%3A/w/leaf.yaml", "/c:/w/leaf.yaml"),
        ("untitled:Untitled-1", "untitled:Untitled-1"),
        ("git:/w/leaf.yaml", None),
        ("https://example.org/leaf.yaml", None),
    ],
)
def test_paths_of_uris(uri: str, path: str | None) -> None:
    assert convert.path_of(uri) == path


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("/w/leaf.yaml", "file:///w/leaf.yaml"),
        ("/w/a b#c%d?e/ü🚀.yaml", "file:///w/a%20b%23c%25d%3Fe/%C3%BC%F0%9F%9A%80.yaml"),
        ("/w/[x]:y", "file:///w/%5Bx%5D%3Ay"),
        ("untitled:Untitled-1", "untitled:Untitled-1"),
    ],
)
def test_uris_of_paths(path: str, uri: str) -> None:
    assert convert.uri_of(path) == uri
    assert convert.path_of(uri) == path


@pytest.mark.parametrize(
    ("uri", "path", "back"),
    [
        ("file:///c%3A/w/leaf.yaml", "c:/w/leaf.yaml", "file:///c%3A/w/leaf.yaml"),
        ("file:///C:/w/a%20b.yaml", "c:/w/a b.yaml", "file:///c%3A/w/a%20b.yaml"),
        ("file:///c%3A", "c:/", "file:///c%3A/"),
        ("file://wsl%24/Debian/w/leaf.yaml", "//wsl$/Debian/w/leaf.yaml", "file://wsl%24/Debian/w/leaf.yaml"),
        ("file://server/share/x.yaml", "//server/share/x.yaml", "file://server/share/x.yaml"),
        ("file://localhost/c:/x.yaml", "c:/x.yaml", "file:///c%3A/x.yaml"),
    ],
)
def test_on_windows(uri: str, path: str, back: str) -> None:
    assert convert.path_of(uri, windows=True) == path
    assert convert.uri_of(path, windows=True) == back
    assert convert.uri_of(path.replace("/", "\\"), windows=True) == back


@given(st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1, max_size=20))
def test_any_name_comes_back(name: str) -> None:
    if name in (".", ".."):
        return
    assert convert.path_of(convert.uri_of(f"/w/{name}")) == f"/w/{name}"


@pytest.mark.parametrize("path", ["/w/.aj/template/leaf.yaml", "/w/a b#c/leaf.yaml", "untitled:Untitled-1"])
def test_previews(path: str) -> None:
    uri = convert.preview_uri("merged", path)
    assert uri.startswith("aj-preview://merged/")
    assert convert.preview_of(uri) == ("merged", path)
    assert convert.preview_of(convert.uri_of(path)) is None
