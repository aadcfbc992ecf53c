"""`aj.toml` of an AJ_HOME: severities, extra template globs, the default template, overlays for every leaf."""

from __future__ import annotations

import re
from dataclasses import field
from typing import TYPE_CHECKING

from ajkit.shared.problem import CODES, Problem, Severity, default_severity, problem
from ajkit.shared.records import dataclass
from ajkit.shared.template.names import did_you_mean, name_fault, near
from ajkit.shared.template.source import BaseRef
from ajkit.shared.where import Span, Text

if TYPE_CHECKING:
    from collections.abc import Iterable

OFF = "off"
KEYS = ("severity", "templates", "default", "with")


@dataclass(frozen=True, slots=True)
class Settings:
    """What `aj.toml` says; `problems` is what is wrong with it. An absent file is `Settings()`."""

    severity: dict[str, Severity | None] = field(default_factory=dict)
    templates: tuple[str, ...] = ()
    default: str | None = None
    overlays: tuple[BaseRef, ...] = ()
    problems: tuple[Problem, ...] = ()

    def regrade(self, problems: Iterable[Problem]) -> list[Problem]:
        """Problems with the severities that were asked for; those that are off are left out. Errors stay errors."""
        if not self.severity:
            return list(problems)
        graded = []
        for each in problems:
            if each.is_error or each.code not in self.severity:
                graded.append(each)
            elif (wanted := self.severity[each.code]) is not None:
                graded.append(each.with_severity(wanted))
        return graded


def read_settings(path: str, data: bytes) -> Settings:
    """Read the bytes of an `aj.toml`; whatever is wrong is reported and the rest is used."""
    try:
        content = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return Settings(problems=(problem("settings.invalid", "aj.toml is not UTF-8", _start(path)),))
    if all(not line.strip() or line.lstrip().startswith("#") for line in content.splitlines()):
        return Settings()
    import tomllib  # noqa: PLC0415 - most homes have no aj.toml, or one that only holds comments

    text = Text(path, content)
    try:
        table = tomllib.loads(content)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        return Settings(problems=(_syntax(text, str(error)),))
    return _Reader(text).read(table)


def unreadable_settings(path: str, reason: str) -> Settings:
    """The settings of an `aj.toml` that is there and cannot be read: what it asks for is not known."""
    return Settings(problems=(problem("settings.invalid", f"aj.toml cannot be read: {reason}", _start(path)),))


def _start(path: str) -> Span:
    return Span(Text(path, ""), 0, 0)


def _syntax(text: Text, message: str) -> Problem:
    found = re.search(r"\(at line (\d+), column (\d+)\)", message)
    start = text.offset(int(found[1]) - 1, int(found[2]) - 1) if found else len(text.content)
    said = message[: found.start()].strip() if found else message
    return problem("settings.invalid", f"aj.toml is not TOML: {said}", Span(text, start, start))


class _Reader:
    """Reads the table of one aj.toml, collecting problems on the lines of the keys."""

    def __init__(self, text: Text) -> None:
        self._text = text
        self._problems: list[Problem] = []

    def read(self, table: dict[str, object]) -> Settings:
        for key in table:
            if key not in KEYS:
                self._wrong(
                    key, f"`{key}` is not a setting{did_you_mean(near(key, KEYS, 1))} (there are {', '.join(KEYS)})"
                )
        templates = self._texts("templates", table.get("templates", []))
        overlays = tuple(
            BaseRef(name, self._span(name))
            for name in self._texts("with", table.get("with", []))
            if self._is_name(name)
        )
        default = table.get("default")
        if default is not None and not isinstance(default, str):
            self._wrong("default", "`default` takes the name of a template")
            default = None
        elif default and name_fault(default):
            self._wrong(default, f"`default` takes the name of a template, as -t does, not `{default}`")
            default = None
        severity = self._severities(table.get("severity", {}))
        return Settings(severity, templates, default, overlays, tuple(self._problems))

    def _is_name(self, name: str) -> bool:
        fault = name_fault(name)
        if fault:
            self._wrong(name, f"`with`: {fault}")
        return fault is None

    def _texts(self, key: str, value: object) -> tuple[str, ...]:
        items = [value] if isinstance(value, str) else value
        if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
            self._wrong(key, f"`{key}` takes a list of text")
            return ()
        return tuple(items)

    def _severities(self, value: object) -> dict[str, Severity | None]:
        if not isinstance(value, dict):
            self._wrong("severity", '`severity` is a table: "merge.redundant" = "off"')
            return {}
        words = [each.value for each in Severity]
        wanted: dict[str, Severity | None] = {}
        for code, word in value.items():
            if isinstance(word, dict):
                self._wrong(code, f'put the code in quotes: "{code}.{next(iter(word), "")}" = …')
            elif word != OFF and word not in words:
                self._wrong(code, f"a severity is one of {', '.join(words)}, {OFF}; not `{word}`")
            elif code in CODES and default_severity(code) is Severity.ERROR and word != Severity.ERROR.value:
                self._wrong(code, f"`{code}` stops a build, so it stays an error")
            elif code not in CODES and (
                "." not in code or code.split(".")[0] in {each.split(".")[0] for each in CODES}
            ):
                self._wrong(code, f"`{code}` is not a problem code{did_you_mean(near(code, CODES, 1))}")
            else:
                wanted[code] = None if word == OFF else Severity(word)
        return wanted

    def _wrong(self, key: str, message: str) -> None:
        self._problems.append(problem("settings.invalid", message, self._span(key)))

    def _span(self, word: str) -> Span:
        found = re.search(rf"(?<![\w.-]){re.escape(word)}(?![\w-])", self._text.content) if word else None
        return Span(self._text, found.start(), found.end()) if found else Span(self._text, 0, 0)
