"""Accounts at carriers on the wire. No answer contains a secret."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, JsonValue, StrictBool, StringConstraints

from contracts.carrier_accounts import CarrierProvider, RefuseWith
from control_plane.calling.carriers.models import CarrierAccountRecord

Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100)]
_CREDENTIALS = (
    "`twilio`: `account_sid`, `auth_token` (the primary one). "
    "`telnyx`: `api_key`, `public_key`; optional `connection_id`, `outbound_voice_profile_id`. "
    "`plivo`: `auth_id`, `auth_token`; optional `application_id`. "
    "`vonage`: `api_key`, `api_secret`, `signature_secret`; optional `application_id` together "
    "with its `private_key`."
)
Credentials = Annotated[dict[str, JsonValue], Field(max_length=10)]
_EXAMPLE: dict[str, Any] = {
    "provider": "twilio",
    "credentials": {
        "account_sid": "AC0123456789abcdef0123456789abcdef",
        "auth_token": "0123456789abcdef0123456789abcdef",
    },
}


class CarrierAccountCreate(BaseModel):
    model_config = ConfigDict(extra="forbid", json_schema_extra={"example": _EXAMPLE})
    provider: CarrierProvider
    credentials: Credentials = Field(description=_CREDENTIALS)
    name: Name | None = Field(None, description="For people. Default: the carrier's name.")
    is_default: StrictBool | None = Field(
        None,
        description="Whether this account is asked first for a number that you register. Default: "
        "true for your first account.",
    )
    refuse_with: RefuseWith = Field(
        "sentence",
        description="What callers hear whose call cannot be taken: a recorded `sentence`, the "
        "`busy` signal, or the carrier's own `reject`.",
    )


class CarrierAccountUpdate(BaseModel):
    """What is left out stays as it is."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"example": {"is_default": True}})
    credentials: Credentials | None = Field(
        None,
        description="All credentials of the carrier, in place of the old ones. " + _CREDENTIALS,
    )
    name: Name | None = None
    is_default: StrictBool | None = Field(
        None, description="`true` makes it the default in place of the account that was."
    )
    refuse_with: RefuseWith | None = None


class InstallationCarrier(BaseModel):
    """The operator's own account at a carrier."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"example": {"credentials": _EXAMPLE["credentials"]}}
    )
    credentials: Credentials = Field(description=_CREDENTIALS)
    refuse_with: RefuseWith = Field(
        "sentence", description="What callers hear whose call cannot be taken."
    )


class CarrierAccountView(BaseModel):
    id: UUID
    provider: CarrierProvider
    name: str
    is_default: bool
    refuse_with: RefuseWith
    identifiers: dict[str, str] = Field(
        description="The credentials that are no secrets, such as `account_sid`."
    )
    status: Literal["verified", "failed", "unverified"] = Field(
        description="Whether the carrier accepted the credentials when it was last asked. "
        "`unverified`: it has not answered yet."
    )
    problem: str | None = Field(description="What was wrong at the last check, in a sentence.")
    verified_at: datetime | None
    created_at: datetime
    updated_at: datetime

    @classmethod
    def of(cls, account: CarrierAccountRecord, identifiers: dict[str, str]) -> CarrierAccountView:
        return cls.model_validate(
            {
                "id": account.id,
                "provider": account.provider,
                "name": account.name,
                "is_default": account.is_default,
                "refuse_with": account.refuse_with,
                "identifiers": identifiers,
                "status": _status(account),
                "problem": account.problem,
                "verified_at": account.verified_at,
                "created_at": account.created_at,
                "updated_at": account.updated_at,
            }
        )


def _status(account: CarrierAccountRecord) -> str:
    if account.verified_at is not None:
        return "verified"
    return "failed" if account.problem else "unverified"


class CarrierAccountPage(BaseModel):
    carriers: list[CarrierAccountView]
    total: int
    offset: int
    limit: int


class CarrierAccountDeleted(BaseModel):
    status: Literal["deleted"] = "deleted"
    id: UUID


class CarrierVerification(BaseModel):
    """What the carrier said."""

    ok: bool
    message: str = Field(description="What is right, or what is wrong and what to do about it.")
    code: str | None = Field(
        description="Why not, for programs: `wrong_credentials`, `account_suspended`, "
        "`not_allowed`, `no_credit`, `not_found`, `rate_limited`, `unreachable` or `refused`."
    )
    carrier: CarrierAccountView
