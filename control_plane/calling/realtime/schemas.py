"""What a participant gets besides the answer to its offer."""

from __future__ import annotations

from pydantic import BaseModel

from contracts.ice_servers import IceServer


class IceServers(BaseModel):
    ice_servers: tuple[IceServer, ...]
