"""The settings of a telephony bridge."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from carriers.settings import CarrierSettings


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
