from __future__ import annotations

import hashlib
from typing import Any

import jwt
import pytest

from carriers.signed_request import CarrierRequest, Repeat, SignatureFault, SignatureRefused
from carriers.vonage.signature import MAX_AGE_SECONDS, VonageSignatures
from tests.carriers.accounts import VONAGE, VONAGE_APPLICATION, vonage_with_application

NOW = 1_700_000_000
BODY = b'{"from":"447700900000","to":"447700900001","uuid":"u-1"}'
SECRET = VONAGE.signature_secret.get_secret_value()
SIGNATURES = VonageSignatures(vonage_with_application())


def _claims(**changes: Any) -> dict[str, Any]:
    claims = {
        "iat": NOW,
        "jti": "j-1",
        "iss": "Vonage",
        "payload_hash": hashlib.sha256(BODY).hexdigest(),
        "api_key": VONAGE.api_key,
        "application_id": VONAGE_APPLICATION,
    } | changes
    return {name: value for name, value in claims.items() if value is not None}


def _request(
    claims: dict[str, Any] | None = None,
    *,
    secret: str = SECRET,
    body: bytes = BODY,
    algorithm: str = "HS256",
) -> CarrierRequest:
    token = jwt.encode(claims or _claims(), secret, algorithm=algorithm)
    headers = {"authorization": f"Bearer {token}"}
    return CarrierRequest("POST", "https://a.example/voice", headers, body)


def _fault(request: CarrierRequest) -> SignatureFault:
    with pytest.raises(SignatureRefused) as refused:
        SIGNATURES.check_webhook(request, now=NOW)
    return refused.value.fault


def test_a_signed_webhook_is_accepted() -> None:
    proof = SIGNATURES.check_webhook(_request(), now=NOW)
    assert proof.repeat is Repeat.REPLAY
    assert proof.remember_seconds >= 2 * MAX_AGE_SECONDS


def test_the_hash_may_be_in_capitals() -> None:
    claims = _claims(payload_hash=hashlib.sha256(BODY).hexdigest().upper())
    assert SIGNATURES.check_webhook(_request(claims), now=NOW)


def test_every_changed_byte_of_the_body_is_noticed() -> None:
    for place in range(len(BODY)):
        changed = bytearray(BODY)
        changed[place] ^= 1
        assert _fault(_request(body=bytes(changed))) is SignatureFault.WRONG


@pytest.mark.parametrize("body", [b"", BODY])
def test_a_request_whose_body_is_not_covered_is_refused(body: bytes) -> None:
    assert _fault(_request(_claims(payload_hash=None), body=body)) is SignatureFault.WRONG


def test_another_secret_is_refused() -> None:
    assert _fault(_request(secret=SECRET[::-1])) is SignatureFault.WRONG


def test_another_algorithm_is_refused_even_with_the_right_secret() -> None:
    assert _fault(_request(secret=SECRET * 2, algorithm="HS512")) is SignatureFault.WRONG
    token = jwt.encode(_claims(), None, algorithm="none")
    headers = {"authorization": f"Bearer {token}"}
    request = CarrierRequest("POST", "https://a.example/voice", headers, BODY)
    assert _fault(request) is SignatureFault.WRONG


@pytest.mark.parametrize("seconds", [MAX_AGE_SECONDS + 1, -MAX_AGE_SECONDS - 1])
def test_an_old_time_is_refused_and_one_that_is_not_yet(seconds: int) -> None:
    assert _fault(_request(_claims(iat=NOW - seconds))) is SignatureFault.TOO_OLD


@pytest.mark.parametrize("seconds", [MAX_AGE_SECONDS, -MAX_AGE_SECONDS])
def test_a_time_at_the_limit_is_accepted(seconds: int) -> None:
    assert SIGNATURES.check_webhook(_request(_claims(iat=NOW - seconds)), now=NOW)


@pytest.mark.parametrize(
    "changes",
    [
        {"iat": None},
        {"iat": "now"},
        {"iat": True},
        {"jti": None},
        {"jti": ""},
        {"payload_hash": 5},
        {"payload_hash": "\ud800"},
    ],
)
def test_claims_of_any_shape_are_only_wrong(changes: dict[str, Any]) -> None:
    assert _fault(_request(_claims(**changes))) is SignatureFault.WRONG


@pytest.mark.parametrize("issued", [10**400, float("nan"), float("inf")])
def test_a_time_that_is_no_time_is_too_old(issued: float) -> None:
    assert _fault(_request(_claims(iat=issued))) is SignatureFault.TOO_OLD


@pytest.mark.parametrize(
    "changes", [{"iss": "Nexmo"}, {"iss": None}, {"api_key": "other"}, {"application_id": "x"}]
)
def test_another_accounts_token_is_refused(changes: dict[str, Any]) -> None:
    assert _fault(_request(_claims(**changes))) is SignatureFault.WRONG_ACCOUNT


def test_the_application_need_not_be_named() -> None:
    assert SIGNATURES.check_webhook(_request(_claims(application_id=None)), now=NOW)


@pytest.mark.parametrize("header", [None, "", "Bearer", "Basic abc"])
def test_a_missing_token_is_told_from_a_wrong_one(header: str | None) -> None:
    headers = {} if header is None else {"authorization": header}
    request = CarrierRequest("POST", "https://a.example/voice", headers, BODY)
    assert _fault(request) is SignatureFault.MISSING


@pytest.mark.parametrize("token", ["x", "a.b.c", "é.é.é", "." * 5000])
def test_a_token_of_any_shape_is_only_wrong(token: str) -> None:
    headers = {"authorization": f"Bearer {token}"}
    request = CarrierRequest("POST", "https://a.example/voice", headers, BODY)
    assert _fault(request) is SignatureFault.WRONG


def test_a_token_that_comes_again_has_the_same_key() -> None:
    first = SIGNATURES.check_webhook(_request(), now=NOW)
    again = SIGNATURES.check_webhook(_request(), now=NOW + 5)
    other = SIGNATURES.check_webhook(_request(_claims(jti="j-2")), now=NOW)
    assert again.once_key == first.once_key != other.once_key


def test_an_upgrade_needs_a_token_but_no_hash() -> None:
    request = _request(_claims(payload_hash=None), body=b"")
    proof = SIGNATURES.check_upgrade(request, now=NOW)
    assert proof.token is None
    assert proof.once_key is not None
    with pytest.raises(SignatureRefused):
        SIGNATURES.check_upgrade(CarrierRequest("GET", "wss://a.example/media", {}), now=NOW)
