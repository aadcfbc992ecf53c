"""The state of one editor: open buffers, the engine over them, and views of what they mean now."""

from __future__ import annotations

from functools import cached_property
from hashlib import sha256
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from ajkit.disk import DiskFiles
from ajkit.engine import Engine
from ajkit.lsp import convert
from ajkit.lsp.completing.memory import Memory
from ajkit.lsp.documents import Buffer, BufferedFiles, edited
from ajkit.lsp.impact import Impacts
from ajkit.lsp.previews import Previews
from ajkit.lsp.progress import unheard, unseen
from ajkit.lsp.reports import Reports
from ajkit.lsp.settings import ClientSettings
from ajkit.lsp.submitting import Seen
from ajkit.lsp.surroundings import Surroundings
from ajkit.lsp.tallies import Tallies
from ajkit.lsp.view import View
from ajkit.lsp.workspace import Workspace
from ajkit.shared.files import FileProblem
from ajkit.shared.template.comments import modeline
from ajkit.shared.template.parse import SIZE_LIMIT, parse
from ajkit.shared.template.source import read_template
from ajkit.shared.template.splice import spliced
from ajkit.shared.where import Text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ajkit.disk import Stamp
    from ajkit.lsp.progress import Start
    from ajkit.shared.files import Files
    from ajkit.shared.job.fielddocs import FieldDocs
    from ajkit.shared.template.graph import Graph
    from ajkit.shared.template.source import TemplateFile
    from ajkit.shared.template.tree import Document

_BOM = b"\xef\xbb\xbf"


