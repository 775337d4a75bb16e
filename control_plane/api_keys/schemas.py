"""API keys on the wire."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal, Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from control_plane.api_keys.secrets import KeyKind

KeyChannel = Literal["web", "phone"]


class ApiKeyCreate(BaseModel):
    """``allowed_channels`` and ``allowed_agent_ids`` confine publishable keys only."""

    model_config = ConfigDict(extra="forbid")
    name: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
    kind: KeyKind
    allowed_channels: Annotated[set[KeyChannel], Field(min_length=1)] | None = Field(
        None, description="What the key may start; default `web`."
    )
    allowed_agent_ids: Annotated[set[UUID], Field(min_length=1, max_length=1000)] | None = Field(
        None, description="Agents that the key may call; default: every agent."
    )

    @model_validator(mode="after")
    def _only_publishable_keys_are_confined(self) -> Self:
        confined = self.allowed_channels is not None or self.allowed_agent_ids is not None
        if self.kind == "secret" and confined:
            raise ValueError(
                "a secret key has full access: leave allowed_channels and allowed_agent_ids out, "
                "or set kind to 'publishable'"
            )
        return self


class ApiKeyView(BaseModel):
    model_config = ConfigDict(from_attributes=True)
    id: UUID
    name: str
    kind: KeyKind
    hint: str = Field(description="First and last characters of the key.")
    allowed_channels: list[KeyChannel]
    allowed_agent_ids: list[UUID] | None
    created_at: datetime
    last_used_at: datetime | None
    revoked_at: datetime | None


class ApiKeyCreated(ApiKeyView):
    status: Literal["created"] = "created"
    key: str = Field(description="The key itself. It is shown this once.")


class ApiKeyList(BaseModel):
    api_keys: list[ApiKeyView]
    total: int
    offset: int
    limit: int


class ApiKeyRevoked(BaseModel):
    status: Literal["revoked"] = "revoked"
    id: UUID
