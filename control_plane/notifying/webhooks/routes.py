"""``/v1/webhooks``."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Query, status

from control_plane.building.agents.tenant_addresses import TenantResolver
from control_plane.identity.authentication.dependencies import (
    AdminCaller,
    MemberCaller,
    TenantSession,
)
from control_plane.identity.authentication.refusals import ADMIN_ONLY, MEMBER_ONLY
from control_plane.identity.idempotent_requests.route import IdempotentRoute, OncePerKey
from control_plane.notifying.webhooks import repository, service
from control_plane.notifying.webhooks.address_rules import check_url
from control_plane.notifying.webhooks.delivery_log.routes import router as deliveries
from control_plane.notifying.webhooks.errors import TooManyWebhooks, WebhookNotFound
from control_plane.notifying.webhooks.event_log.routes import router as events
from control_plane.notifying.webhooks.schemas import (
    SecretRotated,
    SecretToRotate,
    WebhookChanges,
    WebhookDeleted,
    WebhookDetails,
    WebhookPage,
    WebhookRegistered,
    WebhookToRegister,
    WebhookUpdated,
    WebhookView,
)
from control_plane.platform.errors import InvalidRequest
from control_plane.platform.http.dependencies import AppSettings
from control_plane.platform.http.openapi import problems
from control_plane.platform.http.paging import Offset
from outbound.resolver import Resolver


async def _fault_of_new(
    wanted: WebhookToRegister, settings: AppSettings, resolver: TenantResolver
) -> InvalidRequest | None:
    return await _fault_of(wanted.url, settings, resolver)


async def _fault_of_changed(
    wanted: WebhookChanges, settings: AppSettings, resolver: TenantResolver
) -> InvalidRequest | None:
    return None if wanted.url is None else await _fault_of(wanted.url, settings, resolver)


async def _fault_of(url: str, settings: AppSettings, resolver: Resolver) -> InvalidRequest | None:
    """Looked up without a session: the answer may take seconds. The route raises it, so that a
    repeated request gets its first answer."""
    try:
        await check_url(url, settings, resolver)
    except InvalidRequest as fault:
        return fault
    return None


FaultOfNew = Annotated[InvalidRequest | None, Depends(_fault_of_new)]
FaultOfChanged = Annotated[InvalidRequest | None, Depends(_fault_of_changed)]
router = APIRouter(prefix="/v1/webhooks", tags=["webhooks"], route_class=IdempotentRoute)


# Before ``/{webhook_id}``, which would match its name as an id.
router.include_router(events)


@router.post(
    "", status_code=status.HTTP_201_CREATED, responses=problems(*ADMIN_ONLY, TooManyWebhooks)
)
async def register_webhook(
    wanted: WebhookToRegister,
    caller: AdminCaller,
    settings: AppSettings,
    fault: FaultOfNew,
    session: TenantSession,
    _: OncePerKey,
) -> WebhookRegistered:
    """Register an address that is sent events. Each delivery is signed with the secret."""
    if fault is not None:
        raise fault
    webhook = await service.register(session, caller, wanted, settings.sealer)
    return WebhookRegistered(id=webhook.id)


@router.get("", responses=problems(*MEMBER_ONLY))
async def list_webhooks(
    caller: MemberCaller,
    session: TenantSession,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
    offset: Offset = 0,
) -> WebhookPage:
    """List your webhooks, newest first. Secrets are never shown."""
    webhooks, total = await repository.list_webhooks(
        session, caller.tenant_id, limit=limit, offset=offset
    )
    views = [WebhookView.of(webhook) for webhook in webhooks]
    return WebhookPage(webhooks=views, total=total, offset=offset, limit=limit)


@router.get("/{webhook_id}", responses=problems(*MEMBER_ONLY, WebhookNotFound))
async def get_webhook(
    webhook_id: UUID, caller: MemberCaller, session: TenantSession
) -> WebhookDetails:
    """Show a webhook with its settings, and since when its deliveries fail."""
    webhook = await repository.find(session, caller.tenant_id, webhook_id)
    if webhook is None:
        raise WebhookNotFound
    return WebhookDetails.of(webhook)


@router.patch("/{webhook_id}", responses=problems(*ADMIN_ONLY, WebhookNotFound))
async def update_webhook(
    webhook_id: UUID,
    wanted: WebhookChanges,
    caller: AdminCaller,
    settings: AppSettings,
    fault: FaultOfChanged,
    session: TenantSession,
) -> WebhookUpdated:
    """Change a webhook. A new secret counts at once; to change it without a gap, rotate it."""
    if fault is not None:
        raise fault
    await service.update(session, caller, webhook_id, wanted, settings.sealer)
    return WebhookUpdated(id=webhook_id)


@router.delete("/{webhook_id}", responses=problems(*ADMIN_ONLY, WebhookNotFound))
async def delete_webhook(
    webhook_id: UUID, caller: AdminCaller, session: TenantSession
) -> WebhookDeleted:
    """Delete a webhook with its deliveries. Nothing is sent to it any more."""
    await service.delete(session, caller, webhook_id)
    return WebhookDeleted(id=webhook_id)


@router.post("/{webhook_id}/rotate-secret", responses=problems(*ADMIN_ONLY, WebhookNotFound))
async def rotate_secret(
    webhook_id: UUID,
    wanted: SecretToRotate,
    caller: AdminCaller,
    settings: AppSettings,
    session: TenantSession,
    _: OncePerKey,
) -> SecretRotated:
    """Set a new secret. For a while `webhook-signature` has a signature with each of the two;
    `X-Svc-Signature` is made with the new one at once."""
    until = await service.rotate_secret(session, caller, webhook_id, wanted, settings.sealer)
    return SecretRotated(id=webhook_id, previous_secret_until=until)


router.include_router(deliveries)
