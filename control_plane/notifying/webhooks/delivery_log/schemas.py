"""Deliveries of webhooks on the wire."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Literal, Self
from uuid import UUID

from pydantic import (
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    model_validator,
)

from control_plane.notifying.webhooks.event_names import EMITTED_EVENTS
from control_plane.notifying.webhooks.models import DeliveryStatus, WebhookDelivery, WebhookTry
from control_plane.notifying.webhooks.requests import DeliveryRequest


class DeliveryView(BaseModel):
    id: UUID
    event: str
    event_id: UUID = Field(description="`webhook-id` is made of it.")
    occurred_at: datetime = Field(description="The envelope's `timestamp`.")
    status: DeliveryStatus
    tries: int = Field(description="In all, those before a replay included.")
    next_try_at: datetime | None
    finished_at: datetime | None

    @classmethod
    def of(cls, delivery: WebhookDelivery) -> DeliveryView:
        return cls(**{name: getattr(delivery, name) for name in cls.model_fields})


class DeliveryPage(BaseModel):
    deliveries: list[DeliveryView]
    next_cursor: UUID | None = Field(description="`null`: there are no older ones.")


class SentRequest(BaseModel):
    """What is sent: its time and signatures are those of the next try."""

    url: str
    headers: dict[str, str]
    body: str

    @classmethod
    def of(cls, url: str, request: DeliveryRequest) -> SentRequest:
        return cls(url=url, headers=request.headers, body=request.body.decode())


class TryView(BaseModel):
    number: int
    started_at: datetime
    duration_ms: int
    status_code: int | None = Field(description="`null`: there was no answer.")
    error: str | None = Field(description="Why it failed; `null`: it was delivered.")
    answer: str | None = Field(description="The first 4 KB of the answer's body.")


class DeliveryDetails(DeliveryView):
    request: SentRequest | None = Field(
        description="What a try sends now; `null`: what it would tell was erased, or the event"
        " cannot be put together (`answers` say so)."
    )
    answers: list[TryView] = Field(description="Every try, the oldest first.")

    @classmethod
    def with_tries(
        cls,
        delivery: WebhookDelivery,
        request: SentRequest | None,
        tries: Sequence[WebhookTry],
    ) -> DeliveryDetails:
        return cls(
            **DeliveryView.of(delivery).model_dump(),
            request=request,
            answers=[
                TryView(**{name: getattr(each, name) for name in TryView.model_fields})
                for each in tries
            ],
        )


class DeliveryQueued(BaseModel):
    status: Literal["queued"] = "queued"
    id: UUID


def _text(value: object) -> object:
    """Pydantic would take a number for Unix time."""
    if not isinstance(value, str):
        raise ValueError("must be a time such as 2026-05-03T12:00:00Z")
    return value


_Moment = Annotated[AwareDatetime, BeforeValidator(_text)]


class ReplaySpan(BaseModel):
    """The times are those of the events."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "example": {"from": "2026-05-03T12:00:00Z", "to": "2026-05-03T13:00:00Z"}
        },
    )
    begins: Annotated[_Moment, Field(alias="from")]
    ends: Annotated[_Moment, Field(alias="to", description="Events from before this time.")]
    only_failed: StrictBool = Field(True, description="`false` replays what was delivered as well.")

    @model_validator(mode="after")
    def _is_a_span(self) -> Self:
        if self.ends <= self.begins:
            raise ValueError("'to' must be later than 'from'")
        return self


class ReplayQueued(BaseModel):
    status: Literal["queued"] = "queued"
    count: int = Field(description="How many: of a longer span, the oldest 10,000 or a few more.")
    next_from: datetime | None = Field(
        description="When the oldest event that is left happened: repeat the request with it as "
        "`from`. `null`: none is left."
    )


class WebhookTestRequest(BaseModel):
    __test__ = False
    model_config = ConfigDict(extra="forbid", json_schema_extra={"example": {}})
    event: Literal[EMITTED_EVENTS] = "call.completed"  # type: ignore[valid-type]


class WebhookTestResult(BaseModel):
    __test__ = False
    status: Literal["delivered", "failed"]
    duration_ms: int
    status_code: int | None = Field(description="`null`: there was no answer.")
    error: str | None = Field(description="Why it failed; `null`: it was delivered.")
    answer: str | None = Field(description="The first 4 KB of the answer's body.")
    request: SentRequest


class EventView(BaseModel):
    id: UUID = Field(description="`webhook-id` of a delivery is made of it.")
    event: str
    body: str = Field(description="The body of a delivery: JSON.")


class NewEvents(BaseModel):
    events: list[EventView] = Field(description="The oldest first.")
    next_cursor: str = Field(description="Ask with it again after a second or more.")
