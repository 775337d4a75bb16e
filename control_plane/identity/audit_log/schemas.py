"""Responses of the audit log routes."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from control_plane.platform.tenancy.caller import ActorKind


class AuditEntryView(BaseModel):
    model_config = ConfigDict(
        from_attributes=True,
        json_schema_extra={
            "example": {
                "id": 4711,
                "action": "agent.published",
                "actor_kind": "user",
                "actor_id": "0b0f6a52-8c1e-4a39-9a3f-3a2d6a2b1c11",
                "actor_label": "maria@example.com",
                "target_id": "b1a6c0de-52a9-4d59-8f0e-6a7f8c9d0e1f",
                "changes": {"version": 3},
                "address": "203.0.113.7",
                "user_agent": "Mozilla/5.0",
                "request_id": "8c9d0e1f",
                "created_at": "2026-01-05T09:30:00Z",
            }
        },
    )
    id: int
    action: str = Field(description="What was done, such as `agent.published`.")
    actor_kind: ActorKind
    actor_id: UUID | None = Field(description="The key or user; null for the operator.")
    actor_label: str = Field(description="The key's name or the user's mail address at that time.")
    target_id: str | None = Field(description="The record that was changed.")
    changes: dict[str, Any]
    address: str | None = Field(description="Where the request came from.")
    user_agent: str | None
    request_id: str | None
    created_at: datetime


class AuditLogPage(BaseModel):
    entries: list[AuditEntryView]
    total: int
    offset: int
    limit: int
