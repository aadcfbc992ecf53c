"""The folder of this user on this host, for sockets and locks that other hosts and users must not meet."""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def runtime_folder(environ: Mapping[str, str]) -> str:
    """`aj` in ``XDG_RUNTIME_DIR``; where that is not ours (as after ``su``) `temporary_folder`.

    Nothing is made.
    """
    runtime = environ.get("XDG_RUNTIME_DIR", "")
    return os.path.join(runtime, "aj") if runtime and _is_ours(runtime) else temporary_folder()


def temporary_folder() -> str:
    """The folder of this user in the one for temporary files; its path is short. Nothing is made."""
    return os.path.join(tempfile.gettempdir(), f"aj-{os.getuid()}")


def _is_ours(folder: str) -> bool:
    try:
        owner = os.stat(folder).st_uid
    except OSError:
        return False
    return owner == os.getuid() and os.path.isdir(folder) and os.access(folder, os.W_OK | os.X_OK)
