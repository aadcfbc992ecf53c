"""What `aj doctor` looks for: Python, AJ_HOME, the daemon and its folders, and what each service needs here."""

from __future__ import annotations

import os
import pwd
import shutil
import sys
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from ajkit import __version__
from ajkit.cli.logout import LINGER, ends_at_logout, read_config
from ajkit.shared.problem import AjError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ajkit.cli.invocation import Invocation
    from ajkit.client.address import Address
    from ajkit.engine import Engine
    from ajkit.shared.contract import Health, ServiceInfo


class Standing(StrEnum):
    """How a thing stands: there, there with a drawback, not there (and only needed for some), or in the way of all."""

    OK = "ok"
    WARNING = "warning"
    MISSING = "missing"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked for: how it stands, what was found, the way out, the service that needs it."""

    about: str
    name: str
    standing: Standing
    found: str
    advice: str = ""
    service: str = ""


PROGRAMS: dict[str, tuple[tuple[str, str], ...]] = {
    "local": (("bash", "the system's package manager has it"),),
    "slurm": (
        ("sbatch", "run aj on a login node of the cluster, or install the Slurm client (Debian: slurm-client)"),
        ("squeue", "it comes with sbatch"),
        ("scancel", "it comes with sbatch"),
    ),
    "amlt": (("amlt", "install amlt as its documentation says, in an environment that is on PATH"),),
}
"""The programs that services call, each with how to get it."""

FILES: dict[str, tuple[tuple[str, str, str], ...]] = {
    "volcano": (("KUBECONFIG", "~/.kube/config", "ask for a kubeconfig of the cluster, or set KUBECONFIG"),),
    "aml": (("AZURE_CONFIG_DIR", "~/.azure", "sign in: az login"),),
    "sing": (("AZURE_CONFIG_DIR", "~/.azure", "sign in: az login"),),
}
"""Where services find credentials: a variable, the place without it, and how to get them."""


def findings(invocation: Invocation, home: str | None) -> Iterator[Finding]:
    """Everything, in the order in which a job needs it; `home` is what ``--home`` said."""
    yield from _program(invocation)
    named = "named by --home" if home else "named by AJ_HOME" if invocation.environ.get("AJ_HOME") else None
    yield from _templates(invocation.engine(home), named or "found walking up from here")
    yield from _daemon(invocation)


def _program(invocation: Invocation) -> Iterator[Finding]:
    yield Finding("program", "aj", Standing.OK, f"{__version__}, {os.path.dirname(os.path.dirname(__file__))}")
    python = sys.version.split()[0]
    good = sys.version_info >= (3, 11)
    yield Finding(
        "program",
        "Python",
        Standing.OK if good else Standing.BROKEN,
        f"{python}, {sys.executable}",
        "" if good else "install Python 3.11 or newer, and aj with it",
    )
    import yaml

    yield Finding(
        "program",
        "YAML in C",
        Standing.OK if yaml.__with_libyaml__ else Standing.WARNING,
        f"PyYAML {yaml.__version__}",
        "" if yaml.__with_libyaml__ else "this PyYAML has no libyaml, so reading is 20 times slower: install its wheel",
    )
    yield _which("git", "program", "compare with earlier versions (aj diff, aj impact): install git", invocation)


def _which(name: str, about: str, advice: str, invocation: Invocation) -> Finding:
    found = shutil.which(name, path=invocation.environ.get("PATH"))
    if found:
        return Finding(about, name, Standing.OK, found)
    return Finding(about, name, Standing.MISSING, "not on PATH", advice)


def _templates(engine: Engine, why: str) -> Iterator[Finding]:
    home = engine.home_here()
    if home is None or engine.files.kind(home) != "directory":
        found = "no folder .aj or .azure_jobs here or above" if home is None else f"{home} is not a folder"
        yield Finding("templates", "AJ_HOME", Standing.MISSING, found, "aj init makes one")
        return
    yield Finding("templates", "AJ_HOME", Standing.OK, f"{home} ({why})")
    problems = engine.settings(home).problems
    there = engine.files.kind(f"{home}/aj.toml") == "file"
    yield Finding(
        "templates",
        "aj.toml",
        Standing.BROKEN if problems else Standing.OK,
        f"{len(problems)} problems" if problems else "read" if there else "none, which is fine",
        problems[0].message if problems else "",
    )
    entries = engine.entries(home)
    leaves = sum(each.is_leaf for each in entries)
    yield Finding(
        "templates",
        "templates",
        Standing.OK if leaves else Standing.MISSING,
        f"{leaves} to run, of {len(engine.graph(home).paths)} files",
        "" if leaves else "write one in AJ_HOME/template; aj init in an empty folder shows how",
    )


def _daemon(invocation: Invocation) -> Iterator[Finding]:
    from ajkit.client.address import SERVER, TOKEN, read_address
    from ajkit.client.daemon import Daemon
    from ajkit.client.places import read_note, state_folder
    from ajkit.daemon.place import is_shared, read_mounts

    environ = invocation.environ
    try:
        server = read_address(environ)
    except AjError as error:
        yield Finding("daemon", "server", Standing.BROKEN, str(error), f"correct {SERVER} and {TOKEN}, or unset them")
        return
    if server is not None:
        yield from _server(server, invocation)
        return
    yield Finding("daemon", "server", Standing.OK, f"the daemon of this machine ({SERVER} is not set)")
    state = state_folder(invocation.environ)
    shared = is_shared(state, read_mounts())
    yield Finding(
        "daemon",
        "state folder",
        Standing.WARNING if shared else Standing.OK,
        state,
        "it is on a network file system, where the journal is slow and less safe: set XDG_STATE_HOME" if shared else "",
    )
    yield from _logout()
    try:
        daemon = Daemon.connect(environ=environ)
        health = daemon.health()
        services = daemon.services()
    except AjError as error:
        yield Finding("daemon", "daemon", Standing.BROKEN, str(error), f"its log is {state}/daemon.log")
        return
    note = read_note(state)
    yield Finding("daemon", "daemon", Standing.OK, f"answers as process {health.pid}, {_running(health)}")
    yield from _socket(note.socket if note else "")
    if note and note.server:
        yield Finding("daemon", "for a team", Standing.OK, note.server)
    for service in services:
        yield from _service(service, invocation)
    registry = invocation.engine().registry
    for _ in registry.all():
        pass
    for each in registry.problems:
        yield Finding("services", "plug-in", Standing.WARNING, each.message, f"aj explain {each.code}")


def _socket(path: str) -> Iterator[Finding]:
    """Where the daemon listens: a socket on a shared file system would be seen, and not answered, on other hosts."""
    from ajkit.daemon.place import is_shared, read_mounts

    shared = is_shared(path, read_mounts())
    advice = "it is on a network file system: set XDG_RUNTIME_DIR to a folder of this machine" if shared else ""
    yield Finding("daemon", "socket", Standing.WARNING if shared else Standing.OK, path or "–", advice)


def _running(health: Health) -> str:
    return f"{health.live_jobs} job{'' if health.live_jobs == 1 else 's'} running"


def _server(server: Address, invocation: Invocation) -> Iterator[Finding]:
    """What is to be said of the daemon of a team: the programs of its services are its own business."""
    from ajkit.client.address import SERVER, TOKEN
    from ajkit.client.daemon import Daemon

    open_to_all = server.scheme == "http" and not server.is_local
    yield Finding(
        "daemon",
        "server",
        Standing.WARNING if open_to_all else Standing.OK,
        f"{server} (named by {SERVER})",
        "your token and jobs can be read on the way: ask for an address with https" if open_to_all else "",
    )
    if server.scheme != "unix":
        advice = "" if server.token else "ask who runs the daemon for one: aj serve token add NAME"
        standing = Standing.OK if server.token else Standing.BROKEN
        yield Finding("daemon", "token", standing, f"{TOKEN} is {'set' if server.token else 'not set'}", advice)
    try:
        daemon = Daemon.connect(environ=invocation.environ)
        health = daemon.health()
        services = daemon.services()
    except AjError as error:
        yield Finding("daemon", "daemon", Standing.BROKEN, str(error), f"look at {SERVER} and {TOKEN}")
        return
    yield Finding("daemon", "daemon", Standing.OK, f"aj {health.version} answers, {_running(health)}")
    for each in services:
        standing = Standing.OK if each.runs else Standing.MISSING
        yield Finding("services", each.name, standing, each.summary, each.missing or "")


def _service(service: ServiceInfo, invocation: Invocation) -> Iterator[Finding]:
    about = "services"
    yield Finding(
        about,
        service.name,
        Standing.OK if service.runs else Standing.MISSING,
        service.summary,
        service.missing or "",
    )
    for name, advice in PROGRAMS.get(service.name, ()):
        yield replace(_which(name, about, advice, invocation), service=service.name)
    for variable, place, advice in FILES.get(service.name, ()):
        path = invocation.environ.get(variable) or invocation.expand(place)
        there = os.path.exists(path.split(os.pathsep)[0])
        yield Finding(
            about,
            variable.removesuffix("_CONFIG_DIR").lower(),
            Standing.OK if there else Standing.MISSING,
            path if there else f"there is no {path}",
            "" if there else advice,
            service.name,
        )


def _logout() -> Iterator[Finding]:
    """Whether jobs on this machine live on when their user logs out (systemd's KillUserProcesses)."""
    try:
        user = pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        # A container may run as a number that nobody has a name for; nobody logs in with it either.
        user = str(os.getuid())
    ends = ends_at_logout(read_config(), user, lingers=os.path.exists(f"{LINGER}/{user}"))
    yield Finding(
        "daemon",
        "after logout",
        Standing.WARNING if ends else Standing.OK,
        "jobs end when you log out (KillUserProcesses)" if ends else "jobs go on",
        "loginctl enable-linger lets them go on" if ends else "",
    )
