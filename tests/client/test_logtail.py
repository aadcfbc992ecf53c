"""Reading on in logs: pieces that join to the whole, characters that are never torn, marks."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from ajkit.client import logtail
from ajkit.client.logtail import BadMark, read_on
from ajkit.client.wire import DaemonRefused
from tests.daemons import finish, job_spec

if TYPE_CHECKING:
    from ajkit.client.daemon import Daemon
    from tests.daemons import Host


def ran(host: Host, program: str, **fields: object) -> tuple[Daemon, str]:
    """A job that has printed and ended."""
    daemon = host.daemon()
    spec = job_spec(f"{sys.executable} -c '{program}'", **fields)
    daemon.submit(spec, host.code)
    finish(daemon, spec.sid)
    return daemon, spec.sid


def test_pieces_join_to_the_whole(shared_host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    daemon, job = ran(shared_host, 'print("äöü€" * 20)')
    monkeypatch.setattr(logtail, "PIECE", 7)
    texts, mark, more = [], "", True
    while more:
        news = read_on(daemon, job, mark, ended=True)
        texts += [each.text for each in news.pieces]
        mark, more = news.mark, news.more
    assert "".join(texts) == "äöü€" * 20 + "\n"
    assert len(texts) > 20
    assert read_on(daemon, job, mark, ended=True).pieces == ()


def test_half_a_character_waits_for_its_other_half(shared_host: Host) -> None:
    daemon, job = ran(shared_host, 'import os; os.write(1, b"a\\xe2\\x82")')
    news = read_on(daemon, job)
    assert [each.text for each in news.pieces] == ["a"]
    assert [each.text for each in read_on(daemon, job, news.mark, ended=True).pieces] == ["�"]


def test_each_process_has_its_own_place(shared_host: Host) -> None:
    daemon, job = ran(shared_host, 'import os; print(os.environ["AJ_NODE_RANK"])', nodes=2)
    news = read_on(daemon, job)
    assert [(each.stream, each.node, each.text) for each in news.pieces] == [("node-0", 0, "0\n"), ("node-1", 1, "1\n")]
    assert (news.mark, news.more) == ("node-0=2&node-1=2", False)
    assert [each.stream for each in read_on(daemon, job, stream="node-1").pieces] == ["node-1"]


@pytest.mark.parametrize("mark", ["nonsense", "node-0=x", "node-0=-4"])
def test_a_mark_that_was_never_given_out(shared_host: Host, mark: str) -> None:
    with pytest.raises(BadMark):
        read_on(shared_host.daemon(), "0123456789", mark)


def test_no_such_job(shared_host: Host) -> None:
    with pytest.raises(DaemonRefused, match=r"job\.missing"):
        read_on(shared_host.daemon(), "0123456789")
