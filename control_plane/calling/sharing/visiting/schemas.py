"""What visitors see of a shared agent."""

from __future__ import annotations

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel, Field

from control_plane.calling.calls.schemas import Access

State = Literal["ready", "off", "unpublished", "empty", "busy"]


class SharedAgent(BaseModel):
    """The published version of an agent, to those who may call it."""

    state: State = Field(
        description="Whether a call can begin now, or else why not: `off` (its owner has switched "
        "it off), `unpublished` (the agent takes no calls), `empty` (no minutes are left) or "
        "`busy` (as many visitors as may call at a time do)."
    )
    name: str | None = Field(description="As the agent introduces itself; `null` while `off`.")
    role: str | None = None
    company_name: str | None = None
    about: str | None = Field(None, description="What the company does.")
    language: str | None = None
    minutes_remaining: int = Field(0, description="Rounded down.")
    max_call_seconds: int = Field(0, description="How long a call that begins now may be.")
    is_recorded: bool = False
    asks_consent: bool = Field(
        False, description="Whether the agent announces the recording, which callers can refuse."
    )
    minutes_requested: bool = Field(
        False, description="Whether the owner has been asked for more minutes already."
    )
    can_pay: bool = Field(
        False,
        description="Whether a tester whose free minutes are used can go on from an account of "
        "their own: `POST /v1/shared/{share_token}/paid-calls`.",
    )
    price_per_min: float | None = Field(
        None, description="What a minute then costs in US dollars; set if `can_pay`."
    )


class SharedCallCreated(BaseModel):
    id: UUID
    name: str
    max_call_seconds: int = Field(description="The call ends after so many seconds.")
    access: Access


class PayingAccount(BaseModel):
    """The tester's own account, which pays when the free minutes are used."""

    email: str
    account: str = Field(description="The name of the session's tenant, whose credit is used.")
    available_usd: float = Field(description="What calls can still be paid from.")


class MinutesRequested(BaseModel):
    minutes_requested_at: datetime
