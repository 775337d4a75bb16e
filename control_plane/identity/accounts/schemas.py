"""Requests and responses of the account routes."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, SecretStr, StringConstraints
from pydantic.config import JsonDict, JsonValue

from control_plane.identity.accounts.passwords.hashing import LONGEST, SHORTEST
from control_plane.platform.mail.addresses import EmailAddress
from control_plane.platform.tenancy.caller import Role

PersonName = Annotated[
    str,
    StringConstraints(
        strip_whitespace=True, min_length=1, max_length=100, pattern=r"^[^\x00-\x1f\x7f]*$"
    ),
]
TenantName = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
Password = Annotated[SecretStr, Field(max_length=LONGEST)]
NewPassword = Annotated[
    SecretStr,
    Field(
        max_length=LONGEST,
        description=f"{SHORTEST} to {LONGEST} characters, and not the mail address.",
    ),
]
Token = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
_ID = "7f1f8f5e-3a8e-4a0c-9b1b-0d2a5c6e9f10"
_TENANT: JsonDict = {"id": "0c5b8a52-6a43-4b3f-8c0e-3f8f0a6f2d11", "name": "Bright Smiles"}


def _example(**fields: JsonValue) -> ConfigDict:
    return ConfigDict(extra="forbid", json_schema_extra={"example": fields})


class SignUp(BaseModel):
    model_config = _example(
        tenant_name="Bright Smiles",
        email="mia@example.com",
        password="correct horse battery",
        name="Mia Meyer",
    )
    tenant_name: TenantName
    email: EmailAddress
    password: NewPassword
    name: PersonName | None = Field(None, description="Your own name.")


class Login(BaseModel):
    model_config = _example(email="mia@example.com", password="correct horse battery")
    email: EmailAddress
    password: Password
    tenant_id: UUID | None = Field(
        None, description="The tenant to log in to; the default is the one that you joined first."
    )


class TenantSwitch(BaseModel):
    model_config = _example(tenant_id=_TENANT["id"])
    tenant_id: UUID


class PasswordResetRequest(BaseModel):
    model_config = _example(email="mia@example.com")
    email: EmailAddress


class PasswordResetConfirmation(BaseModel):
    model_config = _example(token="KJ8…", password="an even better horse")
    token: Token
    password: NewPassword


class EmailConfirmation(BaseModel):
    model_config = _example(token="KJ8…", password="correct horse battery")
    token: Token
    password: Password | None = Field(
        None, description="Your password. A session of the account replaces it."
    )


class PasswordChange(BaseModel):
    model_config = _example(
        current_password="correct horse battery", new_password="an even better horse"
    )
    current_password: Password
    new_password: NewPassword


class MeUpdate(BaseModel):
    model_config = _example(name="Mia Meyer")
    name: PersonName | None = Field(description="`null` clears it.")


class Person(BaseModel):
    id: UUID
    email: str
    name: str | None
    email_confirmed: bool = Field(
        description="Whether a token that was mailed to this address was used. Until then, a "
        "session can use only `/v1/me`, `/v1/auth` and `/v1/invitations/accept`."
    )


class UsedKey(BaseModel):
    id: UUID
    name: str


class CurrentTenant(BaseModel):
    id: UUID
    name: str
    tier: Literal["free", "enterprise"]
    plan_id: str


class OwnTenant(BaseModel):
    id: UUID
    name: str
    role: Role


_ME: JsonDict = {
    "actor": "user",
    "user": {
        "id": _ID,
        "email": "mia@example.com",
        "name": "Mia Meyer",
        "email_confirmed": False,
    },
    "api_key": None,
    "tenant": _TENANT | {"tier": "free", "plan_id": "pay_as_you_go"},
    "role": "owner",
    "tenants": [_TENANT | {"role": "owner"}],
    "csrf_token": "5d0c…",
}


class Me(BaseModel):
    """For a session `user`, `role` and `csrf_token` are set; for a secret key `api_key` is."""

    model_config = ConfigDict(json_schema_extra={"example": _ME})
    actor: Literal["user", "secret_key"]
    user: Person | None
    api_key: UsedKey | None
    tenant: CurrentTenant
    role: Role | None
    tenants: list[OwnTenant] = Field(description="The user's tenants; empty for a key.")
    csrf_token: str | None = Field(
        description="Send it in the header X-CSRF-Token with every request that changes something."
    )


class LoggedIn(Me):
    model_config = ConfigDict(
        json_schema_extra={"example": _ME | {"status": "logged_in", "new_device": False}}
    )
    status: Literal["logged_in"] = "logged_in"
    new_device: bool = Field(description="Whether this is your first login from this browser.")


class LoggedOut(BaseModel):
    status: Literal["logged_out"] = "logged_out"


class PasswordResetRequested(BaseModel):
    """The answer is the same whether or not the address has an account."""

    status: Literal["requested"] = "requested"
    mail_enabled: bool = Field(description="Whether this installation sends mail.")
    message: str


class EmailConfirmed(BaseModel):
    status: Literal["confirmed"] = "confirmed"
    welcome_credit_posted: bool = Field(description="Whether this request posted the credit.")


class PasswordSet(BaseModel):
    status: Literal["password_set"] = "password_set"


class SessionView(BaseModel):
    model_config = ConfigDict(
        from_attributes=True,
        json_schema_extra={
            "example": {
                "id": _ID,
                "tenant_id": _TENANT["id"],
                "address": "203.0.113.7",
                "user_agent": "Mozilla/5.0 …",
                "created_at": "2026-01-05T09:30:00Z",
                "last_used_at": "2026-01-05T11:02:00Z",
                "expires_at": "2026-01-19T11:02:00Z",
                "is_current": True,
            }
        },
    )
    id: UUID
    tenant_id: UUID
    address: str | None
    user_agent: str | None
    created_at: datetime
    last_used_at: datetime
    expires_at: datetime
    is_current: bool = Field(False, description="Whether it is the session of this request.")


class SessionList(BaseModel):
    sessions: list[SessionView]


class SessionsRevoked(BaseModel):
    status: Literal["revoked"] = "revoked"
    count: int
