from __future__ import annotations

import base64

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from carriers.signed_request import CarrierRequest, Repeat, SignatureFault, SignatureRefused
from carriers.telnyx.signature import (
    MAX_AGE_SECONDS,
    SIGNATURE_HEADER,
    TIMESTAMP_HEADER,
    TOKEN_HEADER,
    TelnyxSignatures,
)
from tests.carriers.accounts import TELNYX, TELNYX_KEY

NOW = 1_700_000_000
BODY = b'{"data":{"event_type":"call.initiated","id":"e-1","payload":{"call_control_id":"v3:a"}}}'
SIGNATURES = TelnyxSignatures(TELNYX)


def _request(
    body: bytes = BODY,
    signed_at: int = NOW,
    key: Ed25519PrivateKey = TELNYX_KEY,
    **headers: str,
) -> CarrierRequest:
    signature = key.sign(f"{signed_at}|".encode() + body)
    given = {
        SIGNATURE_HEADER: base64.b64encode(signature).decode(),
        TIMESTAMP_HEADER: str(signed_at),
        **headers,
    }
    return CarrierRequest("POST", "https://a.example/voice", given, body)


def _fault(request: CarrierRequest) -> SignatureFault:
    with pytest.raises(SignatureRefused) as refused:
        SIGNATURES.check_webhook(request, now=NOW)
    return refused.value.fault


def test_a_signed_webhook_is_accepted() -> None:
    assert SIGNATURES.check_webhook(_request(), now=NOW).repeat is Repeat.DUPLICATE


def test_every_changed_byte_is_noticed() -> None:
    headers = _request().headers
    for place in range(len(BODY)):
        changed = bytearray(BODY)
        changed[place] ^= 1
        request = CarrierRequest("POST", "https://a.example/voice", headers, bytes(changed))
        assert _fault(request) is SignatureFault.WRONG


def test_a_changed_time_is_noticed() -> None:
    headers = {**_request().headers, TIMESTAMP_HEADER: str(NOW + 1)}
    request = CarrierRequest("POST", "https://a.example/voice", headers, BODY)
    assert _fault(request) is SignatureFault.WRONG


def test_another_accounts_key_is_refused() -> None:
    key = Ed25519PrivateKey.from_private_bytes(b"\x08" * 32)
    assert _fault(_request(key=key)) is SignatureFault.WRONG


@pytest.mark.parametrize("seconds", [MAX_AGE_SECONDS + 1, -MAX_AGE_SECONDS - 1])
def test_an_old_time_is_refused_and_one_that_is_not_yet(seconds: int) -> None:
    assert _fault(_request(signed_at=NOW - seconds)) is SignatureFault.TOO_OLD


@pytest.mark.parametrize("seconds", [MAX_AGE_SECONDS, -MAX_AGE_SECONDS])
def test_a_time_at_the_limit_is_accepted(seconds: int) -> None:
    assert SIGNATURES.check_webhook(_request(signed_at=NOW - seconds), now=NOW)


@pytest.mark.parametrize("header", [SIGNATURE_HEADER, TIMESTAMP_HEADER])
def test_a_missing_header_is_told_from_a_wrong_one(header: str) -> None:
    headers = {name: value for name, value in _request().headers.items() if name != header}
    request = CarrierRequest("POST", "https://a.example/voice", headers, BODY)
    assert _fault(request) is SignatureFault.MISSING


@pytest.mark.parametrize(
    ("header", "value"),
    [
        (SIGNATURE_HEADER, "not base64!"),
        (SIGNATURE_HEADER, base64.b64encode(b"short").decode()),
        (SIGNATURE_HEADER, "é"),
        (TIMESTAMP_HEADER, "soon"),
        (TIMESTAMP_HEADER, "-5"),
        (TIMESTAMP_HEADER, "1e9"),
        (TIMESTAMP_HEADER, "٣"),
        (TIMESTAMP_HEADER, "9" * 5000),
    ],
)
def test_headers_of_any_shape_are_only_wrong(header: str, value: str) -> None:
    assert _fault(_request(**{header: value})) is SignatureFault.WRONG


def test_an_event_that_is_signed_again_is_known_by_its_id() -> None:
    first = SIGNATURES.check_webhook(_request(), now=NOW)
    again = SIGNATURES.check_webhook(_request(signed_at=NOW + 60), now=NOW + 60)
    other = SIGNATURES.check_webhook(_request(BODY.replace(b"e-1", b"e-2")), now=NOW)
    assert again.once_key == first.once_key != other.once_key


def test_an_upgrade_brings_its_token_in_a_header() -> None:
    request = CarrierRequest("GET", "wss://a.example/media", {TOKEN_HEADER: "t0k3n"})
    assert SIGNATURES.check_upgrade(request, now=NOW).token == "t0k3n"
    with pytest.raises(SignatureRefused):
        SIGNATURES.check_upgrade(CarrierRequest("GET", "wss://a.example/media", {}), now=NOW)
