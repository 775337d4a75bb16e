"""``/v1/notifications``."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID, uuid4

from fastapi import APIRouter, Query

from control_plane.identity.authentication.dependencies import (
    AdminCaller,
    MemberCaller,
    TenantSession,
)
from control_plane.identity.authentication.refusals import ADMIN_ONLY, MEMBER_ONLY
from control_plane.identity.idempotent_requests.route import IdempotentRoute, OncePerKey
from control_plane.notifying.notifications import delivery_repository, repository
from control_plane.notifying.notifications.channel_test import add_test
from control_plane.notifying.notifications.channels import enabled_channels, warnings
from control_plane.notifying.notifications.delivery_repository import DeliveryFilter
from control_plane.notifying.notifications.feeds import feed_of, whole_feed_of
from control_plane.notifying.notifications.models import (
    DeliveryStatus,
    Notification,
    NotificationDelivery,
)
from control_plane.notifying.notifications.preferences import CHANNELS, Channel
from control_plane.notifying.notifications.schemas import (
    CategoryName,
    ChannelTest,
    EnabledChannels,
    NotificationDeliveryPage,
    NotificationDeliveryView,
    NotificationOfDelivery,
    NotificationPage,
    NotificationStatus,
    NotificationView,
    QueuedTest,
    Success,
)
from control_plane.platform.http.dependencies import AppSettings
from control_plane.platform.http.openapi import problems
from control_plane.platform.http.paging import Offset

router = APIRouter(prefix="/v1/notifications", tags=["notifications"], route_class=IdempotentRoute)

Limit = Annotated[int, Query(ge=1, le=200)]


@router.get("", responses=problems(*MEMBER_ONLY))
async def list_notifications(
    caller: MemberCaller,
    session: TenantSession,
    limit: Limit = 50,
    offset: Offset = 0,
    unread_only: bool = False,
) -> NotificationPage:
    """List the tenant's notifications of the last 90 days, newest first.

    Categories whose channel `in_app` is off in the caller's preferences are left out.
    """
    feed = await feed_of(session, caller)
    found, total = await repository.list_page(
        session, feed, unread_only=unread_only, limit=limit, offset=offset
    )
    views = [NotificationView.of(notification, is_read=is_read) for notification, is_read in found]
    return NotificationPage(data=views, total=total, offset=offset, limit=limit)


@router.put("/read-all", responses=problems(*MEMBER_ONLY))
async def mark_all_read(caller: MemberCaller, session: TenantSession) -> Success:
    """Mark all notifications as read: for the session's user, or for all of the tenant's keys."""
    await repository.mark_read(session, whole_feed_of(caller))
    return Success()


@router.put("/{notification_id}/read", responses=problems(*MEMBER_ONLY))
async def mark_read(notification_id: UUID, caller: MemberCaller, session: TenantSession) -> Success:
    """Mark a notification as read: for the session's user, or for all of the tenant's keys. An
    unknown id changes nothing."""
    await repository.mark_read(session, whole_feed_of(caller), notification_id)
    return Success()


# Before ``/{notification_id}``, which would match its name as an id.
@router.delete("/read", responses=problems(*MEMBER_ONLY))
async def clear_read(caller: MemberCaller, session: TenantSession) -> Success:
    """Clear what has been read from the feed: from that of the session's user, or from that of the
    tenant's keys. Other readers keep it."""
    await repository.clear_read(session, whole_feed_of(caller))
    return Success()


@router.get("/deliveries", responses=problems(*MEMBER_ONLY))
async def list_deliveries(
    caller: MemberCaller,
    session: TenantSession,
    limit: Limit = 50,
    offset: Offset = 0,
    channel: Channel | None = None,
    status: DeliveryStatus | None = None,
    event_category: CategoryName | None = None,
) -> NotificationDeliveryPage:
    """List over which channels notifications went, newest first. A mail has a row for each member
    who gets it."""
    found, total = await delivery_repository.list_page(
        session,
        caller.tenant_id,
        DeliveryFilter(channel, status, event_category),
        limit=limit,
        offset=offset,
    )
    views = [_delivery_view(delivery, notification) for delivery, notification in found]
    return NotificationDeliveryPage(data=views, total=total, offset=offset, limit=limit)


@router.get("/status", responses=problems(*MEMBER_ONLY))
async def get_status(caller: MemberCaller, settings: AppSettings) -> NotificationStatus:
    """Which channels this installation has."""
    enabled = enabled_channels(settings)
    return NotificationStatus(
        queue_enabled=True,
        channels=EnabledChannels(**{channel: channel in enabled for channel in CHANNELS}),
        preference_scope="tenant" if caller.role is None else "user",
        warnings=warnings(enabled),
    )


@router.post("/test", responses=problems(*ADMIN_ONLY))
async def send_test(
    caller: AdminCaller, session: TenantSession, _: OncePerKey, wanted: ChannelTest | None = None
) -> QueuedTest:
    """Send a test notification. It goes only over channels that the installation has; of mails, at
    most 20 an hour. Tests do not count towards the one mail a day of a category."""
    test_id = uuid4()
    add_test(session, caller.tenant_id, test_id, wanted or ChannelTest())
    return QueuedTest(jobId=test_id)


@router.delete("/{notification_id}", responses=problems(*MEMBER_ONLY))
async def delete_notification(
    notification_id: UUID, caller: MemberCaller, session: TenantSession
) -> Success:
    """Delete a notification and its deliveries, for every reader of the tenant. An unknown id
    changes nothing."""
    await repository.remove(session, caller.tenant_id, notification_id)
    return Success()


def _delivery_view(
    delivery: NotificationDelivery, notification: Notification
) -> NotificationDeliveryView:
    return NotificationDeliveryView(
        id=delivery.id,
        notification_id=notification.id,
        channel=delivery.channel,
        status=DeliveryStatus(delivery.status),
        attempt_count=delivery.attempt_count,
        last_error=delivery.last_error,
        notification=NotificationOfDelivery(
            id=notification.id,
            event_category=notification.event_category,
            title=notification.title,
            created_at=notification.created_at,
        ),
    )
