"""The dialing queue on the wire."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class QueueStats(BaseModel):
    """Phone legs of the tenant. Source: API spec, `GET /v1/calls/queue/stats`."""

    model_config = ConfigDict(
        json_schema_extra={"example": {"waiting": 12, "active": 3, "completed": 240, "failed": 31}}
    )
    waiting: int = Field(description="To be dialed, for the first time or again.")
    active: int = Field(description="Being dialed, ringing or in conversation.")
    completed: int = Field(description="The call is completed, or the phone has left it.")
    failed: int = Field(description="Nobody was reached, or the call failed.")
