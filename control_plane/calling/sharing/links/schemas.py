"""Public links on the wire. Source: API spec, "Share link" and "Limits"."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StrictBool, StrictInt, StrictStr

from control_plane.identity.api_keys.web_origin import web_origin

MAX_ORIGINS = 20


class ShareLinkChange(BaseModel):
    """Fields that are left out stay as they are; a new link takes the defaults."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"example": {"minutes_limit": 60, "max_concurrent": 3}}
    )
    enabled: StrictBool = True
    minutes_limit: Annotated[StrictInt, Field(ge=0, le=6000)] = Field(
        30, description="All the minutes that visitors may ever use."
    )
    max_call_seconds: Annotated[StrictInt, Field(ge=60, le=1800)] = Field(
        300, description="The longest call. An agent's own shorter limit counts."
    )
    max_concurrent: Annotated[StrictInt, Field(ge=1, le=10)] = Field(
        2, description="How many visitors may be in a call at a time."
    )
    calls_per_ip_hour: Annotated[StrictInt, Field(ge=1, le=30)] = Field(
        3, description="How many calls one IPv4 address, or one /64 network of IPv6, has an hour."
    )
    allowed_origins: Annotated[
        list[Annotated[StrictStr, AfterValidator(web_origin)]], Field(max_length=MAX_ORIGINS)
    ] = Field(
        [],
        description="The origins of other pages on which the widget works, such as "
        "`https://shop.example`. Without any, only the link's own page works.",
    )


class ShareLinkView(BaseModel):
    id: UUID
    url: str = Field(
        description="Empty if the installation has lost the key that decrypts it: it still works, "
        "and regenerating gives the link another one."
    )
    enabled: bool
    minutes_limit: int
    minutes_used: int = Field(description="Rounded up.")
    minutes_reserved: int = Field(description="By calls that run now; rounded up.")
    minutes_remaining: int = Field(description="For further calls; rounded down.")
    seconds_used: int = Field(description="Connected time of the calls that are over.")
    seconds_remaining: int = Field(description="For further calls.")
    live_calls: int
    max_call_seconds: int
    max_concurrent: int
    calls_per_ip_hour: int
    allowed_origins: list[str]
    minutes_requested_at: datetime | None = Field(
        description="When a visitor asked for more minutes; `null` again once `minutes_limit` is "
        "raised."
    )
    created_at: datetime


class ShareLinkAnswer(BaseModel):
    link: ShareLinkView


class ShareLinkFound(BaseModel):
    link: ShareLinkView | None = Field(description="`null`: the agent has none yet.")
