"""Job names: what characters and length a service takes, and the nearest such name that keeps its ``-<sid>``."""

from __future__ import annotations

import re
import unicodedata

from ajkit.shared.records import dataclass

_SID = re.compile(r"(?s:(?P<stem>.*))-(?P<sid>[a-z0-9]{10})")


@dataclass(frozen=True, slots=True)
class NameRule:
    """What job names a service accepts: a character class each for any and for the first character, and a length.

    A name that starts otherwise gets `prefix` in front; without one its start is dropped.
    """

    allowed: str
    first: str
    limit: int
    lower: bool = False
    prefix: str = ""

    @property
    def pattern(self) -> str:
        """The regular expression that every fitted name matches."""
        return f"[{self.first}][{self.allowed}]{{0,{self.limit - 1}}}"

    def fit(self, name: str) -> str:
        """The nearest acceptable name: the stem is respelled and cut, the ``-<sid>`` at its end never.

        Raises:
            ValueError: no sid at the end, or nothing of the stem can be kept.
        """
        found = _SID.fullmatch(name)
        if not found:
            raise ValueError(f"{name!r} does not end in a dash and a sid (ten lower-case letters or digits)")
        plain = _without_accents(found["stem"])
        stem = re.sub(f"[^{self.allowed}]+", "-", plain.lower() if self.lower else plain).lstrip("-._")
        if stem and self.prefix and not re.match(f"[{self.first}]", stem):
            stem = self.prefix + stem
        stem = re.sub(f"^[^{self.first}]+", "", stem)[: self.limit - len(found["sid"]) - 1].rstrip("-._")
        if not stem:
            raise ValueError(f"nothing of {found['stem']!r} can be part of a job name here: give another with --name")
        return f"{stem}-{found['sid']}"


def _without_accents(text: str) -> str:
    if text.isascii():
        return text
    return "".join(each for each in unicodedata.normalize("NFKD", text) if not unicodedata.combining(each))


FILE_SAFE = NameRule(allowed="A-Za-z0-9._-", first="A-Za-z0-9", limit=128)
"""Names that are safe as a file name, a shell word and an item of a comma-separated list."""
