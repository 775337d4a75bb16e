"""Testers on the wire. Source: API spec, "Sharing" under Endpoints."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from control_plane.calling.sharing.links.schemas import ShareLinkView

MAX_MINUTES = 600

# What is wrong with these fields has an error of its own, so they are checked in ``checking.py``.
_Email = Annotated[Any, WithJsonSchema({"type": "string", "format": "email", "maxLength": 254})]
_Minutes = Annotated[Any, WithJsonSchema({"type": "integer", "minimum": 0, "maximum": MAX_MINUTES})]
_ExpiresAt = Annotated[
    Any, WithJsonSchema({"anyOf": [{"type": "string", "format": "date-time"}, {"type": "null"}]})
]


class TesterInvite(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "required": ["email"],
            "example": {"email": "noah@example.com", "minutes_limit": 15},
        },
    )
    email: _Email = None
    minutes_limit: _Minutes = Field(
        0,
        description="The minutes that the tester may use at your cost, before all others. With 0 "
        "the tester pays from the start, from an account of their own.",
    )
    expires_at: _ExpiresAt = Field(
        None, description="When the invitation ends; a date means its first moment in UTC."
    )


class TesterChange(BaseModel):
    """Fields that are left out stay as they are."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"example": {"minutes_limit": 30}})
    minutes_limit: _Minutes = Field(
        0, description="A change also answers the tester's request for more minutes."
    )
    expires_at: _ExpiresAt = Field(None, description="`null`: the invitation does not end.")


class TesterView(BaseModel):
    id: UUID
    agent_id: UUID
    email: str
    status: Literal["invited", "expired"]
    url: str = Field(
        description="The address in the mail. Everybody who has it can use the minutes. Empty if "
        "the installation has lost the key that decrypts it: it still works."
    )
    minutes_limit: int
    minutes_used: int = Field(description="Rounded up.")
    minutes_reserved: int = Field(description="By a call that runs now; rounded up.")
    minutes_remaining: int = Field(description="For further calls; rounded down.")
    seconds_used: int = Field(description="Connected time of the calls that are over.")
    seconds_remaining: int = Field(description="For further calls.")
    live_calls: int
    invite_sent: bool = Field(description="Whether the last mail was accepted by a mail server.")
    expires_at: datetime | None
    minutes_requested_at: datetime | None = Field(
        description="When the tester asked for more minutes; `null` again once `minutes_limit` is "
        "changed."
    )
    created_at: datetime
    sent_at: datetime = Field(description="When the last mail was sent, or could not be.")


class TesterInvited(BaseModel):
    tester: TesterView
    invite_sent: bool = Field(
        description="`false`: the invitation exists, but its mail was not sent, so send it again."
    )


class TesterAnswer(BaseModel):
    tester: TesterView


class TesterList(BaseModel):
    testers: list[TesterView] = Field(description="Newest first, without those that are revoked.")
    link: ShareLinkView | None
    link_feature: bool = Field(description="Whether the installation has public links.")
    agent_uses_owner_keys: bool = Field(
        description="Whether the agent runs on your own provider keys. Then every tester needs at "
        "least one free minute."
    )
