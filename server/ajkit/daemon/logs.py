"""What a daemon writes about itself: lines for people or JSON for machines, without secrets, in a file that ends."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import re
import shutil
import sys
from datetime import UTC, datetime
from typing import Literal

from ajkit.daemon.tokens import PREFIX
from ajkit.shared.template.secrets import MASK, mask

LogForm = Literal["text", "json"]

FILE_BYTES = 4 * 2**20
"""A log file that has grown so long is put aside and begun anew."""

_TOKEN = re.compile(rf"{PREFIX}[0-9a-f]{{16,}}")


def without_secrets(text: str) -> str:
    """A text for a log: tokens and whatever looks like a secret are masked."""
    return mask(_TOKEN.sub(MASK, text))


class TextLines(logging.Formatter):
    """Lines for people."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        """One line, and below it what led to an exception."""
        more = " ".join(f"{name}={value}" for name, value in getattr(record, "fields", {}).items())
        return without_secrets(f"{super().format(record)}{f' {more}' if more else ''}")


class JsonLines(logging.Formatter):
    """One JSON object a line: `at`, `level`, `from`, `event`, the record's own fields, `trace` of an exception."""

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        values = {
            "at": at,
            "level": record.levelname.lower(),
            "from": record.name,
            "event": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            values["trace"] = self.formatException(record.exc_info)
        shown = {name: without_secrets(each) if isinstance(each, str) else each for name, each in values.items()}
        return json.dumps(shown, ensure_ascii=False, default=str)


def start_logging(form: LogForm) -> None:
    """Send what this process logs to standard error, in one of the forms."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines() if form == "json" else TextLines())
    logging.basicConfig(handlers=[handler], level=logging.INFO, force=True)
    logging.getLogger("uvicorn").setLevel(logging.ERROR)


def begin_anew(path: str, limit: int = FILE_BYTES) -> bool:
    """Where standard error goes to the file at a path and that is too long, put a copy aside and empty it."""
    with contextlib.suppress(OSError):
        info, mine = os.stat(path), os.fstat(sys.stderr.fileno())
        if (info.st_dev, info.st_ino) == (mine.st_dev, mine.st_ino) and info.st_size > limit:
            # The descriptor appends, so that the next line begins the emptied file.
            shutil.copyfile(path, f"{path}.1")
            os.chmod(f"{path}.1", 0o600)
            os.truncate(path, 0)
            return True
    return False
