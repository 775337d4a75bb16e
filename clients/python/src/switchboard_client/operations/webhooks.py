"""``/v1/webhooks``."""

from __future__ import annotations

from uuid import UUID

from switchboard_client.models import (
    DeliveryDetails,
    DeliveryPage,
    DeliveryQueued,
    NewEvents,
    ReplayQueued,
    ReplaySpan,
    SecretRotated,
    SecretToRotate,
    WebhookChanges,
    WebhookDeleted,
    WebhookDetails,
    WebhookPage,
    WebhookRegistered,
    WebhookTestRequest,
    WebhookTestResult,
    WebhookToRegister,
    WebhookUpdated,
    WebhookView,
)
from switchboard_client.operation import Body, Operation, delete, deleted, get, patch, post
from switchboard_client.paging import Pages, by_offset
from switchboard_client.request import at, query

Id = UUID | str


def register(
    webhook: WebhookToRegister | Body, *, idempotency_key: str | None = None
) -> Operation[WebhookRegistered]:
    return post("/v1/webhooks", WebhookRegistered, webhook).once(idempotency_key)


def page(*, limit: int = 50, offset: int = 0) -> Operation[WebhookPage]:
    return get("/v1/webhooks", WebhookPage, query(limit=limit, offset=offset))


def every() -> Pages[WebhookPage, WebhookView]:
    """All webhooks, newest first."""
    return by_offset(page(limit=200), lambda page: page.webhooks)


def events(
    *, cursor: str | None = None, limit: int = 50, redaction_level: str = "partial"
) -> Operation[NewEvents]:
    """What has happened since ``next_cursor`` was given; without ``cursor`` only where to begin."""
    given = query(cursor=cursor, limit=limit, redaction_level=redaction_level)
    return get("/v1/webhooks/events", NewEvents, given)


def show(webhook_id: Id) -> Operation[WebhookDetails]:
    return get(at("/v1/webhooks/{}", webhook_id), WebhookDetails)


def update(webhook_id: Id, changes: WebhookChanges | Body) -> Operation[WebhookUpdated]:
    return patch(at("/v1/webhooks/{}", webhook_id), WebhookUpdated, changes)


def remove(webhook_id: Id) -> Operation[WebhookDeleted]:
    return delete(at("/v1/webhooks/{}", webhook_id), WebhookDeleted, deleted(webhook_id))


def rotate_secret(
    webhook_id: Id, secret: SecretToRotate | Body, *, idempotency_key: str | None = None
) -> Operation[SecretRotated]:
    place = at("/v1/webhooks/{}/rotate-secret", webhook_id)
    return post(place, SecretRotated, secret).once(idempotency_key)


def deliveries(
    webhook_id: Id,
    *,
    status: str | None = None,
    event: str | None = None,
    limit: int = 50,
    cursor: Id | None = None,
) -> Operation[DeliveryPage]:
    """Newest events first."""
    given = query(status=status, event=event, limit=limit, cursor=cursor)
    return get(at("/v1/webhooks/{}/deliveries", webhook_id), DeliveryPage, given)


def delivery(webhook_id: Id, delivery_id: Id) -> Operation[DeliveryDetails]:
    """With its request and all answers."""
    return get(at("/v1/webhooks/{}/deliveries/{}", webhook_id, delivery_id), DeliveryDetails)


def replay(
    webhook_id: Id, delivery_id: Id, *, idempotency_key: str | None = None
) -> Operation[DeliveryQueued]:
    place = at("/v1/webhooks/{}/deliveries/{}/replay", webhook_id, delivery_id)
    return post(place, DeliveryQueued).once(idempotency_key)


def replay_span(
    webhook_id: Id, span: ReplaySpan | Body, *, idempotency_key: str | None = None
) -> Operation[ReplayQueued]:
    """What failed from ``from`` to before ``to``; with ``only_failed`` false, everything. Of a long
    span the oldest; ``next_from`` in the answer says from where to go on."""
    place = at("/v1/webhooks/{}/replay", webhook_id)
    return post(place, ReplayQueued, span).once(idempotency_key)


def send_sample(
    webhook_id: Id, sample: WebhookTestRequest | Body, *, idempotency_key: str | None = None
) -> Operation[WebhookTestResult]:
    """Send a sample of an event once, and get the answer."""
    place = at("/v1/webhooks/{}/test", webhook_id)
    return post(place, WebhookTestResult, sample).once(idempotency_key)
