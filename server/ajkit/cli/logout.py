"""Whether programs of a user live on when they log out: systemd's KillUserProcesses, and who is exempt from it."""

from __future__ import annotations

import glob
import os
import re

FOLDERS = ("/usr/lib/systemd", "/usr/local/lib/systemd", "/run/systemd", "/etc/systemd")
LINGER = "/var/lib/systemd/linger"
_TRUE = frozenset({"yes", "true", "on", "1", "y", "t"})


def ends_at_logout(config: str, user: str, *, lingers: bool) -> bool:
    """Whether what a user runs ends with their last session.

    Args:
        config: the text of every logind.conf, those that count later coming later.
        user: their name.
        lingers: whether systemd keeps their programs (``loginctl enable-linger``).
    """
    if lingers or _last(config, "KillUserProcesses").lower() not in _TRUE:
        return False
    only, exempt = (_last(config, name).split() for name in ("KillOnlyUsers", "KillExcludeUsers"))
    return user in only if only else user not in (exempt or ["root"])


def read_config(root: str = "") -> str:
    """The text of the logind configuration of this machine; `root` stands before every path."""
    places = [f"{root}{folder}/logind.conf" for folder in FOLDERS]
    for folder in FOLDERS:
        places += glob.glob(f"{root}{folder}/logind.conf.d/*.conf")
    drops = sorted(places[len(FOLDERS) :], key=os.path.basename)
    texts = []
    for path in (*places[: len(FOLDERS)], *drops):
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                texts.append(file.read())
        except OSError:
            continue
    return "\n".join(texts)


def _last(config: str, name: str) -> str:
    found = re.findall(rf"^[ \t]*{name}[ \t]*=[ \t]*(.*?)[ \t]*$", config, re.MULTILINE)
    return str(found[-1]) if found else ""
