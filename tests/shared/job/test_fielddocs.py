"""What is known of a field by its key path: words, values, form, and who reads it."""

from __future__ import annotations

import json

import pytest

from ajkit.backends.registry import built_in, registry
from ajkit.shared.job.fielddocs import FILE_DOCS, FieldDoc, FieldDocs
from ajkit.shared.job.schema import template_schema
from ajkit.shared.spec import Registry
from ajkit.shared.where import MISSING, parse_keypath

DOCS = FieldDocs(registry().all())


def doc(path: str, service: str | None = None) -> FieldDoc:
    found = DOCS.of(parse_keypath(path), service)
    assert found is not None, path
    return found


@pytest.mark.parametrize(
    ("path", "words", "form"),
    [
        ("target", "a mapping", "mapping"),
        ("target.name", "text", "scalar"),
        ("target.rdma", "true or false", "scalar"),
        ("target.gpus_per_node", "a whole number of at least 0", "scalar"),
        ("target.memory", "a number, or a quantity such as 512Gi or 500m", "scalar"),
        ("target.labels", "a mapping of names to texts", "mapping"),
        ("target.labels.anything", "text", "scalar"),
        ("environment.setup", "a list of texts", "list"),
        ("environment.setup[3]", "text", "scalar"),
        ("jobs", "a list of mappings", "list"),
        ("jobs[7].instance_count", "a whole number of at least 1", "scalar"),
        ("jobs[0].sku", "text or a mapping of names to texts", "scalar"),
        ('jobs[0].sku["2+"]', "text", "scalar"),
        ("jobs[0].submit_args.env", "a mapping of names to values", "mapping"),
        ("storage.any.mount_dir", "text", "scalar"),
        ("_extra.slurm.modules", "a list of texts", "list"),
        ("_extra.volcano.scratch.size", "a whole number or text", "scalar"),
        ("_extra.volcano.tasks.master.replicas", "a whole number of at least 1", "scalar"),
        ("_extra.volcano.tasks.master.environment.image", "text", "scalar"),
        ("search.job_template.sku", "text or a mapping of names to texts", "scalar"),
        ("job.name", "text", "scalar"),
        ("search", "a mapping", "mapping"),
    ],
)
def test_a_type_is_told_in_words(path: str, words: str, form: str) -> None:
    assert (doc(path).type, doc(path).form) == (words, form)


@pytest.mark.parametrize(
    "path", ["nothing", "target.nothing", "target.name.below", "_extra.mine.key", "raw", "jobs[0].x.y"]
)
def test_nothing_is_known_of_strange_keys(path: str) -> None:
    assert DOCS.of(parse_keypath(path)) is None


def test_enumerations_and_defaults() -> None:
    assert [word for word, _ in doc("jobs[0].sla_tier").values] == ["Basic", "Standard", "Premium"]
    assert [word for word, _ in doc("target.rdma").values] == ["true", "false"]
    assert [word for word, _ in doc("jobs[0].identity", "aml").values] == ["managed", "user", "token"]
    assert doc("target.queue").default == "default"
    assert doc("target.name").default is MISSING
    assert doc("_extra.slurm.gres").default == "gpu"


def test_the_service_is_one_of_those_installed_each_with_its_summary() -> None:
    values = dict(doc("target.service").values)
    assert list(values) == ["aml", "local", "ray", "sing", "slurm", "volcano"]
    assert values["local"].startswith("Runs on this machine")


def test_a_service_says_in_its_own_words_what_it_makes_of_a_field() -> None:
    assert "Partition" in doc("target.queue", "slurm").description
    assert doc("target.queue", "SLURM") == doc("target.queue", "slurm")
    assert doc("target.name", "singularity") == doc("target.name", "sing")
    assert doc("target.queue", "no-such") == doc("target.queue")
    assert "(`volcano`)" in doc("target.queue").description


def test_what_one_service_alone_reads_says_so() -> None:
    assert doc("_extra.slurm.qos").readers == ("slurm",)
    assert doc("target.vc").readers == ("sing",)
    assert not doc("target.name").readers
    assert doc("jobs[0].mpi").dialect
    assert doc("jobs[0].mpi").readers == ("amlt",)


def test_keys_of_a_mapping() -> None:
    assert list(DOCS.keys(()))[:7] == ["target", "environment", "code", "jobs", "storage", "description", "_extra"]
    assert "raw" not in DOCS.keys(())
    assert {"service", "queue", "vc", "cluster"} <= DOCS.keys(("target",)).keys()
    assert list(DOCS.keys(("_extra",))) == ["amlt", "ray", "sing", "slurm", "volcano"]
    assert list(DOCS.keys(("_extra", "ray"))) == ["address", "runtime_env"]
    assert "replicas" in DOCS.keys(("_extra", "volcano", "tasks", "any"))
    assert list(DOCS.keys(("jobs", 4, "submit_args", "container_args"))) == ["shm_size"]
    assert "job_template" in DOCS.keys(("search",))
    assert DOCS.keys(("search", "job_template")) == DOCS.keys(("jobs", 0))
    assert not DOCS.keys(("jobs", 0, "submit_args", "env"))
    assert not DOCS.keys(("jobs",))
    assert not DOCS.keys(("_extra", "mine"))


def test_every_property_of_the_published_schema_is_documented_here_too() -> None:
    services = list(Registry(built_in()).all())
    docs = FieldDocs(services)
    schema = template_schema(services)
    assert {key: each.description for key, each in FILE_DOCS.items()} == {
        "base": schema["properties"]["base"]["description"],
        "config": schema["$defs"]["Config"]["description"],
    }
    places = {"Target": ("target",), "Environment": ("environment",), "CodeSection": ("code",), "Job": ("jobs", 0)}
    places |= {"SubmitArgs": ("jobs", 0, "submit_args"), "Storage": ("storage", "x"), "Config": ()}
    for name, path in places.items():
        for key, field in schema["$defs"][name]["properties"].items():
            found = docs.of((*path, key))
            assert found is not None, (path, key)
            described = field.get("description", found.description).removesuffix(" Only amlt reads it.")
            assert key == "vc" or found.description == described, json.dumps(field)
