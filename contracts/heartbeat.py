"""What a worker says about itself and its calls once a second."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, get_args
from uuid import UUID

from pydantic import BaseModel, ConfigDict

WhyClaimsNothing = Literal[
    "journals_full", "frames_late", "loop_blocked", "models_busy", "waiting_calls"
]
"""Why a worker claims no calls although slots may be free: its journals are full, its frames are
late, its event loop or the local models are behind, or too many of its calls wait for their first
participant."""
WHY_CLAIMS_NOTHING: tuple[WhyClaimsNothing, ...] = get_args(WhyClaimsNothing)


class WorkerHeartbeat(BaseModel):
    """A worker's own state. ``state`` is ``draining`` once it has stopped claiming calls."""

    model_config = ConfigDict(frozen=True)

    version: Literal[1] = 1
    worker_id: str
    sent_at: datetime
    state: Literal["warming", "ready", "draining"]
    slots_total: int
    """As many as it uses while it claims no calls."""
    slots_used: int
    unreadable_offers: int = 0
    """Offers of calls since its start that it could not read and left to other workers."""
    journal_bytes: int = 0
    """What its journals take on its disk."""
    journals_are_full: bool = False
    """It takes no calls until the control plane has applied what it reported."""
    events_are_held_back: bool = False
    """It keeps events on its disk because too many wait in Redis."""
    claims_nothing_because: str | None = None
    """One of ``WhyClaimsNothing``. A later release may have more reasons."""
    claims_nothing_seconds: float = 0.0
    """For how long it has claimed nothing because of that, or of one reason after the other."""
    media_address: str | None = None
    """Where bridges bring phone legs to it (``ws://10.0.0.5:40123``, see
    ``contracts.phone_media``)."""


class CallMedia(BaseModel):
    """The last known media position of one call.

    ``connected_ms`` is ``None`` until the first leg's media connects.
    """

    model_config = ConfigDict(frozen=True)

    version: Literal[1] = 1
    call_id: UUID
    tenant_id: UUID
    worker_id: str
    connected_ms: int | None
    sent_at: datetime
