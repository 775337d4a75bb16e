"""Versions of agents, as the API shows them."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StrictBool


class VersionSummary(BaseModel):
    version: int
    published_at: datetime
    digest: str = Field(
        description="SHA-256 of the frozen snapshot. Versions with equal digests are identical."
    )
    restored_from: int | None = Field(
        description="The earlier version that a roll-back published again as this one."
    )
    is_served: bool = Field(description="Whether new calls run this version.")


class VersionList(BaseModel):
    versions: list[VersionSummary]
    total: int
    offset: int
    limit: int
    agent_id: UUID


class VersionView(VersionSummary):
    """One version with its whole content. Secrets are masked."""

    agent_id: UUID
    config: dict[str, Any]
    provider_config: dict[str, Any]
    compiled_prompt: str


class Change(BaseModel):
    """``from`` is null if ``op`` is ``add``, ``to`` is null if it is ``remove``."""

    model_config = ConfigDict(
        validate_by_name=True,
        serialize_by_alias=True,
        json_schema_extra={
            "example": {
                "op": "replace",
                "path": "/playbook/opener",
                "from": "Hello!",
                "to": "Good day!",
            }
        },
    )
    op: Literal["add", "remove", "replace"]
    path: str = Field(description="JSON Pointer (RFC 6901) to the changed value.")
    before: Any = Field(alias="from")
    after: Any = Field(alias="to")


class VersionDiff(BaseModel):
    model_config = ConfigDict(validate_by_name=True, serialize_by_alias=True)
    agent_id: UUID
    before: int | Literal["draft"] = Field(alias="from")
    after: int | Literal["draft"] = Field(alias="to")
    changes: list[Change]


class RollBack(BaseModel):
    model_config = ConfigDict(extra="forbid", json_schema_extra={"example": {}})
    restore_draft: StrictBool = Field(
        default=False,
        description="Whether to restore the editable agent as well. By default it stays as it is.",
    )


class RolledBack(BaseModel):
    status: Literal["rolled_back"] = "rolled_back"
    id: UUID
    version: int = Field(description="The number of the new version, which new calls run.")
    restored_from: int
    digest: str
    published_at: datetime
    warnings: list[str] = Field(
        description="What its calls can no longer use, such as a provider whose key was removed."
    )
