"""The queries on the deliveries of a webhook, for people and programs that look at them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import func, select, tuple_, update
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.notifying.webhooks.delivering.retry_schedule import TRIES
from control_plane.notifying.webhooks.models import (
    DeliveryStatus,
    Webhook,
    WebhookDelivery,
    WebhookTry,
)
from control_plane.platform.outbox.models import OutboxEvent

MOST_REPLAYED = 10_000


async def find(
    session: AsyncSession,
    tenant_id: UUID,
    webhook_id: UUID,
    delivery_id: UUID,
    *,
    to_change: bool = False,
) -> WebhookDelivery | None:
    query = select(WebhookDelivery).where(
        WebhookDelivery.tenant_id == tenant_id,
        WebhookDelivery.webhook_id == webhook_id,
        WebhookDelivery.id == delivery_id,
    )
    found: WebhookDelivery | None = await session.scalar(
        query.with_for_update() if to_change else query
    )
    return found


async def list_deliveries(
    session: AsyncSession,
    tenant_id: UUID,
    webhook_id: UUID,
    *,
    status: str | None,
    event: str | None,
    before: WebhookDelivery | None,
    limit: int,
) -> Sequence[WebhookDelivery]:
    """Newest events first.

    Args:
        before: the last delivery of the previous page.
    """
    query = select(WebhookDelivery).where(
        WebhookDelivery.tenant_id == tenant_id, WebhookDelivery.webhook_id == webhook_id
    )
    if status is not None:
        query = query.where(WebhookDelivery.status == status)
    if event is not None:
        query = query.where(WebhookDelivery.event == event)
    place = tuple_(WebhookDelivery.occurred_at, WebhookDelivery.id)
    if before is not None:
        query = query.where(place < (before.occurred_at, before.id))
    query = query.order_by(WebhookDelivery.occurred_at.desc(), WebhookDelivery.id.desc())
    return (await session.scalars(query.limit(limit))).all()


async def tries_of(
    session: AsyncSession, tenant_id: UUID, delivery_id: UUID
) -> Sequence[WebhookTry]:
    tries = await session.scalars(
        select(WebhookTry)
        .where(WebhookTry.tenant_id == tenant_id, WebhookTry.delivery_id == delivery_id)
        .order_by(WebhookTry.number)
    )
    return tries.all()


async def fact_of(session: AsyncSession, delivery: WebhookDelivery) -> OutboxEvent | None:
    """``None`` if it was erased."""
    found: OutboxEvent | None = await session.scalar(
        select(OutboxEvent).where(
            OutboxEvent.tenant_id == delivery.tenant_id,
            OutboxEvent.id == delivery.event_id,
            OutboxEvent.occurred_at == delivery.occurred_at,
        )
    )
    return found


async def replay_span(
    session: AsyncSession,
    tenant_id: UUID,
    webhook_id: UUID,
    begins: datetime,
    ends: datetime,
    *,
    only_failed: bool,
) -> tuple[int, datetime | None]:
    """Queue the deliveries of facts from ``begins`` to before ``ends`` again: the oldest
    ``MOST_REPLAYED``, and the others of the last one's moment.

    Returns how many, and the time of the oldest one that is left; ``None`` without one.
    """
    statuses = [DeliveryStatus.FAILED.value]
    if not only_failed:
        statuses.append(DeliveryStatus.DELIVERED.value)
    wanted = (
        WebhookDelivery.tenant_id == tenant_id,
        WebhookDelivery.webhook_id == webhook_id,
        WebhookDelivery.status.in_(statuses),
        WebhookDelivery.occurred_at >= begins,
        WebhookDelivery.occurred_at < ends,
    )
    times = select(WebhookDelivery.occurred_at).where(*wanted).order_by(WebhookDelivery.occurred_at)
    last = await session.scalar(times.offset(MOST_REPLAYED - 1).limit(1))
    left: datetime | None = None
    if last is not None:
        left = await session.scalar(times.where(WebhookDelivery.occurred_at > last).limit(1))
    queued = await session.scalars(
        update(WebhookDelivery)
        .where(*wanted, *(() if left is None else (WebhookDelivery.occurred_at < left,)))
        .values(
            status=DeliveryStatus.PENDING.value,
            tries_left=TRIES,
            is_replay=True,
            next_try_at=func.now(),
            finished_at=None,
        )
        .returning(WebhookDelivery.id)
        .execution_options(synchronize_session=False)
    )
    return len(queued.all()), left


async def with_webhook(
    session: AsyncSession, delivery_id: UUID
) -> tuple[WebhookDelivery, Webhook, WebhookTry | None] | None:
    """A delivery with its webhook and its last try. For jobs: of any tenant."""
    found = await session.execute(
        select(WebhookDelivery, Webhook, WebhookTry)
        .join(Webhook, Webhook.id == WebhookDelivery.webhook_id)
        .outerjoin(WebhookTry, WebhookTry.delivery_id == WebhookDelivery.id)
        .where(WebhookDelivery.id == delivery_id)
        .order_by(WebhookTry.number.desc())
        .limit(1)
    )
    row = found.one_or_none()
    return None if row is None else (row[0], row[1], row[2])
