"""Telnyx's Ed25519 signature of webhooks, and the token of its media websockets. Pure.

Source: https://developers.telnyx.com/docs/development/api-fundamentals/webhooks
"""

from __future__ import annotations

import base64
import hashlib

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from carriers.account import TelnyxCredentials
from carriers.json_message import member, read_object, text_of
from carriers.signed_request import (
    CarrierRequest,
    Proof,
    Repeat,
    SignatureFault,
    SignatureRefused,
    UpgradeProof,
)

SIGNATURE_HEADER = "telnyx-signature-ed25519"
TIMESTAMP_HEADER = "telnyx-timestamp"
TOKEN_HEADER = "x-telnyx-streaming-auth-token"
MAX_AGE_SECONDS = 300
REMEMBER_SECONDS = 3600
"""Telnyx signs an event again when it sends it again, so its age says nothing about repeats."""


class TelnyxSignatures:
    def __init__(self, credentials: TelnyxCredentials) -> None:
        raw = base64.b64decode(credentials.public_key)
        self._key = Ed25519PublicKey.from_public_bytes(raw)
        self._account = credentials.public_key

    def check_webhook(self, request: CarrierRequest, now: float) -> Proof:
        signature = request.headers.get(SIGNATURE_HEADER)
        timestamp = request.headers.get(TIMESTAMP_HEADER)
        if not signature or not timestamp:
            raise SignatureRefused(
                SignatureFault.MISSING, f"{SIGNATURE_HEADER} or {TIMESTAMP_HEADER} is missing"
            )
        if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12):
            raise SignatureRefused(SignatureFault.WRONG, f"{TIMESTAMP_HEADER} is no number")
        try:
            self._key.verify(
                base64.b64decode(signature, validate=True),
                timestamp.encode() + b"|" + request.body,
            )
        except (InvalidSignature, ValueError):
            raise SignatureRefused(
                SignatureFault.WRONG,
                "the signature does not fit: the public key is another account's, or the body "
                "was changed",
            ) from None
        if abs(now - int(timestamp)) > MAX_AGE_SECONDS:
            raise SignatureRefused(
                SignatureFault.TOO_OLD, f"it was signed more than {MAX_AGE_SECONDS} s from now"
            )
        return Proof(self._once_key(request.body), Repeat.DUPLICATE, REMEMBER_SECONDS)

    def check_upgrade(self, request: CarrierRequest, now: float) -> UpgradeProof:
        token = request.headers.get(TOKEN_HEADER)
        if not token:
            raise SignatureRefused(SignatureFault.MISSING, f"there is no {TOKEN_HEADER} header")
        return UpgradeProof(token=token)

    def _once_key(self, body: bytes) -> str:
        event_id = text_of(member(read_object(body) or {}, "data"), "id")
        return f"telnyx:{self._account}:{event_id or hashlib.sha256(body).hexdigest()}"
