"""The request to open a tenant, and its response."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from control_plane.platform.mail.addresses import EmailAddress

Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]


class TenantCreate(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: Name
    owner_email: EmailAddress


class TenantCreated(BaseModel):
    tenant_id: UUID
    owner_user_id: UUID
    api_key: str = Field(description="A secret key. It is shown only here.")
