"""A test of a tenant's channels: a fact like others, which says itself where it goes."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.notifying.notifications.models import Notification
from control_plane.notifying.notifications.schemas import ChannelTest
from control_plane.platform.outbox.facts import TEST_ORIGIN
from control_plane.platform.outbox.models import OutboxEvent

TEST_EVENT = "notification.test"


def add_test(session: AsyncSession, tenant_id: UUID, test_id: UUID, wanted: ChannelTest) -> None:
    session.add(
        OutboxEvent(
            id=test_id,
            tenant_id=tenant_id,
            event=TEST_EVENT,
            data=wanted.model_dump(mode="json") | {"metadata": {"test": True}},
        )
    )


def add_webhook_test(session: AsyncSession, notification: Notification) -> None:
    """Let the webhooks that subscribe to the test's category get it."""
    session.add(
        OutboxEvent(
            tenant_id=notification.tenant_id,
            event=notification.event_category,
            origin=TEST_ORIGIN,
            data={
                "notification_id": str(notification.id),
                "tenant_id": str(notification.tenant_id),
                "event_category": notification.event_category,
                "title": notification.title,
                "message": notification.message,
                "metadata": notification.details,
            },
        )
    )
