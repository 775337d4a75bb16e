"""Plivo's signature, version 3. Pure.

Source: https://www.plivo.com/docs/voice/xml/request/validation
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Iterable
from urllib.parse import parse_qs, parse_qsl, urlsplit

from carriers.account import PlivoCredentials
from carriers.answers import TOKEN_PARAMETER
from carriers.json_message import form_fields
from carriers.signed_request import (
    CarrierRequest,
    Proof,
    Repeat,
    SignatureFault,
    SignatureRefused,
    UpgradeProof,
)

SIGNATURE_HEADERS = ("x-plivo-signature-v3", "x-plivo-signature-ma-v3")
"""With the token of the subaccount, and of the main account."""
NONCE_HEADER = "x-plivo-signature-v3-nonce"
REMEMBER_SECONDS = 24 * 3600
"""The signature has no time: only the memory of nonces stops a replay."""
Fields = list[tuple[str, str]]


class PlivoSignatures:
    def __init__(self, credentials: PlivoCredentials) -> None:
        self._token = credentials.auth_token.get_secret_value()
        self._account = credentials.auth_id

    def check_webhook(self, request: CarrierRequest, now: float) -> Proof:
        nonce = self._check(request, (request.url,))
        return Proof(f"plivo:{self._account}:{nonce}", Repeat.REPLAY, REMEMBER_SECONDS)

    def check_upgrade(self, request: CarrierRequest, now: float) -> UpgradeProof:
        """Plivo signs the upgrade only where the account is set up for it. The token in the address
        is the proof; a signature that is there must be right."""
        token = parse_qs(urlsplit(request.url).query).get(TOKEN_PARAMETER)
        if not token:
            raise SignatureRefused(
                SignatureFault.MISSING, f"the address has no {TOKEN_PARAMETER} in its query"
            )
        if not any(request.headers.get(header) for header in SIGNATURE_HEADERS):
            return UpgradeProof(token[0])
        as_https = urlsplit(request.url)._replace(scheme="https").geturl()
        nonce = self._check(request, (request.url, as_https))
        return UpgradeProof(token[0], f"plivo:{self._account}:{nonce}", REMEMBER_SECONDS)

    def _check(self, request: CarrierRequest, urls: Iterable[str]) -> str:
        """The nonce."""
        nonce = request.headers.get(NONCE_HEADER)
        given = [
            signature.strip()
            for header in SIGNATURE_HEADERS
            for signature in request.headers.get(header, "").split(",")
            if signature.strip()
        ]
        if not nonce or not given:
            raise SignatureRefused(
                SignatureFault.MISSING, f"there is no {SIGNATURE_HEADERS[0]} or {NONCE_HEADER}"
            )
        fields = form_fields(request.body) if request.method == "POST" else []
        for url in urls:
            expected = plivo_signature(self._token, request.method, url, fields, nonce)
            if any(hmac.compare_digest(expected, signature.encode()) for signature in given):
                return nonce
        raise SignatureRefused(
            SignatureFault.WRONG,
            "the signature does not fit: the auth token or the public address is another one",
        )


def plivo_signature(auth_token: str, method: str, url: str, fields: Fields, nonce: str) -> bytes:
    """Base64 of an HMAC-SHA256 of ``signed_text`` and the nonce."""
    text = f"{signed_text(method, url, fields)}.{nonce}".encode("utf-8", "surrogatepass")
    return base64.b64encode(hmac.new(auth_token.encode(), text, hashlib.sha256).digest())


def signed_text(method: str, url: str, fields: Fields) -> str:
    """Of a ``POST``, the form follows the sorted query without any separators in it. Of a ``GET``,
    everything is one sorted query."""
    parts = urlsplit(url)
    base = parts._replace(query="", fragment="").geturl()
    query = parse_qsl(parts.query, keep_blank_values=True)
    if method != "POST":
        return _with_query(base, [*query, *fields])
    text = _with_query(base, query)
    if fields:
        text += "." if query else "?"
        text += "".join(name + value for name, value in sorted(fields))
    return text


def _with_query(base: str, fields: Fields) -> str:
    query = "&".join(f"{name}={value}" for name, value in sorted(fields))
    return f"{base}?{query}" if query else base
