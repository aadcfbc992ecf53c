"""Where a daemon is reached: what the environment may say, and what it may not."""

from __future__ import annotations

import pytest

from ajkit.client.address import read_address
from ajkit.shared.problem import UsageError


@pytest.mark.parametrize(
    ("text", "shown", "local"),
    [
        ("http://aj.example.org", "http://aj.example.org:7420", False),
        ("http://127.0.0.1:80/", "http://127.0.0.1:80", True),
        ("https://aj.example.org", "https://aj.example.org:443", False),
        ("https://[::1]:7420", "https://[::1]:7420", True),
        ("HTTP://LOCALHOST:1", "http://localhost:1", True),
        ("unix:/run/aj.sock", "unix:/run/aj.sock", True),
        ("unix:///run/aj.sock", "unix:/run/aj.sock", True),
    ],
)
def test_addresses(text: str, shown: str, *, local: bool) -> None:
    address = read_address({"AJ_SERVER": f" {text} ", "AJ_TOKEN": "aj_secret\n"})
    assert address is not None
    assert (str(address), address.is_local) == (shown, local)
    assert "aj_secret" not in f"{address!r}{address}"
    assert address.headers == ({} if address.scheme == "unix" else {"Authorization": "Bearer aj_secret"})


@pytest.mark.parametrize("text", ["", "  "])
def test_none_is_named(text: str) -> None:
    assert read_address({"AJ_SERVER": text, "AJ_TOKEN": "x"}) is None
    assert read_address({}) is None


@pytest.mark.parametrize(
    "text",
    [
        "aj.example.org",
        "ftp://x",
        "http://",
        "http://u:secret@x",
        "http://x/path",
        "http://x:99999",
        "http://[::1",
        "unix:x",
    ],
)
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(UsageError, match="AJ_SERVER") as refused:
        read_address({"AJ_SERVER": text})
    assert "secret" not in str(refused.value)


def test_a_token_that_would_break_the_header() -> None:
    with pytest.raises(UsageError, match="AJ_TOKEN holds characters") as refused:
        read_address({"AJ_SERVER": "http://x", "AJ_TOKEN": "aj_a\r\nX-Evil: 1"})
    assert "Evil" not in str(refused.value)
