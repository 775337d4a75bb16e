"""Broken webhooks and media messages, in the words of the four carriers.

Webhooks come from anybody who knows the address, so half of them are signed wrongly or not at all.
The others show what a carrier itself could send, and what follows from a leaked secret.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any
from urllib.parse import urlencode

import jwt

from carriers.account import AnyCredentials, CarrierName
from carriers.dialect import Audio, Flush, Incoming, Marker, Started, Stopped
from carriers.json_message import form_fields
from carriers.plivo.signature import NONCE_HEADER, SIGNATURE_HEADERS, plivo_signature
from carriers.registry import carrier_of
from carriers.signed_request import CarrierRequest, SignatureRefused
from carriers.telnyx.signature import SIGNATURE_HEADER, TIMESTAMP_HEADER, TOKEN_HEADER
from carriers.twilio.signature import HEADER, twilio_signature
from carriers.vonage.signature import ISSUER
from carriers.vonage.webhook import for_dialed_call
from tests.carriers.accounts import PLIVO, TELNYX, TELNYX_KEY, TWILIO, VONAGE
from tests.carriers.wires import WIRES, Message, Wire
from tests.fuzz.mutation import ODD_TEXTS, mutated_bytes, mutated_json, mutated_lines
from tests.fuzz.outcome import Outcome
from tests.fuzz.own_time import own_ms

LONGEST_MS = 250.0
MESSAGES_OF_A_STREAM = 5_000
"""The sound of 100 s. A stream keeps what it keeps until it ends."""
NOW = 1_700_000_000
URL = "https://phones.example/carriers/x/1/status?call=7"
MEDIA_URL = "wss://phones.example/carriers/x/1/media?call_token=t0k3n"
ACCOUNTS: Mapping[CarrierName, AnyCredentials] = {
    CarrierName.TWILIO: TWILIO,
    CarrierName.TELNYX: TELNYX,
    CarrierName.PLIVO: PLIVO,
    CarrierName.VONAGE: VONAGE,
}
FORMS: Mapping[CarrierName, tuple[dict[str, str], ...]] = {
    CarrierName.TWILIO: (
        {
            "CallSid": "CA1",
            "CallStatus": "ringing",
            "Direction": "inbound",
            "From": "+14155550100",
            "To": "+14155550199",
        },
        {
            "CallSid": "CA1",
            "CallStatus": "failed",
            "CallbackSource": "call-progress-events",
            "SipResponseCode": "404",
            "ErrorMessage": "no route",
            "CallDuration": "31",
        },
        {"CallSid": "CA1", "AnsweredBy": "machine_end_beep"},
        {"CallSid": "CA1", "StreamEvent": "stream-error", "StreamError": "no route"},
    ),
    CarrierName.PLIVO: (
        {
            "CallUUID": "c-1",
            "CallStatus": "ringing",
            "Direction": "inbound",
            "From": "14155550100",
            "To": "14155550199",
        },
        {
            "RequestUUID": "r-1",
            "CallStatus": "busy",
            "HangupCauseCode": "3010",
            "HangupCauseName": "Busy Line",
            "Duration": "12",
        },
        {"CallUUID": "c-1", "Event": "MachineDetection", "Machine": "true"},
        {"CallUUID": "c-1", "Event": "DroppedStream"},
    ),
}
_TELNYX_PAYLOADS: Mapping[str, dict[str, Any]] = {
    "call.initiated": {"direction": "incoming", "from": "+14155550100", "to": "+14155550199"},
    "call.hangup": {
        "hangup_cause": "user_busy",
        "sip_hangup_cause": "486",
        "call_duration_secs": 12,
    },
    "call.machine.detection.ended": {"result": "machine"},
    "call.dtmf.received": {"digit": "5"},
    "streaming.failed": {"failure_reason": "connection_failed"},
}
DOCUMENTS: Mapping[CarrierName, tuple[dict[str, Any], ...]] = {
    CarrierName.TELNYX: tuple(
        {
            "data": {
                "event_type": event,
                "id": "e-1",
                "occurred_at": "2026-01-01T00:00:00Z",
                "payload": {"call_control_id": "v3:c", **payload},
                "record_type": "event",
            },
            "meta": {"attempt": 1, "delivered_to": URL},
        }
        for event, payload in _TELNYX_PAYLOADS.items()
    ),
    CarrierName.VONAGE: (
        {"from": "14155550100", "to": "14155550199", "uuid": "u-1", "conversation_uuid": "C"},
        {"uuid": "u-1", "status": "completed", "duration": "12", "detail": {"type": "ok"}},
        {"uuid": "u-1", "status": "unanswered", "detail": "cannot_route"},
        {"call_uuid": "u-1", "status": "machine", "sub_state": "beep_start"},
    ),
}


class _Wrong(Exception):
    """Something was read that breaks the rules of ``carriers.dialect`` or of the events."""


def fuzz_carriers(dice: Random, count: int) -> Outcome:
    """Read ``count`` broken messages: each is understood or ignored, and soon."""
    outcome = Outcome("carrier messages")
    streams = {name: _Stream(wire) for name, wire in WIRES.items()}
    while outcome.inputs < count:
        name = dice.choice(list(WIRES))
        message: CarrierRequest | Message
        is_webhook = dice.random() < 0.5
        message = _webhook(dice, name) if is_webhook else _media_message(dice, WIRES[name])
        began_at_ms = own_ms()
        try:
            if isinstance(message, CarrierRequest):
                outcome.taken += _is_understood(name, message)
            else:
                if streams[name].is_spent:
                    streams[name].end()
                    streams[name] = _Stream(WIRES[name])
                outcome.taken += streams[name].takes(dice, message)
        except Exception as error:  # noqa: BLE001 - any of them is a fault
            outcome.faults.append(f"{name}: {error!r} from {str(message)[:300]}")
            streams[name] = _Stream(WIRES[name])
        took_ms = own_ms() - began_at_ms
        outcome.longest_ms = max(outcome.longest_ms, took_ms)
        outcome.inputs += 1
        outcome.note_memory(outcome.inputs / count)
    if outcome.longest_ms > LONGEST_MS:
        outcome.faults.append(f"one message took {outcome.longest_ms:.0f} ms")
    outcome.close()
    return outcome


def _is_understood(name: CarrierName, request: CarrierRequest) -> bool:
    """Whether it was signed rightly, and reported something."""
    spec = carrier_of(name)
    events = spec.read_events(request)
    if not all(event.call_id for event in events):
        raise _Wrong(f"an event without a call: {events}")
    signatures = spec.signatures(ACCOUNTS[name])
    upgrade = CarrierRequest("GET", MEDIA_URL, request.headers)
    is_signed = False
    for check, what in (
        (signatures.check_webhook, request),
        (signatures.check_upgrade, upgrade),
    ):
        try:
            check(what, NOW)
        except SignatureRefused:
            continue
        is_signed = is_signed or what is request
    return is_signed and bool(events)


def _webhook(dice: Random, name: CarrierName) -> CarrierRequest:
    url = dice.choice((URL, URL, for_dialed_call(URL), URL + "&" + dice.choice(ODD_TEXTS)))
    body = _body(dice, name)
    headers = dict(SIGNED[name](url, body))
    if dice.random() < 0.5:
        headers = {each: _broken_header(dice, value) for each, value in headers.items()}
    return CarrierRequest("POST", url, headers, body)


def _body(dice: Random, name: CarrierName) -> bytes:
    if name in FORMS:
        form = urlencode(dice.choice(FORMS[name]))
        if dice.random() < 0.15:
            return mutated_bytes(dice, form.encode())
        return mutated_lines(dice, form, "&").encode("utf-8", "surrogatepass")
    document = mutated_json(dice, json.dumps(dice.choice(DOCUMENTS[name])))
    return document if isinstance(document, bytes) else document.encode()


def _broken_header(dice: Random, value: str) -> str:
    """As a server reads headers: each byte is a character."""
    if dice.random() < 0.3:
        return ""
    return mutated_bytes(dice, value.encode("latin-1")).decode("latin-1")


def _signed_by_twilio(url: str, body: bytes) -> Iterable[tuple[str, str]]:
    token = TWILIO.auth_token.get_secret_value()
    yield HEADER, twilio_signature(token, url, form_fields(body)).decode()


def _signed_by_plivo(url: str, body: bytes) -> Iterable[tuple[str, str]]:
    token = PLIVO.auth_token.get_secret_value()
    signature = plivo_signature(token, "POST", url, form_fields(body), "n-1")
    yield SIGNATURE_HEADERS[0], signature.decode()
    yield NONCE_HEADER, "n-1"


def _signed_by_telnyx(_url: str, body: bytes) -> Iterable[tuple[str, str]]:
    signature = TELNYX_KEY.sign(f"{NOW}|".encode() + body)
    yield SIGNATURE_HEADER, base64.b64encode(signature).decode()
    yield TIMESTAMP_HEADER, str(NOW)
    yield TOKEN_HEADER, "t0k3n"


def _signed_by_vonage(_url: str, body: bytes) -> Iterable[tuple[str, str]]:
    claims = {
        "iat": NOW,
        "jti": "j-1",
        "iss": ISSUER,
        "api_key": VONAGE.api_key,
        "payload_hash": hashlib.sha256(body).hexdigest(),
    }
    secret = VONAGE.signature_secret.get_secret_value()
    yield "authorization", f"Bearer {jwt.encode(claims, secret, algorithm='HS256')}"


SIGNED: Mapping[CarrierName, Callable[[str, bytes], Iterable[tuple[str, str]]]] = {
    CarrierName.TWILIO: _signed_by_twilio,
    CarrierName.PLIVO: _signed_by_plivo,
    CarrierName.TELNYX: _signed_by_telnyx,
    CarrierName.VONAGE: _signed_by_vonage,
}


def _media_message(dice: Random, wire: Wire) -> Message:
    sample = dice.choice(
        (
            wire.start(),
            wire.audio(dice.randbytes(160), dice.randrange(9_999)),
            wire.dtmf("5"),
            wire.marker_echo(f"{dice.randrange(9)}-m"),
            *wire.before_start(),
            # A stream that ends early tries little.
            *([stop] if (stop := wire.stop()) is not None and dice.random() < 0.01 else []),
        )
    )
    if dice.random() < 0.3:
        return sample
    if isinstance(sample, bytes):
        return mutated_bytes(dice, sample)
    changed = mutated_json(dice, sample)
    # A websocket gives text as text; what is no UTF-8 comes as binary only.
    return changed if isinstance(changed, str) else changed.decode("utf-8", "replace")


@dataclass
class _Stream:
    """A media stream that is given anything, and judged by the rules of ``carriers.dialect``."""

    wire: Wire
    messages: int = 0
    has_started: bool = False
    is_over: bool = False

    def __post_init__(self) -> None:
        self._stream = carrier_of(self.wire.carrier).media_stream()
        self._take(self._stream.receive(self.wire.start()))

    @property
    def is_spent(self) -> bool:
        return self.is_over or self.messages >= MESSAGES_OF_A_STREAM

    def takes(self, dice: Random, message: Message) -> bool:
        self.messages += 1
        events = self._stream.receive(message)
        self._take(events)
        if dice.random() < 0.1:
            for outgoing in (Marker("m"), Audio(b"\x00" * 33), Flush()):
                for sent in self._stream.send(outgoing):
                    if isinstance(sent, str) and not isinstance(json.loads(sent), dict):
                        raise _Wrong(f"sends {sent!r}")
        return bool(events)

    def end(self) -> None:
        self._take(self._stream.closed())
        if not self.is_over:
            raise _Wrong("its end was not said")

    def _take(self, events: Iterable[Incoming]) -> None:
        for event in events:
            if self.is_over:
                raise _Wrong(f"after its end it says {event}")
            if isinstance(event, Started) and self.has_started:
                raise _Wrong("it starts a second time")
            self.has_started = self.has_started or isinstance(event, Started)
            self.is_over = isinstance(event, Stopped)
