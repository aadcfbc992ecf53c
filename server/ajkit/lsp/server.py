"""The server: messages in, the session asked, answers out; the only place that knows what is called when."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import sys
import threading
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO

import cattrs
from pygls.io_ import StdoutWriter
from pygls.lsp.server import LanguageServer

from ajkit import __version__
from ajkit.disk import stamp_of
from ajkit.lsp import convert
from ajkit.lsp.capabilities import Client, server_capabilities
from ajkit.lsp.failure import INVALID_PARAMS, PARSE_ERROR, RequestFailed
from ajkit.lsp.features.table import COMMANDS, REQUESTS
from ajkit.lsp.indexing import read_graph
from ajkit.lsp.offers import DaemonOffers
from ajkit.lsp.progress import Progresses
from ajkit.lsp.protocol import HardenedProtocol
from ajkit.lsp.settings import read_client_settings
from ajkit.lsp.stdio import can_serve, serve
from ajkit.lsp.threads import give_way

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ajkit.disk import Stamp
    from ajkit.lsp.documents import Buffer
    from ajkit.lsp.session import Session

log = logging.getLogger("aj.lsp")

NAME = "aj"
PREVIEW_REST, QUICK_SECONDS = 4.0, 0.02
"""How long previews rest after they were drawn, in times of what that took; quick ones need no rest."""
RESTAT_SECONDS = 2.0
"""How often the files that open templates read are looked at for changes from outside."""


class AjServer(LanguageServer):
    """The language server over stdio or TCP."""

    protocol: HardenedProtocol

    def __init__(self, session: Session) -> None:
        super().__init__(NAME, __version__, protocol_cls=HardenedProtocol, converter_factory=cattrs.Converter)
        self.session = session
        session.completing.work = session.impacts.work = self._in_steps
        session.impacts.done = partial(self._refresh, "codeLens")
        session.completing.live.ask = DaemonOffers(session.surroundings.environ, self._spawn)
        session.tell = self.protocol.tell
        self.client = Client({})
        self._pending: asyncio.Handle | None = None
        self._large: dict[str, asyncio.Task[None]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self.protocol.heard = self._heard
        self._previewing: asyncio.TimerHandle | None = None
        self._preview_pause = 0.0
        self._progresses = Progresses(self.protocol.tell, self.protocol.ask)
        requests = self.protocol.requests
        requests["initialize"] = self._initialize
        for method, feature in REQUESTS.items():
            requests[method] = partial(self._ask, feature)
        requests["workspace/executeCommand"] = self._execute
        notifications = self.protocol.notifications
        notifications["initialized"] = self._initialized
        notifications["textDocument/didOpen"] = self._opened
        notifications["textDocument/didChange"] = self._changed
        notifications["textDocument/didClose"] = self._closed
        notifications["textDocument/didSave"] = self._saved
        notifications["workspace/didChangeWatchedFiles"] = self._watched
        notifications["workspace/didChangeConfiguration"] = self._configured
        notifications["workspace/didChangeWorkspaceFolders"] = self._folders_changed
        notifications["window/workDoneProgress/cancel"] = self._progresses.stop
        for name in ("didCreate", "didRename", "didDelete"):
            notifications[f"workspace/{name}Files"] = self._files_moved

    def report_server_error(self, error: Exception, source: Any) -> None:
        """A message that could not be read at all."""
        log.error("%s: %s", getattr(source, "__name__", source), error)
        self.protocol.fail(None, PARSE_ERROR, f"cannot read this message: {error}")

    def start_pipes(self, stdin: BinaryIO, stdout: BinaryIO) -> None:
        """Serve one client on two pipes; in pygls's way where the loop cannot wait for them."""
        if not can_serve(stdin):
            self.start_io(stdin, stdout)
            return
        self._stop_event = threading.Event()
        self.protocol.set_writer(StdoutWriter(stdout))
        try:
            asyncio.run(serve(stdin, self.protocol, self._stop_event, self.report_server_error))
        except (BrokenPipeError, KeyboardInterrupt, SystemExit):
            pass
        finally:
            self.shutdown()

    def _heard(self) -> None:
        self.session.heard = asyncio.get_running_loop().time()

    # -- life -------------------------------------------------------------------------------------------------------

    def _initialize(self, params: dict[str, Any]) -> dict[str, Any]:
        capabilities = params.get("capabilities")
        self.client = Client(capabilities if isinstance(capabilities, dict) else {})
        self.session.encoding = self.client.encoding
        if self.client.has("window", "workDoneProgress"):
            self.session.progress = self._progresses.start
        folders = params.get("workspaceFolders") or []
        uris = [each.get("uri", "") for each in folders if isinstance(each, dict)] or [params.get("rootUri") or ""]
        self.session.folders = [path for uri in uris if uri and (path := convert.path_of(uri))]
        options = params.get("initializationOptions")
        self.session.configure(read_client_settings(options))
        methods = [*self.protocol.requests]
        return {
            "capabilities": server_capabilities(self.client, methods, COMMANDS),
            "serverInfo": {"name": NAME, "version": __version__},
        }

    def _initialized(self, _params: Any) -> None:
        # What start-up made lives as long as the server: no need to look at it in every collection.
        gc.collect()
        gc.freeze()
        if self.client.has("workspace", "configuration"):
            self._spawn(self._read_configuration())
        self._spawn(self._restat_forever())

    def _spawn(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _in_steps(self, steps: Iterator[object]) -> None:
        """Do work that nobody waits for; requests come in between its steps."""

        async def go_on() -> None:
            for _ in steps:
                await give_way(self.session.heard)

        self._spawn(go_on())

    def shutdown(self) -> None:
        """Stop the work in the background, then the reader."""
        for task in self._tasks:
            with contextlib.suppress(RuntimeError):  # the loop may be closed already
                task.cancel()
        super().shutdown()  # type: ignore[no-untyped-call]

    # -- settings ---------------------------------------------------------------------------------------------------

    def _configured(self, params: dict[str, Any]) -> None:
        if self.client.has("workspace", "configuration"):
            self._spawn(self._read_configuration())
        else:
            self._take_settings(params.get("settings"))

    async def _read_configuration(self) -> None:
        try:
            answer = await self.protocol.ask("workspace/configuration", {"items": [{"section": "aj"}]})
        except RequestFailed as error:
            log.warning("the client does not say its configuration: %s", error)
            return
        self._take_settings(answer[0] if isinstance(answer, list) and answer else None)

    def _take_settings(self, answer: Any) -> None:
        self.session.configure(read_client_settings(answer))
        self._index_all()  # another home may count now
        self._soon()

    # -- documents --------------------------------------------------------------------------------------------------

    def _opened(self, params: dict[str, Any]) -> None:
        item = params["textDocument"]
        buffer = self.session.open(item["uri"], item["text"], item.get("version"), item.get("languageId", ""))
        if buffer is not None:
            self._index(buffer)
            self._read(buffer)

    def _changed(self, params: dict[str, Any]) -> None:
        item = params["textDocument"]
        buffer = self.session.change(item["uri"], params["contentChanges"], item.get("version"))
        if buffer is not None:
            self._read(buffer)

    def _read(self, buffer: Buffer) -> None:
        """See that a buffer is parsed, a large one in a thread, then publish what is wrong with it."""
        if not buffer.is_large:
            self._soon()
            return
        task = asyncio.ensure_future(self._read_large(buffer))
        self._large[buffer.uri] = task
        task.add_done_callback(
            lambda done: self._large.pop(buffer.uri, None) if done is self._large.get(buffer.uri) else None
        )

    async def _read_large(self, buffer: Buffer) -> None:
        self.session.take(buffer, await asyncio.to_thread(self.session.read, buffer))
        view = self.session.view(buffer.uri) if self.session.buffers.get(buffer.uri) is buffer else None
        if view is not None:
            await asyncio.to_thread(lambda: view.problems)
        self._soon()

    def _closed(self, params: dict[str, Any]) -> None:
        if self.session.close(params["textDocument"]["uri"]) is not None:
            self._index_all()
            self._soon()

    def _saved(self, params: dict[str, Any]) -> None:
        self.session.saved(params["textDocument"]["uri"])
        self._soon()
        self._refresh("codeLens")

    def _watched(self, params: dict[str, Any]) -> None:
        paths = [path for each in params["changes"] if (path := convert.path_of(each["uri"]))]
        self._outside(paths)

    def _files_moved(self, params: dict[str, Any]) -> None:
        uris = [each[key] for each in params["files"] for key in ("uri", "oldUri", "newUri") if key in each]
        self._outside([path for uri in uris if (path := convert.path_of(uri))])

    def _outside(self, paths: Iterable[str]) -> None:
        changed = [path for path in paths if path not in self.session.files.buffers]
        if not changed:
            return  # editors tell of what they saved themselves, too
        self.session.changed(changed)
        self._index_all()
        self._soon()

    def _folders_changed(self, params: dict[str, Any]) -> None:
        event = params["event"]
        gone = {convert.path_of(each["uri"]) for each in event.get("removed", [])}
        added = [path for each in event.get("added", []) if (path := convert.path_of(each["uri"]))]
        self.session.folders = [each for each in [*self.session.folders, *added] if each not in gone]

    async def _restat_forever(self) -> None:
        """Look at what open templates read, off the loop: clients differ in what they watch, and some watch nothing."""
        while True:
            await asyncio.sleep(RESTAT_SECONDS)
            changed = await asyncio.to_thread(_changed, self.session.stamps())
            if changed:
                self._outside(changed)

    # -- the index --------------------------------------------------------------------------------------------------

    def _index(self, buffer: Buffer) -> None:
        """Begin to read the base graph of a document's home, unless it is known or being read."""
        home = self.session.engine.home_of(buffer.path)
        if home is not None and self.session.wants_graph(home):
            self._spawn(self._read_graph(home))

    def _index_all(self) -> None:
        for buffer in self.session.buffers.values():
            self._index(buffer)

    async def _read_graph(self, home: str) -> None:
        await read_graph(self.session, home)
        self._soon()
        self._refresh("codeLens")

    # -- diagnostics ------------------------------------------------------------------------------------------------

    def _soon(self) -> None:
        """Publish after the messages that are already here: the newest edit counts."""
        if self._pending is None:
            self._pending = asyncio.get_running_loop().call_soon(self._catch_up)

    def _catch_up(self) -> None:
        self._pending = None
        self._publish()
        self._refresh_previews()
        self.session.impacts.catch_up(self.session)
        if self.session.others_changed:
            self.session.others_changed = False
            self._refresh("inlayHint")

    def _publish(self) -> None:
        reports = self.session.reports
        if not self.client.pulls_diagnostics:
            for message in reports.publish(self.session, self.client):
                self.protocol.tell("textDocument/publishDiagnostics", message)
        elif reports.has_news(self.session, self.client):
            self._refresh("diagnostics")

    def _refresh(self, what: str) -> None:
        if self.client.has("workspace", what, "refreshSupport"):
            self.protocol.ask(f"workspace/{_REFRESH[what]}/refresh", None).add_done_callback(_ignore)

    def _refresh_previews(self) -> None:
        """Have the client take preview documents again whose text has changed, soon."""
        if self._previewing is None and self.client.has("workspace", "textDocumentContent"):
            self._previewing = asyncio.get_running_loop().call_later(self._preview_pause, self._tell_of_previews)

    def _tell_of_previews(self) -> None:
        self._previewing = None
        loop = asyncio.get_running_loop()
        begun = loop.time()
        for uri in self.session.previews.outdated(self.session):
            self.protocol.ask("workspace/textDocumentContent/refresh", {"uri": uri}).add_done_callback(_ignore)
        # Those of giant templates take long to draw: most of the time is for other things.
        took = loop.time() - begun
        self._preview_pause = PREVIEW_REST * took if took > QUICK_SECONDS else 0.0

    # -- requests ---------------------------------------------------------------------------------------------------

    def _ask(self, feature: Any, params: Any) -> Any:
        waiting = self._large.get(_document(params))
        if waiting is not None:
            return self._after(waiting, feature, params)
        return self._now(feature, params)

    async def _after(self, waiting: asyncio.Future[None], feature: Any, params: Any) -> Any:
        """Answer about a large document once it is parsed."""
        await asyncio.shield(waiting)
        answer = self._now(feature, params)
        return await answer if asyncio.iscoroutine(answer) else answer

    def _now(self, feature: Any, params: Any) -> Any:
        answer = feature(self.session, self.client, params)
        if asyncio.iscoroutine(answer):
            return self._later(answer)
        return convert.wire(answer, self.session.encoding)

    async def _later(self, answer: Any) -> Any:
        return convert.wire(await answer, self.session.encoding)

    def _execute(self, params: dict[str, Any]) -> Any:
        command = COMMANDS.get(params["command"])
        if command is None:
            raise RequestFailed(f"there is no command {params['command']}", INVALID_PARAMS)
        answer = self._ask(command, params.get("arguments") or [])
        self._refresh_previews()
        return answer


_REFRESH = {"diagnostics": "diagnostic", "codeLens": "codeLens", "inlayHint": "inlayHint"}


def _document(params: Any) -> str:
    """The URI of the document that a request is about; the empty text for others."""
    document = params.get("textDocument") if isinstance(params, dict) else None
    uri = document.get("uri") if isinstance(document, dict) else None
    return uri if isinstance(uri, str) else ""


def _changed(known: dict[str, Stamp | None]) -> list[str]:
    return [path for path, stamp in known.items() if stamp_of(path) != stamp]


def _ignore(done: asyncio.Future[Any]) -> None:
    if not done.cancelled():
        done.exception()


def serve_stdio(session: Session) -> int:
    """Serve one client on standard input and output; the exit code that the protocol asks for."""
    out = sys.stdout.buffer
    sys.stdout = sys.stderr  # a stray print must not corrupt the stream
    server = AjServer(session)
    server.start_pipes(sys.stdin.buffer, out)
    return server.protocol.exit_code


def serve_tcp(session: Session, host: str, port: int) -> int:
    """Serve one client on a TCP port, for debugging."""
    server = AjServer(session)
    server.start_tcp(host, port)
    return server.protocol.exit_code
