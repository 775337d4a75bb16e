"""Requests and responses of the API key routes."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal, Self
from uuid import UUID

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    StrictInt,
    StringConstraints,
    model_validator,
)

from contracts.versions import read_object
from control_plane.identity.api_keys.countries import CountryCode
from control_plane.identity.api_keys.scope import DEFAULT_PHONE_CALLS_PER_DAY
from control_plane.identity.api_keys.secrets import KeyKind
from control_plane.identity.api_keys.web_origin import web_origin
from control_plane.platform.tenancy.caller import CallContentLimits

MAX_OVERLAP_SECONDS = 30 * 24 * 3600

KeyChannel = Literal["web", "phone"]
KeyName = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
WebOrigin = Annotated[str, StringConstraints(max_length=300), AfterValidator(web_origin)]

AllowedChannels = Annotated[
    set[KeyChannel],
    Field(min_length=1, description="The kinds of calls that a publishable key may start."),
]
AllowedOrigins = Annotated[
    set[WebOrigin],
    Field(
        min_length=1,
        max_length=100,
        description="Origins of the web pages that may use a publishable key, such as "
        "`https://shop.example`. Requests with another `Origin` header, or none, are refused. "
        "`null`: any page.",
    ),
]
AllowedAgents = Annotated[
    set[UUID],
    Field(
        min_length=1,
        max_length=1000,
        description="Agents that a publishable key may call over the web. `null`: every agent.",
    ),
]
PhoneAgent = Annotated[
    UUID,
    Field(description="The agent of a publishable key's phone calls; `phone` requires it."),
]


PhoneCountries = Annotated[
    set[CountryCode],
    Field(
        min_length=1,
        description="Countries (ISO 3166-1 alpha-2) whose numbers a publishable key may call. "
        "`null`: every country.",
        examples=[["DE", "US"]],
    ),
]
PhoneCallsPerDay = Annotated[
    StrictInt,
    Field(
        ge=1,
        le=1_000_000,
        description="How many phone calls a publishable key may start in a day of UTC. The default "
        f"for a key with `phone` is {DEFAULT_PHONE_CALLS_PER_DAY}; in an update, `null` removes "
        "the limit.",
    ),
]


_DEFAULTS = CallContentLimits()


class CallLimits(BaseModel):
    """What a call with a publishable key may bring along. A field that you leave out has its
    default."""

    model_config = ConfigDict(extra="forbid")
    participants: Annotated[
        StrictInt, Field(ge=1, le=16, description="Of a web call; a phone call has one.")
    ] = _DEFAULTS.participants
    variables: Annotated[StrictInt, Field(ge=0, le=200)] = _DEFAULTS.variables
    variable_characters: Annotated[
        StrictInt,
        Field(
            ge=1,
            le=10_000,
            description="Of each variable's name, and of its value (as JSON if it is no text).",
        ),
    ] = _DEFAULTS.variable_characters
    undeclared_variables: StrictBool = Field(
        _DEFAULTS.undeclared_variables,
        description="Whether a call may name variables that the agent's texts do not use.",
    )
    metadata_bytes: Annotated[
        StrictInt,
        Field(
            ge=2,
            le=65_536,
            description="Of the `metadata` of the call and its participants together, as JSON.",
        ),
    ] = _DEFAULTS.metadata_bytes


def _stored(limits: Any) -> CallLimits | None:
    return None if limits is None else read_object(CallLimits, limits)


class KeyScope(BaseModel):
    """What a publishable key may do. A secret key has none of these fields."""

    model_config = ConfigDict(extra="forbid")
    allowed_channels: AllowedChannels | None = None
    allowed_origins: AllowedOrigins | None = None
    allowed_agent_ids: AllowedAgents | None = None
    phone_agent_id: PhoneAgent | None = None
    phone_countries: PhoneCountries | None = None
    phone_calls_per_day: PhoneCallsPerDay | None = None
    call_limits: CallLimits | None = None


class ApiKeyCreate(KeyScope):
    """The `allowed_…` and `phone_…` fields are for publishable keys. The default of
    `allowed_channels` is `web`."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "name": "Shop page",
                "kind": "publishable",
                "allowed_channels": ["web"],
                "allowed_origins": ["https://shop.example"],
            }
        },
    )
    name: KeyName
    kind: KeyKind


class ApiKeyUpdate(KeyScope):
    """Only the fields that you send change. `null` removes `phone_agent_id` and the restriction of
    `allowed_origins`, `allowed_agent_ids`, `phone_countries` or `phone_calls_per_day`, and puts
    `call_limits` back to the defaults."""

    model_config = ConfigDict(
        json_schema_extra={"example": {"name": "Shop page", "allowed_channels": ["web"]}},
    )
    name: KeyName | None = None

    @model_validator(mode="after")
    def _something_changes(self) -> Self:
        if not self.model_fields_set:
            raise ValueError(f"send at least one of {', '.join(type(self).model_fields)}")
        return self


class ApiKeyRotate(BaseModel):
    model_config = ConfigDict(extra="forbid", json_schema_extra={"example": {"overlap_seconds": 0}})
    overlap_seconds: StrictInt = Field(
        0,
        ge=0,
        le=MAX_OVERLAP_SECONDS,
        description="How long the current secret keeps working, up to 30 days.",
    )


class ApiKeyView(BaseModel):
    model_config = ConfigDict(from_attributes=True)
    id: UUID
    name: str
    kind: KeyKind
    hint: str = Field(description="First and last characters of the newest secret.")
    allowed_channels: list[KeyChannel]
    allowed_origins: list[str] | None
    allowed_agent_ids: list[UUID] | None
    phone_agent_id: UUID | None
    phone_countries: list[str] | None
    phone_calls_per_day: int | None
    call_limits: Annotated[CallLimits | None, BeforeValidator(_stored)] = Field(
        description="`null`: the defaults."
    )
    created_at: datetime
    last_used_at: datetime | None = Field(description="To the minute.")
    overlap_ends_at: datetime | None = Field(
        None, description="Until when secrets from before the last rotation work."
    )
    revoked_at: datetime | None


class ApiKeyCreated(ApiKeyView):
    status: Literal["created"] = "created"
    key: str = Field(description="The key itself. It is shown only here.")


class ApiKeyRotated(ApiKeyView):
    status: Literal["rotated"] = "rotated"
    key: str = Field(description="The key's new secret. It is shown only here.")


class ApiKeyList(BaseModel):
    api_keys: list[ApiKeyView]
    total: int
    offset: int
    limit: int


class ApiKeyRevoked(BaseModel):
    status: Literal["revoked"] = "revoked"
    id: UUID
