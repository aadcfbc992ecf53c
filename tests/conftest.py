"""What every test may use: the golden files, the rule on skips, how examples are drawn, interrupts that are heard."""

from __future__ import annotations

import os
import signal

from hypothesis import HealthCheck, settings

pytest_plugins = ["pytester", "tests.plugins.goldens", "tests.plugins.skips"]

# A shared machine is slow at times: neither an example nor the drawing of one has to be done by a certain time. Where
# CI=true the same examples are drawn every time.
settings.register_profile(
    "aj",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=os.environ.get("CI") == "true",
    print_blob=True,
)
settings.load_profile("aj")

# What a shell runs in the background ignores interrupts, and so does all that it starts: tests interrupt programs.
signal.signal(signal.SIGINT, signal.default_int_handler)
