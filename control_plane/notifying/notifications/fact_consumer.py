"""From facts to notifications and their deliveries."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.notifying.notifications import delivery_repository, repository
from control_plane.notifying.notifications import preference_repository as preferences
from control_plane.notifying.notifications.categories import CATEGORIES
from control_plane.notifying.notifications.channel_test import TEST_EVENT
from control_plane.notifying.notifications.models import (
    DeliveryStatus,
    Notification,
    NotificationDelivery,
)
from control_plane.notifying.notifications.occasion_repository import is_due
from control_plane.notifying.notifications.preferences import (
    CHANNELS,
    SILENT,
    Channel,
    choice_of_member,
    choice_of_tenant,
)
from control_plane.notifying.notifications.tasks import send_mail
from control_plane.platform.job_queue import enqueue
from control_plane.platform.outbox.facts import Fact

MAIL_SPACING = timedelta(hours=24)
"""API spec, "Limits"."""
MOST_TEST_MAILS = 20
"""In an hour, for each tenant."""


@dataclass(frozen=True)
class Route:
    """Where a notification may go."""

    requested: frozenset[Channel] = frozenset(CHANNELS)
    """As far as preferences allow."""
    forced: frozenset[Channel] = frozenset()
    """Whatever they say."""


class NotificationWriter:
    """A ``FactConsumer``.

    Args:
        enabled: the channels that the installation has.
    """

    def __init__(self, enabled: Collection[Channel]) -> None:
        self._enabled = frozenset(enabled)

    async def consume(self, session: AsyncSession, facts: Sequence[Fact]) -> None:
        for fact in facts:
            if fact.event == TEST_EVENT:
                route = Route(
                    frozenset(fact.data["requested_channels"] or CHANNELS),
                    frozenset(fact.data["force_channels"]),
                )
                await self._notify(session, fact, fact.data["event_category"], route, is_test=True)
            elif fact.event in CATEGORIES:
                await self._notify(session, fact, fact.event, Route())

    async def _notify(
        self,
        session: AsyncSession,
        fact: Fact,
        category: str,
        route: Route,
        *,
        is_test: bool = False,
    ) -> None:
        chosen = await preferences.choices_about(session, fact.tenant_id, category)
        tenant = chosen.get(fact.tenant_id, SILENT)
        in_app = "in_app" in route.forced or (
            "in_app" in route.requested and choice_of_tenant(category, tenant).wants("in_app")
        )
        notification = Notification(
            id=fact.id,
            tenant_id=fact.tenant_id,
            event_category=category,
            title=fact.data["title"],
            message=fact.data["message"],
            details=fact.data["metadata"],
            created_at=fact.occurred_at,
            is_shown=_is_shown(route),
            is_test=is_test,
        )
        if not await repository.add(session, notification):
            return
        if in_app:
            session.add(
                _delivery(notification, "in_app", status=DeliveryStatus.SENT, attempt_count=1)
            )
        if "email" not in self._enabled or "email" not in route.requested | route.forced:
            return
        addressed = [
            recipient.user_id
            for recipient in await delivery_repository.recipients(session, fact.tenant_id)
            if choice_of_member(
                category,
                tenant,
                chosen.get(recipient.user_id, SILENT),
                administers=recipient.administers,
            ).wants("email")
            or ("email" in route.forced and recipient.administers)
        ]
        if not addressed or not await _may_mail(session, notification):
            return
        for user_id in addressed:
            mail = _delivery(notification, "email", user_id=user_id, status=DeliveryStatus.QUEUED)
            session.add(mail)
            await session.flush()
            await enqueue(session, send_mail, delivery_id=str(mail.id))


def _is_shown(route: Route) -> bool | None:
    if "in_app" in route.forced:
        return True
    return None if "in_app" in route.requested else False


def _delivery(
    notification: Notification, channel: Channel, **fields: object
) -> NotificationDelivery:
    return NotificationDelivery(
        tenant_id=notification.tenant_id,
        notification_id=notification.id,
        channel=channel,
        **fields,
    )


async def _may_mail(session: AsyncSession, notification: Notification) -> bool:
    """Whether limits let the notification be mailed now."""
    now = datetime.now(UTC)
    tenant_id, category = notification.tenant_id, notification.event_category
    if notification.is_test:
        mailed = await delivery_repository.tests_mailed_since(
            session, tenant_id, now - timedelta(hours=1)
        )
        return mailed < MOST_TEST_MAILS
    if not CATEGORIES[category].is_mailed_once_a_day:
        return True
    return await is_due(session, tenant_id, category, "mail", now, again_after=MAIL_SPACING)
