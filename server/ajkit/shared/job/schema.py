"""The published JSON schemas (draft 2020-12) of template files and of JobSpec, made from models and services."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ajkit.shared.job.fielddocs import BASE_DOC, CONFIG_DOC
from ajkit.shared.job.spec import FromEnv, FromFile, JobSpec
from ajkit.shared.template.dialect import KEYS
from ajkit.shared.template.fields import any_case_pattern
from ajkit.shared.template.model import Template
from ajkit.shared.template.options import declared, extra_fields
from ajkit.shared.template.refusals import known_keys
from ajkit.shared.where import format_keypath

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from ajkit.shared.spec import Service
    from ajkit.shared.where import KeyPath

Schema = dict[str, Any]

_DRAFT = "https://json-schema.org/draft/2020-12/schema"

_BASE_NAME = r"^(?!\.)(?!.*\.\.)(?!.*\.$)(?![A-Za-z]:)[^/\\\u0000-\u001f\u007f]+$"


def template_schema(services: Iterable[Service]) -> Schema:
    """The schema of a template file.

    Every file is a fragment of some effective config, so nothing is required and null is possible everywhere. The
    options of a service show where the file itself names it.
    """
    known = sorted(services, key=lambda each: each.name)
    config = Template.model_json_schema()
    del config["properties"]["raw"]
    config["description"] = CONFIG_DOC
    definitions: dict[str, Schema] = {"Config": config, **config.pop("$defs")}
    for each in definitions.values():
        _loosen(_described(each))
    _add_dialect(definitions, {path for service in known for path in extra_fields(service.options)})
    _add_services(definitions, known)
    name = {"type": "string", "pattern": _BASE_NAME}
    base = {"description": BASE_DOC, "anyOf": [name, {"type": "array", "items": name}, {"type": "null"}]}
    return {
        "$schema": _DRAFT,
        "title": "aj template",
        "description": "A template of a job: what it extends, and what it sets.",
        "type": ["object", "null"],
        "properties": {"base": _described(base), "config": {"$ref": "#/$defs/Config"}},
        "patternProperties": {"^x-": {"description": "Yours: a place for anchors. Nothing reads it."}},
        "additionalProperties": False,
        "$defs": definitions,
    }


def jobspec_schema(services: Iterable[Service]) -> Schema:
    """The schema of a JobSpec as `aj` writes it, `backend_spec` typed by its service."""
    known = sorted(services, key=lambda each: each.name)
    schema = _described(JobSpec.model_json_schema(mode="serialization"))
    definitions: dict[str, Schema] = schema.pop("$defs")
    schema["properties"]["service"]["enum"] = [each.name for each in known]
    branches = []
    for service in known:
        options = service.options.model_json_schema(mode="serialization", ref_template=_reference(service))
        definitions.update(_own_definitions(service, options))
        name = f"{service.name}.{service.options.__name__}"
        definitions[name] = _described(options)
        branches.append(
            {
                "if": {"properties": {"service": {"const": service.name}}, "required": ["service"]},
                "then": {"properties": {"backend_spec": {"$ref": f"#/$defs/{name}"}}},
            }
        )
    return {"$schema": _DRAFT, "title": "aj JobSpec", **schema, "allOf": branches, "$defs": definitions}


def _add_dialect(definitions: dict[str, Schema], added: Collection[KeyPath]) -> None:
    """The keys of the amlt dialect: known, of any type; `added` are those that a service reads too."""
    for section, keys in KEYS.items():
        properties = _section(definitions, section)["properties"]
        for key, meaning in keys.items():
            read = meaning if (*section, key) in added else f"{meaning} Only amlt reads it."
            properties[key] = _described({"description": read})


def _add_services(definitions: dict[str, Schema], services: Sequence[Service]) -> None:
    """The names of the services, the keys they add, and what each makes of a config that names it."""
    named = [each for each in services if each.flag is None]
    names = [
        name for each in services for name in (each.name, *each.aliases, *each.carries) if name not in _flags(services)
    ]
    target = _section(definitions, ("target",))["properties"]
    target["service"] = {
        "description": target["service"]["description"],
        "anyOf": [
            {"enum": [each.name for each in named], "markdownEnumDescriptions": [each.summary for each in named]},
            {"type": "string", "pattern": any_case_pattern(names)},
            {"type": "null"},
        ],
    }
    config = definitions["Config"]
    extra = config["properties"]["_extra"].setdefault("properties", {})
    config["allOf"] = []
    for service in services:
        schema = _described(service.options.model_json_schema(ref_template=_reference(service), by_alias=False))
        own = _own_definitions(service, schema)
        for each in (schema, *own.values()):
            _loosen(each)
        definitions.update(own)
        for path in extra_fields(service.options):
            _add_key(definitions, path, service.name)
        branch = _branch(service, schema["properties"])
        if any(path[0] == "_extra" for path in declared(service.options)):
            extra[service.name] = {"description": f"Options of {service.name}. {service.summary}"}
        if service.flag is None and branch:
            config["allOf"].append({"if": _names(service), "then": branch})


def _flags(services: Sequence[Service]) -> set[str]:
    return {each.name for each in services if each.flag is not None}


def _names(service: Service) -> Schema:
    """The condition that a config names a service."""
    name = {"type": "string", "pattern": any_case_pattern([service.name, *service.aliases])}
    target = {"type": "object", "properties": {"service": name}, "required": ["service"]}
    return {"properties": {"target": target}, "required": ["target"]}


def _branch(service: Service, options: dict[str, Schema]) -> Schema:
    """What holds where a service is named: its words on the keys that all know, its types on the others."""
    branch: Schema = {}
    for path, field in declared(service.options).items():
        place = branch
        for step in path:
            place = place.setdefault("items", {}) if isinstance(step, int) else _property(place, step)
        words = ("description", "markdownDescription", "examples")
        typed = path[-1] not in known_keys(Template, path[:-1])
        place.update(options[field] if typed else {key: options[field][key] for key in words if key in options[field]})
    own = branch.get("properties", {}).get("_extra", {}).get("properties", {}).get(service.name)
    if own is not None:
        own.update({"type": ["object", "null"], "additionalProperties": False})
    return branch


def _property(schema: Schema, name: str) -> Schema:
    found: Schema = schema.setdefault("properties", {}).setdefault(name, {})
    return found


def _add_key(definitions: dict[str, Schema], path: KeyPath, service: str) -> None:
    """Make a key known that only a service reads; its type is told where the service is named."""
    schema = definitions["Config"]
    for step in path:
        schema = _followed(definitions, schema)
        if isinstance(step, int):
            schema = schema["items"]
        elif step in schema.get("properties", {}):
            schema = schema["properties"][step]
        else:
            schema.setdefault("properties", {})[step] = {
                "description": f"Only `{service}` reads {format_keypath(path)}."
            }
            return


def _section(definitions: dict[str, Schema], section: Sequence[str]) -> Schema:
    """The schema of a section as `ajkit.shared.template.dialect` names it."""
    schema = definitions["Config"]
    for name in section:
        schema = schema["additionalProperties"] if name == "*" else schema["properties"][name]
        schema = _followed(definitions, schema.get("items", schema))
    return schema


def _followed(definitions: dict[str, Schema], schema: Schema) -> Schema:
    return definitions[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema


def _reference(service: Service) -> str:
    return f"#/$defs/{service.name}.{{model}}"


def _own_definitions(service: Service, schema: Schema) -> dict[str, Schema]:
    return {f"{service.name}.{name}": _described(each) for name, each in schema.pop("$defs", {}).items()}


def _below(schema: Schema) -> Iterator[Schema]:
    """The schemas directly inside one."""
    for key in ("properties", "patternProperties", "$defs"):
        yield from schema.get(key, {}).values()
    for key in ("anyOf", "oneOf", "allOf"):
        yield from schema.get(key, ())
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            yield schema[key]


def _described(schema: Schema) -> Schema:
    """The same schema without made-up titles and empty defaults, its descriptions marked as the Markdown they are."""
    schema.pop("title", None)
    if schema.get("default", "") is None or "$ref" in schema:
        schema.pop("default", None)
    if all(each.keys() == {"type"} for each in schema.get("anyOf", ({},))):
        schema["type"] = [each["type"] for each in schema.pop("anyOf")]
    if "`" in schema.get("description", ""):
        schema["markdownDescription"] = schema["description"]
    for each in _below(schema):
        _described(each)
    return schema


def _loosen(schema: Schema) -> None:
    """Make a model's schema one of fragments: nothing required, null and single texts accepted, other keys not."""
    for each in _below(schema):
        _loosen(each)
    schema.pop("required", None)
    if "oneOf" in schema:
        schema["anyOf"] = schema.pop("oneOf")
    if "propertyNames" in schema:
        _spell_out_secret(schema)
    if "properties" in schema:
        schema.setdefault("additionalProperties", False)
        for each in schema["properties"].values():
            _allow_null(each)
        if schema.get("type") == "object":
            _allow_null(schema)
    if isinstance(schema.get("additionalProperties"), dict):
        _allow_null(schema["additionalProperties"])
    if schema.get("type") == "array" and schema["items"].get("type") == "string":
        schema["type"] = ["array", "string"]


def _allow_null(schema: Schema) -> None:
    kind = schema.get("type")
    if "anyOf" in schema:
        if {"type": "null"} not in schema["anyOf"]:
            schema["anyOf"].append({"type": "null"})
    elif "enum" in schema or "const" in schema:
        words = {key: schema.pop(key) for key in ("enum", "const", "type") if key in schema}
        schema["anyOf"] = [words, {"type": "null"}]
    elif kind is not None and "null" not in kind:
        schema["type"] = [*([kind] if isinstance(kind, str) else kind), "null"]


def _spell_out_secret(schema: Schema) -> None:
    """A secret reference: exactly one of its two keys, of which null may clear the other."""
    text, null = {"type": "string"}, {"type": "null"}
    keys = {"from_env": FromEnv.__doc__, "from_file": FromFile.__doc__}
    schema.clear()
    schema["type"] = "object"
    schema["properties"] = {key: {"type": ["string", "null"], "description": meaning} for key, meaning in keys.items()}
    schema["oneOf"] = [
        {"properties": {each: text if each == key else null for each in keys}, "required": [key]} for key in keys
    ]
