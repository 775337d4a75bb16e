"""Looking at deliveries, sending them again, and trying an endpoint."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID, uuid4

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from contracts.sealing import CannotOpen
from control_plane.calling.intelligence.delivered_payload import delivered_payload
from control_plane.notifying.webhooks import repository
from control_plane.notifying.webhooks.delivering.retry_schedule import TRIES
from control_plane.notifying.webhooks.delivering.sending import Endpoints, send
from control_plane.notifying.webhooks.delivery_log import repository as log
from control_plane.notifying.webhooks.delivery_log.schemas import SentRequest, WebhookTestResult
from control_plane.notifying.webhooks.errors import (
    DeliveryExpired,
    DeliveryNotFound,
    DeliveryUnderWay,
    SecretLost,
    WebhookNotFound,
)
from control_plane.notifying.webhooks.models import DeliveryStatus, Webhook, WebhookDelivery
from control_plane.notifying.webhooks.requests import (
    DeliveryRequest,
    current_secrets,
    delivery_request,
)
from control_plane.notifying.webhooks.samples import sample_data, sample_origin
from control_plane.platform.audit.recording import record_change
from control_plane.platform.data_faults import DATA_FAULTS
from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings
from control_plane.platform.tenancy.caller import Caller
from outbound.guarded_network import GuardedNetwork
from outbound.policy import OutboundPolicy

_log = structlog.get_logger(__name__)


async def webhook_of(session: AsyncSession, tenant_id: UUID, webhook_id: UUID) -> Webhook:
    """
    Raises:
        WebhookNotFound
    """
    webhook = await repository.find(session, tenant_id, webhook_id)
    if webhook is None:
        raise WebhookNotFound
    return webhook


async def delivery_of(
    session: AsyncSession,
    tenant_id: UUID,
    webhook_id: UUID,
    delivery_id: UUID,
    *,
    to_change: bool = False,
) -> WebhookDelivery:
    """
    Raises:
        DeliveryNotFound
    """
    delivery = await log.find(session, tenant_id, webhook_id, delivery_id, to_change=to_change)
    if delivery is None:
        raise DeliveryNotFound
    return delivery


async def request_of(
    session: AsyncSession,
    settings: ControlPlaneSettings,
    webhook: Webhook,
    delivery: WebhookDelivery,
) -> SentRequest | None:
    """What a try sends now; ``None`` if what it would tell was erased, or if the event cannot be
    put together.

    Raises:
        SecretLost: the webhook's secret cannot be decrypted.
    """
    fact = await log.fact_of(session, delivery)
    if fact is None:
        return None
    now = datetime.now(UTC)
    secrets = _secrets(settings, webhook, now)
    try:
        data = await delivered_payload(
            session, settings, fact.tenant_id, fact.event, fact.data, fact.origin
        )
        request = delivery_request(
            event=fact.event,
            event_id=fact.id,
            origin=fact.origin,
            occurred_at=fact.occurred_at,
            data=data,
            redaction_level=webhook.redaction_level,
            secrets=secrets,
            now=now,
        )
    except DATA_FAULTS:
        # A try fails likewise, and its answer says so.
        _log.exception(
            "delivery_not_shown", delivery_id=str(delivery.id), tenant_id=str(delivery.tenant_id)
        )
        return None
    return SentRequest.of(webhook.url, request)


async def replay(
    session: AsyncSession, caller: Caller, webhook_id: UUID, delivery_id: UUID
) -> None:
    """Queue a delivery again, with all its tries.

    Raises:
        DeliveryNotFound
        DeliveryUnderWay: it is queued already.
        DeliveryExpired: what it would tell was erased.
    """
    delivery = await delivery_of(session, caller.tenant_id, webhook_id, delivery_id, to_change=True)
    if delivery.status == DeliveryStatus.PENDING.value:
        raise DeliveryUnderWay
    if await log.fact_of(session, delivery) is None:
        raise DeliveryExpired
    delivery.status = DeliveryStatus.PENDING.value
    delivery.tries_left = TRIES
    delivery.is_replay = True
    delivery.next_try_at = datetime.now(UTC)
    delivery.finished_at = None
    record_change(
        session,
        caller,
        "webhook.delivery_replayed",
        target_id=webhook_id,
        changes={"delivery_id": str(delivery_id)},
    )


async def send_test(
    database: Database, settings: ControlPlaneSettings, caller: Caller, webhook_id: UUID, event: str
) -> WebhookTestResult:
    """Send a signed sample once, and show the answer. No transaction waits for it.

    Raises:
        WebhookNotFound
        SecretLost: the webhook's secret cannot be decrypted.
    """
    async with database.tenant_session(caller.tenant_id) as session:
        webhook = await webhook_of(session, caller.tenant_id, webhook_id)
    event_id, now = uuid4(), datetime.now(UTC)
    request: DeliveryRequest = delivery_request(
        event=event,
        event_id=event_id,
        origin=sample_origin(event),
        occurred_at=now,
        data=sample_data(event, event_id, caller.tenant_id),
        redaction_level=webhook.redaction_level,
        secrets=_secrets(settings, webhook, now),
        now=now,
    )
    endpoints = Endpoints(GuardedNetwork(OutboundPolicy(settings.outbound_allowed_networks)))
    try:
        client = endpoints.client(caller.tenant_id, webhook_id)
        outcome = await send(client, webhook.url, request.headers, request.body)
    finally:
        await endpoints.aclose()
    return WebhookTestResult(
        status="delivered" if outcome.error is None else "failed",
        duration_ms=outcome.duration_ms,
        status_code=outcome.status_code,
        error=outcome.error,
        answer=outcome.answer,
        request=SentRequest.of(webhook.url, request),
    )


def _secrets(settings: ControlPlaneSettings, webhook: Webhook, now: datetime) -> list[str]:
    try:
        return current_secrets(
            settings.sealer,
            webhook.sealed_secret,
            webhook.sealed_previous_secret,
            webhook.previous_secret_until,
            now,
        )
    except CannotOpen as lost:
        raise SecretLost from lost
