"""Notifications that go to webhooks, in the list of deliveries, which follows the log of the
webhooks' own deliveries."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import ARRAY, Text, Uuid, bindparam, text
from sqlalchemy.ext.asyncio import AsyncSession

_IDS = ARRAY(Uuid)


async def note_queued(session: AsyncSession, notified: Sequence[tuple[UUID, UUID]]) -> None:
    """
    Args:
        notified: notifications, each with the fact that webhooks are sent.
    """
    await session.execute(
        text(
            """
            INSERT INTO notification_deliveries (id, tenant_id, notification_id, channel, status)
            SELECT delivery.id, delivery.tenant_id, notification.id, 'webhook', 'queued'
            FROM unnest(:notifications, :facts) AS told (notification_id, fact_id)
            JOIN notifications AS notification ON notification.id = told.notification_id
            JOIN webhooks AS webhook ON webhook.tenant_id = notification.tenant_id
            JOIN webhook_deliveries AS delivery ON delivery.webhook_id = webhook.id
                AND delivery.event_id = told.fact_id
            ON CONFLICT DO NOTHING
            """
        ).bindparams(
            bindparam("notifications", [each for each, _ in notified], _IDS),
            bindparam("facts", [each for _, each in notified], _IDS),
        )
    )


async def note_tries(session: AsyncSession, tries: Sequence[tuple[UUID, str, str | None]]) -> None:
    """
    Args:
        tries: a webhook's delivery, its status now, and why the try has failed.
    """
    await session.execute(
        text(
            """
            UPDATE notification_deliveries AS delivery
            SET attempt_count = attempt_count + 1, last_error = given.error,
                status = CASE given.status
                    WHEN 'delivered' THEN 'sent' WHEN 'failed' THEN 'failed' ELSE 'queued' END
            FROM unnest(:ids, :statuses, :errors) AS given (id, status, error)
            WHERE delivery.id = given.id
            """
        ).bindparams(
            bindparam("ids", [each[0] for each in tries], _IDS),
            bindparam("statuses", [each[1] for each in tries], ARRAY(Text)),
            bindparam("errors", [each[2] for each in tries], ARRAY(Text)),
        )
    )
