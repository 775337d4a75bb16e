"""The host names under which this installation answers.

A stranger's name can point at this machine. For a browser the stranger's page and our API are then
one site, and the page could read what the API answers, even where only this machine reaches it
(DNS rebinding). An IP address in the header ``Host`` cannot be pointed elsewhere, so addresses are
allowed: health checks of load balancers use them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from listeners.subscriber import parsed_address

ANY_HOST = "*"
_PATTERN = re.compile(r"\*|(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*")
_HOST = re.compile(r"(\[[^\]]*\]|[^:]*)(:[0-9]*)?")


@dataclass(frozen=True)
class AllowedHosts:
    """
    Args:
        names: host names without a port, ``*.example.com`` for all names below one, ``*`` for every
            name. ``localhost`` and names below it are always allowed.

    Raises:
        ValueError: one of them is no such name.
    """

    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in self.names:
            if not _PATTERN.fullmatch(name.lower()):
                raise ValueError(
                    f"'{name}' is no host name; write one like voice.example.com or "
                    "*.example.com, without a scheme or a port"
                )

    def __contains__(self, header: str) -> bool:
        """Whether the value of a header ``Host`` names one of them."""
        match = _HOST.fullmatch(header)
        if match is None:
            return False
        host = match[1].lower().removesuffix(".")
        if host in self._exact or ANY_HOST in self._exact:
            return True
        return host.endswith(self._endings) or parsed_address(host) is not None

    @cached_property
    def _exact(self) -> frozenset[str]:
        return frozenset({"localhost", *(name.lower() for name in self.names)})

    @cached_property
    def _endings(self) -> tuple[str, ...]:
        below = (name.lower()[1:] for name in self.names if name.startswith("*."))
        return (".localhost", *below)
