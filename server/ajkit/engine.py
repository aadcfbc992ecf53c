"""The engine: disk, settings, services and the memo of what was resolved, held together for the thin programs."""

from __future__ import annotations

import os
import posixpath
from dataclasses import replace
from typing import TYPE_CHECKING

from ajkit.homes import Homes
from ajkit.shared.files import FileProblem
from ajkit.shared.job.code import IGNORE_FILES, code_folder
from ajkit.shared.job.command import script_candidate
from ajkit.shared.problem import Problem, UsageError, summed
from ajkit.shared.records import dataclass
from ajkit.shared.template.chain import Memo
from ajkit.shared.template.collector import collector_paused
from ajkit.shared.template.comments import modeline
from ajkit.shared.template.names import (
    SUFFIX,
    TEMPLATE_FOLDER,
    did_you_mean,
    is_path_argument,
    near,
    template_name,
    template_path,
)
from ajkit.shared.template.overlay import Overlays
from ajkit.shared.template.resolve import resolve as resolve_chain
from ajkit.shared.where import Text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from ajkit.shared.files import Files
    from ajkit.shared.job.plan import Plan
    from ajkit.shared.job.request import Ambient, JobRequest
    from ajkit.shared.spec import Registry
    from ajkit.shared.template.resolve import Resolved
    from ajkit.shared.template.source import TemplateFile

MODELINE_LIMIT = 1 << 10
IGNORE_LIMIT = 1 << 20
LISTED = 20
NO_HOME = (
    "no AJ_HOME found: there is no folder .aj or .azure_jobs here or above; `aj init` makes one, "
    "--home or AJ_HOME name another"
)


@dataclass(frozen=True, slots=True)
class Entry:
    """One template of a home as lists show it: its name, path, and whether it is a leaf."""

    name: str
    path: str
    is_leaf: bool


