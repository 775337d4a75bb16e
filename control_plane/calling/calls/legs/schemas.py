"""The phones of a call on the wire."""

from __future__ import annotations

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel, Field


class LegKeys(BaseModel):
    """Keys that were pressed at once: an entry of the person, or one use of `send_dtmf`."""

    direction: Literal["received", "sent"] = Field(
        description="`received`: the person has pressed them; `sent`: the agent has."
    )
    digits: str | None = Field(
        description="`null` if they are not kept, because an agent of the call asks for secrets, "
        "or keeps no transcript."
    )
    pressed_at: datetime


class PhoneLeg(BaseModel):
    """One phone of a call, from the request until it is over."""

    telephony_leg_id: UUID
    job_id: UUID
    participant_id: UUID
    direction: Literal["inbound", "outbound"]
    carrier: str
    from_number: str | None = Field(description="`null` if the caller withholds it.")
    to_number: str
    status: str = Field(description="Of the participant.")
    state: str = Field(
        description="Of the leg in the dialing queue: `waiting`, `active`, `completed` (somebody "
        "answered, and it is over), `failed` (nobody was reached) or `canceled`."
    )
    attempts: int = Field(description="How often it was dialed; 1 for an inbound leg.")
    last_outcome: str | None = Field(
        description="Of the last attempt that nobody answered, such as `busy` or `no_answer`."
    )
    requested_at: datetime
    due_at: datetime | None = Field(description="When it is dialed next, while it waits.")
    joined_at: datetime | None = Field(description="When its sound was connected.")
    left_at: datetime | None
    price_per_min: float = Field(
        description="What its minutes cost you here, in US dollars; 0 on a carrier account of "
        "yours."
    )
    keys: list[LegKeys] = Field(description="In the order in which they were pressed.")


class PhoneLegList(BaseModel):
    legs: list[PhoneLeg] = Field(description="In the order in which they were invited.")
