"""What every test may use: the golden files, and the rule on skips."""

from __future__ import annotations

pytest_plugins = ["pytester", "tests.plugins.goldens", "tests.plugins.skips"]
