"""The daemon's paths described for others: an OpenAPI document made from the table of paths, and a page to read."""

from __future__ import annotations

import inspect
import re
from html import escape
from typing import TYPE_CHECKING, Any

from pydantic.json_schema import models_json_schema

from ajkit import __version__
from ajkit.daemon.routes import JSON, Headers, Nothing
from ajkit.shared.contract import PROBLEM_TYPE, REFUSALS, ProblemDocument

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pydantic import BaseModel

    from ajkit.daemon.routes import Fields, Path

_PLACES = re.compile(r"\{(\w+)\}")


def openapi_document(paths: Iterable[Path[Any, Any, Any]]) -> dict[str, Any]:
    """The OpenAPI 3.1 document."""
    listed = list(paths)
    models = [(each, "validation") for each in _bodies(listed)] + [(each, "serialization") for each in _answers(listed)]
    refs, schemas = models_json_schema(models, ref_template="#/components/schemas/{model}")  # type: ignore[arg-type]
    described: dict[str, dict[str, Any]] = {}
    for each in listed:
        described.setdefault(each.path, {})[each.method.lower()] = _operation(each, refs)
    return {
        "openapi": "3.1.0",
        "info": {"title": "aj submission daemon", "version": __version__, "description": _codes()},
        "paths": described,
        "components": {"schemas": schemas["$defs"], "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
        "security": [{"token": []}],
    }


def _bodies(paths: list[Path[Any, Any, Any]]) -> list[type[BaseModel]]:
    return list(dict.fromkeys(each.body for each in paths if each.body is not Nothing))


def _answers(paths: list[Path[Any, Any, Any]]) -> list[type[BaseModel]]:
    return list(
        dict.fromkeys((*(each.answers for each in paths if not isinstance(each.answers, str)), ProblemDocument))
    )


def _operation(path: Path[Any, Any, Any], refs: dict[Any, Any]) -> dict[str, Any]:
    said = inspect.getdoc(path.handler) or ""
    answer = {"type": "string"} if isinstance(path.answers, str) else refs[path.answers, "serialization"]
    kind = path.answers if isinstance(path.answers, str) else JSON
    operation: dict[str, Any] = {
        "operationId": path.handler.__name__,
        "summary": said.partition("\n")[0],
        "parameters": [
            *({"name": name, "in": "path", "required": True, "schema": _place(path, name)} for name in _names(path)),
            *_parameters("query", path.query),
            *_parameters("header", path.headers),
        ],
        "responses": {
            str(path.status): {"description": "Done", "content": {kind: {"schema": answer}}},
            "default": {
                "description": "Refused, and why",
                "content": {PROBLEM_TYPE: {"schema": refs[ProblemDocument, "serialization"]}},
            },
        },
    }
    if path.body is not Nothing:
        operation["requestBody"] = {
            "required": True,
            "content": {JSON: {"schema": refs[path.body, "validation"]}},
        }
    elif path.takes:
        schema = {"type": "string", "format": "binary"}
        operation["requestBody"] = {"required": True, "content": {path.takes: {"schema": schema}}}
    return operation


def _names(path: Path[Any, Any, Any]) -> list[str]:
    return _PLACES.findall(path.path)


def _place(path: Path[Any, Any, Any], name: str) -> dict[str, str]:
    pattern = path.places.get(name)
    return {"type": "string", "pattern": pattern} if pattern else {"type": "string"}


def _parameters(where: str, model: type[Fields]) -> list[dict[str, Any]]:
    if model in {Nothing, Headers}:
        return []
    schema = model.model_json_schema()
    shared = schema.get("$defs", {})
    return [
        {
            "name": name,
            "in": where,
            "required": name in schema.get("required", []),
            "schema": _inlined(described, shared),
        }
        for name, described in schema["properties"].items()
    ]


def _inlined(schema: Any, shared: dict[str, Any]) -> Any:
    """A schema without references."""
    if isinstance(schema, dict):
        if "$ref" in schema:
            return _inlined(shared[schema["$ref"].rpartition("/")[2]], shared)
        return {key: _inlined(each, shared) for key, each in schema.items()}
    return [_inlined(each, shared) for each in schema] if isinstance(schema, list) else schema


def _codes() -> str:
    lines = [f"- `{code}` ({each.status}): {each.title}" for code, each in REFUSALS.items()]
    return "Refusals are problem documents (RFC 9457) with one of these codes:\n\n" + "\n".join(lines)


_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>aj submission daemon</title>
<style>body{{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}}
code{{background:#8881;padding:.1em .3em}}</style>
<h1>aj submission daemon {version}</h1>
<p>The whole description is <a href="openapi.json">openapi.json</a> (OpenAPI 3.1).</p>
<dl>{paths}</dl>
<h2>Refusals</h2><dl>{codes}</dl></html>
"""


def openapi_page(paths: Iterable[Path[Any, Any, Any]]) -> str:
    """A page, without anything from elsewhere, that lists the paths and the codes."""
    rows = [
        f"<dt><code>{each.method} {escape(each.path)}</code><dd>{escape(inspect.getdoc(each.handler) or '')}"
        for each in paths
    ]
    codes = [f"<dt><code>{code}</code> {each.status}<dd>{escape(each.title)}" for code, each in REFUSALS.items()]
    return _PAGE.format(version=__version__, paths="\n".join(rows), codes="\n".join(codes))
