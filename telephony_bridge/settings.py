"""The settings of a telephony bridge."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, PositiveInt

from carriers.settings import CarrierSettings
from listeners.connection_room import most_connections

_MOST_CONNECTIONS = 10_000


class BridgeSettings(BaseModel):
    model_config = ConfigDict(frozen=True)

    redis_url: str
    bridge_id: str
    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65_535)] = 0
    """Where it listens for carriers; 0: any free port."""
    public_url: str | None = None
    """Under which carriers reach it, without a slash at its end. Without it no carrier is served:
    nothing is dialed through accounts, and no webhook is answered."""
    account_key: str | None = Field(None, repr=False)
    """Opens the carriers' credentials (``contracts.sealing.bridge_key``)."""
    drain_timeout_seconds: Annotated[float, Field(ge=0)] = 0.0
    """How long a stopping bridge lets its phones go on before it hangs them up."""
    carriers: CarrierSettings = CarrierSettings()
    open_files: PositiveInt = 1_024
    """How many files its process may open."""

    @property
    def most_connections(self) -> int:
        """At once, of carriers and of strangers. A phone has a connection to its carrier, and one
        to the call's media worker."""
        return most_connections(_MOST_CONNECTIONS, self.open_files, files_each=2)
