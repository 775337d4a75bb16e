"""The setting that the API and the media workers must have alike."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class IceSettings(BaseModel):
    model_config = ConfigDict(frozen=True)

    ice_servers: tuple[str, ...] = ()
    """Addresses of STUN and TURN servers, through which browsers and workers find each other."""
