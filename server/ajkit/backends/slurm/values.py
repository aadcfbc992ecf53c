"""What a cluster has to choose from: its partitions, and the accounts and qualities of service of the user."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ajkit.backends.slurm import programs
from ajkit.shared.job.execution import LiveValue

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ajkit.backends.slurm.site import Site

_ASK_SECONDS = 10.0

PROGRAMS: Mapping[str, str] = {
    "queues": "sinfo --noheader --format='%R|%a|%D|%A|%l|%G'",
    "accounts": 'sacctmgr --noheader --parsable2 show associations user="$(id -un)" format=account',
    "qos": "sacctmgr --noheader --parsable2 show qos format=name,description",
}
"""The command that lists each kind of value."""


def ask_values(site: Site, kind: str) -> Sequence[LiveValue]:
    """The values of a kind; none where the cluster keeps no accounts.

    Raises:
        KeyError: there are no values of this kind.
        Unavailable: the cluster cannot be asked.
    """
    said = site.run(programs.list_values(PROGRAMS[kind]), _ASK_SECONDS)
    programs.expect_done(site, said)
    rows = [line.split("|") for line in said.text.splitlines() if line.strip()]
    if kind == "queues":
        return _partitions(rows)
    return [LiveValue(name, " ".join(more)) for name, *more in sorted({tuple(each) for each in rows})]


def _partitions(rows: list[list[str]]) -> list[LiveValue]:
    """A value for each partition, whose nodes may fill several lines where they differ."""
    found: dict[str, list[list[str]]] = {}
    for each in rows:
        if len(each) == len("RaDAlG"):
            found.setdefault(each[0], []).append(each)
    return [LiveValue(name, _detail(lines)) for name, lines in found.items()]


def _detail(lines: list[list[str]]) -> str:
    nodes = sum(int(each[2]) for each in lines)
    idle = sum(int(each[3].partition("/")[2] or 0) for each in lines)
    kinds = dict.fromkeys(each[5] for each in lines if each[5] != "(null)")
    _, state, _, _, limit, _ = lines[0]
    parts = [
        *([] if state == "up" else [state]),
        f"{idle} of {nodes} nodes {'is' if idle == 1 else 'are'} idle",
        *([] if limit == "infinite" else [f"at most {limit}"]),
        *kinds,
    ]
    return ", ".join(parts)
