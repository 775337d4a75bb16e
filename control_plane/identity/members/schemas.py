"""Requests and responses of the member and invitation routes."""

from __future__ import annotations

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field
from pydantic.config import JsonDict

from control_plane.identity.accounts.schemas import NewPassword, PersonName, Token
from control_plane.platform.mail.addresses import EmailAddress
from control_plane.platform.tenancy.caller import Role

InvitationStatus = Literal["pending", "expired", "accepted", "revoked"]
_MEMBER: JsonDict = {
    "user_id": "7f1f8f5e-3a8e-4a0c-9b1b-0d2a5c6e9f10",
    "email": "mia@example.com",
    "name": "Mia Meyer",
    "role": "owner",
    "joined_at": "2026-01-05T09:30:00Z",
}
_INVITATION: JsonDict = {
    "id": "b2b7c9de-6a0a-4f2e-8a87-7b8f1d0a3c55",
    "email": "noah@example.com",
    "role": "member",
    "status": "pending",
    "invited_by": "mia@example.com",
    "invite_sent": True,
    "created_at": "2026-01-05T09:40:00Z",
    "sent_at": "2026-01-05T09:40:00Z",
    "expires_at": "2026-01-12T09:40:00Z",
}


class MemberView(BaseModel):
    model_config = ConfigDict(from_attributes=True, json_schema_extra={"example": _MEMBER})
    user_id: UUID
    email: str
    name: str | None
    role: Role
    joined_at: datetime


class MemberList(BaseModel):
    members: list[MemberView]
    total: int
    offset: int
    limit: int


class MemberUpdate(BaseModel):
    model_config = ConfigDict(extra="forbid", json_schema_extra={"example": {"role": "admin"}})
    role: Role


class MemberRemoved(BaseModel):
    status: Literal["removed"] = "removed"
    user_id: UUID


class InvitationCreate(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"example": {"email": "noah@example.com", "role": "member"}},
    )
    email: EmailAddress
    role: Role


class InvitationView(BaseModel):
    model_config = ConfigDict(json_schema_extra={"example": _INVITATION})
    id: UUID
    email: str
    role: Role
    status: InvitationStatus
    invited_by: str = Field(
        description="The inviting user's mail address or the inviting API key's name."
    )
    invite_sent: bool = Field(
        description="Whether a mail server accepted the last mail. If false, the invitation "
        "exists but its mail was not sent: resend it, or on an installation without a mail server "
        "ask the operator to pass on the mail from the outbox folder."
    )
    created_at: datetime
    sent_at: datetime
    expires_at: datetime


class InvitationList(BaseModel):
    invitations: list[InvitationView]
    total: int
    offset: int
    limit: int


class InvitationRevoked(BaseModel):
    status: Literal["revoked"] = "revoked"
    id: UUID


class InvitationAcceptance(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "example": {"token": "KJ8…", "password": "correct horse battery", "name": "Noah"}
        },
    )
    token: Token
    password: NewPassword | None = Field(
        None,
        description="If you are new, a password of your choice; otherwise your account's password. "
        "A session of that account replaces it.",
    )
    name: PersonName | None = Field(None, description="Your own name, if you are new.")
