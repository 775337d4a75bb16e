"""The media workers and the calls that wait for them, as the operator sees them."""

from __future__ import annotations

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel, Field


class WorkerView(BaseModel):
    id: str
    state: Literal["warming", "ready", "draining"] = Field(
        description="`warming`: it loads its models. `draining`: it ends its calls and takes no "
        "more."
    )
    slots_total: int
    slots_used: int
    claims_nothing_because: str | None = Field(
        description="Why it takes no calls although slots may be free, such as `frames_late`."
    )
    claims_nothing_seconds: float
    heard_at: datetime = Field(description="Workers report once a second.")


class WaitingCalls(BaseModel):
    tenant_id: UUID
    calls: int


class WorkerList(BaseModel):
    workers: list[WorkerView]
    waiting: list[WaitingCalls] = Field(
        description="Calls that wait for a worker, by tenant; the most first."
    )
    longest_wait_seconds: float = Field(description="0 if no call waits.")
