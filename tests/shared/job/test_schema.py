"""The published schemas: fresh, sound, and of one mind with the models about what is right and what is wrong."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any, Literal

import pytest
import yaml
from jsonschema import Draft202012Validator
from pydantic import Field

from ajkit.backends.registry import built_in
from ajkit.shared.job.schema import jobspec_schema, template_schema
from ajkit.shared.job.spec import json_text
from ajkit.shared.spec import BackendOptions, Description, From, Registry
from ajkit.shared.template.merge import merge_mappings
from ajkit.shared.template.model import check_types
from ajkit.shared.template.options import declared, extra_fields
from ajkit.shared.where import pruned
from tests.amlt_dialect import amlt_config, every_key
from tests.planted import UNKNOWN, WRONG
from tests.repository import ROOT, files, named

if TYPE_CHECKING:
    from pathlib import Path

    from ajkit.shared.spec import Service
    from ajkit.shared.where import Json, KeyPath
    from tests.plugins.goldens import Golden

SERVICES = list(Registry(built_in()).all())
TEMPLATE = template_schema(SERVICES)
JOBSPEC = jobspec_schema(SERVICES)
VALID = Draft202012Validator(TEMPLATE)
EXAMPLES = [each for each in files(".yaml") if "examples" in each.parts and "server" in each.parts]
SPECS = [each for each in files(".json") if each.name.endswith(".jobspec.json") and "server" in each.parts]


def accepts(config: Any) -> bool:
    return VALID.is_valid({"config": config})


def test_the_schemas_are_fresh(golden: Golden) -> None:
    golden(ROOT / "schema" / "template.schema.json", json_text(TEMPLATE))
    golden(ROOT / "schema" / "jobspec.schema.json", json_text(JOBSPEC))


def test_the_schemas_are_sound() -> None:
    for schema in (TEMPLATE, JOBSPEC):
        assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
        Draft202012Validator.check_schema(schema)
        assert {each.removeprefix("#/$defs/") for each in _references(schema)} <= schema["$defs"].keys()


def test_the_schemas_do_not_depend_on_the_order_of_services() -> None:
    assert template_schema(reversed(SERVICES)) == TEMPLATE
    assert jobspec_schema(reversed(SERVICES)) == JOBSPEC


def _references(schema: Any) -> list[str]:
    if isinstance(schema, dict):
        own = [schema["$ref"]] if isinstance(schema.get("$ref"), str) else []
        return own + [each for below in schema.values() for each in _references(below)]
    return [each for below in schema for each in _references(below)] if isinstance(schema, list) else []


def test_every_field_is_described() -> None:
    for schema in (TEMPLATE, JOBSPEC):
        for name, definition in schema["$defs"].items():
            for key, field in definition.get("properties", {}).items():
                followed = schema["$defs"][field["$ref"].removeprefix("#/$defs/")] if "$ref" in field else field
                assert followed.get("description", "").endswith("."), f"{name}.{key}"


def test_descriptions_with_code_are_marked_as_markdown() -> None:
    queue = TEMPLATE["$defs"]["Target"]["properties"]["queue"]
    assert queue["markdownDescription"] == queue["description"]
    assert queue["default"] == "default"
    assert "title" not in queue


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "config:",
        "base:",
        "base: gpu",
        "base: [gpu, storage.default]",
        "x-anchors: &a {any: [1]}\nconfig: {target: *a}".replace("target: *a", "_extra: *a"),
        "config: {target: null, environment: null, code: null, jobs: null, storage: null, _extra: null}",
        "config: {jobs: [null, {}, {command: x, submit_args: {env: {A: null, B: 1, C: {from_env: C}}}}]}",
        "config: {jobs: [{sku: {'1': G1, 2+: null}, sla_tier: PREMIUM, priority: '${P}', process_count_per_node: $N}]}",
        "config: {target: {service: Singularity}}",
        "config: {target: {service: amlk8s}}",
        "config: {_extra: {tool: {any: 1}}}",
    ],
)
def test_fragments_are_accepted(text: str) -> None:
    VALID.validate(yaml.safe_load(text))


@pytest.mark.parametrize("path", EXAMPLES, ids=named)
def test_examples_are_accepted(path: Path) -> None:
    VALID.validate(yaml.safe_load(path.read_text("utf-8")))


def test_templates_of_the_amlt_dialect_are_accepted() -> None:
    for config in (every_key(), *(amlt_config(seed) for seed in range(60))):
        VALID.validate({"config": config})


@pytest.mark.parametrize("text", [text for text, *_ in [*WRONG, *UNKNOWN]])
def test_planted_faults_are_rejected(text: str) -> None:
    assert not accepts(yaml.safe_load(text))


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "bases: gpu",
        "base: 5",
        "base: {a: b}",
        "base: [gpu, null]",
        "base: [[gpu]]",
        "base: ''",
        "base: a/b",
        "base: .a",
        "base: a.",
        "base: a..b",
        "base: 'C:x'",
        "config: []",
        "config: text",
        "config: {target: {service: slrum}}",
        "config: {target: {service: amlt}}",
    ],
)
def test_other_faults_of_a_file_are_rejected(text: str) -> None:
    assert not VALID.is_valid(yaml.safe_load(text))


SECTIONS: dict[str, Any] = {
    "Config": lambda key, value: {key: value},
    "Target": lambda key, value: {"target": {key: value}},
    "Environment": lambda key, value: {"environment": {key: value}},
    "CodeSection": lambda key, value: {"code": {key: value}},
    "Job": lambda key, value: {"jobs": [{key: value}]},
    "SubmitArgs": lambda key, value: {"jobs": [{"submit_args": {key: value}}]},
    "Storage": lambda key, value: {"storage": {"a": {key: value}}},
}
VALUES: tuple[Any, ...] = (
    *(None, True, 0, 1, -1, 2.5, "x", "", "2", "basic", "HIGH", "a$B"),
    *([], ["x"], [1], [None], [{}], [["x"]], {}, {"a": "x"}, {"a": 1}, {"a": None}, {"a": {}}, {"a": []}),
    *({"a": {"from_env": "X"}}, {"a": {"from_env": "X", "from_file": None}}, {"a": {"from_env": 1}}),
    *({"a": {"from_env": "X", "from_file": "y"}}, {"a": {"from_env": None}}, {"a": {"other": "x"}}),
)


@pytest.mark.parametrize("section", SECTIONS)
def test_the_schema_and_the_model_are_of_one_mind(section: str) -> None:
    disagreed = []
    for key in TEMPLATE["$defs"][section]["properties"]:
        for value in VALUES:
            config = SECTIONS[section](key, value)
            # Which services there are is no matter of types.
            if key != "service" and accepts(config) != (check_types(config)[1] == []):
                disagreed.append(config)
    assert disagreed == []


@pytest.mark.parametrize("service", [each for each in SERVICES if each.flag is None], ids=lambda each: each.name)
def test_the_schema_and_the_options_are_of_one_mind(service: Service) -> None:
    """What one refuses for its type the other does; a service may know more, and hears nothing of what is null."""
    disagreed = []
    for path in declared(service.options):
        for value in VALUES:
            config = _laid({"target": {"service": service.name}}, path, value)
            template, findings = check_types(config, extra_fields(service.options))
            if template is not None:
                findings = [*findings, *service.build_spec_backend(template)[1]]
            codes = {each.code for each in findings if each.code != "schema.required"}
            if accepts(config) and "schema.type" in codes:
                disagreed.append(("only the service refuses", config))
            if not accepts(pruned(config)) and not codes:
                disagreed.append(("only the schema refuses", config))
    assert disagreed == []


def _laid(config: dict[str, Any], path: KeyPath, value: Json) -> dict[str, Any]:
    """The config with a value laid over it at a key path."""
    for step in reversed(path):
        value = [value] if isinstance(step, int) else {step: value}
    assert isinstance(value, dict)
    return merge_mappings([config, value])


@pytest.mark.parametrize("service", ["volcano", "Volcano"])
def test_a_service_types_its_own_options_where_it_is_named(service: str) -> None:
    def named_with(extra: Json) -> bool:
        return accepts({"target": {"service": service}, "_extra": {"volcano": extra}})

    assert named_with({"capabilities": ["IPC_LOCK"], "tasks": {"master": {"replicas": 1}}})
    assert named_with(None)
    assert named_with({"tasks": None})
    assert not named_with({"taks": {}})
    assert not named_with({"tasks": {"master": {"replicas": "one"}}})
    assert not named_with({"tasks": {"master": {"replica": 1}}})
    assert accepts({"target": {"service": "local"}, "_extra": {"volcano": {"taks": {}}}})
    assert accepts({"_extra": {"volcano": {"taks": {}}}})


def test_a_service_types_what_it_reads_of_a_free_mapping() -> None:
    def with_shm_size(service: str, size: Json) -> bool:
        job: Json = {"submit_args": {"container_args": {"shm_size": size}}}
        return accepts({"target": {"service": service}, "jobs": [job]})

    assert with_shm_size("volcano", "64g")
    assert with_shm_size("volcano", None)
    assert not with_shm_size("volcano", 64)
    assert not with_shm_size("aml", {"a": 1})
    assert with_shm_size("local", 64)


@pytest.mark.parametrize(
    ("value", "right"),
    [
        *((each, True) for each in ("x", 0, 1.1, True, None)),
        ({"from_env": "X"}, True),
        ({"from_file": "/x", "from_env": None}, True),
        *((each, False) for each in ([], ["x"], {}, {"from_env": 1}, {"from_env": "X", "from_file": "/x"})),
        *((each, False) for each in ({"from_env": None}, {"other": "x"})),
    ],
)
def test_a_variable_of_a_task_is_what_one_of_the_job_is(value: Json, right: bool) -> None:
    tasks: Json = {"master": {"env": {"A": value}}}
    assert accepts({"target": {"service": "volcano"}, "_extra": {"volcano": {"tasks": tasks}}}) is right
    assert accepts({"jobs": [{"submit_args": {"env": {"A": value}}}]}) is right


def test_a_service_words_the_common_keys_where_it_is_named() -> None:
    (branch,) = [
        each["then"]
        for each in TEMPLATE["$defs"]["Config"]["allOf"]
        if "[Ss][Ll][Uu][Rr][Mm]" in json.dumps(each["if"])
    ]
    assert "Partition" in branch["properties"]["target"]["properties"]["queue"]["description"]
    assert branch["properties"]["_extra"]["properties"]["slurm"]["properties"]["gres"]["default"] == "gpu"


class BenchOpts(BackendOptions):
    rack: Annotated[int, From("target.rack"), Field(ge=1, description="The rack.")] = 1
    shelf: Annotated[str | None, From("jobs[0].shelf"), Field(description="The shelf.")] = None
    power: Annotated[Literal["low", "full"], From("_extra.bench.power"), Field(description="The power.")] = "full"


class Bench(Description):
    name = "bench"
    summary = "Runs on the bench."
    options = BenchOpts
    aliases = ("workbench",)


def test_a_plug_in_is_part_of_both_schemas() -> None:
    template = Draft202012Validator(template_schema([*SERVICES, Bench()]))
    jobspec = jobspec_schema([*SERVICES, Bench()])

    def valid(text: str) -> bool:
        return template.is_valid({"config": yaml.safe_load(text)})

    assert valid("target: {service: Workbench, rack: 2}\njobs: [{shelf: top}]\n_extra: {bench: {power: low}}")
    assert valid("target: {rack: 2}")
    assert not valid("target: {service: bench, rack: 0}")
    assert not valid("target: {service: bench}\njobs: [{shelf: 5}]")
    assert not valid("target: {service: bench}\n_extra: {bench: {power: half}}")
    assert not accepts({"target": {"rack": 2}})
    assert "bench" in jobspec["properties"]["service"]["enum"]
    assert jobspec["$defs"]["bench.BenchOpts"]["properties"]["rack"]["minimum"] == 1


@pytest.mark.parametrize("path", SPECS, ids=named)
def test_jobspecs_are_accepted_and_faults_in_them_rejected(path: Path) -> None:
    validator = Draft202012Validator(JOBSPEC)
    spec = json.loads(path.read_text("utf-8"))
    validator.validate(spec)
    faults: tuple[dict[str, Any], ...] = (
        {"nodes": 0},
        {"sid": "short"},
        {"service": "slrum"},
        {"env": {"A": 1}},
        {"env": {"A": {"from_env": 1}}},
        {"code": {}},
        {"backend_spec": {**spec["backend_spec"], "unknown": 1}},
        {"other": 1},
    )
    for fault in faults:
        assert not validator.is_valid(spec | fault), fault
    for key in JOBSPEC["required"]:
        assert not validator.is_valid({each: value for each, value in spec.items() if each != key}), key


def test_there_are_jobspecs_of_every_service() -> None:
    services = {json.loads(path.read_text("utf-8"))["service"] for path in SPECS}
    assert services == {each.name for each in SERVICES}
