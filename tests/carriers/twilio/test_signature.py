from __future__ import annotations

import hashlib
from urllib.parse import urlencode

import pytest

from carriers.signed_request import CarrierRequest, Repeat, SignatureFault, SignatureRefused
from carriers.twilio.signature import HEADER, TwilioSignatures, twilio_signature
from tests.carriers.accounts import TWILIO

URL = "https://mycompany.com/myapp.php?foo=1&bar=2"
FIELDS = {
    "CallSid": "CA1234567890ABCDE",
    "Digits": "1234",
    "From": "+14158675309",
    "To": "+18005551212",
    "Caller": "+14158675309",
}
SIGNATURE = "RSOYDt4T1cUTdK1PDd93/VVr8B8="
BODY = urlencode(FIELDS).encode()
SIGNATURES = TwilioSignatures(TWILIO)


def _request(
    body: bytes = BODY, signature: str | None = SIGNATURE, url: str = URL
) -> CarrierRequest:
    headers = {} if signature is None else {HEADER: signature}
    return CarrierRequest("POST", url, headers, body)


def _signed(url: str, fields: list[tuple[str, str]], token: str = "12345") -> str:
    return twilio_signature(token, url, fields).decode()


def _fault(request: CarrierRequest) -> SignatureFault:
    with pytest.raises(SignatureRefused) as refused:
        SIGNATURES.check_webhook(request, now=0)
    return refused.value.fault


def test_twilios_own_vector_is_accepted() -> None:
    proof = SIGNATURES.check_webhook(_request(), now=0)
    assert proof.repeat is Repeat.DUPLICATE


def test_every_changed_byte_of_the_body_is_noticed() -> None:
    for place in range(len(BODY)):
        changed = bytearray(BODY)
        changed[place] ^= 1
        assert _fault(_request(bytes(changed))) is SignatureFault.WRONG


@pytest.mark.parametrize(
    "url",
    [
        "https://mycompany.com/myapp.php?foo=1&bar=3",
        "https://mycompany.com/myapp.php",
        "http://mycompany.com/myapp.php?foo=1&bar=2",
        "https://mycompany.com:8443/myapp.php?foo=1&bar=2",
    ],
)
def test_another_address_is_refused(url: str) -> None:
    assert _fault(_request(url=url)) is SignatureFault.WRONG


def test_another_token_is_refused() -> None:
    signature = _signed(URL, list(FIELDS.items()), token="12346")
    assert _fault(_request(signature=signature)) is SignatureFault.WRONG


@pytest.mark.parametrize("signature", [None, ""])
def test_a_missing_signature_is_told_from_a_wrong_one(signature: str | None) -> None:
    assert _fault(_request(signature=signature)) is SignatureFault.MISSING


@pytest.mark.parametrize("signature", ["é", "=" * 4000, SIGNATURE.lower()])
def test_a_signature_of_any_shape_is_only_wrong(signature: str) -> None:
    assert _fault(_request(signature=signature)) is SignatureFault.WRONG


def test_the_default_port_may_be_signed_or_not() -> None:
    fields = list(FIELDS.items())
    with_port = URL.replace("mycompany.com", "mycompany.com:443")
    for configured in (URL, with_port):
        for signed in (URL, with_port):
            request = _request(signature=_signed(signed, fields), url=configured)
            assert SIGNATURES.check_webhook(request, now=0)


def test_repeated_fields_are_signed_once_for_each_distinct_value() -> None:
    fields = [("Tag", "b"), ("Tag", "a"), ("Tag", "b")]
    body = urlencode(fields).encode()
    signature = _signed(URL, [("Tag", "a"), ("Tag", "b")])
    assert SIGNATURES.check_webhook(_request(body, signature), now=0)


def test_an_empty_field_is_signed_by_its_name() -> None:
    signature = _signed(URL, [("Digits", "")])
    assert SIGNATURES.check_webhook(_request(b"Digits=", signature), now=0)


def test_a_json_body_is_signed_by_its_hash() -> None:
    body = b'{"a": 1}'
    url = f"https://mycompany.com/hook?bodySHA256={hashlib.sha256(body).hexdigest()}"
    assert SIGNATURES.check_webhook(_request(body, _signed(url, []), url), now=0)
    assert _fault(_request(b'{"a": 2}', _signed(url, []), url)) is SignatureFault.WRONG


def test_the_same_request_again_is_known_as_a_duplicate_whatever_its_unsigned_headers() -> None:
    first = SIGNATURES.check_webhook(_request(), now=0)
    headers = {HEADER: SIGNATURE, "i-twilio-idempotency-token": "another"}
    again = SIGNATURES.check_webhook(CarrierRequest("POST", URL, headers, BODY), now=9)
    assert again.once_key == first.once_key


@pytest.mark.parametrize("signed", ["wss://a.example/media", "wss://a.example/media/"])
def test_an_upgrade_is_signed_over_the_websockets_address(signed: str) -> None:
    headers = {HEADER: _signed(signed, [])}
    request = CarrierRequest("GET", "wss://a.example/media", headers)
    assert SIGNATURES.check_upgrade(request, now=0).token is None


def test_an_upgrade_signed_for_another_address_or_not_at_all_is_refused() -> None:
    for headers in ({}, {HEADER: _signed("wss://a.example/other", [])}):
        with pytest.raises(SignatureRefused):
            SIGNATURES.check_upgrade(CarrierRequest("GET", "wss://a.example/media", headers), now=0)
