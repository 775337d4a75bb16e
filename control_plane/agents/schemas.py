"""Agents on the wire. Source: API spec, "Agent" and "Agents" under Endpoints."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, RootModel, model_validator

from contracts.agent_config import AgentConfig

READ_ONLY = ("provider_config",)
"""Derived by the service; ignored if sent (API spec, "Agent")."""


class AgentCreate(AgentConfig):
    """The create body: the configuration, with what is read-only ignored."""

    @model_validator(mode="before")
    @classmethod
    def _leave_out_read_only(cls, sent: Any) -> Any:
        if not isinstance(sent, dict):
            return sent
        return {name: value for name, value in sent.items() if name not in READ_ONLY}


class AgentCreated(BaseModel):
    status: Literal["created"] = "created"
    id: UUID


class AgentListItem(BaseModel):
    model_config = ConfigDict(from_attributes=True)
    id: UUID
    name: str
    voice: str
    llm_provider: str | None
    llm_model: str | None
    agent_kind: str
    language: str
    created_at: datetime


class AgentList(BaseModel):
    agents: list[AgentListItem]
    total: int
    offset: int
    limit: int


class AgentView(AgentConfig):
    """The full agent: its configuration and what the service adds to it."""

    id: UUID
    supported_languages: tuple[str, ...]
    provider_config: dict[str, Any]
    compiled_prompt: str
    published_version: int | None
    created_at: datetime
    updated_at: datetime


class AgentUpdate(RootModel[dict[str, Any]]):
    """Any of the create body's fields. What is left out stays; a field that is sent replaces the
    stored one whole; null clears."""

    model_config = ConfigDict(json_schema_extra={"example": {"name": "Reception"}})


class AgentUpdated(BaseModel):
    status: Literal["updated"] = "updated"


class AgentPublished(BaseModel):
    status: Literal["published"] = "published"
    id: UUID
    version: int
    published_at: datetime
