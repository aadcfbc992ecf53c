"""`docs/settings.md`: its example is an aj.toml without a fault, and shows every setting."""

from __future__ import annotations

import re

from ajkit.shared.problem import Severity
from ajkit.shared.template.settings import KEYS, read_settings
from tests.repository import ROOT


def test_the_example_is_read_without_a_problem() -> None:
    (example,) = re.findall(r"^```toml\n(.*?)^```$", (ROOT / "docs/settings.md").read_text(), re.MULTILINE | re.DOTALL)
    settings = read_settings("/w/.aj/aj.toml", example.encode())
    assert settings.problems == ()
    assert settings.default == "train"
    assert settings.templates == ("experiments/*.yaml",)
    assert [each.name for each in settings.overlays] == ["site.defaults"]
    assert settings.severity == {"merge.repeats": None, "merge.diamond": Severity.ERROR}
    assert all(re.search(rf"^\[?{key}\b", example, re.MULTILINE) for key in KEYS)
