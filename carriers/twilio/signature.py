"""Twilio's ``X-Twilio-Signature``. Pure.

Source: https://www.twilio.com/docs/usage/security
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Iterable
from urllib.parse import parse_qs, urlsplit

from carriers.account import TwilioCredentials
from carriers.json_message import form_fields
from carriers.signed_request import (
    CarrierRequest,
    Proof,
    Repeat,
    SignatureFault,
    SignatureRefused,
    UpgradeProof,
)

HEADER = "x-twilio-signature"
REMEMBER_SECONDS = 24 * 3600
"""The signature has no time, so nothing else ends its life."""
_DEFAULT_PORTS = {"https": 443, "http": 80, "wss": 443, "ws": 80}


class TwilioSignatures:
    def __init__(self, credentials: TwilioCredentials) -> None:
        self._token = credentials.auth_token.get_secret_value()
        self._account = credentials.account_sid

    def check_webhook(self, request: CarrierRequest, now: float) -> Proof:
        expected = parse_qs(urlsplit(request.url).query).get("bodySHA256")
        if expected is not None:
            _check_body_hash(request.body, expected[0])
            fields: list[tuple[str, str]] = []
        else:
            fields = form_fields(request.body)
        signature = self._check(request, _with_and_without_port(request.url), fields)
        # Twilio sends the very same request again when it got no answer. Its idempotency token is
        # a header, which the signature does not cover.
        return Proof(f"twilio:{self._account}:{signature}", Repeat.DUPLICATE, REMEMBER_SECONDS)

    def check_upgrade(self, request: CarrierRequest, now: float) -> UpgradeProof:
        urls = list(_with_and_without_port(request.url))
        # Twilio signs the address of a websocket sometimes with a slash at its end.
        self._check(request, [*urls, *(f"{url}/" for url in urls if not url.endswith("/"))], [])
        return UpgradeProof(token=None)

    def _check(
        self, request: CarrierRequest, urls: Iterable[str], fields: list[tuple[str, str]]
    ) -> str:
        given = request.headers.get(HEADER)
        if not given:
            raise SignatureRefused(SignatureFault.MISSING, f"there is no {HEADER} header")
        for url in urls:
            if hmac.compare_digest(twilio_signature(self._token, url, fields), given.encode()):
                return given
        raise SignatureRefused(
            SignatureFault.WRONG,
            "the signature does not fit: the auth token or the public address is another one",
        )


def twilio_signature(auth_token: str, url: str, fields: list[tuple[str, str]]) -> bytes:
    """Base64 of an HMAC-SHA1 of ``url`` and each distinct field, sorted by name and value."""
    text = url + "".join(name + value for name, value in sorted(set(fields)))
    digest = hmac.new(auth_token.encode(), text.encode("utf-8", "surrogatepass"), hashlib.sha1)
    return base64.b64encode(digest.digest())


def _check_body_hash(body: bytes, expected: str) -> None:
    actual = hashlib.sha256(body).hexdigest()
    if not hmac.compare_digest(actual.encode(), expected.lower().encode()):
        raise SignatureRefused(SignatureFault.WRONG, "bodySHA256 does not fit the body")


def _with_and_without_port(url: str) -> tuple[str, ...]:
    """Twilio may sign the default port or leave it out, whatever was configured."""
    parts = urlsplit(url)
    host, separator, port = parts.netloc.rpartition(":")
    default = str(_DEFAULT_PORTS.get(parts.scheme, ""))
    if separator and port == default:
        return url, parts._replace(netloc=host).geturl()
    if default and not (separator and port.isdigit()):
        return url, parts._replace(netloc=f"{parts.netloc}:{default}").geturl()
    return (url,)
