"""Reading a home beside the requests: what changes meanwhile counts, however late the thread is."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ajkit.lsp.indexing import read_graph
from ajkit.lsp.session import Session
from ajkit.shared.files import MemoryFiles

if TYPE_CHECKING:
    from collections.abc import Callable

HOME, LATER = "/w/.aj", "/w/jobs/later.yaml"
FILES: dict[str, str | bytes] = {
    f"{HOME}/aj.toml": 'templates = ["jobs/*.yaml"]\n',
    "/w/jobs/early.yaml": "config: {}\n",
}


class Busy(MemoryFiles):
    """Files of which something else happens while they are listed."""

    meanwhile: Callable[[], None] | None = None

    def walk(self, folder: str) -> list[tuple[str, str]]:
        found = super().walk(folder)
        if self.meanwhile is not None:
            act, self.meanwhile = self.meanwhile, None
            act()
        return found


def test_a_template_that_appears_while_the_project_is_looked_through() -> None:
    files = Busy(dict(FILES))
    session = Session(files)

    def appears() -> None:
        files.write(LATER, "config: {}\n")
        session.changed([LATER])

    files.meanwhile = appears
    assert asyncio.run(read_graph(session, HOME))
    assert set(session.engine.graph(HOME).paths) == {"/w/jobs/early.yaml", LATER}
    assert LATER in session.engine.globbed(HOME)


def test_other_globs_while_the_project_is_looked_through() -> None:
    files = Busy(dict(FILES))
    session = Session(files)

    def says_more() -> None:
        files.write("/w/more/other.yaml", "config: {}\n")
        files.write(f"{HOME}/aj.toml", 'templates = ["more/*.yaml"]\n')
        session.changed([f"{HOME}/aj.toml"])

    files.meanwhile = says_more
    assert asyncio.run(read_graph(session, HOME))
    assert session.engine.globbed(HOME) == ["/w/more/other.yaml"]
    assert set(session.engine.graph(HOME).paths) == {"/w/more/other.yaml"}
