"""The section ``webhooks`` of the OpenAPI document (OpenAPI 3.1, "Webhooks")."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import cache
from typing import Annotated, Any

from fastapi import APIRouter, Body, FastAPI, Header

from control_plane.notifying.webhooks.event_log.schemas import BODIES, NotificationEvent
from control_plane.notifying.webhooks.event_names import EMITTED_EVENTS

_Signature = Annotated[
    str,
    Header(
        alias="X-Svc-Signature",
        description="Hex HMAC-SHA256 of `<X-Svc-Timestamp>.<raw body>`, keyed with the secret.",
    ),
]
_Timestamp = Annotated[
    str, Header(alias="X-Svc-Timestamp", description="Unix time in milliseconds.")
]
_Event = Annotated[str, Header(alias="X-Svc-Event", description="The event's name.")]


def describe_webhooks(app: FastAPI) -> None:
    """Add a schema for each event that is sent."""
    app.webhooks.routes.extend(_webhooks().routes)


@cache
def _webhooks() -> APIRouter:
    """Built once per process, because reading the bodies' types takes 20 ms."""
    webhooks = APIRouter()
    for event in EMITTED_EVENTS:
        webhooks.post(
            event,
            name=event,
            summary=event,
            operation_id=f"webhook_{event.replace('.', '_')}",
            tags=["webhooks"],
            status_code=204,
            description="Answer with any 2xx within three seconds.",
        )(_receiver(BODIES.get(event, NotificationEvent)))
    return webhooks


def _receiver(body: Any) -> Callable[..., Coroutine[Any, Any, None]]:
    async def receive(
        delivered: Any,
        x_svc_event: _Event,
        x_svc_timestamp: _Timestamp,
        x_svc_signature: _Signature,
    ) -> None:
        """Receivers are elsewhere."""

    receive.__annotations__["delivered"] = Annotated[body, Body()]
    return receive
