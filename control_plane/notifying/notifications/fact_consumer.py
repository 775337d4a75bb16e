"""From facts to notifications and their deliveries."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.notifying.notifications import delivery_repository, repository
from control_plane.notifying.notifications import preference_repository as preferences
from control_plane.notifying.notifications.categories import CATEGORIES
from control_plane.notifying.notifications.channel_test import TEST_EVENT, add_webhook_test
from control_plane.notifying.notifications.delivery_repository import Recipient
from control_plane.notifying.notifications.models import (
    DeliveryStatus,
    Notification,
    NotificationDelivery,
)
from control_plane.notifying.notifications.occasion_repository import is_due
from control_plane.notifying.notifications.phones import phone_repository
from control_plane.notifying.notifications.preferences import (
    CHANNELS,
    SILENT,
    Channel,
    Choice,
    choice_of_member,
    choice_of_tenant,
)
from control_plane.notifying.notifications.tasks import send_mail, send_sms
from control_plane.platform.job_queue import enqueue
from control_plane.platform.outbox.facts import TEST_ORIGIN, Fact

SPACING = timedelta(hours=24)
"""Of mails of a capped category (API spec, "Limits"). SMS are spaced alike."""
MOST_TESTS = 20
"""Mails, and SMS, in an hour, for each tenant."""

_TO_PERSONS: tuple[Channel, ...] = ("email", "sms")
_RECIPIENTS: Mapping[Channel, Callable[[AsyncSession, UUID], Awaitable[Sequence[Recipient]]]]
_RECIPIENTS = {"email": delivery_repository.recipients, "sms": phone_repository.recipients}
_JOBS: Mapping[Channel, Any] = {"email": send_mail, "sms": send_sms}
_OCCASIONS: Mapping[Channel, str] = {"email": "mail", "sms": "sms"}


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
                requested = fact.data["requested_channels"]
                route = Route(
                    frozenset(CHANNELS if requested is None else requested),
                    frozenset(fact.data["force_channels"]),
                )
                await self._notify(session, fact, fact.data["event_category"], route, is_test=True)
            elif fact.event in CATEGORIES and fact.origin != TEST_ORIGIN:
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
        if is_test and "webhook" in self._enabled and _wants_webhook(category, tenant, route):
            add_webhook_test(session, notification)
        for channel in _TO_PERSONS:
            if channel in self._enabled and channel in route.requested | route.forced:
                await _address(session, notification, channel, route, chosen)


async def _address(
    session: AsyncSession,
    notification: Notification,
    channel: Channel,
    route: Route,
    chosen: Mapping[UUID, Choice],
) -> None:
    """Queue a delivery to each member who wants the notification over ``channel``.

    Args:
        chosen: what each member, and the tenant, have chosen for the category.
    """
    category, tenant_id = notification.event_category, notification.tenant_id
    addressed = [
        recipient.user_id
        for recipient in await _RECIPIENTS[channel](session, tenant_id)
        if choice_of_member(
            category,
            chosen.get(tenant_id, SILENT),
            chosen.get(recipient.user_id, SILENT),
            administers=recipient.administers,
        ).wants(channel)
        or (channel in route.forced and recipient.administers)
    ]
    if not addressed or not await _may_send(session, notification, channel):
        return
    for user_id in addressed:
        delivery = _delivery(notification, channel, user_id=user_id, status=DeliveryStatus.QUEUED)
        session.add(delivery)
        await session.flush()
        await enqueue(session, _JOBS[channel], delivery_id=str(delivery.id))


def _wants_webhook(category: str, tenant: Choice, route: Route) -> bool:
    return "webhook" in route.forced or (
        "webhook" in route.requested and choice_of_tenant(category, tenant).wants("webhook")
    )


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


async def _may_send(session: AsyncSession, notification: Notification, channel: Channel) -> bool:
    """Whether limits let the notification be mailed, or sent by SMS, now."""
    now = datetime.now(UTC)
    tenant_id, category = notification.tenant_id, notification.event_category
    if notification.is_test:
        since = now - timedelta(hours=1)
        sent = await delivery_repository.tests_sent_since(session, tenant_id, channel, since)
        return sent < MOST_TESTS
    if not CATEGORIES[category].is_mailed_once_a_day:
        return True
    occasion = _OCCASIONS[channel]
    return await is_due(session, tenant_id, category, occasion, now, again_after=SPACING)
