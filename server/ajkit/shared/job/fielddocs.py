"""What is known of a field of a template, by key path: its type in words, what it means, its values and its default."""

from __future__ import annotations

import types
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from ajkit.shared.job.service import SERVICE_PATH
from ajkit.shared.records import dataclass
from ajkit.shared.template.dialect import BELOW, FORMS, KEYS, VALUES
from ajkit.shared.template.fields import Expect
from ajkit.shared.template.model import Template
from ajkit.shared.template.options import declared, extra_fields
from ajkit.shared.where import MISSING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ajkit.shared.spec import Service
    from ajkit.shared.where import Json, KeyPath, Missing

Form = Literal["scalar", "list", "mapping", "any"]

BASE_DOC = (
    "The template or templates that this one extends. A plain name (`gpu`) is the file beside this one, a dotted name "
    "(`storage.default`) one under AJ_HOME. Later ones win over earlier ones, and `config` over all of them."
)
CONFIG_DOC = "What this file sets; it is merged over what its bases set."

_JOBS_ELSEWHERE: tuple[KeyPath, ...] = (("search", "job_template"), ("job",))
"""Where the amlt dialect has a job besides the entries of `jobs`."""

_LISTS = frozenset(("jobs", "params", "metrics", "constraints"))
"""The lists of sections of the amlt dialect."""

_KNOWN = 4096
"""How many answers are remembered."""


@dataclass(frozen=True, slots=True)
class FieldDoc:
    """What is known of one field.

    Attributes:
        type: what may stand there, in words: "a whole number of at least 1", "a list of texts", "one of Low, High".
        description: what it means, in Markdown.
        values: the words of an enumeration, each with its meaning where it has one.
        default: what counts when it is not set; MISSING where that is nothing.
        examples: values that people write.
        form: how it is written, for what is to be put under its key.
        readers: the services that alone read it; empty for a field that is not one service's own.
        dialect: whether only amlt reads it.
    """

    type: str
    description: str = ""
    values: tuple[tuple[str, str], ...] = ()
    default: Json | Missing = MISSING
    examples: tuple[Json, ...] = ()
    form: Form = "any"
    readers: tuple[str, ...] = ()
    dialect: bool = False


FILE_DOCS: Mapping[str, FieldDoc] = {
    "base": FieldDoc("a name or a list of names", BASE_DOC, examples=("common", ["common", "storage.default"])),
    "config": FieldDoc("a mapping", CONFIG_DOC, form="mapping"),
}
"""The keys of a template file itself."""


