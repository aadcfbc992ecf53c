"""TLS: the daemon and its client with a certificate of our own, and that one renewed while it runs."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ajkit.client.daemon import Daemon
from ajkit.client.start import DaemonFailed
from tests.daemons import finish, job_spec, wait_until
from tests.teams import Team, make_team, read_to_end

if TYPE_CHECKING:
    from collections.abc import Iterator


def certify(folder: Path) -> tuple[str, str]:
    """A certificate for this machine's loopback address, signed by itself."""
    certificate, key = str(folder / "c.pem"), str(folder / "k.pem")
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    command += ["-days", "2", "-subj", "/CN=aj", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"]
    subprocess.run([*command, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    return certificate, key


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    return certify(tmp_path_factory.mktemp("tls"))


@pytest.fixture(scope="module")
def team(files: tuple[str, str]) -> Iterator[Team]:
    """A team's daemon with TLS."""
    yield from make_team("--tls-cert", files[0], "--tls-key", files[1])


def test_a_job_over_tls(team: Team, files: tuple[str, str]) -> None:
    assert team.server.startswith("https://127.0.0.1:")
    daemon = Daemon.connect(environ=team.environ | {"SSL_CERT_FILE": files[0]})
    spec = job_spec("echo private")
    daemon.submit(spec, team.code)
    assert finish(daemon, spec.sid) == ("done", 0, {"node-0": "private\n"})
    assert not any("without TLS" in each["event"] for each in team.words())


def test_a_stranger_s_certificate_is_not_trusted(team: Team) -> None:
    with pytest.raises(DaemonFailed, match="CERTIFICATE_VERIFY_FAILED"):
        Daemon.connect(environ=team.environ)


def test_plain_and_old_connections_are_refused(team: Team) -> None:
    with socket.create_connection(("127.0.0.1", team.port), timeout=60) as sock:
        sock.sendall(b"GET /v1/jobs HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert b"HTTP/1.1 2" not in sock.recv(65536)
    old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    old.check_hostname, old.verify_mode = False, ssl.CERT_NONE
    with pytest.warns(DeprecationWarning, match="TLS"):
        old.maximum_version = ssl.TLSVersion.TLSv1_1
    with pytest.raises((ssl.SSLError, ConnectionError)):
        team.web("GET", "/", context=old)
    assert team.ask("GET", "/v1/health").status == 200


def test_a_handshake_that_never_ends() -> None:
    script = (
        "import sys, ajkit.daemon.server as s; s.HEADER_SECONDS = 0.5; from ajkit.daemon.__main__ import main; main()"
    )
    folder = tempfile.mkdtemp(prefix="aj-")
    try:
        certificate, key = certify(Path(folder))
        for team in make_team("--tls-cert", certificate, "--tls-key", key, program=("-c", script)):
            with socket.create_connection(("127.0.0.1", team.port), timeout=60) as sock:
                sock.sendall(b"\x16\x03\x01")
                assert read_to_end(sock) == b""
            assert team.ask("GET", "/v1/health").status == 200
    finally:
        shutil.rmtree(folder)


def test_a_renewed_certificate_is_taken(team: Team, files: tuple[str, str], tmp_path: Path) -> None:
    before = ssl.get_server_certificate(("127.0.0.1", team.port))
    for fresh, used in zip(certify(tmp_path), files, strict=True):
        os.replace(fresh, used)
    team.process.send_signal(signal.SIGHUP)
    wait_until(lambda: any("read anew" in each["event"] for each in team.words()))
    after = ssl.get_server_certificate(("127.0.0.1", team.port))
    with open(files[0], encoding="utf-8") as file:
        assert after.strip() == file.read().strip() != before.strip()
    with open(files[0], "w", encoding="utf-8") as file:
        file.write("no certificate")
    team.process.send_signal(signal.SIGHUP)
    wait_until(lambda: any("the old one stays" in each["event"] for each in team.words()))
    assert ssl.get_server_certificate(("127.0.0.1", team.port)) == after
