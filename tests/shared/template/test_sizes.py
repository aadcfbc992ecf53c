"""Sizes in binary units, however they are spelt."""

from __future__ import annotations

import pytest

from ajkit.shared.template.sizes import binary_size


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("64g", 64 << 30),
        ("64G", 64 << 30),
        ("64GB", 64 << 30),
        ("64Gi", 64 << 30),
        ("64 GiB", 64 << 30),
        ("1.5k", 1536),
        ("2t", 2 << 40),
        ("1p", 1 << 50),
        ("512", 512),
        ("512b", 512),
        (" 1m ", 1 << 20),
    ],
)
def test_a_size(text: str, size: int) -> None:
    assert binary_size(text) == size


@pytest.mark.parametrize("text", ["", "g", "64x", "-1g", "1e3", "64gg", "1,5g", "1..5g"])
def test_no_size(text: str) -> None:
    assert binary_size(text) is None
