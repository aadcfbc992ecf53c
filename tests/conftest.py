"""What every test may use: the golden files, the rule on skips, and how examples are drawn."""

from __future__ import annotations

import os

from hypothesis import settings

pytest_plugins = ["pytester", "tests.plugins.goldens", "tests.plugins.skips"]

# A shared machine is slow at times: no deadline for one example. Where CI=true the same examples are drawn every time.
settings.register_profile("aj", deadline=None, derandomize=os.environ.get("CI") == "true", print_blob=True)
settings.load_profile("aj")
