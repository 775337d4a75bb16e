from __future__ import annotations

from urllib.parse import urlencode

import pytest

from carriers.plivo.signature import (
    NONCE_HEADER,
    SIGNATURE_HEADERS,
    PlivoSignatures,
    plivo_signature,
    signed_text,
)
from carriers.signed_request import CarrierRequest, Repeat, SignatureFault, SignatureRefused
from tests.carriers.accounts import PLIVO

NONCE = "05429567804466091622"
SIGNATURES = PlivoSignatures(PLIVO)
VECTORS = [
    (
        "POST",
        "https://api.example.com/answer",
        {"CallUUID": "c-1", "From": "14155550100", "To": "14155550199"},
        "https://api.example.com/answer?CallUUIDc-1From14155550100To14155550199",
        "p5hv5ov07Hm4Bta4ig/xolTjf+BsSWF7m0PjZJqpZfU=",
    ),
    (
        "POST",
        "https://api.example.com/answer/?t=9&a=1",
        {"CallUUID": "c-1", "From": "14155550100"},
        "https://api.example.com/answer/?a=1&t=9.CallUUIDc-1From14155550100",
        "NaJ93xJh0Xb+H+uBaj/h2p4QEie6SvrYnav/7nNTVmg=",
    ),
    (
        "POST",
        "https://api.example.com/answer",
        {},
        "https://api.example.com/answer",
        "6uRRsCR5f43eo4gGqlYLv7wTFGfFZnekogp4NT9kpyc=",
    ),
    (
        "GET",
        "https://api.example.com/answer?t=9",
        {"CallUUID": "c-1"},
        "https://api.example.com/answer?CallUUID=c-1&t=9",
        "wHc10pHSGKUYwv8j+q9vZa2oV5IPhHyltdN1tdG3DNM=",
    ),
]


def _request(
    signature: str = VECTORS[0][4],
    body: bytes = urlencode(VECTORS[0][2]).encode(),
    header: str = SIGNATURE_HEADERS[0],
    nonce: str = NONCE,
) -> CarrierRequest:
    headers = {header: signature, NONCE_HEADER: nonce}
    return CarrierRequest("POST", VECTORS[0][1], headers, body)


def _fault(request: CarrierRequest) -> SignatureFault:
    with pytest.raises(SignatureRefused) as refused:
        SIGNATURES.check_webhook(request, now=0)
    return refused.value.fault


@pytest.mark.parametrize(("method", "url", "fields", "text", "signature"), VECTORS)
def test_the_vectors_of_plivos_own_library(
    method: str, url: str, fields: dict[str, str], text: str, signature: str
) -> None:
    pairs = list(fields.items())
    assert signed_text(method, url, pairs) == text
    assert plivo_signature("my_auth_token", method, url, pairs, NONCE).decode() == signature


@pytest.mark.parametrize(("method", "url", "fields", "text", "signature"), VECTORS[:3])
def test_a_signed_webhook_is_accepted(
    method: str, url: str, fields: dict[str, str], text: str, signature: str
) -> None:
    headers = {SIGNATURE_HEADERS[0]: signature, NONCE_HEADER: NONCE}
    request = CarrierRequest(method, url, headers, urlencode(fields).encode())
    proof = SIGNATURES.check_webhook(request, now=0)
    assert (proof.repeat, proof.remember_seconds) == (Repeat.REPLAY, 24 * 3600)


@pytest.mark.parametrize("header", SIGNATURE_HEADERS)
def test_one_right_signature_among_several_is_enough(header: str) -> None:
    request = _request(f"d3Jvbmc=, {VECTORS[0][4]} ,", header=header)
    assert SIGNATURES.check_webhook(request, now=0)


def test_every_changed_byte_of_the_body_is_noticed() -> None:
    body = _request().body
    for place in range(len(body)):
        changed = bytearray(body)
        changed[place] ^= 1
        assert _fault(_request(body=bytes(changed))) is SignatureFault.WRONG


def test_another_token_is_refused() -> None:
    _, url, fields, _, _ = VECTORS[0]
    signature = plivo_signature("other", "POST", url, list(fields.items()), NONCE).decode()
    assert _fault(_request(signature)) is SignatureFault.WRONG


def test_another_nonce_is_refused() -> None:
    assert _fault(_request(nonce="1")) is SignatureFault.WRONG


@pytest.mark.parametrize("missing", [SIGNATURE_HEADERS[0], NONCE_HEADER])
def test_a_missing_header_is_told_from_a_wrong_one(missing: str) -> None:
    headers = {name: value for name, value in _request().headers.items() if name != missing}
    request = CarrierRequest("POST", VECTORS[0][1], headers, _request().body)
    assert _fault(request) is SignatureFault.MISSING


def test_a_nonce_that_comes_again_has_the_same_key() -> None:
    first = SIGNATURES.check_webhook(_request(), now=0)
    assert SIGNATURES.check_webhook(_request(), now=999).once_key == first.once_key


def test_repeated_fields_are_sorted_by_value() -> None:
    assert signed_text("POST", "https://a.example/", [("b", "2"), ("a", "2"), ("a", "1")]) == (
        "https://a.example/?a1a2b2"
    )


MEDIA = "wss://a.example/media?call_token=t0k3n"


def test_an_upgrade_is_proved_by_the_token_in_its_address() -> None:
    proof = SIGNATURES.check_upgrade(CarrierRequest("GET", MEDIA, {}), now=0)
    assert (proof.token, proof.once_key) == ("t0k3n", None)
    with pytest.raises(SignatureRefused):
        SIGNATURES.check_upgrade(CarrierRequest("GET", "wss://a.example/media", {}), now=0)


@pytest.mark.parametrize("scheme", ["wss", "https"])
def test_an_upgrade_that_is_signed_must_be_signed_rightly(scheme: str) -> None:
    signed = MEDIA.replace("wss", scheme)
    signature = plivo_signature("my_auth_token", "GET", signed, [], NONCE).decode()
    headers = {SIGNATURE_HEADERS[0]: signature, NONCE_HEADER: NONCE}
    proof = SIGNATURES.check_upgrade(CarrierRequest("GET", MEDIA, headers), now=0)
    assert proof.token == "t0k3n"
    assert proof.once_key is not None
    headers[SIGNATURE_HEADERS[0]] = "d3Jvbmc="
    with pytest.raises(SignatureRefused):
        SIGNATURES.check_upgrade(CarrierRequest("GET", MEDIA, headers), now=0)
