"""The tokens by which a daemon on TCP knows its callers: named, dated, and kept as hashes alone."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import hmac
import os
import secrets
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from ajkit.daemon.place import PlaceProblem
from ajkit.shared.problem import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

FILE = "tokens.json"
"""The file of a state folder that holds the tokens."""

PREFIX = "aj_"
DAYS = 90
"""For how many days a token is good unless something else is asked for."""

_NAME = "^[A-Za-z0-9][A-Za-z0-9._@-]{0,62}$"


class Token(BaseModel):
    """One token: its name, the SHA-256 of its text, when it was made and until when it is good (None: for ever)."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Annotated[str, Field(pattern=_NAME)]
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    made_at: AwareDatetime
    expires_at: AwareDatetime | None
    read_only: bool = False

    def has_expired(self, now: datetime) -> bool:
        """Whether the token is good no more."""
        return self.expires_at is not None and self.expires_at <= now


class _Listed(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    tokens: tuple[Token, ...] = ()


class Tokens:
    """The tokens of a state folder. The file is read again when it changes, so that a daemon need not be told."""

    def __init__(self, state: str) -> None:
        """`state` is the state folder; the file need not be there."""
        self.path = os.path.join(state, FILE)
        self._seen: tuple[int, int, int] | None = None
        self._known: tuple[Token, ...] = ()

    def all(self) -> tuple[Token, ...]:
        """Every token there is, the expired ones too, in the order they were made.

        Raises:
            PlaceProblem: the file cannot be read.
        """
        try:
            info = os.stat(self.path)
        except FileNotFoundError:
            self._seen, self._known = None, ()
            return ()
        seen = (info.st_mtime_ns, info.st_ino, info.st_size)
        if seen != self._seen:
            try:
                with open(self.path, "rb") as file:
                    self._known = _Listed.model_validate_json(file.read()).tokens
            except (OSError, ValidationError) as error:
                raise PlaceProblem(f"the tokens in {self.path} cannot be read: {type(error).__name__}") from None
            self._seen = seen
        return self._known

    def find(self, text: str) -> Token | None:
        """The token of a text, expired or not. It takes as long for any text: every hash is compared in whole."""
        given = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        found = None
        for each in self.all():
            if hmac.compare_digest(each.sha256, given):
                found = each
        return found

    def add(self, name: str, *, days: float | None = DAYS, read_only: bool = False) -> str:
        """Make a token and answer its text, which is kept nowhere.

        Args:
            name: whose it is.
            days: for how long it is good; None: for ever.
            read_only: whether it may only look.

        Raises:
            UsageError: the name is taken or cannot be one.
            PlaceProblem: the file cannot be read or written.
        """
        text = PREFIX + secrets.token_hex(32)
        now = datetime.now(UTC).replace(microsecond=0)
        try:
            expires = None if days is None else now + timedelta(days=days)
            digest = hashlib.sha256(text.encode()).hexdigest()
            made = Token(name=name, sha256=digest, made_at=now, expires_at=expires, read_only=read_only)
        except ValidationError:
            raise UsageError(
                f"{name!r} cannot be the name of a token: up to 63 letters, digits and . _ @ - are"
            ) from None
        except OverflowError:
            raise UsageError(f"{days} days are longer than dates reach; `--expires never` is for ever") from None
        with self._changing() as known:
            if any(each.name == name for each in known):
                raise UsageError(f"there is a token {name} already: revoke it first, or take another name")
            self._write((*known, made))
        return text

    def revoke(self, name: str) -> None:
        """Make a token good no more, at once.

        Raises:
            UsageError: there is none of this name.
            PlaceProblem: the file cannot be read or written.
        """
        with self._changing() as known:
            left = tuple(each for each in known if each.name != name)
            if left == known:
                raise UsageError(f"there is no token {name}: aj serve token list shows them")
            self._write(left)

    @contextlib.contextmanager
    def _changing(self) -> Iterator[tuple[Token, ...]]:
        """The tokens, while nobody else changes them."""
        lock = os.open(f"{self.path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield self.all()
        finally:
            os.close(lock)

    def _write(self, tokens: tuple[Token, ...]) -> None:
        new = f"{self.path}.new"
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW
        with open(os.open(new, flags, 0o600), "w", encoding="utf-8") as file:
            file.write(_Listed(tokens=tokens).model_dump_json(indent=2) + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, self.path)
