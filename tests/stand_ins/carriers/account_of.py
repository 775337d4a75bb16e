"""A stand-in carrier for each kind of account."""

from __future__ import annotations

from collections.abc import Mapping

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from carriers.account import (
    AnyCredentials,
    PlivoCredentials,
    TelnyxCredentials,
    TwilioCredentials,
    VonageCredentials,
)
from carriers.vonage.application_key import public_key
from tests.stand_ins.carriers.carrier import StandInCarrier
from tests.stand_ins.carriers.plivo import PlivoWire
from tests.stand_ins.carriers.telnyx import TelnyxWire
from tests.stand_ins.carriers.twilio import TwilioWire
from tests.stand_ins.carriers.vonage import VonageWire
from tests.stand_ins.carriers.wire import CarrierWire


def carrier_for(
    credentials: AnyCredentials,
    *,
    telnyx_key: Ed25519PrivateKey | None = None,
    reach: Mapping[str, str] | None = None,
) -> StandInCarrier:
    """The carrier at which ``credentials`` are right, with the application that they name.

    Args:
        telnyx_key: fits the public key of Telnyx's credentials.
    """
    return StandInCarrier(_wire(credentials, telnyx_key), reach)


def _wire(credentials: AnyCredentials, telnyx_key: Ed25519PrivateKey | None) -> CarrierWire:
    match credentials:
        case TwilioCredentials():
            return TwilioWire(credentials.account_sid, credentials.auth_token.get_secret_value())
        case TelnyxCredentials():
            assert telnyx_key is not None
            telnyx = TelnyxWire(credentials.api_key.get_secret_value(), telnyx_key)
            if credentials.connection_id is not None:
                application = {"id": credentials.connection_id, "application_name": "mine"}
                telnyx.applications[credentials.connection_id] = application
            return telnyx
        case PlivoCredentials():
            plivo = PlivoWire(credentials.auth_id, credentials.auth_token.get_secret_value())
            if credentials.application_id is not None:
                application = {"app_id": credentials.application_id, "app_name": "mine"}
                plivo.applications[credentials.application_id] = application
            return plivo
        case VonageCredentials():
            vonage = VonageWire(
                credentials.api_key,
                credentials.api_secret.get_secret_value(),
                credentials.signature_secret.get_secret_value(),
            )
            if credentials.application_id is not None and credentials.private_key is not None:
                key = public_key(credentials.private_key.get_secret_value())
                vonage.applications[credentials.application_id] = {
                    "id": credentials.application_id,
                    "name": "mine",
                    "capabilities": {"rtc": {"webhooks": {}}, "voice": {"region": "eu-west"}},
                    "keys": {"public_key": key},
                }
            return vonage