class Engine(Homes):
    """Resolves, checks and plans for one invocation or one editor.

    What was read stays good until `forget` is called with the paths that changed; nothing is re-read behind one's back.
    """

    def __init__(
        self,
        *,
        files: Files | None = None,
        home: str | None = None,
        environ_home: str | None = None,
        folder: str = "/",
        registry: Registry | None = None,
        lazy_graph: bool = False,
    ) -> None:
        """Set up an engine.

        Args:
            files: how files are seen; the disk by default.
            home: the AJ_HOME of `--home` or the editor's setting; it wins over everything.
            environ_home: the AJ_HOME of the environment, ``~`` already expanded; empty counts as unset.
            folder: the working directory: names are looked up from here, relative paths start here.
            registry: the services; the built-in ones and installed plug-ins by default.
            lazy_graph: never scan a home in the middle of a question; until `graph` was called for it, templates that
                could be bases count as such.
        """
        super().__init__(files, home or environ_home or None, folder)
        self._registry = registry
        self._lazy_graph = lazy_graph
        self.memo = Memo()

    @property
    def registry(self) -> Registry:
        """The services there are."""
        if self._registry is None:
            from ajkit.backends.registry import registry  # late: services bring in pydantic

            self._registry = registry()
        return self._registry

    def forget(self, paths: Iterable[str]) -> None:
        """Drop everything that depends on paths which changed, appeared or went away."""
        self.memo.forget(paths)
        self.memo.forget_failures()
        self.forget_homes()

    def edited(self, file: TemplateFile) -> set[str]:
        """Take over one template as it is being typed; what depends on it is worked out anew when asked for.

        Gives the real paths that it began or ceased to extend: they may be leaves now, or none any more.
        """
        self.memo.forget([file.path, file.real])
        self.memo.files[file.path] = file
        return self.follow_edit(file)

    def known(self, path: str) -> TemplateFile | None:
        """A template that was read before and has not changed since."""
        known = self.memo.files.get(path)
        return None if isinstance(known, FileProblem) else known

    # -- finding templates ------------------------------------------------------------------------------------------

    def find(self, argument: str | None) -> str:
        """The path of a template named on the command line; None takes the default, or the only leaf there is.

        Raises:
            UsageError: no such template, or nothing to choose by; the message lists what there is.
        """
        if argument is not None and is_path_argument(argument):
            return self.absolute(argument)
        home = self.required_home()
        if argument is not None:
            return self._named(argument, home)
        default = self.settings(home).default
        if default:
            return self._named(default, home, " (the default of aj.toml)")
        leaves = [each for each in self.entries(home) if each.is_leaf]
        if len(leaves) == 1:
            return leaves[0].path
        if not leaves:
            raise UsageError(f"there is no template to run in {posixpath.join(home, TEMPLATE_FOLDER)}")
        raise UsageError("which template? Choose one with -t" + self._listed([each.name for each in leaves]))

    def _named(self, name: str, home: str, why: str = "") -> str:
        path = template_path(name, home)
        if self.files.kind(path) != "file":
            names = [each.name for each in self.entries(home)]
            close = near(name, names)
            raise UsageError(
                f"template `{name}`{why} not found: there is no {path}{did_you_mean(close)}"
                + ("" if close or not names else f"; the templates here{self._listed(names)}")
            )
        return path

    def required_home(self) -> str:
        """The AJ_HOME that template names mean.

        Raises:
            UsageError: there is none, or the one that was named is no folder.
        """
        home = self.home_here()
        if home is None:
            raise UsageError(NO_HOME)
        if self.files.kind(home) != "directory":
            raise UsageError(f"there is no folder {home}, which --home or the variable AJ_HOME names")
        return home

    @staticmethod
    def _listed(names: list[str]) -> str:
        if not names:
            return ""
        more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
        return f": {', '.join(names[:LISTED])}{more}"

    def entries(self, home: str) -> list[Entry]:
        """The templates of a home (`AJ_HOME/template` and what the globs add), by name."""
        graph = self.graph(home)
        inside = posixpath.join(home, TEMPLATE_FOLDER) + "/"
        globbed = set(self.globbed(home))
        found = [
            Entry(template_name(path, home), path, self.is_leaf(path))
            for path in graph.paths.values()
            if path.startswith(inside) or path in globbed
        ]
        return sorted(found, key=lambda each: each.name)

    # -- resolving --------------------------------------------------------------------------------------------------

    def resolve(
        self, path: str, overlays: Overlays | None = None, *, named: bool = False, leaf: TemplateFile | None = None
    ) -> Resolved:
        """Resolve a template by absolute path.

        `named` says that the person asked for this file as a template, so that it counts as a leaf outside of
        `AJ_HOME/template` too; `leaf` is its content where the caller has read it already.
        """
        home = self.home_of(path)
        settings = self.settings(home)
        plain = resolve_chain(self.files, path, home, overlays=overlays, settings=settings, memo=self.memo, leaf=leaf)
        if settings.overlays and self.counts_as_leaf(plain, named=named):
            return resolve_chain(
                self.files,
                path,
                home,
                overlays=overlays,
                settings=settings,
                with_settings=True,
                memo=self.memo,
                leaf=plain.merged.file,
            )
        return plain

    def is_leaf(self, path: str, *, named: bool = False) -> bool:
        """Whether a template must be complete by itself (contract section 1)."""
        home = self.home_of(path)
        if not self._may_be_leaf(path, home, named=named):
            return False
        plain = resolve_chain(self.files, path, home, memo=self.memo)
        return self.counts_as_leaf(plain, named=named)

    def _may_be_leaf(self, path: str, home: str | None, *, named: bool) -> bool:
        if home and path.startswith(posixpath.join(home, TEMPLATE_FOLDER) + "/"):
            return True
        return named or (home is not None and path in self.globbed(home))

    def counts_as_leaf(self, resolved: Resolved, *, named: bool) -> bool:
        """Whether a resolved template must be complete by itself."""
        file = resolved.merged.file
        if not self._may_be_leaf(resolved.path, resolved.home, named=named) and not modeline(resolved.text):
            return False
        if not file.bases and file.values is None:
            return False
        target = resolved.config.get("target")
        if isinstance(target, dict) and target.get("service") and resolved.config.get("jobs"):
            return True
        if resolved.home is None:
            return True
        if self._lazy_graph and resolved.home not in self._graphs:
            return False
        return not self.graph(resolved.home).dependents.get(file.real)

    # -- checking and planning --------------------------------------------------------------------------------------

    def problems(self, resolved: Resolved, *, named: bool = False) -> list[Problem]:
        """Everything that is wrong with one template: how it resolves, its types, and what its service makes of it."""
        from ajkit.shared.job.examine import examine  # late: they bring in pydantic
        from ajkit.shared.job.plan import template_problems

        leaf = self.counts_as_leaf(resolved, named=named)
        examined = examine(resolved, self.registry, leaf=leaf)
        return template_problems(resolved, examined, leaf=leaf)

    def check(self, paths: Iterable[str], *, named: Collection[str] = ()) -> list[Problem]:
        """The problems of these files (absolute paths) as a report shows them; `named` ones were asked for by name."""
        with collector_paused():
            return summed(
                problem
                for path in paths
                for problem in self.problems(self.resolve(path, named=path in named), named=path in named)
            )

    def ours(self) -> list[str]:
        """Every template file of the home here, bases first, so that each is parsed once.

        Raises:
            UsageError: there is no AJ_HOME here.
        """
        home = self.required_home()
        graph = self.graph(home)
        order = sorted(graph.paths, key=lambda real: (not graph.dependents.get(real), graph.paths[real]))
        return [graph.paths[real] for real in order]

    def ours_below(self, folder: str) -> list[str]:
        """The template files below a folder: in an AJ_HOME, called templates by its globs, or by their first line."""
        found = []
        for path, _ in self.files.walk(folder):
            if not path.endswith(SUFFIX):
                continue
            home = self.home_of(path)
            ours = home is not None and (path.startswith(home + "/") or path in self.globbed(home))
            if ours or modeline(Text(path, self._beginning(path))):
                found.append(path)
        return found

    def _beginning(self, path: str) -> str:
        try:
            return self.files.read(path, MODELINE_LIMIT).decode("utf-8", "replace")
        except FileProblem:
            return ""

    def plan(self, request: JobRequest, ambient: Ambient | None = None) -> Plan:
        """The plan of a job: what `aj run` submits, the dry run prints and the preview shows.

        `ambient` says the sid, the time and the caller's own name; what is to know of the code folder is looked up
        here.
        """
        from ajkit.shared.job.examine import examine  # late: they bring in pydantic
        from ajkit.shared.job.plan import plan
        from ajkit.shared.job.request import Ambient as Facts

        resolved = self.resolve(request.template, request.overlays, named=True)
        examined = examine(resolved, self.registry, leaf=True, request=request)
        facts = ambient or Facts()
        if examined.template is not None:
            facts = self._with_code(facts, code_folder(resolved, examined.template, request), request)
        return plan(resolved, request, facts, examined)

    def _with_code(self, facts: Ambient, folder: str, request: JobRequest) -> Ambient:
        """Facts with those of the code folder: whether it is there, its ignore file, the script that is to run."""
        script = script_candidate(request)
        there = script is not None and self.files.kind(posixpath.join(folder, script)) == "file"
        return replace(
            facts,
            code_found=self.files.kind(folder) == "directory",
            ignore_file=self._ignore_lines(folder),
            scripts=frozenset({script}) if script is not None and there else frozenset(),
        )

    def _ignore_lines(self, folder: str) -> tuple[str, ...]:
        """The rules of the first ignore file that a code folder has."""
        for name in IGNORE_FILES:
            try:
                data = self.files.read(posixpath.join(folder, name), IGNORE_LIMIT)
            except FileProblem:
                continue
            lines = (each.removesuffix("\r") for each in data.decode("utf-8-sig", "surrogateescape").split("\n"))
            return tuple(each for each in lines if each.strip() and not each.startswith("#"))
        return ()


