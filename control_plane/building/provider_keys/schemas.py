"""Provider keys on the wire. The key itself is only ever sent to us."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr

from control_plane.building.provider_keys.models import ProviderKey

SHORTEST_KEY = 12
LONGEST_KEY = 500
_VISIBLE = re.compile(r"[\x21-\x7e]+")


def _fit_for_a_header(key: SecretStr) -> SecretStr:
    if not SHORTEST_KEY <= len(key.get_secret_value()) <= LONGEST_KEY:
        raise ValueError(f"a key has {SHORTEST_KEY} to {LONGEST_KEY} characters")
    if not _VISIBLE.fullmatch(key.get_secret_value()):
        raise ValueError("a key consists of visible ASCII characters, without blanks")
    return key


class ProviderKeySet(BaseModel):
    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"example": {"key": "sk-proj-0123456789"}}
    )
    key: Annotated[SecretStr, AfterValidator(_fit_for_a_header)] = Field(
        description=f"The provider's API key, {SHORTEST_KEY} to {LONGEST_KEY} characters."
    )
    verify: bool = Field(
        True,
        description="Ask the provider whether it accepts the key before storing it. Send `false` "
        "for a key that may not list models, or while the provider is away.",
    )


class ProviderKeyView(BaseModel):
    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "provider": "openai",
                "last_four": "6789",
                "status": "verified",
                "created_at": "2026-01-05T09:00:00Z",
                "updated_at": "2026-01-05T09:00:00Z",
                "verified_at": "2026-01-05T09:00:00Z",
            }
        }
    )
    provider: str
    last_four: str = Field(description="The key's last four characters, to recognise it by.")
    status: Literal["verified", "unverified"] = Field(
        description="Whether the provider accepted the key when it was set."
    )
    created_at: datetime
    updated_at: datetime = Field(description="When the key was last replaced.")
    verified_at: datetime | None

    @classmethod
    def of(cls, record: ProviderKey) -> ProviderKeyView:
        return cls(
            provider=record.provider,
            last_four=record.last_four,
            status="unverified" if record.verified_at is None else "verified",
            created_at=record.created_at,
            updated_at=record.updated_at,
            verified_at=record.verified_at,
        )


class ProviderKeyList(BaseModel):
    provider_keys: list[ProviderKeyView]


class ProviderKeyDeleted(BaseModel):
    model_config = ConfigDict(
        json_schema_extra={"example": {"status": "deleted", "provider": "openai"}}
    )
    status: Literal["deleted"] = "deleted"
    provider: str
