"""The certificate of a daemon on TCP: checked before it listens, taken anew when its files change."""

from __future__ import annotations

import logging
import os
import ssl
from typing import TYPE_CHECKING

from ajkit.daemon.place import PlaceProblem

if TYPE_CHECKING:
    from ajkit.daemon.listen import Listen

log = logging.getLogger(__name__)


class Certificate:
    """The files of a certificate and what they said when they were last read."""

    def __init__(self, certificate: str, key: str) -> None:
        """Read them.

        Raises:
            PlaceProblem: they cannot be read, or do not belong together.
        """
        self._files = (certificate, key)
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.minimum_version = ssl.TLSVersion.TLSv1_2
        try:
            self._seen = self._times()
            self.context.load_cert_chain(*self._files)
        except (OSError, ssl.SSLError) as error:
            raise PlaceProblem(f"the certificate {certificate} with the key {key} cannot be used: {error}") from None

    def renew(self) -> None:
        """Take changed files for the connections to come; ones that cannot be used are passed over, and logged."""
        try:
            seen = self._times()
            if seen != self._seen:
                self.context.load_cert_chain(*self._files)
                self._seen = seen
                log.info("the certificate was read anew")
        except (OSError, ssl.SSLError) as error:
            log.warning("the certificate cannot be read anew, the old one stays: %s", error)

    def _times(self) -> list[int]:
        return [os.stat(each).st_mtime_ns for each in self._files]


def certificate_of(listen: Listen | None) -> Certificate | None:
    """The certificate of an address; None without TLS.

    Raises:
        PlaceProblem: it cannot be used.
    """
    if listen is None or listen.certificate is None or listen.key is None:
        return None
    return Certificate(listen.certificate, listen.key)
