"""Provider keys in requests and answers. No answer contains a key."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    StrictBool,
    StringConstraints,
)

from control_plane.building.provider_keys.models import ProviderKey
from outbound.address import LONGEST_ADDRESS

SHORTEST_KEY = 12
LONGEST_KEY = 500
MOST_MODELS = 50
DEFAULT_NAME = "Your own server"
_VISIBLE = re.compile(r"[\x21-\x7e]+")
ModelName = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^\S+$")]


def _fit_for_a_header(key: SecretStr) -> SecretStr:
    if not SHORTEST_KEY <= len(key.get_secret_value()) <= LONGEST_KEY:
        raise ValueError(f"must have {SHORTEST_KEY} to {LONGEST_KEY} characters")
    if not _VISIBLE.fullmatch(key.get_secret_value()):
        raise ValueError("must consist of visible ASCII characters without spaces")
    return key


def _each_once(models: list[str]) -> list[str]:
    if len(set(models)) < len(models):
        raise ValueError("must name each model once")
    return models


class ProviderKeySet(BaseModel):
    """``base_url``, ``models`` and ``name`` are for ``openai_compatible``, a server of your own."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"example": {"key": "sk-proj-0123456789"}}
    )
    key: Annotated[SecretStr, AfterValidator(_fit_for_a_header)] | None = Field(
        None,
        description=f"The provider's API key, {SHORTEST_KEY} to {LONGEST_KEY} characters. Only a "
        "server of your own may do without.",
    )
    base_url: str | None = Field(
        None,
        max_length=LONGEST_ADDRESS,
        description="The root of your server's API, which ends with `/v1` for most servers. "
        "Required for `openai_compatible`, and refused for all others. `https://`, or `http://` in "
        "a private network that the operator allows.",
    )
    models: Annotated[list[ModelName], AfterValidator(_each_once)] | None = Field(
        None,
        min_length=1,
        max_length=MOST_MODELS,
        description="The models on your server that your agents may use. Agents that name no "
        "language model get the first one. Required with `base_url`.",
    )
    name: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)] | None = Field(
        None,
        max_length=60,
        description=f"What people read as the provider of these models. Default: {DEFAULT_NAME}.",
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
        description="The last four characters of the key, so that you can recognise it. Empty for "
        "a server of your own that wants no key."
    )
    status: Literal["verified", "unverified"] = Field(
        description="Whether the provider accepted the key when it was set."
    )
    created_at: datetime
    updated_at: datetime = Field(description="When the key was last set.")
    verified_at: datetime | None
    base_url: str | None = Field(None, description="Of a server of your own; null for the others.")
    models: list[str] | None = Field(None, description="Of a server of your own, best first.")
    name: str | None = Field(None, description="Of a server of your own.")

    @classmethod
    def of(cls, record: ProviderKey) -> ProviderKeyView:
        return cls(
            provider=record.provider,
            last_four=record.last_four,
            status="unverified" if record.verified_at is None else "verified",
            created_at=record.created_at,
            updated_at=record.updated_at,
            verified_at=record.verified_at,
            base_url=record.base_url,
            models=record.models,
            name=record.display_name,
        )


class ProviderKeyList(BaseModel):
    provider_keys: list[ProviderKeyView]


class ProviderKeyDeleted(BaseModel):
    model_config = ConfigDict(
        json_schema_extra={"example": {"status": "deleted", "provider": "openai"}}
    )
    status: Literal["deleted"] = "deleted"
    provider: str
