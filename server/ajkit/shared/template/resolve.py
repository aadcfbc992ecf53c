"""Resolution: a leaf and its chain become one merged config, its problems and its trails."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING

from ajkit.shared.files import FileProblem
from ajkit.shared.problem import Finding, Problem, Refused, in_order, problem
from ajkit.shared.records import dataclass
from ajkit.shared.template.assemble import merge_chain
from ajkit.shared.template.chain import Loader, Memo, discover
from ajkit.shared.template.names import project_folder, template_name
from ajkit.shared.template.overlay import Laid, Overlays, Patch, apply_patch, lay, patched_trail
from ajkit.shared.template.placing import placed
from ajkit.shared.template.settings import Settings
from ajkit.shared.template.silenced import unsilenced
from ajkit.shared.template.source import read_template
from ajkit.shared.template.trail import Trails
from ajkit.shared.template.tree import Document
from ajkit.shared.where import Missing, Span, Text, at

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ajkit.shared.files import Files
    from ajkit.shared.template.merged import Merged
    from ajkit.shared.template.source import TemplateFile
    from ajkit.shared.where import Json, KeyPath, Origin, Trail


@dataclass(frozen=True, slots=True)
class ChainFile:
    """A file that took part: its path as reached, its text, the SHA-256 of its bytes."""

    path: str
    text: Text
    sha256: str


class Resolved:
    """A resolved template: everything the front ends show.

    Attributes:
        path: the leaf as it was asked for; `home` is its AJ_HOME or None; `project` the project folder.
        config: the merged config, plain JSON values, never to be changed in place.
        merged: the merged leaf, for questions about its sources; `everything` holds it and all files it reaches, also
            those that a cycle keeps out of it.
        settings: what the `aj.toml` of its home says.
    """

    def __init__(
        self, path: str, home: str | None, everything: tuple[Merged, ...], laid: Laid, settings: Settings
    ) -> None:
        self.path = path
        self.home = home
        self.project = project_folder(home, path)
        self.merged = everything[0]
        self.everything = everything
        self.settings = settings
        self._laid = laid
        self._trails = Trails(self.merged)
        self.config, self._patches, self._patch_problems = _patched(self.merged.value, laid.patches)

    @property
    def name(self) -> str:
        """What people call the template."""
        return template_name(self.path, self.home)

    @property
    def text(self) -> Text:
        """The text of the leaf itself."""
        return self.merged.file.document.text

    @cached_property
    def problems(self) -> tuple[Problem, ...]:
        """All that is wrong with the files of the chain and how they merge, in order (contract sections 1 to 3)."""
        from ajkit.shared.template.lint import told  # noqa: PLC0415 - who only shows a config need not wait for lints

        found = [*self.settings.problems, *self._laid.problems, *self._patch_problems]
        for each in self.everything:
            found += told(each)
        return tuple(in_order(self.settings.regrade(found)))

    @cached_property
    def stopping(self) -> tuple[Problem, ...]:
        """Those of `problems` for which the merged config cannot be trusted."""
        found = [*self.settings.problems, *self._laid.problems, *self._patch_problems]
        for each in self.everything:
            found += each.problems
        return tuple(in_order(each for each in found if each.stops_show))

    @cached_property
    def chain(self) -> tuple[ChainFile, ...]:
        """Every file of the chain and its overlays, the leaf first, each once."""
        return tuple(ChainFile(each.file.path, each.file.document.text, each.file.sha256) for each in self.everything)

    @cached_property
    def reads(self) -> frozenset[str]:
        """Every path looked at, existing or not."""
        return frozenset(each for each in self.concerns if not each.endswith("/"))

    @cached_property
    def concerns(self) -> frozenset[str]:
        """`reads`, and, ending in ``/``, every folder whose names were looked through: what may change an answer."""
        return frozenset().union(*(each.tried for each in self.everything))

    def trail(self, path: KeyPath) -> Trail | None:
        """The history of the value at a key path; None where there is none."""
        trail = self._trails.trail(path)
        if not self._patches:
            return trail
        value = at(self.config, path)
        if isinstance(value, Missing):
            return None
        for patch in self._patches:
            trail = patched_trail(patch, path, trail)
        return replace(trail, value=value) if trail else None

    def span(self, path: KeyPath, *, on_key: bool = False) -> Span:
        """The place that set a value (or its key); an absent path gives its nearest existing parent's key.

        The place of the whole config is the key `config` of the leaf, or the beginning of the file.
        """
        for depth in range(len(path), 0, -1):
            winner = self.winner(path[:depth])
            if winner:
                if winner.key and (on_key or depth < len(path)):
                    return winner.key
                if winner.span:
                    return winner.span
        file = self.merged.file
        entry = file.config_key or file.base_key
        return file.document.span(entry) if entry else Span(self.text, 0, 0)

    def written(self, path: KeyPath) -> str | None:
        """The text of a scalar as written in the winning file, after YAML quoting (``on``, ``1.10``)."""
        winner = self.winner(path)
        return winner.written if winner else None

    def winner(self, path: KeyPath) -> Origin | None:
        """Who set the value at a key path, for those who need not know how it came about."""
        if not self._patches:
            return self._trails.winner(path)
        trail = self.trail(path)
        return trail.winner if trail else None

    def place(self, findings: Iterable[Finding]) -> list[Problem]:
        """Findings turned into problems on the spans that their trails lead to, in order."""
        found = unsilenced(each for finding in findings for each in placed(self, finding))
        return in_order(self.settings.regrade(found))

    def require(self) -> Resolved:
        """Itself, when nothing stops a build.

        Raises:
            Refused: with the problems.
        """
        if any(each.is_error for each in self.problems):
            raise Refused(self.problems)
        return self


def _patched(
    config: dict[str, Json], patches: tuple[Patch, ...]
) -> tuple[dict[str, Json], tuple[Patch, ...], list[Problem]]:
    applied, problems = [], []
    for patch in patches:
        result = apply_patch(config, patch)
        if isinstance(result, Problem):
            problems.append(result)
        else:
            config = result
            applied.append(patch)
    return config, tuple(applied), problems


def resolve(
    files: Files,
    path: str,
    home: str | None,
    *,
    overlays: Overlays | None = None,
    settings: Settings | None = None,
    with_settings: bool = False,
    memo: Memo | None = None,
    leaf: TemplateFile | None = None,
) -> Resolved:
    """Resolve one template.

    Args:
        files: how files are seen.
        path: the template, absolute.
        home: the AJ_HOME of the whole chain.
        overlays: what the command line lays over it.
        settings: what `aj.toml` says.
        with_settings: whether its overlay bases apply, as they do to leaves.
        memo: what was read and merged before; it is filled further.
        leaf: the template itself, where the caller has read it already (a buffer that is being typed).
    """
    memo = memo if memo is not None else Memo()
    settings = settings or Settings()
    laid = lay(overlays or Overlays())
    loader = Loader(files, memo, home)
    if leaf is None:
        leaf = _load_leaf(loader, path)
    extra = (*(settings.overlays if with_settings else ()), *laid.bases)
    chain = discover(loader, memo, leaf, home, extra)
    fresh = merge_chain(chain, laid.parts)
    if not extra:
        memo.merged.update(((real, home), each) for real, each in fresh.items() if real != leaf.real and each.settled)
    return Resolved(path, home, _all(fresh[leaf.real], fresh), laid, settings)


def _all(leaf: Merged, fresh: dict[str, Merged]) -> tuple[Merged, ...]:
    """The leaf and every file it reaches, each once, nearest first; those behind a cycle last, by path."""
    if leaf.settled:
        return leaf.below()
    found = {id(each): each for each in leaf.below()}
    behind = {id(each): each for member in fresh.values() for each in member.below() if id(each) not in found}
    return (*found.values(), *sorted(behind.values(), key=lambda each: each.file.path))


def _load_leaf(loader: Loader, path: str) -> TemplateFile:
    try:
        return loader.load(path, loader.real(path), keep=False)
    except FileProblem as error:
        text = Text(path, "")
        reason = {"missing": "there is no such file", "directory": "it is a directory"}.get(error.kind, str(error))
        found = problem("template.missing", f"template {path} cannot be read: {reason}", Span(text, 0, 0))
        return read_template(path, sha256(b"").hexdigest(), Document(text, None, (found,)))
