"""``/v1/notifications``."""

from __future__ import annotations

from uuid import UUID

from switchboard_client.models import (
    ChangedPreference,
    ChannelTest,
    NotificationDeliveryPage,
    NotificationPage,
    NotificationSettingsView,
    NotificationStatus,
    NotificationView,
    PreferenceChange,
    QueuedTest,
    Success,
    TenantPreferences,
)
from switchboard_client.operation import Body, Operation, delete, get, post, put
from switchboard_client.paging import Pages, by_offset
from switchboard_client.request import at, query

Id = UUID | str


def page(
    *, unread_only: bool = False, limit: int = 50, offset: int = 0
) -> Operation[NotificationPage]:
    given = query(unread_only=unread_only or None, limit=limit, offset=offset)
    return get("/v1/notifications", NotificationPage, given)


def every(*, unread_only: bool = False) -> Pages[NotificationPage, NotificationView]:
    """All notifications of the last 90 days, newest first."""
    return by_offset(page(unread_only=unread_only, limit=200), lambda page: page.data)


def mark_read(notification_id: Id) -> Operation[Success]:
    return put(at("/v1/notifications/{}/read", notification_id), Success, None)


def mark_all_read() -> Operation[Success]:
    return put("/v1/notifications/read-all", Success, None)


def clear_read() -> Operation[Success]:
    return delete("/v1/notifications/read", Success)


def remove(notification_id: Id) -> Operation[Success]:
    return delete(at("/v1/notifications/{}", notification_id), Success)


def deliveries(
    *,
    channel: str | None = None,
    status: str | None = None,
    event_category: str | None = None,
    limit: int = 50,
    offset: int = 0,
) -> Operation[NotificationDeliveryPage]:
    given = query(
        channel=channel, status=status, event_category=event_category, limit=limit, offset=offset
    )
    return get("/v1/notifications/deliveries", NotificationDeliveryPage, given)


def status() -> Operation[NotificationStatus]:
    return get("/v1/notifications/status", NotificationStatus)


def preferences(*, scope: str = "tenant") -> Operation[TenantPreferences]:
    return get("/v1/notifications/preferences", TenantPreferences, query(scope=scope))


def change_preference(change: PreferenceChange | Body) -> Operation[ChangedPreference]:
    return put("/v1/notifications/preferences", ChangedPreference, change)


def settings() -> Operation[NotificationSettingsView]:
    return get("/v1/notifications/settings", NotificationSettingsView)


def set_time_zone(time_zone: str) -> Operation[NotificationSettingsView]:
    place = "/v1/notifications/settings"
    return put(place, NotificationSettingsView, {"time_zone": time_zone})


def send_test(
    test: ChannelTest | Body | None = None, *, idempotency_key: str | None = None
) -> Operation[QueuedTest]:
    """Send a test notification."""
    return post("/v1/notifications/test", QueuedTest, test).once(idempotency_key)
