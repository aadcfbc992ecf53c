"""The arguments of a command: one object with named members, or the values in their order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ajkit.lsp import convert
from ajkit.lsp.failure import INVALID_PARAMS, RequestFailed
from ajkit.lsp.previews import read_preview_uri
from ajkit.shared.template.names import did_you_mean, near

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ajkit.lsp.session import Session
    from ajkit.lsp.view import View


class Arguments:
    """Named arguments; what is null or absent is None.

    Raises:
        RequestFailed: a member has no such name, or there are too many values.
    """

    def __init__(self, given: list[Any], names: Iterable[str]) -> None:
        known = tuple(names)
        if len(given) == 1 and isinstance(given[0], dict):
            self._values: dict[str, Any] = given[0]
        elif len(given) <= len(known):
            self._values = dict(zip(known, given, strict=False))
        else:
            raise RequestFailed(f"this command takes {', '.join(known) or 'no arguments'}", INVALID_PARAMS)
        for name in self._values:
            if name not in known:
                close = did_you_mean(near(name, known, 1)) or f"; it takes {', '.join(known) or 'none'}"
                raise RequestFailed(f"this command has no argument `{name}`{close}", INVALID_PARAMS)

    def get(self, name: str) -> Any:
        """A value as it came."""
        return self._values.get(name)

    def text(self, name: str, otherwise: str | None = None) -> str | None:
        """A text; `otherwise` where there is none."""
        value = self._values.get(name)
        if value is None:
            return otherwise
        if not isinstance(value, str):
            raise RequestFailed(f"`{name}` is a text", INVALID_PARAMS)
        return value

    def required(self, name: str) -> str:
        """A text that must be there."""
        value = self.text(name)
        if not value:
            raise RequestFailed(f"this command needs `{name}`", INVALID_PARAMS)
        return value

    def number(self, name: str, otherwise: int) -> int:
        """A whole number of at least 1."""
        value = self._values.get(name)
        if value is None:
            return otherwise
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise RequestFailed(f"`{name}` is a whole number of at least 1", INVALID_PARAMS)
        return value

    def flag(self, name: str, *, otherwise: bool) -> bool:
        """True or false."""
        value = self._values.get(name)
        if value is None:
            return otherwise
        if not isinstance(value, bool):
            raise RequestFailed(f"`{name}` is true or false", INVALID_PARAMS)
        return value

    def mapping(self, name: str) -> dict[str, Any]:
        """An object; empty where there is none."""
        value = self._values.get(name)
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise RequestFailed(f"`{name}` is an object", INVALID_PARAMS)
        return value

    def one_of(self, name: str, choices: Iterable[str], otherwise: str) -> str:
        """One of some words."""
        known = tuple(choices)
        value = self.text(name, otherwise)
        if value not in known:
            raise RequestFailed(f"`{name}` is one of {', '.join(known)}", INVALID_PARAMS)
        return value

    def template(self) -> str:
        """The path of the template that `uri` names: its own URI, or that of one of its previews."""
        uri = self.required("uri")
        preview = read_preview_uri(uri)
        path = preview[1] if preview else convert.path_of(uri)
        if path is None:
            raise RequestFailed(f"{uri} is no file", INVALID_PARAMS)
        return path

    def cursor(self, session: Session) -> tuple[View, int] | None:
        """The open template `uri` and the offset of `position` in it; None where no template is open there."""
        position = self.mapping("position")
        if not all(isinstance(position.get(each), int) for each in ("line", "character")):
            raise RequestFailed("this command needs a `position` with `line` and `character`", INVALID_PARAMS)
        return session.at({"textDocument": {"uri": self.required("uri")}, "position": position})
