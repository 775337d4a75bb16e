"""Vonage's signed webhooks: a JWT with a hash of the body. Pure.

Source: https://developer.vonage.com/en/getting-started/concepts/webhooks (signed webhooks)
"""

from __future__ import annotations

import hashlib
import hmac
from typing import Any

import jwt

from carriers.account import VonageCredentials
from carriers.signed_request import (
    CarrierRequest,
    Proof,
    Repeat,
    SignatureFault,
    SignatureRefused,
    UpgradeProof,
)

MAX_AGE_SECONDS = 300
REMEMBER_SECONDS = 2 * MAX_AGE_SECONDS
"""A token may come from as far in our future as in our past."""
ISSUER = "Vonage"


class VonageSignatures:
    def __init__(self, credentials: VonageCredentials) -> None:
        self._credentials = credentials

    def check_webhook(self, request: CarrierRequest, now: float) -> Proof:
        """A request without a body is refused: the token would cover nothing of it. Our application
        asks Vonage for ``POST``."""
        claims = self._claims(request, now)
        expected = hashlib.sha256(request.body).hexdigest()
        given = claims.get("payload_hash")
        if not isinstance(given, str) or not hmac.compare_digest(
            given.lower().encode("utf-8", "replace"), expected.encode()
        ):
            raise SignatureRefused(SignatureFault.WRONG, "payload_hash does not fit the body")
        return Proof(self._once_key(claims), Repeat.REPLAY, REMEMBER_SECONDS)

    def check_upgrade(self, request: CarrierRequest, now: float) -> UpgradeProof:
        return UpgradeProof(None, self._once_key(self._claims(request, now)), REMEMBER_SECONDS)

    def _once_key(self, claims: dict[str, Any]) -> str:
        return f"vonage:{self._credentials.api_key}:{claims['jti']}"

    def _claims(self, request: CarrierRequest, now: float) -> dict[str, Any]:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not token:
            raise SignatureRefused(
                SignatureFault.MISSING,
                "there is no bearer token: signed callbacks are off at the application",
            )
        try:
            claims: dict[str, Any] = jwt.decode(
                token.strip(),
                self._credentials.signature_secret.get_secret_value(),
                algorithms=["HS256"],
                # Times are compared with ``now``.
                options={"verify_iat": False, "verify_exp": False, "verify_nbf": False},
            )
        except (jwt.InvalidTokenError, ValueError):
            raise SignatureRefused(
                SignatureFault.WRONG, "the token is not signed with the signature secret"
            ) from None
        self._check_time(claims, now)
        self._check_account(claims)
        return claims

    def _check_time(self, claims: dict[str, Any], now: float) -> None:
        issued, once = claims.get("iat"), claims.get("jti")
        if not isinstance(issued, int | float) or isinstance(issued, bool):
            raise SignatureRefused(SignatureFault.WRONG, "the token does not say when it was made")
        if not isinstance(once, str) or not once:
            raise SignatureRefused(SignatureFault.WRONG, "the token has no jti")
        # A number that is too big for a float compares all the same.
        if not now - MAX_AGE_SECONDS <= issued <= now + MAX_AGE_SECONDS:
            raise SignatureRefused(
                SignatureFault.TOO_OLD, f"it was signed more than {MAX_AGE_SECONDS} s from now"
            )

    def _check_account(self, claims: dict[str, Any]) -> None:
        application = claims.get("application_id")
        expected = self._credentials.application_id
        if claims.get("iss") != ISSUER or claims.get("api_key") != self._credentials.api_key:
            raise SignatureRefused(SignatureFault.WRONG_ACCOUNT, "it is another account's token")
        if application is not None and expected is not None and application != expected:
            raise SignatureRefused(
                SignatureFault.WRONG_ACCOUNT, "it is another application's token"
            )
