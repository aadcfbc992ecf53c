"""What every service must keep, whoever wrote it: run over the built-in ones, those installed, and a sample plug-in."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ajkit.disk import DiskFiles
from ajkit.shared.job.describe import COMMON, describe
from ajkit.shared.problem import Severity
from ajkit.shared.spec import Description
from ajkit.shared.template.model import Target, Template, typed
from ajkit.shared.template.options import declared, extra_fields
from ajkit.shared.template.refusals import known_keys
from ajkit.shared.template.resolve import Resolved, resolve
from ajkit.shared.where import MISSING, at, parse_keypath
from tests.backends.installed import SAMPLE, every_service, examples_of, folder_of
from tests.repository import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from ajkit.shared.problem import Finding
    from ajkit.shared.spec import Service
    from ajkit.shared.where import Json, KeyPath

SERVICES = every_service()
EXAMPLES = [(service, path) for service in SERVICES for path in examples_of(service)]

OURS = [each for each in SERVICES if folder_of(each).is_relative_to(ROOT / "server")]
"""The built-in services; what a plug-in refuses is its own to explain."""

MACHINE = {
    *("asyncio", "datetime", "glob", "http", "httpx", "importlib", "io", "os", "pathlib", "platform", "random"),
    *("requests", "secrets", "shutil", "signal", "socket", "subprocess", "sys", "tempfile", "threading", "time"),
    *("urllib", "uuid"),
}

over_services = pytest.mark.parametrize("service", SERVICES, ids=lambda each: each.name)
over_examples = pytest.mark.parametrize(
    ("service", "path"), EXAMPLES, ids=[f"{service.name}-{path.stem}" for service, path in EXAMPLES]
)


@cache
def resolved(path: Path) -> Resolved:
    return resolve(DiskFiles(), str(path), None)


def config_of(path: Path) -> dict[str, Json]:
    """A copy of an example's config, to plant something in."""
    config: dict[str, Json] = json.loads(json.dumps(resolved(path).config))
    return config


def plant(config: dict[str, Json], path: KeyPath, value: Json) -> dict[str, Json]:
    """The config with a value at a key path; mappings and list items on the way are made."""
    here: Any = config
    for step, following in zip(path, (*path[1:], None), strict=True):
        if following is None:
            here[step] = value
            continue
        empty: Any = [] if isinstance(following, int) else {}
        if isinstance(here, list) and len(here) <= int(step):
            here.append(empty)
        elif isinstance(here, dict) and not here.get(step):
            here[step] = empty
        here = here[step]
    return config


def cleared(config: dict[str, Json], path: KeyPath) -> dict[str, Json]:
    if at(config, path) is not MISSING:
        plant(config, path, None)
    return config


def findings(service: Service, config: dict[str, Json]) -> list[Finding]:
    return list(describe(service, typed(config)).findings)


def errors(found: list[Finding]) -> list[Finding]:
    return [each for each in found if each.severity in (None, Severity.ERROR)]


def test_the_built_in_services_and_the_sample_plug_in_are_run_over() -> None:
    assert [each.name for each in SERVICES][:7] == ["aml", "amlt", "local", "ray", "sing", "slurm", "volcano"]
    assert "bench" in {each.name for each in SERVICES}


def test_importing_a_description_imports_no_engine() -> None:
    modules = sorted({each.options.__module__ for each in SERVICES})
    script = f"""if True:
        import importlib, sys
        sys.path.insert(0, {str(SAMPLE)!r})
        for each in {modules}:
            importlib.import_module(each)
        heavy = ("httpx", "asyncio", "lightkube", "azure", "ray")
        print(*(each for each in sys.modules if each.endswith(".execute") or each in heavy))
    """
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


