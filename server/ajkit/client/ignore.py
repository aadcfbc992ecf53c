"""Which entries of a code folder stay behind: gitignore rules, matched entry by entry as git does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pathspec.patterns.gitignore import GitIgnorePatternError
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True, slots=True)
class _Rule:
    """One line of an ignore file.

    The library answers for whole paths, where a rule that matches a folder also matches all below it. Git asks about
    each entry by itself and never enters an ignored folder; only so can ``!keep/`` after ``*`` bring a folder back.
    """

    pattern: GitIgnoreSpecPattern
    anchored: bool
    below: bool
    folders_only: bool

    def matches(self, path: str, *, is_folder: bool) -> bool:
        """Whether the rule is about this very entry; `path` is relative to the folder of the ignore file."""
        if self.folders_only and not is_folder:
            return False
        asked = path if self.anchored else path.rsplit("/", 1)[-1]
        if is_folder and not self.below:
            asked += "/"
        found = self.pattern.match_file(asked)
        if found is None:
            return False
        return not self.anchored or self.below or found.match.end() == len(asked)


def _read(line: str) -> _Rule | None:
    text = line if line.endswith("\\ ") else line.rstrip()
    sign = "!" if text.startswith("!") else ""
    body = text.removeprefix("!")
    bare = body.rstrip("/")
    folders_only = body.endswith("/")
    steps = bare.lstrip("/").split("/")
    if steps == ["**"] or (len(steps) > 1 and {*steps[:-1]} == {"**"} and steps[-1] in {"*", "**"}):
        # `/**`, `**/*` and the like are about every entry; the library takes them for less when they are anchored.
        bare, text = "*", f"{sign}*{'/' if folders_only else ''}"
    try:
        pattern = GitIgnoreSpecPattern(text)
    except GitIgnorePatternError:
        return None
    if pattern.include is None:
        return None
    return _Rule(pattern, anchored="/" in bare, below=bare.endswith("/**"), folders_only=folders_only)


class IgnoreRules:
    """The rules of one folder, in order: the last that matches decides."""

    def __init__(self, lines: Iterable[str]) -> None:
        """Read the lines of an ignore file; blank lines, comments and what git cannot read say nothing."""
        self._rules: list[_Rule] = []
        for line in lines:
            rule = _read(line)
            if rule is not None:
                self._rules.append(rule)

    def says(self, path: str, *, is_folder: bool) -> bool | None:
        """True: ignored, False: brought back by a negation, None: nothing about this entry."""
        for rule in reversed(self._rules):
            if rule.matches(path, is_folder=is_folder):
                return rule.pattern.include
        return None


def is_ignored(rules: Sequence[tuple[str, IgnoreRules]], path: str, *, is_folder: bool) -> bool:
    """Whether an entry stays behind. `rules` are (folder with its ``/``, rules) from the root down: deeper ones win."""
    for prefix, each in reversed(rules):
        said = each.says(path[len(prefix) :], is_folder=is_folder)
        if said is not None:
            return said
    return False
