"""Provider keys in requests and answers. No answer contains a key."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr, StrictBool

from control_plane.building.provider_keys.models import ProviderKey

SHORTEST_KEY = 12
LONGEST_KEY = 500
_VISIBLE = re.compile(r"[\x21-\x7e]+")


def _fit_for_a_header(key: SecretStr) -> SecretStr:
    if not SHORTEST_KEY <= len(key.get_secret_value()) <= LONGEST_KEY:
        raise ValueError(f"must have {SHORTEST_KEY} to {LONGEST_KEY} characters")
    if not _VISIBLE.fullmatch(key.get_secret_value()):
        raise ValueError("must consist of visible ASCII characters without spaces")
    return key


class ProviderKeySet(BaseModel):
    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"example": {"key": "sk-proj-0123456789"}}
    )
    key: Annotated[SecretStr, AfterValidator(_fit_for_a_header)] = Field(
        description=f"The provider's API key, {SHORTEST_KEY} to {LONGEST_KEY} characters."
    )
    verify: StrictBool = Field(
        True,
        description="Whether to ask the provider if it accepts the key before it is stored. Send "
        "`false` for a key that is not allowed to list models, or while the provider is down.",
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
    last_four: str = Field(
        description="The last four characters of the key, so that you can recognise it."
    )
    status: Literal["verified", "unverified"] = Field(
        description="Whether the provider accepted the key when it was set."
    )
    created_at: datetime
    updated_at: datetime = Field(description="When the key was last set.")
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
