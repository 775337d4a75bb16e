"""Receiving webhooks: check a delivery's signature, and read its event.

event = verify(raw_body, request.headers, secret)
if isinstance(event, CallCompletedEvent):
    print(event.data.summary)
"""

from __future__ import annotations

import hashlib
import hmac
import time
from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any

from pydantic import Field, TypeAdapter

from switchboard_client.errors import SwitchboardError
from switchboard_client.models import (
    CallCompletedEvent,
    CallFailedEvent,
    CallStartedEvent,
    IntelligenceReadyEvent,
    LeanCallCompletedEvent,
    NotificationEvent,
)
from switchboard_client.wire_model import WireModel

TOLERANCE_SECONDS = 300.0


class UnknownEvent(WireModel):
    """An event that this version of the client does not know. Ignore it: new ones are added."""

    event: str


WebhookEvent = (
    CallStartedEvent
    | CallFailedEvent
    | CallCompletedEvent
    | LeanCallCompletedEvent
    | IntelligenceReadyEvent
    | NotificationEvent
    | UnknownEvent
)


class SignatureInvalid(SwitchboardError):
    """The delivery was not signed with the secret, or too long ago. Answer it with 400."""


def verify(
    raw_body: bytes,
    headers: Mapping[str, str],
    secret: str,
    *,
    tolerance_seconds: float = TOLERANCE_SECONDS,
    now: float | None = None,
) -> WebhookEvent:
    """The event of a delivery that the installation has signed with ``secret``.

    Args:
        raw_body: as it was received, not parsed.
        tolerance_seconds: how old the signature may be, and how far our clocks may differ.
        now: Unix time in seconds, for tests.

    Raises:
        SignatureInvalid: somebody else has sent it, or it was changed, or sent long ago.
    """
    given = {name.lower(): value for name, value in headers.items()}
    timestamp = given.get("x-svc-timestamp", "")
    signed = hmac.new(secret.encode(), _bytes(timestamp) + b"." + raw_body, hashlib.sha256)
    if not hmac.compare_digest(
        signed.hexdigest().encode(), _bytes(given.get("x-svc-signature", ""))
    ):
        raise SignatureInvalid("X-Svc-Signature does not fit the body and the secret")
    age_seconds = (time.time() if now is None else now) - int(timestamp) / 1000
    if abs(age_seconds) > tolerance_seconds:
        raise SignatureInvalid(f"the delivery was signed {age_seconds:.0f} seconds ago")
    return _event(raw_body)


def _bytes(header: str) -> bytes:
    """Servers hand on what is no text as surrogates, which UTF-8 does not have."""
    return header.encode(errors="surrogatepass")


def _event(raw_body: bytes) -> WebhookEvent:
    event: WebhookEvent = _adapter().validate_json(raw_body)
    return event


@cache
def _adapter() -> TypeAdapter[Any]:
    """The first type that fits counts: a lean ``call.completed`` lacks what a whole one has."""
    return TypeAdapter(Annotated[WebhookEvent, Field(union_mode="left_to_right")])
