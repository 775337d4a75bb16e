"""Agents on the wire. Source: API spec, "Agent" and "Agents" under Endpoints."""

from __future__ import annotations

from copy import deepcopy
from datetime import datetime
from inspect import getdoc
from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, GetJsonSchemaHandler, RootModel
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from contracts.agent_config import AgentConfig
from control_plane.building.agents.documents import READ_ONLY

_DESK: dict[str, Any] = {
    "name": "Front desk",
    "language": "en-US",
    "persona": {"name": "Mia", "role": "receptionist", "companyName": "Bright Smiles"},
    "playbook": {
        "opener": "Hello, Bright Smiles, this is Mia. How can I help?",
        "requiredSlots": [{"name": "date", "description": "day of the visit", "required": True}],
    },
    "tools": [
        {
            "type": "call_webhook",
            "name": "book_visit",
            "description": "Book a visit once the day is confirmed.",
            "url": "https://api.example.com/visits",
            "headers": {"Authorization": "Bearer s3cr3t-of-bright-smiles"},
            "parameters": {"type": "object", "properties": {"date": {"type": "string"}}},
        }
    ],
}


class AgentCreate(RootModel[dict[str, Any]]):
    """An agent's fields. Only ``name`` is required. Fields that can only be read, such as
    ``provider_config``, are ignored. The flat keys of apply-changes are accepted, too."""

    @classmethod
    def __get_pydantic_json_schema__(
        cls, _schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return fields_of_agent(handler) | described(cls, _DESK)


class AgentUpdate(RootModel[dict[str, Any]]):
    """Any of the fields that create takes, at any depth: ``{"playbook": {"opener": "Hi"}}`` changes
    only the opener.

    Fields that you leave out keep their values. Arrays, including ``tools``, are replaced as a
    whole, and so is the JSON Schema of ``post_call.structured_extraction``. ``null`` clears a field
    that has no default, and is refused for one that has. A tool's header that you send back masked
    keeps its secret. Fields that can only be read are ignored, so you can send back what GET
    returned.
    """

    @classmethod
    def __get_pydantic_json_schema__(
        cls, _schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        fields = fields_of_agent(handler)
        fields.pop("required", None)
        for shown in fields["properties"].values():
            shown.pop("default", None)
        example = {"playbook": {"opener": "Good day, Bright Smiles, Mia speaking."}}
        return fields | described(cls, example)


def fields_of_agent(handler: GetJsonSchemaHandler) -> dict[str, Any]:
    """``AgentConfig`` with the read-only fields, which are ignored if a client sends them back."""
    fields = dict(handler.resolve_ref_schema(handler(AgentConfig.__pydantic_core_schema__)))
    ignored = {
        name: {
            "title": name.replace("_", " ").title(),
            "readOnly": True,
            "description": "Ignored if sent.",
        }
        for name in sorted(READ_ONLY)
    }
    fields["properties"] = deepcopy(fields["properties"]) | ignored
    return fields


def described(body: type[object], example: dict[str, Any]) -> dict[str, Any]:
    return {"title": body.__name__, "description": getdoc(body), "example": example}


class AgentCreated(BaseModel):
    status: Literal["created"] = "created"
    id: UUID


class DraftCreated(AgentCreated):
    warnings: list[str] = Field(
        description="What you have to change before you can publish the draft.",
        examples=[["tlh cannot be served: No speech-to-text model covers it."]],
    )


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
    """The full agent: its configuration and the fields that the service adds, secrets masked."""

    id: UUID
    provider_config: dict[str, Any]
    compiled_prompt: str
    published_version: int | None
    created_at: datetime
    updated_at: datetime


class AgentUpdated(BaseModel):
    status: Literal["updated"] = "updated"


class AgentDeleted(BaseModel):
    status: Literal["deleted"] = "deleted"
    id: UUID
