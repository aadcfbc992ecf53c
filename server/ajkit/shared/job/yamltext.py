"""A JSON value written as YAML text that people read: keys in their order, scripts as blocks, nothing folded."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import yaml

if TYPE_CHECKING:
    from ajkit.shared.where import Json


class _Dumper(yaml.SafeDumper):
    """Shared values are written out again: anchors would only puzzle a reader."""

    def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002
        return True


_ODD_LINE_ENDS = re.compile("[\r\x85\u2028\u2029]")
"""Line ends to YAML alone, which it would turn into others: such texts are written with escapes."""


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = '"' if _ODD_LINE_ENDS.search(text) else "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)


def yaml_text(value: Json) -> str:
    """The value as one YAML document; loading it gives the value again."""
    return yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=1_000_000)
