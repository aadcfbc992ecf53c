"""Tokens: shown once, kept as hashes, good until they expire or are revoked, found without telling by time."""

from __future__ import annotations

import hmac
import os
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from ajkit.daemon.place import PlaceProblem
from ajkit.daemon.tokens import Tokens
from ajkit.shared.problem import UsageError

if TYPE_CHECKING:
    from pathlib import Path

NOW = datetime.now(UTC)


@pytest.fixture
def tokens(tmp_path: Path) -> Tokens:
    return Tokens(str(tmp_path))


def test_the_text_is_kept_nowhere(tokens: Tokens) -> None:
    text = tokens.add("ana")
    assert text.startswith("aj_")
    assert len(text) > 60
    with open(tokens.path, encoding="utf-8") as file:
        kept = file.read()
    assert text not in kept
    assert text[3:] not in kept
    assert os.stat(tokens.path).st_mode & 0o777 == 0o600


def test_a_token_is_found_by_its_text_alone(tokens: Tokens) -> None:
    first, second = tokens.add("ana"), tokens.add("bo", read_only=True)
    found = tokens.find(first), tokens.find(second)
    assert [each and (each.name, each.read_only) for each in found] == [("ana", False), ("bo", True)]
    for wrong in ("", first[:-1], first + "x", first.upper(), "ana", "\udcff"):
        assert tokens.find(wrong) is None


def test_every_hash_is_compared_whichever_it_is(tokens: Tokens, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [tokens.add(f"t{number}") for number in range(5)]
    compared = 0
    plain = hmac.compare_digest

    def counting(one: str, other: str) -> bool:
        nonlocal compared
        compared += 1
        return plain(one, other)

    monkeypatch.setattr(hmac, "compare_digest", counting)
    for text in (texts[0], texts[-1], "aj_wrong"):
        compared = 0
        tokens.find(text)
        assert compared == 5


def test_they_expire(tokens: Tokens) -> None:
    found = tokens.find(tokens.add("ana", days=2))
    assert found is not None
    assert not found.has_expired(NOW + timedelta(days=1))
    assert found.has_expired(NOW + timedelta(days=3))
    lasting = tokens.find(tokens.add("bo", days=None))
    assert lasting is not None
    assert not lasting.has_expired(NOW + timedelta(days=100_000))


def test_a_change_by_another_process_is_seen_at_once(tokens: Tokens, tmp_path: Path) -> None:
    text = tokens.add("ana")
    other = Tokens(str(tmp_path))
    assert other.find(text) is not None
    tokens.revoke("ana")
    assert other.find(text) is None
    assert other.all() == ()
    os.unlink(tokens.path)
    assert other.all() == ()


@pytest.mark.parametrize("name", ["", "a b", "-x", "x/y", "x" * 64, "ü", "a\n"])
def test_names_that_cannot_be(tokens: Tokens, name: str) -> None:
    with pytest.raises(UsageError, match="cannot be the name"):
        tokens.add(name)


def test_names_are_unique_and_known(tokens: Tokens) -> None:
    tokens.add("ana")
    with pytest.raises(UsageError, match="there is a token ana already"):
        tokens.add("ana")
    with pytest.raises(UsageError, match="there is no token bo"):
        tokens.revoke("bo")
    with pytest.raises(UsageError, match="longer than dates reach"):
        tokens.add("far", days=10**9)


def test_a_damaged_file_is_said_and_left(tokens: Tokens) -> None:
    with open(tokens.path, "w", encoding="utf-8") as file:
        file.write('{"tokens": [{"name": "x", "sha256": "aj_secret"}]}')
    with pytest.raises(PlaceProblem, match=r"cannot be read: ValidationError") as refused:
        tokens.add("ana")
    assert "aj_secret" not in str(refused.value)
