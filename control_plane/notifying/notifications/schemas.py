"""Requests and responses of notifications. Source: API spec, "Notifications"."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StrictBool, StringConstraints

from control_plane.calling.dialing.schedule import TimeZoneName
from control_plane.calling.live_view.schemas import AsJsonText
from control_plane.calling.numbers.schemas import PhoneNumber
from control_plane.notifying.notifications.categories import CATEGORIES, known_category
from control_plane.notifying.notifications.models import DeliveryStatus, Notification
from control_plane.notifying.notifications.preferences import Channel

CategoryName = Annotated[
    str,
    AfterValidator(known_category),
    Field(json_schema_extra={"enum": list(CATEGORIES)}),
]
Title = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
Message = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000)]


class NotificationView(BaseModel):
    id: UUID
    tenant_id: UUID
    event_category: str
    title: str
    message: str
    is_read: bool = Field(
        description="With a session: whether its user has read it. With a key: whether somebody "
        "has read it with one of the tenant's keys."
    )
    metadata: dict[str, Any]
    created_at: datetime

    @classmethod
    def of(cls, notification: Notification, *, is_read: bool) -> NotificationView:
        return cls(
            id=notification.id,
            tenant_id=notification.tenant_id,
            event_category=notification.event_category,
            title=notification.title,
            message=notification.message,
            is_read=is_read,
            metadata=notification.details,
            created_at=notification.created_at,
        )


class NotificationPage(BaseModel):
    data: list[NotificationView]
    total: int
    offset: int
    limit: int


class Success(BaseModel):
    success: Literal[True] = True


class NotificationOfDelivery(BaseModel):
    id: UUID
    event_category: str
    title: str
    created_at: datetime


class NotificationDeliveryView(BaseModel):
    id: UUID
    notification_id: UUID
    channel: Channel
    status: DeliveryStatus
    attempt_count: int
    last_error: str | None
    notification: NotificationOfDelivery


class NotificationDeliveryPage(BaseModel):
    data: list[NotificationDeliveryView]
    total: int
    offset: int
    limit: int


class EnabledChannels(BaseModel):
    in_app: bool
    email: bool
    sms: bool
    webhook: bool


class NotificationStatus(BaseModel):
    queue_enabled: bool
    channels: EnabledChannels
    preference_scope: Literal["tenant", "user"] = Field(
        description="Whose preferences decide what the caller is shown: the tenant's for a key, "
        "the user's own over those for a session."
    )
    warnings: list[str]


class PreferenceRow(BaseModel):
    event_category: str
    email_enabled: bool
    sms_enabled: bool
    in_app_enabled: bool
    webhook_enabled: bool


class TenantPreferences(BaseModel):
    data: list[PreferenceRow] = Field(description="A row for each category.")
    scope: Literal["tenant", "all"]


class UserPreferences(BaseModel):
    data: list[PreferenceRow] = Field(
        description="A row for each category for which the user has preferences of their own. "
        "What these leave open is as the tenant has it."
    )
    scope: Literal["user"] = "user"


class ChangedPreference(BaseModel):
    data: PreferenceRow


class PreferenceChange(BaseModel):
    """Channels that are left out stay as they are."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"example": {"event_category": "agent.failed", "email_enabled": False}},
    )
    event_category: CategoryName
    email_enabled: StrictBool | None = None
    sms_enabled: StrictBool | None = None
    in_app_enabled: StrictBool | None = None
    webhook_enabled: StrictBool | None = None


class ChannelTest(BaseModel):
    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"example": {"force_channels": ["in_app"]}}
    )
    event_category: CategoryName = "billing.low_balance"
    title: Title = "A test"
    message: Message = "This is a test of your notifications. Nothing has happened."
    requested_channels: list[Channel] | None = Field(
        None,
        max_length=4,
        description="Only over these channels, as far as preferences allow. Left out: over all.",
    )
    force_channels: list[Channel] = Field(
        default_factory=list,
        max_length=4,
        description="Also over these, whatever the preferences say.",
    )


class QueuedTest(BaseModel):
    success: Literal[True] = True
    jobId: UUID = Field(description="The id that the notification will have.")


class NotificationSettingsView(BaseModel):
    time_zone: str = Field(description="An IANA name; `UTC` until you set another.")


class NotificationSettingsChange(BaseModel):
    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"example": {"time_zone": "Europe/Berlin"}}
    )
    time_zone: TimeZoneName


class UnreadCount(BaseModel):
    count: int


class NotificationStreamEvent(BaseModel):
    """One server-sent event. `event` determines the shape of `data`, which is JSON."""

    event: Literal["unread", "notification"]
    data: Annotated[UnreadCount | NotificationView, AsJsonText()]
    id: str | None = None


class OwnPhone(BaseModel):
    number: str | None = Field(description="E.164; `null`: you have set none.")
    confirmed: bool


class PhoneToConfirm(BaseModel):
    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"example": {"number": "+14155550100"}}
    )
    number: PhoneNumber


class PhoneCodeSent(BaseModel):
    number: str = Field(description="E.164.")
    code_sent: bool = Field(description="Whether the SMS service has accepted the code.")


class PhoneCode(BaseModel):
    model_config = ConfigDict(extra="forbid", json_schema_extra={"example": {"code": "123456"}})
    code: Annotated[str, StringConstraints(strip_whitespace=True, pattern=r"^[0-9]{6}$")]
