"""The kinds of value a template field may hold, each with the words that say what is expected there."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, Discriminator, Field, Tag
from pydantic_core import PydanticCustomError, core_schema

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler

Kind = Literal["expected.text", "expected.whole", "expected.flag", "expected.choice", "expected.other"]
"""The ``type`` of an error of ours: what would fit, as far as a suggestion needs to know."""

SKU_TEXT, SKU_RANGES = "text", "ranges"
"""The steps that the two forms of a SKU add to an error's ``loc``; they are no part of the key path."""

_VARIABLE = r"\$\{?[A-Za-z_]"


class Expect:
    """Marks a type: a value that does not fit gives one error, whose message is `words` ("a whole number")."""

    __slots__ = ("_kind", "choices", "words")

    def __init__(self, kind: Kind, words: str, choices: tuple[str, ...] = ()) -> None:
        self._kind = kind
        self.words = words
        self.choices = choices

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        """One error of our own in place of whatever the type itself would say."""
        return self._with_words(handler(source))

    def _with_words(self, schema: core_schema.CoreSchema) -> core_schema.CoreSchema:
        return core_schema.custom_error_schema(
            schema,
            custom_error_type=self._kind,
            custom_error_message=self.words,
            custom_error_context={"choices": "|".join(self.choices)},
        )


class Choice(Expect):
    """Marks text that is one of some words, in any case; the value becomes the word as spelt here.

    A text that holds an amlt variable (``${TIER}``) passes as it is: only amlt can say what it becomes.
    """

    __slots__ = ("_spelt",)

    def __init__(self, *choices: str) -> None:
        super().__init__("expected.choice", f"one of {', '.join(choices)} (in any case)", choices)
        self._spelt = {each.lower(): each for each in choices}

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        """The type's own schema, then the one spelling."""
        return self._with_words(core_schema.no_info_after_validator_function(self._spell, handler(source)))

    def __get_pydantic_json_schema__(self, _: core_schema.CoreSchema, __: GetJsonSchemaHandler) -> dict[str, Any]:
        """The words first, so that editors offer them, then every other case of them."""
        any_case = any_case_pattern(self.choices)
        return {"anyOf": [{"enum": list(self.choices)}, {"type": "string", "pattern": f"{any_case}|{_VARIABLE}"}]}

    def _spell(self, value: str) -> str:
        found = self._spelt.get(value.lower())
        if found is None and not re.search(_VARIABLE, value):
            raise ValueError(value)
        return found or value


def any_case_pattern(words: Iterable[str]) -> str:
    """The regular expression (of JSON Schema's kind, which has no flags) that matches one of some words in any case."""
    return "^({})$".format("|".join("".join(_any_case(each) for each in word) for word in words))


def _any_case(letter: str) -> str:
    return f"[{letter.upper()}{letter.lower()}]" if letter.isalpha() else re.escape(letter)


def without_nulls(value: object) -> object:
    """A mapping without its null entries, and an empty one for null: in a template null means "not set"."""
    if value is None:
        return {}
    if isinstance(value, dict) and None in value.values():
        return {key: below for key, below in value.items() if below is not None}
    return value


def _as_list(value: object) -> object:
    if isinstance(value, str):
        return [value]
    if not isinstance(value, list):
        expected: Kind = "expected.text"
        raise PydanticCustomError(expected, "text or a list of texts")
    return value


def _sku_form(value: object) -> str | None:
    if isinstance(value, str):
        return SKU_TEXT
    return SKU_RANGES if isinstance(value, dict) else None


Text = Annotated[str, Expect("expected.text", "text")]
Flag = Annotated[bool, Expect("expected.flag", "true or false")]
Positive = Annotated[int, Field(ge=1), Expect("expected.whole", "a whole number of at least 1")]
NotNegative = Annotated[int, Field(ge=0), Expect("expected.whole", "a whole number of at least 0")]
Quantity = Annotated[int | float | str, Expect("expected.other", "a number, or a quantity such as 512Gi or 500m")]
AS_LIST = BeforeValidator(_as_list)
"""Marks a list of texts: a text where a list of text is expected is a one-element list."""
TextList = Annotated[list[Text], AS_LIST]
TextMap = Annotated[dict[str, Text], BeforeValidator(without_nulls)]
AnyMap = Annotated[dict[str, Any], BeforeValidator(without_nulls)]

Processes = Annotated[
    NotNegative | Annotated[str, Field(pattern=_VARIABLE)],
    Expect(
        "expected.whole", "a whole number of at least 0 (0 means not set), or an amlt variable such as ${PROCESSES}"
    ),
]
Sku = Annotated[
    Annotated[Text, Tag(SKU_TEXT)] | Annotated[TextMap, Tag(SKU_RANGES)],
    Discriminator(
        _sku_form,
        custom_error_type="expected.other",
        custom_error_message="a SKU text, or a mapping of node ranges to SKU texts",
    ),
]

SecretRef = dict[Literal["from_env", "from_file"], str]
"""A secret that is read where the job is executed: from an environment variable, or from a file."""
Variable = Annotated[
    str | int | float | bool | Annotated[SecretRef, Field(min_length=1, max_length=1), BeforeValidator(without_nulls)],
    Expect(
        "expected.other",
        "a text, a number, true or false, or a secret reference: {from_env: NAME} or {from_file: PATH}",
    ),
]
"""The value of an environment variable: the text as written counts; the types only say what may stand there."""
EnvMap = Annotated[dict[str, Variable], BeforeValidator(without_nulls)]
"""Environment variables by name."""
