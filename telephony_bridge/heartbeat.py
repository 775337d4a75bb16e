"""What the telephony bridge says about itself once a second."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict


class BridgeHeartbeat(BaseModel):
    """``carriers``: the names of those that are configured."""

    model_config = ConfigDict(frozen=True)

    version: Literal[1] = 1
    bridge_id: str
    sent_at: datetime
    carriers: tuple[str, ...]


def bridge_heartbeat(bridge_id: str) -> str:
    """Key holding a ``BridgeHeartbeat`` document, expiring after ``HEARTBEAT_TTL_SECONDS``."""
    return f"switchboard:bridge:{bridge_id}:heartbeat"
