"""One account at each carrier."""

from __future__ import annotations

import base64
from functools import cache

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from pydantic import SecretStr

from carriers.account import (
    AnyCredentials,
    CarrierName,
    PlivoCredentials,
    TelnyxCredentials,
    TwilioCredentials,
    VonageCredentials,
)
from carriers.vonage.application_key import new_private_key

TWILIO = TwilioCredentials(
    account_sid="AC00000000000000000000000000000001", auth_token=SecretStr("12345")
)
TELNYX_KEY = Ed25519PrivateKey.from_private_bytes(b"\x07" * 32)
TELNYX = TelnyxCredentials(
    api_key=SecretStr("KEY0123456789"),
    public_key=base64.b64encode(
        TELNYX_KEY.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    ).decode(),
    connection_id="1494404757140276705",
)
PLIVO = PlivoCredentials(
    auth_id="MAXXXXXXXXXXXXXXXXXX", auth_token=SecretStr("my_auth_token"), application_id="77"
)
VONAGE_APPLICATION = "78d335fa-323d-0114-9c3d-d6f0d48968cf"
VONAGE = VonageCredentials(
    api_key="abcd1234",
    api_secret=SecretStr("s3cret"),
    signature_secret=SecretStr("an account's signature secret, 32+".replace(" ", "-")),
)


@cache
def vonage_with_application() -> VonageCredentials:
    return VONAGE.model_copy(
        update={
            "application_id": VONAGE_APPLICATION,
            "private_key": SecretStr(new_private_key()),
        }
    )


def account_at(carrier: CarrierName) -> AnyCredentials:
    """Ready to dial."""
    match carrier:
        case CarrierName.TWILIO:
            return TWILIO
        case CarrierName.TELNYX:
            return TELNYX
        case CarrierName.PLIVO:
            return PLIVO
        case CarrierName.VONAGE:
            return vonage_with_application()