@over_services
def test_a_description_touches_nothing_of_the_machine(service: Service) -> None:
    """Whatever a describe module imports of its own package imports only what is pure."""
    package = service.options.__module__.rpartition(".")[0]
    todo, seen = [service.options.__module__], set()
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        tree = ast.parse((folder_of(service) / f"{name.rpartition('.')[2]}.py").read_text("utf-8"))
        for node in ast.walk(tree):
            imported = [each.name for each in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module:
                imported = [node.module]
            assert not {each.partition(".")[0] for each in imported} & MACHINE, name
            todo += [each for each in imported if each.startswith(f"{package}.")]
    assert not any(each.endswith(".execute") for each in seen)


@pytest.mark.parametrize("service", OURS, ids=lambda each: each.name)
def test_what_a_service_refuses_has_a_page(service: Service) -> None:
    texts = [each.read_text("utf-8") for each in folder_of(service).glob("*.py") if each.name != "execute.py"]
    words = {word for text in texts for word in re.findall(r'refuse\(\s*"([a-z-]+)"', text)}
    codes = {f"{service.name}.{word}" for word in (*words, "unknown-key")}
    page = (ROOT / "docs/problems.md").read_text("utf-8")
    assert {code for code in codes if f"\n## {code}\n" not in page} == set()


@over_services
def test_what_a_service_says_of_itself(service: Service) -> None:
    assert re.fullmatch(r"[a-z][a-z0-9-]*", service.name)
    assert service.summary.endswith(".")
    assert service.flag is None or service.flag.startswith("--")
    assert service.options.model_config.get("frozen")
    assert service.options.model_config.get("extra") == "forbid"
    for name, field in service.options.model_fields.items():
        assert field.description, f"{name} has no description"
    assert (
        service.options.model_json_schema(mode="validation")["properties"].keys() == service.options.model_fields.keys()
    )


@over_services
def test_every_option_is_written_where_templates_have_a_place_for_it(service: Service) -> None:
    for path, name in declared(service.options).items():
        if path[0] == "_extra":
            assert path[1] == service.name, f"{name} is read from what belongs to another"
        else:
            assert path[:1] == ("target",) or path[:2] == ("jobs", 0), name
            known = known_keys(Template, path[:-1])
            assert not known or path[-1] in known or path in extra_fields(service.options), name
    for path in service.required:
        assert path[-1] in known_keys(Template, path[:-1])


@over_services
def test_there_are_examples_and_they_use_every_option(service: Service) -> None:
    paths = examples_of(service)
    assert paths, "a service without an example is hard to begin with"
    unset = {
        path
        for path in declared(service.options)
        if all(at(resolved(each).config, path) in (None, MISSING) for each in paths)
    }
    assert unset == set()
    for each in paths:
        assert each.read_text("utf-8").startswith("# "), "an example begins by saying what it is"


@over_examples
def test_examples_are_clean(service: Service, path: Path) -> None:
    assert resolved(path).problems == ()
    described = describe(service, typed(resolved(path).config))
    assert described.findings == ()
    assert described.options is not None


@over_examples
def test_options_survive_the_wire(service: Service, path: Path) -> None:
    options = describe(service, typed(resolved(path).config)).options
    assert options is not None
    dumped = options.model_dump(mode="json")
    carried = json.loads(json.dumps(dumped))
    loaded = service.load_spec_backend(carried)
    assert loaded == options
    assert json.dumps(loaded.model_dump(mode="json")) == json.dumps(dumped), "the same bytes"


@over_services
def test_a_template_that_says_nothing_has_options_too(service: Service) -> None:
    """So that a half-typed leaf has a preview; what must be set is said by findings."""
    described = describe(service, typed({}))
    assert described.options is not None
    assert service.load_spec_backend(described.options.model_dump(mode="json")) == described.options
    needed = [each for each in described.findings if each.code == "schema.required"]
    assert bool(needed) == bool(service.requires(typed({})))
    assert described.findings == tuple(needed)


@over_services
@given(
    stem=st.text(max_size=300) | st.from_regex(r"[A-Za-z0-9_./-]{1,80}"),
    sid=st.from_regex("[a-z0-9]{10}", fullmatch=True),
)
def test_names_keep_the_sid_and_settle(service: Service, stem: str, sid: str) -> None:
    try:
        name = service.normalize_job_name(f"{stem}-{sid}")
    except ValueError:
        assert not re.search("[A-Za-z0-9]", stem), "a letter or digit can always be kept"
        return
    assert name.endswith(f"-{sid}")
    assert len(name) > len(f"-{sid}")
    assert service.normalize_job_name(name) == name
    if isinstance(service, Description):
        assert re.fullmatch(service.names.pattern, name)


@over_services
@pytest.mark.parametrize("name", ["", "-0123456789", "train", "train-ABCDEFGHIJ", "train-012345678"])
def test_what_is_no_name_with_a_sid_is_refused(service: Service, name: str) -> None:
    with pytest.raises(ValueError, match=r"sid|--name"):
        service.normalize_job_name(name)


@over_examples
def test_a_required_key_that_is_missing_is_found(service: Service, path: Path) -> None:
    for each in service.requires(typed(resolved(path).config)):
        found = errors(findings(service, cleared(config_of(path), each)))
        assert [(one.code, one.path) for one in found] == [("schema.required", each)]


@over_examples
def test_an_unknown_key_under_extra_is_found(service: Service, path: Path) -> None:
    planted: KeyPath = ("_extra", service.name, "nothing_of_ours")
    found = findings(service, plant(config_of(path), planted, 1))
    assert [(each.code, each.path, each.on_key) for each in found] == [(f"{service.name}.unknown-key", planted, True)]


@over_examples
def test_extra_that_is_no_mapping_is_found(service: Service, path: Path) -> None:
    planted: KeyPath = ("_extra", service.name)
    found = errors(findings(service, plant(config_of(path), planted, ["x"])))
    assert ("schema.type", planted) in [(each.code, each.path) for each in found]


@over_examples
def test_a_value_of_the_wrong_type_is_found_where_it_stands(service: Service, path: Path) -> None:
    own = [each for each in declared(service.options) if each[0] == "_extra" or each in extra_fields(service.options)]
    for each in own:
        described = describe(service, typed(plant(config_of(path), each, [[{"x": 1}]])))
        at_it = [one for one in errors(list(described.findings)) if one.path[: len(each)] == each]
        assert at_it, each
        assert described.options is None


@over_examples
def test_null_is_not_set(service: Service, path: Path) -> None:
    for each in declared(service.options):
        if each[0] == "_extra":
            config = plant(config_of(path), each, None)
            assert not [one for one in findings(service, config) if one.code == "schema.type"]


@over_examples
def test_a_key_that_has_no_effect_is_told(service: Service, path: Path) -> None:
    used = {*COMMON, *declared(service.options)} - {each.path for each in service.ignores(typed(config_of(path)))}
    samples: dict[str, Json] = {
        "rdma": True,
        "gpus_per_node": 8,
        "labels": {"team": "nlp"},
        "memory": "64Gi",
        "queue": "q",
    }
    for name in Target.model_fields:
        each = ("target", name)
        if name == "service" or at(resolved(path).config, each) is not MISSING:
            continue
        found = findings(service, plant(config_of(path), each, samples.get(name, "4")))
        told = [(one.code, one.on_key) for one in found if one.path == each and one.code == "schema.no-effect"]
        assert told == ([] if each in used or service.takes_all else [("schema.no-effect", True)]), each


WORDS = st.text("ab-1 ", max_size=4)
SCALARS = st.none() | st.booleans() | st.integers(-1, 2) | st.floats(allow_nan=False) | WORDS
VALUES = st.recursive(
    SCALARS, lambda each: st.lists(each, max_size=2) | st.dictionaries(WORDS, each, max_size=2), max_leaves=4
)


def _own_values(service: Service) -> st.SearchStrategy[Json]:
    keys = [str(path[2]) for path in declared(service.options) if path[0] == "_extra"]
    return VALUES | st.dictionaries(st.sampled_from([*keys, "other"]), VALUES, max_size=3)


OWN_VALUES = {each.name: _own_values(each) for each in SERVICES}


@over_services
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_no_value_under_extra_brings_a_hook_down(service: Service, data: st.DataObject) -> None:
    own = data.draw(OWN_VALUES[service.name])
    described = describe(service, typed({"_extra": {service.name: own}}))
    for each in described.findings:
        assert each.message
        assert each.path[:2] == ("_extra", service.name) or each.code == "schema.required"
    if described.options is not None:
        assert service.load_spec_backend(json.loads(described.options.model_dump_json())) == described.options


def test_key_paths_of_this_page_are_planted_as_they_read() -> None:
    assert plant({}, parse_keypath("jobs[0].submit_args.env"), {"A": "1"}) == {
        "jobs": [{"submit_args": {"env": {"A": "1"}}}]
    }
