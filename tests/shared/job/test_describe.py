"""What a service makes of a template, put together from its hooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from ajkit.shared.job.describe import describe, without_effect
from ajkit.shared.problem import Finding, Severity
from ajkit.shared.spec import BackendOptions, DerivedShape, Description, From, Ignored, Role
from ajkit.shared.template.model import typed
from ajkit.shared.where import format_keypath

if TYPE_CHECKING:
    from ajkit.shared.template.model import Template


class KiteOpts(BackendOptions):
    queue: Annotated[str, From("target.queue")] = "default"
    tail: Annotated[dict[str, int], From("_extra.kite.tail")] = {}


class Kite(Description):
    name = "kite"
    summary = "Flies."
    options = KiteOpts
    required = (("environment", "image"), ("target", "name"), ("target", "memory"))

    def derive_shape(self, template: Template) -> tuple[DerivedShape | None, list[Finding]]:
        options, findings = self.build_spec_backend(template)
        if not isinstance(options, KiteOpts):
            return None, findings
        roles = tuple(Role(name, count, 0, 1) for name, count in options.tail.items())
        return (DerivedShape(roles), []) if roles else (None, [])

    def ignores(self, template: Template) -> tuple[Ignored, ...]:
        assert template.raw
        return (Ignored(("storage",), "it carries nothing", Severity.WARNING),)


class Wind(Kite):
    takes_all = True


FULL: dict[str, Any] = {"environment": {"image": "x"}, "target": {"name": "n", "memory": "1Gi"}}


def told(findings: tuple[Finding, ...] | list[Finding]) -> list[str]:
    return [f"{format_keypath(each.path)} {each.code}: {each.message}" for each in findings]


def test_what_is_required_and_not_set_is_told_once_a_place() -> None:
    found = describe(Kite(), typed({"target": {"name": None, "memory": ""}})).findings
    assert {(each.code, each.path) for each in found} == {("schema.required", path) for path in Kite.required}
    (one,) = describe(Kite(), typed({"target": {"queue": "q"}, "environment": {"image": "x"}})).findings
    assert (one.code, one.path) == ("schema.required", ("target", "name"))
    assert one.message.startswith("`kite` needs `target.name` and `target.memory`, which are not set")


def test_what_was_cleared_entry_by_entry_is_not_there() -> None:
    cleared = typed({"storage": {"data": None, "logs": None}, "target": {"name": None}})
    assert without_effect(Kite(), cleared) == []


def test_a_key_without_effect_says_why() -> None:
    config = {**FULL, "storage": {"data": {"mount_dir": "/x"}}, "jobs": [{"priority": "High"}]}
    found = without_effect(Kite(), typed(config))
    assert told(found) == [
        "target.name schema.no-effect: `target.name` has no effect: `kite` does not use it",
        "target.memory schema.no-effect: `target.memory` has no effect: `kite` does not use it",
        "storage schema.no-effect: `storage` has no effect: it carries nothing",
        "jobs[0].priority schema.no-effect: `jobs[0].priority` has no effect: `kite` does not use it",
    ]
    assert {each.severity for each in found} == {Severity.INFORMATION, Severity.WARNING}
    assert all(each.on_key for each in found)
    assert without_effect(Wind(), typed(config)) == []


def test_a_shape_is_derived_failed_or_none() -> None:
    derived = describe(Wind(), typed({**FULL, "_extra": {"kite": {"tail": {"red": 2}}}}))
    assert derived.shape == DerivedShape((Role("red", 2, 0, 1),))
    assert (derived.failed, derived.findings) == (False, ())
    failed = describe(Wind(), typed({**FULL, "_extra": {"kite": {"tail": {"red": "two"}}}}))
    assert (failed.shape, failed.failed, failed.options) == (None, True, None)
    assert [each.code for each in failed.findings] == ["schema.type"]
    plain = describe(Wind(), typed(FULL))
    assert (plain.shape, plain.failed) == (None, False)
