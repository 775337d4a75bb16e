"""Publication and prompt previews on the wire."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, GetJsonSchemaHandler, StrictBool
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from contracts.clearable import Clearable
from control_plane.building.agents.publishing.finding import Finding
from control_plane.building.agents.schemas import described, fields_of_agent


class UnsavedAgent(BaseModel):
    """Fields of an agent besides the request's own. They are checked after they are merged."""

    model_config = ConfigDict(extra="allow")
    agent_id: UUID | None = Field(
        None, description="A stored agent. The other fields are merged into it."
    )

    @property
    def agent_fields(self) -> dict[str, Any]:
        return dict(self.model_extra or {})


_ACCEPT_LIMITED = (
    "Whether to publish an agent of whose instructions the offline engine can follow less than two "
    "thirds. Agents with a language model do not need it."
)


class Publish(BaseModel):
    model_config = ConfigDict(extra="forbid", json_schema_extra={"example": {}})
    accept_limited: StrictBool = Field(default=False, description=_ACCEPT_LIMITED)


class PublishCheck(UnsavedAgent):
    """Any of the fields that create takes, at any depth, and an optional ``agent_id``."""

    accept_limited: StrictBool = Field(default=False, description=_ACCEPT_LIMITED)

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        example = {"name": "Front desk", "playbook": {"opener": "Hello, Bright Smiles."}}
        return _with_agent_fields(handler(schema), handler) | described(cls, example)


class PromptPreview(UnsavedAgent):
    """Any of the fields that create takes, an optional ``agent_id``, and the ``variables`` that a
    call would send."""

    variables: Clearable[dict[str, Any]] = Field(default_factory=dict)

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        example = {
            "persona": {"name": "Mia", "companyName": "Bright Smiles"},
            "playbook": {"opener": "Hello {{ customer.name }}, this is Mia."},
            "variables": {"customer": {"name": "Ann"}},
        }
        return _with_agent_fields(handler(schema), handler) | described(cls, example)


def _with_agent_fields(own: JsonSchemaValue, handler: GetJsonSchemaHandler) -> dict[str, Any]:
    shown = dict(handler.resolve_ref_schema(own))
    fields = fields_of_agent(handler)["properties"]
    for field in fields.values():
        field.pop("default", None)
    return shown | {"properties": fields | shown["properties"], "additionalProperties": False}


class AgentPublished(BaseModel):
    status: Literal["published"] = "published"
    id: UUID
    version: int
    published_at: datetime
    warnings: tuple[Finding, ...] = Field(description="The warnings that validate-publish gives.")


class BrokenText(BaseModel):
    field: str = Field(examples=["playbook.opener"])
    line: int = Field(description="The line within the field, counted from 1.")
    message: str


class CompiledPrompt(BaseModel):
    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "compiled_prompt": "You are Mia at Bright Smiles. You speak en-US.\n\n# How to …",
                "opener": "Hello Ann, this is Mia.",
                "unknown_variables": [],
                "errors": [],
                "warnings": [],
                "characters": 912,
                "estimated_tokens": 228,
            }
        }
    )
    compiled_prompt: str
    opener: str | None = Field(
        description="The agent's first sentence; null if it waits for the caller."
    )
    unknown_variables: list[str] = Field(
        description="Variables that the texts need but `variables` lacks. Their places stay empty."
    )
    errors: list[BrokenText] = Field(
        description="Texts with a broken tag. Only their plain placeholders are filled in."
    )
    warnings: list[Finding]
    characters: int
    estimated_tokens: int = Field(description="A quarter of the prompt's UTF-8 bytes, rounded up.")
