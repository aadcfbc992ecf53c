"""The description registry as a value: names, aliases, laziness, and the rule that fits names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import pytest

from ajkit.shared.spec import (
    FILE_SAFE,
    BackendOptions,
    Description,
    From,
    NameRule,
    PluginBroken,
    Registry,
    Service,
)
from ajkit.shared.template.model import typed

if TYPE_CHECKING:
    from collections.abc import Callable

DNS = NameRule(allowed="a-z0-9-", first="a-z", limit=24, lower=True, prefix="j")
SID = "abcde12345"


class KiteOpts(BackendOptions):
    string: Annotated[str, From("target.string")] = "nylon"


class Kite(Description):
    name = "kite"
    summary = "Flies."
    options = KiteOpts
    aliases = ("dragon",)
    required = (("target", "name"),)


class Balloon(Description):
    name = "balloon"
    summary = "Rises."
    options = KiteOpts
    flag = "--up"
    carries = ("zeppelin",)


def recorded(asked: list[str], service: Description) -> Callable[[], Service]:
    def load() -> Service:
        asked.append(service.name)
        return service

    return load


def test_a_description_is_a_service_with_the_usual_answers() -> None:
    kite: Service = Kite()
    template = typed({"target": {"string": "silk"}})
    assert isinstance(kite, Service)
    assert kite.build_spec_backend(template) == (KiteOpts(string="silk"), [])
    assert kite.load_spec_backend({"string": "silk"}) == KiteOpts(string="silk")
    assert kite.derive_shape(template) == (None, [])
    assert kite.requires(template) == (("target", "name"),)
    assert kite.ignores(template) == ()
    assert kite.normalize_job_name(f"a b-{SID}") == f"a-b-{SID}"


def test_services_are_loaded_once_and_when_asked_for() -> None:
    asked: list[str] = []
    services = Registry({each.name: recorded(asked, each) for each in (Kite(), Balloon())})
    assert services.built_in == ("balloon", "kite")
    assert asked == []
    kite = services.find("KITE")
    assert asked == ["kite"]
    assert services.find("dragon") is kite
    assert services.chosen_by("--up") is services.find("balloon")
    assert services.carrier("zeppelin") is services.find("balloon")
    assert services.names() == ("kite",)
    assert [each.name for each in services.all()] == ["balloon", "kite"]
    assert asked == ["kite", "balloon"]
    assert services.extra_fields() == {("target", "string"): ("balloon", "kite")}


def test_plug_ins_come_after_the_built_in_services() -> None:
    asked: list[str] = []

    def broken() -> Service:
        raise PluginBroken("the service `dud` is skipped")

    def plugins() -> list[tuple[str, Callable[[], Service]]]:
        asked.append("plugins")
        return [("balloon", recorded(asked, Balloon())), ("kite", recorded(asked, Balloon())), ("dud", broken)]

    services = Registry({"kite": recorded(asked, Kite())}, plugins)
    assert services.find("kite")
    assert services.find("dragon")
    assert asked == ["kite"]
    assert services.find("dud") is None
    assert services.find("balloon")
    assert services.find("nothing") is None
    assert asked == ["kite", "plugins", "balloon"]
    assert [(each.code, each.span) for each in services.problems] == [("plugin.broken", None)] * 2
    assert ["dud" in services.problems[0].message, "kite" in services.problems[1].message] == [True, True]


@pytest.mark.parametrize(
    ("rule", "stem", "fitted"),
    [
        (FILE_SAFE, "train", "train"),
        (FILE_SAFE, "my project/train.py", "my-project-train.py"),
        (FILE_SAFE, "..hidden--", "hidden"),
        (FILE_SAFE, "Überprüfung", "Uberprufung"),
        (FILE_SAFE, "a" * 300, "a" * 117),
        (DNS, "My_Project", "my-project"),
        (DNS, "2x8", "j2x8"),
        (DNS, "-2x8", "j2x8"),
        (DNS, "abcdefghijkl-mnop", "abcdefghijkl"),
        (DNS, "İstanbul", "istanbul"),
        (DNS, f"again-{SID}", "again-abcde12"),
        (DNS, "line\nbreak", "line-break"),
    ],
)
def test_a_name_is_respelled_and_cut_but_keeps_its_sid(rule: NameRule, stem: str, fitted: str) -> None:
    assert rule.fit(f"{stem}-{SID}") == f"{fitted}-{SID}"


@pytest.mark.parametrize("stem", ["", "東京", "---", "🚀"])
def test_a_name_of_which_nothing_can_be_kept_is_refused(stem: str) -> None:
    with pytest.raises(ValueError, match="give another with --name"):
        DNS.fit(f"{stem}-{SID}")


@pytest.mark.parametrize("name", ["train", f"train{SID}", "train-ABCDE12345", f"train-{SID}\n"])
def test_a_name_without_a_sid_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="does not end in a dash and a sid"):
        DNS.fit(name)
