"""How a worker's media reach the network: ports, advertised addresses, STUN and TURN servers."""

from __future__ import annotations

import errno
import random
import socket
from ipaddress import ip_address
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from contracts.ice_servers import IceServer

Port = Annotated[int, Field(ge=1024, le=65535)]


class NoFreePort(OSError):
    """Every UDP port of the range is in use."""


class PortRange(BaseModel):
    """UDP ports, written ``40000-40999``. A leg takes one for each address of the machine."""

    model_config = ConfigDict(frozen=True)

    first: Port
    last: Port

    @model_validator(mode="before")
    @classmethod
    def _read(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        first, dash, last = value.partition("-")
        if not dash:
            raise ValueError("write a range of ports, for example 40000-40999")
        return {"first": first.strip(), "last": last.strip()}

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.first > self.last:
            raise ValueError(f"the range ends before it begins: {self}")
        return self

    def __str__(self) -> str:
        return f"{self.first}-{self.last}"

    def bind(self, address: str) -> socket.socket:
        """A UDP socket on a free port of the range.

        Raises:
            NoFreePort: all are in use.
            OSError: this machine does not have the address.
        """
        family = socket.AF_INET6 if ip_address(address).version == 6 else socket.AF_INET
        count = self.last - self.first + 1
        # Legs that begin at one moment begin to look at different places.
        start = random.randrange(count)
        for offset in range(count):
            bound = socket.socket(family, socket.SOCK_DGRAM)
            try:
                bound.bind((address, self.first + (start + offset) % count))
            except OSError as error:
                bound.close()
                if error.errno == errno.EADDRINUSE:
                    continue
                raise
            bound.setblocking(False)
            return bound
        raise NoFreePort(f"no UDP port of {self} is free on {address}")


class MediaNetwork(BaseModel):
    model_config = ConfigDict(frozen=True)

    ice_servers: tuple[IceServer, ...] = ()
    """Those of one call."""
    ports: PortRange | None = None
    """``None``: whichever port the operating system chooses."""
    advertised_addresses: tuple[str, ...] = ()
    """Addresses under which others reach this machine, beside its own: behind a 1:1 NAT, the public
    one. The ports are the same on both sides."""
    private_candidates: bool | None = None
    """Whether offers may name private addresses; ``None``: the machine's own addresses decide
    (``runtime.media.network.remote_candidates``)."""