class FieldDocs:
    """The documentation of every field, with those that the installed services add.

    Paths are those of the merged config (``("jobs", 0, "sku")``); `service` is the name of the service that the config
    names, in any case, whose words then count for the fields it reads.
    """

    def __init__(self, services: Iterable[Service]) -> None:
        self._services = {each.name: each for each in services}
        self._aliases = {alias: each.name for each in self._services.values() for alias in each.aliases}
        self._added: dict[KeyPath, dict[str, str]] = {}
        for service in self._services.values():
            for path, field in extra_fields(service.options).items():
                self._added.setdefault(path, {})[service.name] = field
        self._of = lru_cache(_KNOWN)(self._look_up)
        self._keys = lru_cache(_KNOWN)(self._list)

    def of(self, path: KeyPath, service: str | None = None) -> FieldDoc | None:
        """What is known of the field at a key path; None where nothing is."""
        return self._of((*_general(path[:-1]), *path[-1:]), self._name(service))

    def keys(self, path: KeyPath, service: str | None = None) -> Mapping[str, FieldDoc]:
        """The keys of the mapping at a key path that are known by name, in the order in which people read them."""
        return self._keys(_general(path), self._name(service))

    def _name(self, service: str | None) -> str | None:
        name = service.casefold() if service else None
        return self._aliases.get(name, name) if name else None

    def _list(self, path: KeyPath, service: str | None) -> Mapping[str, FieldDoc]:
        if path[:1] == ("_extra",):
            names = self._extra_keys(path)
        else:
            names = [
                *_model_keys(_follow(Template, path)),
                *self._declared(path, service),
                *_dialect(path),
            ]
        found = {name: self._of((*path, name), service) for name in names}
        return {name: doc for name, doc in found.items() if doc is not None}

    def _declared(self, path: KeyPath, service: str | None) -> list[str]:
        """The keys at a path that services read, beyond those of the Template: all of them, where none is named."""
        own = self._services.get(service or "")
        free = [each for service in ([own] if own else self._services.values()) for each in declared(service.options)]
        return [str(each[-1]) for each in (*free, *self._added) if each[:-1] == path and each[0] != "_extra"]

    def _extra_keys(self, path: KeyPath) -> list[str]:
        if len(path) == 1:
            return [name for name, each in self._services.items() if _extra(each)]
        service = self._services.get(str(path[1]))
        if service is None:
            return []
        names = [
            str(each[len(path)]) for each in _extra(service) if each[: len(path)] == path and len(each) > len(path)
        ]
        return list(dict.fromkeys(names)) or _model_keys(_follow_option(service, path))

    def _look_up(self, path: KeyPath, service: str | None) -> FieldDoc | None:
        if not path:
            return FILE_DOCS["config"]
        if path[0] == "_extra" and len(path) > 1:
            return self._extra_doc(path)
        found = _follow(Template, path)
        doc = _doc(found) if found is not None else self._foreign(path)
        own = self._services.get(service or "")
        named = [own] if own is not None else list(self._services.values())
        field = next((field for each in named if (field := _declared_field(each, path)) is not None), None)
        if path == SERVICE_PATH and doc is not None:
            return replace(doc, values=tuple((each.name, each.summary) for each in self._nameable()))
        if doc is None or field is None:
            return doc
        if doc.form == "any":
            return replace(_doc(field), readers=doc.readers, dialect=doc.dialect)
        return _with_words(doc, field) if own is not None else doc

    def _nameable(self) -> Iterator[Service]:
        return (each for _, each in sorted(self._services.items()) if each.flag is None)

    def _foreign(self, path: KeyPath) -> FieldDoc | None:
        """A field that the Template does not know: one of the amlt dialect, or one that a service adds."""
        readers = self._added.get(path, {})
        meaning = _dialect(path[:-1]).get(str(path[-1]))
        if readers:
            name, field = next(iter(readers.items()))
            doc = _doc(self._services[name].options.model_fields[field])
            return replace(doc, readers=tuple(readers), description=meaning or doc.description)
        if meaning is None:
            return None
        kind: Form = FORMS.get(str(path[-1]), "scalar")
        values = tuple((each, "") for each in VALUES.get(str(path[-1]), ()))
        words = f"one of {', '.join(each for each, _ in values)}" if values else _WORDS[kind]
        return FieldDoc(words, meaning, values, form=kind, readers=("amlt",), dialect=True)

    def _extra_doc(self, path: KeyPath) -> FieldDoc | None:
        service = self._services.get(str(path[1]))
        if service is None or not _extra(service):
            return None
        if len(path) == 2:
            words = f"Options of {service.name}. {service.summary}"
            return FieldDoc("a mapping", words, form="mapping", readers=(service.name,))
        found = _follow_option(service, path)
        if found is None and any(each[: len(path)] == path for each in _extra(service)):
            return FieldDoc("a mapping", form="mapping", readers=(service.name,))
        return replace(_doc(found), readers=(service.name,)) if found is not None else None


def _general(path: KeyPath) -> KeyPath:
    """A path with every index 0, as the items of a list are alike, and the jobs of amlt's other places among `jobs`."""
    general = tuple(0 if isinstance(step, int) else step for step in path)
    for place in _JOBS_ELSEWHERE:
        if general[: len(place)] == place:
            return ("jobs", 0, *general[len(place) :])
    return general


def _section(path: KeyPath) -> tuple[str, ...] | None:
    """The section of the amlt dialect that a path leads to; None for a list, whose items are the section."""
    if path[:1] == ("storage",) and len(path) == 2:
        return ("storage", "*")
    if path and path[-1] in _LISTS:
        return None
    return tuple(step for step in path if isinstance(step, str))


def _dialect(path: KeyPath) -> Mapping[str, str]:
    """The keys of the amlt dialect at a path, with what they mean."""
    section = _section(path)
    return {} if section is None else KEYS.get(section) or BELOW.get(section, {})


def _extra(service: Service) -> list[KeyPath]:
    return [path for path in declared(service.options) if path[:2] == ("_extra", service.name)]


def _declared_field(service: Service, path: KeyPath) -> FieldInfo | None:
    name = declared(service.options).get(path)
    return service.options.model_fields[name] if name is not None else None


def _follow_option(service: Service, path: KeyPath) -> Any:
    for declares, name in declared(service.options).items():
        if path[: len(declares)] == declares:
            return _follow(service.options.model_fields[name], path[len(declares) :])
    return None


def _follow(start: Any, path: KeyPath) -> Any:
    """The field or annotation at some steps below a model, field or annotation; None where nothing is known."""
    here = start
    for step in path:
        inner = _structure(here)
        if _is_model(inner):
            named = (each for name, each in inner.model_fields.items() if (each.alias or name) == step)
            here = next((each for each in named if not each.exclude), None)
        elif get_origin(inner) is dict or (get_origin(inner) is list and isinstance(step, int)):
            here = get_args(inner)[-1]
        else:
            here = None
        if here is None:
            return None
    return here


