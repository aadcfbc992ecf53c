"""What a driver has printed, taken apart into the logs of the processes, and kept beside the job."""

from __future__ import annotations

import os
import re

from ajkit.backends.ray.driver import GOES_ON, OWN, STARTED, WHOLE

DRIVER = "driver"
"""The log of what no process has said: Ray, and the driver itself."""

_RAYS = re.compile(r"\bjob_manager\.py:\d+ -- Runtime env is setting up\.$|^Running entrypoint for job ")
"""What Ray writes before every job, which tells nothing."""

_SAID = re.compile(rf"(node-[0-9.]+) ([{re.escape(WHOLE + GOES_ON)}]) (.*)", re.DOTALL)


def taken_apart(text: str) -> dict[str, bytes]:
    """The content of each log, by its name; a last line that has not come whole is left for later."""
    found: dict[str, list[str]] = {}
    for line in text[: text.rfind("\n") + 1].split("\n")[:-1]:
        said = _SAID.fullmatch(line)
        if said is not None:
            name, sign, words = said.groups()
            found.setdefault(name, []).append(words if sign == GOES_ON else f"{words}\n")
        elif line != OWN + STARTED and not _RAYS.search(line):
            found.setdefault(DRIVER, []).append(f"{line}\n")
    return {name: "".join(parts).encode() for name, parts in found.items()}


def has_started(text: str) -> bool:
    """Whether the processes have been started."""
    return f"{OWN}{STARTED}\n" in text


def last_word(text: str) -> str:
    """The last thing that the driver itself said; empty where it said nothing."""
    lines = [each for each in text.splitlines() if each.startswith(OWN) and each != OWN + STARTED]
    return lines[-1].removeprefix(OWN) if lines else ""


def keep(folder: str, text: str) -> None:
    """Write the logs below a folder. What is printed only grows, so that only its end is written."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    for name, content in taken_apart(text).items():
        with open(os.path.join(folder, f"{name}.log"), "ab") as file:
            file.write(content[file.tell() :])


def kept(folder: str) -> dict[str, int]:
    """The bytes of each log that is kept, by its name."""
    try:
        return {each.name.removesuffix(".log"): each.stat().st_size for each in os.scandir(folder)}
    except FileNotFoundError:
        return {}


def read(folder: str, name: str, offset: int, limit: int) -> bytes:
    """A part of a log that is kept; empty where there is none."""
    try:
        with open(os.path.join(folder, f"{name}.log"), "rb") as file:
            file.seek(offset)
            return file.read(limit)
    except FileNotFoundError:
        return b""