def working_engine(home: str | None = None, *, registry: Registry | None = None) -> Engine:
    """The engine of this process: its working directory and AJ_HOME of its environment."""
    environ_home = os.environ.get("AJ_HOME") or None
    folder = os.getcwd().replace(os.sep, "/")
    return Engine(
        home=os.path.expanduser(home) if home else None,
        environ_home=os.path.expanduser(environ_home) if environ_home else None,
        folder=folder,
        registry=registry,
    )


def resolve(
    template: str,
    *,
    home: str | None = None,
    overlay_bases: Iterable[str] = (),
    set_values: Iterable[str] = (),
    env: Mapping[str, str] | None = None,
) -> Resolved:
    """Resolve a template from a script: a path, or a name as `aj -t` takes it.

    ``ajkit.resolve("train").config`` is the merged config; `.trail(("target", "name"))` says who set a value,
    `.problems` what is wrong, `.require()` raises when anything stops a build.

    Args:
        template: a path (with a ``/`` or ending in ``.yaml``) or a template name.
        home: the AJ_HOME; else the environment's, else the nearest one.
        overlay_bases: base names as for `--with`.
        set_values: texts as for `--set`, ``"target.queue=big"``.
        env: environment values as for `--env`.

    Raises:
        UsageError: there is no such template name.
    """
    engine = working_engine(home)
    settings = tuple(f"{name}={value}" for name, value in (env or {}).items())
    overlays = Overlays(tuple(overlay_bases), tuple(set_values), settings)
    return engine.resolve(engine.find(template), overlays, named=True)
