"""``/v1/gateways``: where payment gateways report what happened."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from fastapi import APIRouter, Request

from control_plane.money.payments.errors import GatewayNotConfigured, InvalidSignature
from control_plane.money.payments.gateway_events.intake import ReceivedEvent, receive
from control_plane.money.payments.gateways.signatures import (
    is_signed_by_razorpay,
    is_signed_by_stripe,
)
from control_plane.money.payments.schemas import EventReceived
from control_plane.platform.errors import (
    BodyNotReceived,
    BodyTooLarge,
    DatabaseUnavailable,
    InvalidRequest,
    TooManyBodies,
)
from control_plane.platform.http.dependencies import AppDatabase, AppSettings
from control_plane.platform.http.openapi import problems

router = APIRouter(
    prefix="/v1/gateways",
    tags=["gateway events"],
    responses=problems(
        DatabaseUnavailable,
        TooManyBodies,
        GatewayNotConfigured,
        InvalidRequest,
        InvalidSignature,
        BodyTooLarge,
        BodyNotReceived,
    ),
)


@router.post("/stripe/events")
async def receive_stripe_event(
    request: Request, database: AppDatabase, settings: AppSettings
) -> EventReceived:
    """For Stripe: an event, signed in `Stripe-Signature` over the raw body. Each event counts
    once."""
    body = await request.body()
    secret = settings.stripe_webhook_secret
    if "stripe" not in settings.configured_gateways or secret is None:
        raise GatewayNotConfigured
    header = request.headers.get("stripe-signature", "")
    if not is_signed_by_stripe(body, header, secret, time.time()):
        raise InvalidSignature
    document = _document(body)
    event = ReceivedEvent(
        "stripe", _id(document.get("id"), body), str(document.get("type")), _text(body), document
    )
    await receive(database, settings, event, datetime.now(UTC))
    return EventReceived()


@router.post("/razorpay/events")
async def receive_razorpay_event(
    request: Request, database: AppDatabase, settings: AppSettings
) -> EventReceived:
    """For Razorpay: an event, signed in `X-Razorpay-Signature` over the raw body. Each event counts
    once."""
    body = await request.body()
    secret = settings.razorpay_webhook_secret
    if "razorpay" not in settings.configured_gateways or secret is None:
        raise GatewayNotConfigured
    if not is_signed_by_razorpay(body, request.headers.get("x-razorpay-signature", ""), secret):
        raise InvalidSignature
    document = _document(body)
    event = ReceivedEvent(
        "razorpay",
        _id(request.headers.get("x-razorpay-event-id"), body),
        str(document.get("event")),
        _text(body),
        document,
    )
    await receive(database, settings, event, datetime.now(UTC))
    return EventReceived()


def _document(body: bytes) -> Mapping[str, Any]:
    """
    Raises:
        InvalidRequest: the body is not a JSON object.
    """
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise InvalidRequest.at("body", "must be a JSON object")
    return document


def _id(given: object, body: bytes) -> str:
    """The event's id. An event without one is known by its body."""
    if isinstance(given, str) and given:
        return given[:200]
    return hashlib.sha256(body).hexdigest()


def _text(body: bytes) -> str:
    return body.decode("utf-8", "replace")
