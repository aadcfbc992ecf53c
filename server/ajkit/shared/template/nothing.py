"""The empty mapping and the empty list that models have by default: one of each for all, and never to be filled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from pydantic_core import core_schema

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler


class _Nothing:
    """What makes an empty collection fit to be the default of a field.

    pydantic shares a default that has a hash and makes a deep copy of any other, for every instance of a model: a
    Template has a dozen of them. What is shared must refuse to be filled.
    """

    __slots__ = ()

    def __hash__(self) -> int:
        return 0

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("this is the default of a field, which many models share: make a new collection instead")

    __setitem__ = __ior__ = __iadd__ = update = setdefault = append = extend = insert = _refuse

    @classmethod
    def __get_pydantic_core_schema__(cls, _: object, __: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        """Any value: a JSON schema asks the type of a default how it is written down."""
        return core_schema.any_schema()


class _NoEntries(_Nothing, dict[str, Any]):  # type: ignore[misc]
    __slots__ = ()


class _NoItems(_Nothing, list[Any]):  # type: ignore[misc]
    __slots__ = ()


NO_ENTRIES: dict[str, Any] = _NoEntries()
NO_ITEMS: list[Any] = _NoItems()
