"""Jobs for amlt: everything is handed over, so nothing is without effect."""

from __future__ import annotations

from ajkit.backends.amlt.describe import AmltOpts
from ajkit.shared.job.describe import describe
from ajkit.shared.template.model import typed
from tests.backends.drawn import SERVICES


def test_amlt_takes_all() -> None:
    amlt = SERVICES.chosen_by("--amlt")
    assert amlt
    found = describe(
        amlt,
        typed(
            {
                "target": {"service": "manifold", "queue": "x", "rdma": True},
                "storage": {"data": {"mount_dir": "/x"}},
                "_extra": {"amlt": {"args": "--yes"}},
            }
        ),
    )
    assert (found.options, found.findings) == (AmltOpts(args=["--yes"]), ())


def test_its_own_options_are_checked() -> None:
    amlt = SERVICES.chosen_by("--amlt")
    assert amlt
    found = describe(amlt, typed({"_extra": {"amlt": {"args": [1], "flags": []}}}))
    assert [(each.path[2:], each.code) for each in found.findings] == [
        (("flags",), "amlt.unknown-key"),
        (("args", 0), "schema.type"),
    ]
