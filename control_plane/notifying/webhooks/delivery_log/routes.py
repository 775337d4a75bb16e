"""``/v1/webhooks/{webhook_id}/deliveries``, replays and tests."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query

from control_plane.identity.authentication.dependencies import (
    AdminCaller,
    MemberCaller,
    TenantSession,
)
from control_plane.identity.authentication.refusals import ADMIN_ONLY, MEMBER_ONLY
from control_plane.identity.idempotent_requests.route import IdempotentRoute, OncePerKey
from control_plane.identity.idempotent_requests.two_phase import EffectOncePerKey
from control_plane.notifying.webhooks.delivery_log import repository as log
from control_plane.notifying.webhooks.delivery_log import service
from control_plane.notifying.webhooks.delivery_log.schemas import (
    DeliveryDetails,
    DeliveryPage,
    DeliveryQueued,
    DeliveryView,
    ReplayQueued,
    ReplaySpan,
    WebhookTestRequest,
    WebhookTestResult,
)
from control_plane.notifying.webhooks.errors import (
    DeliveryExpired,
    DeliveryNotFound,
    DeliveryUnderWay,
    SecretLost,
    WebhookNotFound,
)
from control_plane.notifying.webhooks.models import DeliveryStatus
from control_plane.platform.audit.recording import record_change
from control_plane.platform.errors import InvalidRequest
from control_plane.platform.http.dependencies import AppDatabase, AppSettings
from control_plane.platform.http.openapi import problems
from control_plane.platform.idempotency.errors import IdempotencyKeyInUse

router = APIRouter(route_class=IdempotentRoute)


@router.get("/{webhook_id}/deliveries", responses=problems(*MEMBER_ONLY, WebhookNotFound))
async def list_deliveries(
    webhook_id: UUID,
    caller: MemberCaller,
    session: TenantSession,
    status: DeliveryStatus | None = None,
    event: Annotated[str | None, Query(max_length=100)] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
    cursor: Annotated[UUID | None, Query(description="`next_cursor` of the previous page.")] = None,
) -> DeliveryPage:
    """List what was sent to a webhook in the last 30 days, newest events first."""
    await service.webhook_of(session, caller.tenant_id, webhook_id)
    before = None
    if cursor is not None:
        before = await log.find(session, caller.tenant_id, webhook_id, cursor)
        if before is None:
            raise InvalidRequest.at("cursor", "must be the next_cursor of a page of this list")
    found = await log.list_deliveries(
        session,
        caller.tenant_id,
        webhook_id,
        status=status and status.value,
        event=event,
        before=before,
        limit=limit + 1,
    )
    page = found[:limit]
    return DeliveryPage(
        deliveries=[DeliveryView.of(delivery) for delivery in page],
        next_cursor=page[-1].id if len(found) > limit else None,
    )


@router.get(
    "/{webhook_id}/deliveries/{delivery_id}",
    responses=problems(*MEMBER_ONLY, WebhookNotFound, DeliveryNotFound, SecretLost),
)
async def get_delivery(
    webhook_id: UUID,
    delivery_id: UUID,
    caller: MemberCaller,
    settings: AppSettings,
    session: TenantSession,
) -> DeliveryDetails:
    """Show a delivery with its request and all answers. The request is the one that a try would
    make now: what was erased meanwhile is not in it."""
    webhook = await service.webhook_of(session, caller.tenant_id, webhook_id)
    delivery = await service.delivery_of(session, caller.tenant_id, webhook_id, delivery_id)
    return DeliveryDetails.with_tries(
        delivery,
        await service.request_of(session, settings, webhook, delivery),
        await log.tries_of(session, caller.tenant_id, delivery_id),
    )


@router.post(
    "/{webhook_id}/deliveries/{delivery_id}/replay",
    responses=problems(*ADMIN_ONLY, DeliveryNotFound, DeliveryUnderWay, DeliveryExpired),
)
async def replay_delivery(
    webhook_id: UUID,
    delivery_id: UUID,
    caller: AdminCaller,
    session: TenantSession,
    _: OncePerKey,
) -> DeliveryQueued:
    """Send an event again, with the same id and `timestamp`, in up to five tries."""
    await service.replay(session, caller, webhook_id, delivery_id)
    return DeliveryQueued(id=delivery_id)


@router.post("/{webhook_id}/replay", responses=problems(*ADMIN_ONLY, WebhookNotFound))
async def replay_span(
    webhook_id: UUID, wanted: ReplaySpan, caller: AdminCaller, session: TenantSession, _: OncePerKey
) -> ReplayQueued:
    """Send the events of a span of time again: those that failed, or all of them."""
    await service.webhook_of(session, caller.tenant_id, webhook_id)
    count, next_from = await log.replay_span(
        session,
        caller.tenant_id,
        webhook_id,
        wanted.begins,
        wanted.ends,
        only_failed=wanted.only_failed,
    )
    record_change(
        session,
        caller,
        "webhook.span_replayed",
        target_id=webhook_id,
        changes=wanted.model_dump(mode="json", by_alias=True) | {"count": count},
    )
    return ReplayQueued(count=count, next_from=next_from)


@router.post(
    "/{webhook_id}/test",
    responses=problems(*ADMIN_ONLY, WebhookNotFound, SecretLost, IdempotencyKeyInUse),
)
async def send_test_event(
    webhook_id: UUID,
    wanted: WebhookTestRequest,
    caller: AdminCaller,
    settings: AppSettings,
    database: AppDatabase,
    _: EffectOncePerKey,
) -> WebhookTestResult:
    """Send a signed sample of an event to a webhook now, once, and show the answer."""
    return await service.send_test(database, settings, caller, webhook_id, wanted.event)
