"""What a carrier needs to know us: one model of credentials for each carrier."""

from __future__ import annotations

import base64
import binascii
from enum import StrEnum
from typing import Annotated, Literal

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    TypeAdapter,
    model_validator,
)

MAX_SECRET_LENGTH = 512
MAX_PEM_LENGTH = 8192


class CarrierName(StrEnum):
    """As the API, ``end_reason`` and the addresses of webhooks name it."""

    TWILIO = "twilio"
    TELNYX = "telnyx"
    PLIVO = "plivo"
    VONAGE = "vonage"


def _checked_secret(secret: SecretStr) -> SecretStr:
    text = secret.get_secret_value()
    if not text.isascii() or not text.isprintable() or " " in text:
        raise ValueError("must have only printable ASCII characters and no spaces")
    return secret


def _checked_public_key(text: str) -> str:
    try:
        raw = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raw = b""
    if len(raw) != 32:
        raise ValueError("must be an Ed25519 public key: 32 bytes in base64")
    return text


def _checked_private_key(secret: SecretStr) -> SecretStr:
    try:
        key = load_pem_private_key(secret.get_secret_value().encode(), password=None)
    except (ValueError, TypeError):
        raise ValueError("must be an RSA private key in PEM, without a password") from None
    if not isinstance(key, RSAPrivateKey):
        raise ValueError("must be an RSA private key")
    return secret


Secret = Annotated[
    SecretStr, Field(min_length=1, max_length=MAX_SECRET_LENGTH), AfterValidator(_checked_secret)
]
_PrivateKey = Annotated[
    SecretStr, Field(min_length=1, max_length=MAX_PEM_LENGTH), AfterValidator(_checked_private_key)
]
_Identifier = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
_Uuid = Annotated[
    str, Field(pattern=r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$")
]
_FROZEN = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)


class TwilioCredentials(BaseModel):
    model_config = _FROZEN
    provider: Literal[CarrierName.TWILIO] = CarrierName.TWILIO
    account_sid: Annotated[str, Field(pattern=r"^AC[0-9a-f]{32}$")]
    auth_token: Secret
    """The primary one: webhooks are signed with it."""


class TelnyxCredentials(BaseModel):
    model_config = _FROZEN
    provider: Literal[CarrierName.TELNYX] = CarrierName.TELNYX
    api_key: Secret
    public_key: Annotated[str, AfterValidator(_checked_public_key)]
    """Verifies webhooks. Ed25519, 32 bytes in base64."""
    connection_id: _Identifier | None = None
    """The Call Control application of our calls. ``prepare_account`` finds or creates it."""
    outbound_voice_profile_id: _Identifier | None = None
    """What the application may dial by. ``prepare_account`` gives it to the application, and takes
    the account's only one where none is set."""


class PlivoCredentials(BaseModel):
    model_config = _FROZEN
    provider: Literal[CarrierName.PLIVO] = CarrierName.PLIVO
    auth_id: _Identifier
    auth_token: Secret
    application_id: _Identifier | None = None
    """Answers the calls of our numbers. ``prepare_account`` finds or creates it."""


class VonageCredentials(BaseModel):
    model_config = _FROZEN
    provider: Literal[CarrierName.VONAGE] = CarrierName.VONAGE
    api_key: _Identifier
    api_secret: Secret
    signature_secret: Secret
    """Verifies webhooks."""
    application_id: _Uuid | None = None
    private_key: _PrivateKey | None = None
    """Of the application: signs our requests about calls. An RSA key in PEM. ``prepare_account``
    finds or creates the application, and makes the key."""

    @model_validator(mode="after")
    def _application_has_its_key(self) -> VonageCredentials:
        if (self.application_id is None) != (self.private_key is None):
            raise ValueError("application_id and private_key must be given together, or neither")
        return self


Credentials = Annotated[
    TwilioCredentials | TelnyxCredentials | PlivoCredentials | VonageCredentials,
    Field(discriminator="provider"),
]
AnyCredentials = TwilioCredentials | TelnyxCredentials | PlivoCredentials | VonageCredentials


def revealed(credentials: AnyCredentials) -> dict[str, str]:
    """Every field that is set, secrets in plain text: only for sealing."""
    return {
        name: value.get_secret_value() if isinstance(value, SecretStr) else str(value)
        for name, value in credentials
        if value is not None
    }


def read_credentials(document: object) -> AnyCredentials:
    """The reverse of ``revealed``.

    Raises:
        pydantic.ValidationError: the document names no carrier, or its fields are not right.
    """
    return _ADAPTER.validate_python(document)


_ADAPTER: TypeAdapter[AnyCredentials] = TypeAdapter(Credentials)
