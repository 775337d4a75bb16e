"""Webhooks on the wire. Source: API spec, "Webhook registration" and "Webhooks" under Endpoints."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated, Literal, Self
from uuid import UUID

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    StrictInt,
    StringConstraints,
    model_validator,
)
from pydantic.config import JsonDict

from control_plane.notifying.webhooks.event_names import unknown_events
from control_plane.notifying.webhooks.models import Webhook
from control_plane.notifying.webhooks.redaction import RedactionLevel
from control_plane.platform.mail.addresses import EmailAddress
from outbound.address import LONGEST_ADDRESS

SHORTEST_SECRET, LONGEST_SECRET = 16, 512
LONGEST_OVERLAP = timedelta(days=7)


def _known(names: list[str]) -> list[str]:
    if wrong := unknown_events(names):
        raise ValueError(wrong)
    return list(dict.fromkeys(names))


def _long_enough(secret: SecretStr) -> SecretStr:
    length = len(secret.get_secret_value())
    if not SHORTEST_SECRET <= length <= LONGEST_SECRET:
        raise ValueError(
            f"has {length} characters; it must have {SHORTEST_SECRET} to {LONGEST_SECRET}"
        )
    return secret


Url = Annotated[
    str,
    StringConstraints(min_length=1, max_length=LONGEST_ADDRESS),
    Field(description="`https://`, on the public internet, with a name that resolves."),
]
Events = Annotated[
    list[str],
    AfterValidator(_known),
    Field(min_length=1, max_length=100, description="Names of events."),
]
Secret = Annotated[
    SecretStr,
    AfterValidator(_long_enough),
    Field(
        json_schema_extra={"minLength": SHORTEST_SECRET, "maxLength": LONGEST_SECRET},
        description="The key of the signatures. It is stored encrypted and never shown.",
    ),
]
AlertEmail = Annotated[
    EmailAddress,
    Field(description="Gets a mail when all tries of a delivery have failed, at most one an hour."),
]
_EXAMPLE: JsonDict = {
    "url": "https://example.com/hooks/switchboard",
    "events": ["call.completed", "call.failed"],
    "secret": "a secret of at least 16 characters",
    "alert_email": "operations@example.com",
    "redaction_level": "partial",
}


class WebhookToRegister(BaseModel):
    model_config = ConfigDict(extra="forbid", json_schema_extra={"example": _EXAMPLE})
    url: Url
    events: Events
    secret: Secret
    alert_email: AlertEmail | None = None
    redaction_level: RedactionLevel = RedactionLevel.PARTIAL


class WebhookChanges(BaseModel):
    """Only the fields that you send change. `null` or an empty text removes `alert_email`; `null`
    puts `redaction_level` back to `partial`."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"example": {"events": ["call.completed"]}}
    )
    url: Url | None = None
    events: Events | None = None
    secret: Secret | None = None
    alert_email: AlertEmail | Literal[""] | None = None
    redaction_level: RedactionLevel | None = None

    @model_validator(mode="after")
    def _something_changes(self) -> Self:
        if not self.model_fields_set:
            raise ValueError(f"send at least one of {', '.join(type(self).model_fields)}")
        for name in ("url", "events", "secret"):
            if name in self.model_fields_set and getattr(self, name) is None:
                raise ValueError(f"{name} must not be null; leave it out to keep it")
        return self


class WebhookRegistered(BaseModel):
    status: Literal["registered"] = "registered"
    id: UUID


class WebhookUpdated(BaseModel):
    status: Literal["updated"] = "updated"
    id: UUID


class WebhookDeleted(BaseModel):
    status: Literal["deleted"] = "deleted"
    id: UUID


class WebhookView(BaseModel):
    id: UUID
    url: str
    events: list[str]
    created_at: datetime

    @classmethod
    def of(cls, webhook: Webhook) -> WebhookView:
        return cls(
            id=webhook.id, url=webhook.url, events=webhook.events, created_at=webhook.created_at
        )


class WebhookPage(BaseModel):
    webhooks: list[WebhookView]
    total: int
    offset: int
    limit: int


class WebhookDetails(WebhookView):
    alert_email: str | None
    redaction_level: RedactionLevel
    failing_since: datetime | None = Field(
        description="The first failed try since the last that succeeded."
    )
    previous_secret_until: datetime | None = Field(
        description="Until then, the secret before the last rotation signs as well."
    )

    @classmethod
    def of(cls, webhook: Webhook) -> WebhookDetails:
        return cls(
            **WebhookView.of(webhook).model_dump(),
            alert_email=webhook.alert_email,
            redaction_level=RedactionLevel(webhook.redaction_level),
            failing_since=webhook.failing_since,
            previous_secret_until=webhook.previous_secret_until,
        )


class SecretToRotate(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "example": {
                "secret": "another secret of 16 characters or more",
                "overlap_seconds": 3600,
            }
        },
    )
    secret: Secret
    overlap_seconds: StrictInt = Field(
        24 * 3600,
        ge=0,
        le=int(LONGEST_OVERLAP.total_seconds()),
        description="How long the present secret signs as well, in `webhook-signature`.",
    )


class SecretRotated(BaseModel):
    status: Literal["rotated"] = "rotated"
    id: UUID
    previous_secret_until: datetime