class Session:
    """Everything that changes while an editor is open, in one place and one thread; `state` counts the changes.

    `disk_state` counts those that came from outside of the editor.
    Views are made when first asked for and dropped when anything they read has changed; `others_changed` says that one
    was dropped whose own document was not edited. `progress` shows work to the person, as far as the client can;
    `tell` sends the client a notification, `heard` is when it was heard last; `surroundings` say where facts come from.
    """

    def __init__(
        self,
        files: Files | None = None,
        environ_home: str | None = None,
        folder: str = "/",
        surroundings: Surroundings | None = None,
    ) -> None:
        self.files = BufferedFiles(files or DiskFiles())
        self.surroundings = surroundings or Surroundings()
        self.previews = Previews()
        self.seen = Seen()
        self.impacts = Impacts()
        self.tallies = Tallies()
        self.reports = Reports()
        self.workspace = Workspace()
        self.progress: Start = unseen
        self.tell: Callable[[str, Any], None] = unheard
        self.heard = 0.0
        self.settings = ClientSettings()
        self.encoding = convert.UTF16
        self.state = 0
        self.disk_state = 0
        self.folders: list[str] = []
        self.buffers: dict[str, Buffer] = {}
        self._environ_home = environ_home
        self._folder = folder
        self._views: dict[str, View] = {}
        self._reading: set[str] = set()
        self._not_read: set[str] = set()
        self._unsaved: set[str] = set()
        self._sound: dict[str, Document] = {}
        self._uris: dict[str, str] = {}
        self.others_changed = False
        self.page = ""
        self.completing = Memory(self.files)
        self.engine = self.engine_over(self.files)

    def engine_over(self, files: Files) -> Engine:
        """An engine that sees other files by the same settings."""
        return Engine(
            files=files,
            home=self.settings.home,
            environ_home=self._environ_home,
            folder=self._folder,
            lazy_graph=True,
        )

    def configure(self, settings: ClientSettings) -> None:
        """Take over changed settings; another home means that everything is read anew."""
        self.state += 1
        moved = settings.home != self.settings.home
        self.settings = settings
        if moved:
            self.engine = self.engine_over(self.files)
            self._views.clear()
            self._reading.clear()
            self._not_read.clear()
            self.impacts.clear()
            self.tallies.clear()

    @cached_property
    def docs(self) -> FieldDocs:
        """What every field means, with those of the installed services."""
        from ajkit.shared.job.fielddocs import FieldDocs  # late: it loads every service

        return FieldDocs(self.engine.registry.all())

    # -- documents --------------------------------------------------------------------------------------------------

    def open(self, uri: str, content: str, version: int | None, language: str) -> Buffer | None:
        """An editor opened a document; None when its URI is no file."""
        path = convert.path_of(uri)
        if path is None:
            return None
        buffer = Buffer(uri, Text(path, content), version, language)
        self.files.refresh()
        self._put(buffer)
        return buffer

    def saved(self, uri: str) -> None:
        """An editor saved a document: what it shows is on disk."""
        self._unsaved.discard(uri)

    def is_unsaved(self, path: str) -> bool:
        """Whether a file is open with changes that are not on disk."""
        return any(self.buffers[uri].path == path for uri in self._unsaved)

    def unsaved_paths(self) -> list[str]:
        """The files that are open with changes that are not on disk."""
        return sorted(self.buffers[uri].path for uri in self._unsaved)

    def change(self, uri: str, changes: Sequence[dict[str, Any]], version: int | None) -> Buffer | None:
        """An editor changed a document; None when it was never opened."""
        buffer = self.buffers.get(uri)
        if buffer is None:
            return None
        buffer = edited(buffer, changes, version, self.encoding)
        self._unsaved.add(uri)
        self._put(buffer)
        return buffer

    def close(self, uri: str) -> Buffer | None:
        """An editor closed a document: what is on disk counts again."""
        self.previews.close(uri)
        buffer = self.buffers.pop(uri, None)
        self._unsaved.discard(uri)
        self._sound.pop(uri, None)
        if buffer is not None:
            self._uris = {each.path: each.uri for each in reversed(self.buffers.values())}
            self.files.forgotten([buffer.path])  # what was typed counted, whatever stood there
            differs = self.differs_from_disk(buffer.path)
            self.files.buffers.pop(buffer.path, None)
            if differs:
                self.changed([buffer.path])
            else:  # nothing changes for anybody else
                self.state += 1
                self._views.pop(uri, None)
        return buffer

    def differs_from_disk(self, path: str) -> bool:
        """Whether a file is open and not what is on disk."""
        text = self.files.buffers.get(path)
        if text is None:
            return False
        try:
            data = self.files.below.read(path, SIZE_LIMIT)
        except FileProblem:
            return True
        return data.removeprefix(_BOM) != text.content.encode("utf-8", "surrogatepass").removeprefix(_BOM)

    def _put(self, buffer: Buffer) -> None:
        self.state += 1
        self.buffers[buffer.uri] = buffer
        self._uris.setdefault(buffer.path, buffer.uri)
        self.files.buffers[buffer.path] = buffer.text
        self._drop_views([buffer.path])
        self.completing.forget([buffer.path])
        self.impacts.edited(self.files.real(buffer.path))
        self.tallies.edited(self.files.real(buffer.path))
        if not buffer.is_large:
            self.take(buffer, self.read(buffer))
        else:
            self.engine.memo.forget([buffer.path, self.files.real(buffer.path)])

    def take(self, buffer: Buffer, file: TemplateFile) -> None:
        """Take over the parsed document of a buffer, unless it was edited or closed meanwhile."""
        if self.buffers.get(buffer.uri) is buffer:
            reached = self.engine.edited(file)
            for uri in [uri for uri, view in self._views.items() if view.file.real in reached] if reached else ():
                del self._views[uri]
                self.others_changed = True
            if not file.document.problems and not file.document.broken:
                self._sound[buffer.uri] = file.document

    def is_read(self, buffer: Buffer) -> bool:
        """Whether a buffer is parsed; large ones are, once somebody has called `read` and `take`."""
        known = self.engine.known(buffer.path)
        return known is not None and known.document.text is buffer.text

    def read(self, buffer: Buffer) -> TemplateFile:
        """Parse a buffer, only around what was edited where that is enough; touches nothing: a thread may do it."""
        digest = sha256(buffer.text.content.encode("utf-8", "surrogatepass")).hexdigest()
        before = self._sound.get(buffer.uri)
        document = spliced(before, buffer.text, buffer.hint) if before is not None else None
        return read_template(self.files.real(buffer.path), digest, document or parse(buffer.text, hint=buffer.hint))

    def changed(self, paths: Iterable[str]) -> None:
        """Files changed, appeared or went away on disk; who tells of it may have come to them through links."""
        self.state += 1
        self.disk_state += 1
        self.files.refresh()
        told = list(paths)
        gone = list(dict.fromkeys([*told, *map(self.files.real, told)]))
        # Where a base is missing, the names in these folders were looked through for near ones.
        around = {f"{str(folder).rstrip('/')}/" for each in gone for folder in PurePosixPath(each).parents}
        self._drop_views([*gone, *around])
        self.tallies.changed(self, gone)
        self.engine.forget([*gone, *around])
        self.files.forgotten(gone)
        self.completing.forget(gone)
        self.impacts.clear()
        for buffer in self.buffers.values():
            if self.files.real(buffer.path) in gone:
                self.engine.edited(self.read(buffer))

    def _drop_views(self, paths: Iterable[str]) -> None:
        gone = set(paths)
        gone |= {self.files.real(path) for path in gone}
        for uri, view in list(self._views.items()):
            if not gone.isdisjoint(view.resolved.concerns) or not gone.isdisjoint(
                each.file.real for each in view.resolved.everything
            ):
                del self._views[uri]
                self.others_changed = self.others_changed or view.path not in gone

    def stamps(self) -> dict[str, Stamp | None]:
        """What open templates, previews and the settings of homes read from disk, with the version that was read."""
        disk = self.files.below
        known = disk.stamps if isinstance(disk, DiskFiles) else {}
        reads = (view.resolved.reads for view in self._views.values())
        paths = self.previews.reads().union(self.engine.settings_paths(), *reads)
        return {path: known[path] for path in paths if path in known and path not in self.files.buffers}

    def drop_all_views(self) -> None:
        """Something changed that every template may depend on (which files are leaves, a setting)."""
        self._views.clear()

    # -- views ------------------------------------------------------------------------------------------------------

    def is_ours(self, buffer: Buffer) -> bool:
        """Whether a document is a template: by language id, AJ_HOME, the globs of `aj.toml`, or its first line."""
        return buffer.language == "aj-template" or modeline(buffer.text) or self.owns(buffer.path)

    def owns(self, path: str) -> bool:
        """Whether a file is a template by its place alone: below an AJ_HOME, or named by the globs of its `aj.toml`."""
        if not path.endswith((".yaml", ".yml")):
            return False
        home = self.engine.home_of(path)
        if home is None:
            return False
        return path.startswith(home.rstrip("/") + "/") or self.engine.in_globs(path, home)

    def view(self, uri: str) -> View | None:
        """What an open template means now; None for documents that are not ours."""
        view = self._views.get(uri)
        if view is None:
            buffer = self.buffers.get(uri)
            if buffer is None or not self.is_ours(buffer):
                return None
            view = self._views[uri] = self._look(buffer)
        return view

    def _look(self, buffer: Buffer) -> View:
        file = self.engine.known(buffer.path) or self.read(buffer)
        named = modeline(buffer.text)
        resolved = self.engine.resolve(buffer.path, named=named, leaf=file)
        return View(buffer, file, resolved, self.engine.counts_as_leaf(resolved, named=named), self.engine)

    def views(self) -> list[View]:
        """The views of all open templates, but for large ones that are being parsed."""
        ready = [uri for uri, buffer in self.buffers.items() if not buffer.is_large or self.is_read(buffer)]
        return [view for uri in ready if (view := self.view(uri)) is not None]

    def known_views(self) -> list[View]:
        """The views that were made and still hold."""
        return list(self._views.values())

    def at(self, params: dict[str, Any]) -> tuple[View, int] | None:
        """The view and offset that the parameters of a request point to; None for documents that are not ours."""
        view = self.view(params["textDocument"]["uri"])
        if view is None:
            return None
        where = params["position"]
        return view, convert.offset(view.text, where["line"], where["character"], self.encoding)

    # -- the index --------------------------------------------------------------------------------------------------

    def wants_graph(self, home: str) -> bool:
        """Whether the base graph of a home is neither known nor being read; from now on it is."""
        if home in self._reading or home in self._not_read or self.engine.has_graph(home):
            return False
        self._reading.add(home)
        return True

    def is_reading(self, home: str) -> bool:
        """Whether the base graph of a home is being read."""
        return home in self._reading

    def graph_is_read(self, graph: Graph) -> None:
        """Take over the base graph of a home: it decides which templates are leaves."""
        self._reading.discard(graph.home)
        self._not_read.discard(graph.home)
        self.state += 1
        self.engine.take_graph(graph)
        for buffer in self.buffers.values():
            if (file := self.engine.known(buffer.path)) is not None:
                self.engine.follow_edit(file)  # it may have been edited after it was read
        self.drop_all_views()

    def graph_is_not_read(self, home: str) -> None:
        """The person stopped the reading of a home: it is read when a command needs it, not before."""
        self._reading.discard(home)
        self._not_read.add(home)

    def gave_up(self, home: str) -> bool:
        """Whether the person wants a home not to be read."""
        return home in self._not_read

    def shown(self, path: str) -> str:
        """A path as the person reached it: under the AJ_HOME of an open file, where that is a link."""
        for home in dict.fromkeys(self.engine.home_of(each.path) for each in self.buffers.values()):
            shown = self.engine.shown(path, home)
            if shown != path:
                return shown
        return path

    def uri_of(self, path: str) -> str:
        """The URI of a path; an open document keeps the URI that its editor gave it."""
        return self._uris.get(path) or convert.uri_of(path)
