"""What a path of the daemon takes and answers, said once: requests are checked by it and OpenAPI is written from it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar, cast, get_origin

from pydantic import BaseModel, ConfigDict, ValidationError
from starlette.responses import Response
from starlette.routing import Route

from ajkit.daemon.guard import Principal, principal
from ajkit.daemon.refusals import RefusedRequest
from ajkit.daemon.watch import PATH
from ajkit.shared.contract import ProblemShape
from ajkit.shared.where import format_keypath

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.requests import Request

    from ajkit.daemon.parts import Parts

JSON = "application/json"


class Fields(BaseModel):
    """What comes as text beside the body: a query, or headers. Closed, but texts are read as numbers and the like."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Headers(Fields):
    """Headers that mean something to a path; all others pass."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class Nothing(Fields):
    """No query, no header, no body that matters."""


Q = TypeVar("Q", bound=Fields)
H = TypeVar("H", bound=Headers)
B = TypeVar("B", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Call(Generic[Q, H, B]):
    """A request that was checked: the places in its path, its query, headers and body, and the daemon it came to."""

    parts: Parts
    request: Request
    query: Q
    headers: H
    body: B

    def place(self, name: str) -> str:
        """A place in the path, as text."""
        return cast("str", self.request.path_params[name])

    @property
    def principal(self) -> Principal:
        """Who sent it."""
        return principal(self.request.scope)


@dataclass(frozen=True, slots=True)
class Answer:
    """A message as the answer, with another status than the path's usual one."""

    message: BaseModel
    status: int


@dataclass(frozen=True)
class Path(Generic[Q, H, B]):
    """One path and method. `handler` is told in its docstring; it answers a message, or a whole response.

    `answers` is the message, or the media type of a response that is none; `takes` the media type of a body that the
    handler reads by itself.
    """

    method: str
    path: str
    handler: Callable[[Call[Q, H, B]], Awaitable[BaseModel | Answer | Response]]
    answers: type[BaseModel] | str
    status: int = 200
    query: type[Q] = field(default_factory=lambda: cast("type[Q]", Nothing))
    headers: type[H] = field(default_factory=lambda: cast("type[H]", Headers))
    body: type[B] = field(default_factory=lambda: cast("type[B]", Nothing))
    takes: str = ""
    places: dict[str, str] = field(default_factory=dict)
    """The regular expressions of places in the path that must look so."""


def route(path: Path[Q, H, B], parts: Parts) -> Route:
    """A path as the web framework wants it."""
    places = {name: re.compile(pattern) for name, pattern in path.places.items()}

    async def endpoint(request: Request) -> Response:
        request.scope[PATH] = path.path
        for name, pattern in places.items():
            if not pattern.fullmatch(request.path_params[name]):
                raise RefusedRequest("request.invalid", f"{name}: a text like {pattern.pattern} is wanted")
        call = Call(
            parts,
            request,
            _read("query", path.query, _texts(path.query, request)),
            _read("headers", path.headers, dict(request.headers)),
            await _body(path, request),
        )
        answer = await path.handler(call)
        if isinstance(answer, Response):
            return answer
        if isinstance(answer, Answer):
            return Response(answer.message.model_dump_json(), answer.status, media_type=JSON)
        return Response(answer.model_dump_json(), path.status, media_type=JSON)

    return Route(path.path, endpoint, methods=[path.method])


def refuse_fields(where: str, error: ValidationError) -> RefusedRequest:
    """The refusal of what does not fit a model, field by field. Values are not repeated, they may be secret."""
    problems = [
        ProblemShape(
            path=None,
            code="request.invalid",
            severity="error",
            message=f"{format_keypath(each['loc']) or where}: {each['msg']}",
            range=None,
        )
        for each in error.errors(include_url=False, include_input=False, include_context=False)
    ]
    detail = "; ".join(each.message for each in problems[:3]) + ("; …" if len(problems) > 3 else "")
    return RefusedRequest("request.invalid", detail, problems=problems)


F = TypeVar("F", bound=Fields)


def _read(where: str, model: type[F], values: dict[str, object]) -> F:
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise refuse_fields(where, error) from None


def _texts(model: type[Fields], request: Request) -> dict[str, object]:
    """The texts of a query; a list where the model wants one."""
    query = request.query_params
    many = {name for name, each in model.model_fields.items() if get_origin(each.annotation) is list}
    return {name: query.getlist(name) if name in many else query[name] for name in query}


async def _body(path: Path[Q, H, B], request: Request) -> B:
    if path.body is Nothing:
        return cast("B", Nothing())
    try:
        return path.body.model_validate_json(await request.body())
    except ValidationError as error:
        raise refuse_fields("body", error) from None
