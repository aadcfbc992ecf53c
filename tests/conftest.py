"""What every test may use: the golden files, the rule on skips, how examples are drawn, interrupts that are heard."""

from __future__ import annotations

import os
import signal

from hypothesis import settings

pytest_plugins = ["pytester", "tests.plugins.goldens", "tests.plugins.skips"]

# A shared machine is slow at times: no deadline for one example. Where CI=true the same examples are drawn every time.
settings.register_profile("aj", deadline=None, derandomize=os.environ.get("CI") == "true", print_blob=True)
settings.load_profile("aj")

# What a shell runs in the background ignores interrupts, and so does all that it starts: tests interrupt programs.
signal.signal(signal.SIGINT, signal.default_int_handler)
