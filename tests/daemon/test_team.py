"""A team's daemon on TCP: who is let in, what is refused before it is looked at, what goes over it and into its log."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from ajkit.daemon.tokens import Token, Tokens
from ajkit.shared.contract import REFUSALS
from tests.daemons import finish, host, job_spec, wait_until
from tests.teams import Team, head, make_team, read_to_end, team

if TYPE_CHECKING:
    from tests.daemons import Answer, Host

__all__ = ["host", "team"]

INSIDE = [
    "/v1/health",
    "/v1/jobs",
    "/v1/jobs/x",
    "/v1/services",
    "/metrics",
    "/docs",
    "/openapi.json",
    "/nothing",
    "//",
]


def refused(answer: Answer, code: str) -> dict[str, Any]:
    """Check that an answer is a problem document of a code, dressed as every answer is."""
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"
    document: dict[str, Any] = answer.json
    assert (document["code"], answer.status) == (code, REFUSALS[code].status)
    return document


def log_of(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


# -- who is let in ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", INSIDE)
def test_nothing_without_a_token(team: Team, path: str) -> None:
    answer = team.web("GET", path, token=None)
    refused(answer, "token.missing")
    assert answer.headers["www-authenticate"] == 'Bearer realm="aj"'


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"])
def test_whatever_the_method(team: Team, method: str) -> None:
    refused(team.web(method, "/v1/jobs", {"a": 1}, token=None), "token.missing")


def test_wrong_tokens(team: Team) -> None:
    for wrong in ("x", team.token[:-1], team.token + "0", f"{team.token} {team.token}", "aj_" + "0" * 64):
        refused(team.web("GET", "/v1/jobs", token=wrong), "token.wrong")
    for header in ("Basic YWphOmFq", "Bearer", "Bearer ", team.token, "bearer\t"):
        refused(team.web("GET", "/v1/jobs", token=None, Authorization=header), "token.missing")
    lines = ["GET /v1/jobs HTTP/1.1", "Host: 127.0.0.1", *2 * [f"Authorization: Bearer {team.token}"], "", ""]
    assert b"token.missing" in team.raw("\r\n".join(lines).encode())
    assert team.web("GET", "/v1/jobs?token=" + team.token, token=None).status == 401


def test_tokens_come_and_go_while_it_runs(team: Team) -> None:
    text = team.tokens.add("guest")
    assert team.web("GET", "/v1/jobs", token=text).status == 200
    team.tokens.revoke("guest")
    refused(team.web("GET", "/v1/jobs", token=text), "token.wrong")


def test_an_expired_token(team: Team) -> None:
    text = team.tokens.add("late")
    past = datetime.now(UTC) - timedelta(seconds=1)
    known = [
        each.model_copy(update={"expires_at": past}) if each.name == "late" else each for each in team.tokens.all()
    ]
    team.tokens._write(tuple(known))
    document = refused(team.web("GET", "/v1/jobs", token=text), "token.expired")
    assert "the token late was good until" in document["detail"]
    team.tokens.revoke("late")


def test_who_may_look_sees_no_secrets_and_changes_nothing(team: Team) -> None:
    spec = job_spec("true", env={"HF_TOKEN": "hf_abcdefghij0123456789", "PLAIN": "1"})
    daemon = team.daemon()
    daemon.submit(spec, team.code)
    finish(daemon, spec.sid)
    path = f"/v1/jobs/{spec.sid}"
    assert team.web("GET", path).json["spec"]["env"] == {"HF_TOKEN": "hf_abcdefghij0123456789", "PLAIN": "1"}
    for answer in (team.web("GET", path, token=team.looker), team.web("GET", f"{path}?masked=true")):
        assert answer.json["spec"]["env"] == {"HF_TOKEN": "***", "PLAIN": "1"}
        assert answer.json["job"]["owner"] == "ana"
    for method, where in (("POST", "/v1/jobs"), ("POST", f"{path}/cancel"), ("PUT", f"/v1/code/{'0' * 64}")):
        refused(team.web(method, where, {}, token=team.looker), "token.read-only")


def test_the_page_alone_is_for_everybody(team: Team) -> None:
    answer = team.web("GET", "/", token=None)
    assert (answer.status, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert team.web("GET", "/", token=None, If_None_Match=answer.headers["etag"]).status == 304
    for each in ("/page/../guard.py", "/page/%2e%2e/guard.py", "/page/", "/page", "/page/x.js"):
        refused(team.web("GET", each, token=None), "token.missing")


# -- names and other sites -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["evil.example", "evil.example:80", "127.0.0.1.nip.example", "", "a b"])
def test_a_name_that_is_not_its_own(team: Team, name: str) -> None:
    for path in ("/", "/v1/jobs"):
        refused(team.web("GET", path, Host=name), "request.host")


def test_names_it_was_given() -> None:
    for each in make_team("--host", "one.example", AJ_HOST="two.example, three.example"):
        for name in ("one.example", "two.example:443", "three.example"):
            assert each.web("GET", "/v1/health", Host=name).status == 200
        refused(each.web("GET", "/v1/health", Host="four.example"), "request.host")


def test_pages_of_other_sites(team: Team) -> None:
    own = f"127.0.0.1:{team.port}"
    assert team.web("GET", "/v1/jobs", Origin=f"http://{own}", Host=own).status == 200
    for origin in ("http://evil.example", "null", "http://127.0.0.1:1", f"http://{own}.evil.example"):
        refused(team.web("GET", "/v1/jobs", Origin=origin, Host=own), "request.origin")


# -- paths -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [
        *("/v1/../etc/passwd", "/v1/jobs/../../etc/passwd", "/v1/jobs/%2e%2e%2f%2e%2e%2fetc%2fpasswd", "/v1/jobs/%00"),
        *("/v1/jobs/x/logs?stream=../../../journal.sqlite3", "/v1/code/../../../etc/passwd", "/v1//jobs", "/V1/JOBS"),
        *(
            "/v1/jobs/",
            "/v1/jobs/%ff",
            "/v1/jobs/" + "x" * 4000,
            "/v1/services/../values/x",
            "/v1/services/local/values/X",
        ),
    ],
)
def test_path_tricks(team: Team, path: str) -> None:
    answer = team.web("GET", path)
    assert answer.status in {404, 422}
    assert answer.headers["content-type"] == "application/problem+json"
    assert b"root:" not in answer.body


def test_logs_are_read_by_their_names_alone(team: Team) -> None:
    spec = job_spec("echo seen")
    daemon = team.daemon()
    daemon.submit(spec, team.code)
    finish(daemon, spec.sid)
    for stream in ("../node-0", "..%2f..%2fclaim.json", "/etc/passwd", "node-0%00", ".."):
        refused(team.web("GET", f"/v1/jobs/{spec.sid}/logs?stream={stream}"), "log.missing")
    assert team.web("GET", f"/v1/jobs/{spec.sid}/logs?stream=node-0").body == b"seen\n"


# -- the log, the files, the start and the stop ------------------------------------------------------------------------


def test_the_log_is_json_without_secrets(team: Team) -> None:
    team.web("GET", "/v1/jobs", token="aj_" + "1" * 64)
    team.web("GET", f"/v1/jobs/x?token={team.token}&sig=abcdefabcdefabcdefabcdef")
    # A line is written when its answer is out; the lines of two requests may come in either order.
    asked = {"event": "request", "path": "/v1/jobs/x", "token": "ana", "status": 422}
    wait_until(lambda: any(asked.items() <= each.items() for each in team.words()))
    words = team.words()
    request = next(each for each in words if asked.items() <= each.items())
    assert {"at", "level", "from", "method", "path", "status", "ms", "token", "remote"} <= set(request)
    text = log_of(team.log)
    for secret in (team.token, team.looker, "1" * 16, "abcdefabcdef", "Bearer"):
        assert secret not in text
    assert any(each["level"] == "warning" and "without TLS" in each["event"] for each in words)


def test_tokens_are_its_owners_alone(team: Team) -> None:
    for name in os.listdir(team.state):
        assert os.lstat(os.path.join(team.state, name)).st_mode & 0o077 == 0, name


def serve(host: Host, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ajkit.daemon", "--state", host.state, *arguments]
    return subprocess.run(command, env=host.environ, capture_output=True, text=True, timeout=60, check=False)


def test_no_tcp_without_a_token(host: Host) -> None:
    done = serve(host, "--listen", "127.0.0.1:0")
    assert done.returncode == 1
    assert "nothing listens on TCP without a token" in done.stderr
    tokens = Tokens(host.state)
    tokens.add("old")
    past = datetime.now(UTC) - timedelta(days=1)
    tokens._write((Token(**{**tokens.all()[0].model_dump(), "expires_at": past}),))
    assert "aj serve token add NAME makes one" in serve(host, "--listen", "127.0.0.1:0").stderr


def test_a_certificate_that_is_none(host: Host) -> None:
    os.makedirs(host.state, mode=0o700)
    Tokens(host.state).add("ana")
    done = serve(host, "--listen", "127.0.0.1:0", "--tls-cert", "/nowhere/c.pem", "--tls-key", "/nowhere/k.pem")
    assert done.returncode == 1
    assert "the certificate /nowhere/c.pem with the key /nowhere/k.pem cannot be used" in done.stderr


def test_it_stops_in_good_order_while_jobs_are_followed() -> None:
    for each in make_team():
        spec = each.held("echo ended", first="echo begun")
        each.daemon().submit(spec, each.code)
        with socket.create_connection(("127.0.0.1", each.port), timeout=60) as follower:
            follower.sendall(head(each, "GET", f"/v1/jobs/{spec.sid}/logs?follow=true"))
            seen = b""
            while b"begun" not in seen:
                seen += follower.recv(65536)
            each.process.terminate()
            assert each.process.wait(60) == 0
            assert b"event: end" not in read_to_end(follower)
        each.let_go(spec)
        assert each.words()[-1]["event"] == "stopped"
        assert json.dumps(each.words()).count("trace") == 0