def _model_keys(found: Any) -> list[str]:
    inner = _structure(found)
    if not _is_model(inner):
        return []
    return [field.alias or name for name, field in inner.model_fields.items() if not field.exclude]


def _structure(found: Any) -> Any:
    """The model, list or mapping type that a field or annotation allows."""
    annotation, _ = _parts(found)
    if _is_model(annotation) or get_origin(annotation) in {list, dict}:
        return annotation
    return next((inner for each in _choices(annotation) if (inner := _structure(each)) is not None), None)


def _is_model(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)


def _parts(found: Any) -> tuple[Any, list[Any]]:
    """An annotation without `Annotated` and Optional, and all that is said beside it."""
    annotation: Any = found
    beside: list[Any] = []
    if isinstance(found, FieldInfo):
        annotation, beside = found.annotation, list(found.metadata)
    while True:
        if hasattr(annotation, "__metadata__"):
            beside += annotation.__metadata__
            annotation = annotation.__origin__
            continue
        choices = _choices(annotation)
        if len(choices) != 1:
            return annotation, beside
        annotation = choices[0]


def _choices(annotation: Any) -> list[Any]:
    """What a union holds besides None; nothing for what is no union."""
    if get_origin(annotation) not in {Union, types.UnionType}:
        return []
    return [each for each in get_args(annotation) if each is not type(None)]


def _doc(found: Any) -> FieldDoc:
    annotation, beside = _parts(found)
    doc = _of_type(annotation, beside)
    if not isinstance(found, FieldInfo):
        return doc
    default: Json | Missing = found.default
    if not isinstance(default, bool | int | float | str | list) or default == []:
        default = MISSING
    examples = tuple(found.examples or ())
    return replace(doc, description=found.description or doc.description, default=default, examples=examples)


def _of_type(annotation: Any, beside: list[Any]) -> FieldDoc:
    doc = _written(annotation, beside)
    expect = next((each for each in beside if isinstance(each, Expect)), None)
    if expect is None:
        return doc
    values = tuple((each, "") for each in expect.choices) or doc.values
    return replace(doc, type=expect.words, values=values)


def _written(annotation: Any, beside: list[Any]) -> FieldDoc:
    """A type in words, and how it is written in a template."""
    if _is_model(annotation):
        return FieldDoc("a mapping", (annotation.__doc__ or "").strip(), form="mapping")
    origin = get_origin(annotation)
    if origin is list:
        item = _of_type(*_parts(get_args(annotation)[0]))
        return FieldDoc(f"a list{_SEVERAL.get(item.type, '')}", values=item.values, form="list")
    if origin is dict:
        item = _of_type(*_parts(get_args(annotation)[1]))
        below = "" if item.form == "any" else _SEVERAL.get(item.type, " of values").removeprefix(" of")
        return FieldDoc(f"a mapping of names to{below}" if below else "a mapping", form="mapping")
    if origin is Literal:
        choices = tuple(str(each) for each in get_args(annotation))
        return FieldDoc(f"one of {', '.join(choices)}", values=tuple((each, "") for each in choices), form="scalar")
    taken = next((kind for each in beside if (kind := _taken(each)) is not None), annotation)
    if taken in _SCALARS:
        least = _least(beside)
        bound = f" of at least {least}" if least is not None else ""
        values = (("true", ""), ("false", "")) if taken is bool else ()
        return FieldDoc(_SCALARS[taken] + bound, values=values, form="scalar")
    several = _choices(taken)
    several = [each for each in several if each is not int or float not in several]
    docs = [_of_type(*_parts(each)) for each in several]
    if docs and all(each.form in {"scalar", "mapping"} for each in docs):
        return FieldDoc(" or ".join(dict.fromkeys(each.type for each in docs)), form="scalar")
    return FieldDoc("anything")


_WORDS: dict[Form, str] = {"scalar": "text or a number", "list": "a list", "mapping": "a mapping", "any": "anything"}
_SEVERAL = {"text": " of texts", "a mapping": " of mappings"}
_SCALARS: dict[Any, str] = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}


def _taken(beside: Any) -> Any:
    """What a validator says that it takes from a template."""
    kind = getattr(beside, "json_schema_input_type", None)
    return kind if kind in _SCALARS or _choices(kind) else None


def _least(beside: list[Any]) -> int | None:
    inner = [below for each in beside if isinstance(each, FieldInfo) for below in each.metadata]
    return next((each.ge for each in (*beside, *inner) if hasattr(each, "ge")), None)


def _with_words(doc: FieldDoc, field: FieldInfo) -> FieldDoc:
    """A field that every service may read, in the words of the one that does."""
    own = _doc(field)
    same = own.form == doc.form
    return replace(
        doc,
        description=own.description or doc.description,
        values=doc.values or (own.values if same else ()),
        examples=own.examples or doc.examples,
    )
