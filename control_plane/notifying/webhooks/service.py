"""Registering and changing webhooks."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.sealing import Sealer
from control_plane.notifying.webhooks import repository
from control_plane.notifying.webhooks.errors import TooManyWebhooks, WebhookNotFound
from control_plane.notifying.webhooks.models import Webhook
from control_plane.notifying.webhooks.redaction import RedactionLevel
from control_plane.notifying.webhooks.schemas import (
    SecretToRotate,
    WebhookChanges,
    WebhookToRegister,
)
from control_plane.platform.audit.recording import record_change
from control_plane.platform.tenancy.caller import Caller

MOST_WEBHOOKS = 100
"""Of one tenant: each event goes to all of them."""


async def register(
    session: AsyncSession, caller: Caller, wanted: WebhookToRegister, sealer: Sealer
) -> Webhook:
    """The address has been checked.

    Raises:
        TooManyWebhooks: the tenant has ``MOST_WEBHOOKS`` already.
    """
    used = await repository.count(session, caller.tenant_id)
    if used >= MOST_WEBHOOKS:
        raise TooManyWebhooks(
            f"You have {used} webhooks; delete one first", limit=MOST_WEBHOOKS, used=used
        )
    webhook = Webhook(
        tenant_id=caller.tenant_id,
        url=wanted.url,
        events=wanted.events,
        sealed_secret=sealer.seal(wanted.secret.get_secret_value()),
        alert_email=wanted.alert_email,
        redaction_level=wanted.redaction_level.value,
    )
    session.add(webhook)
    await session.flush()
    record_change(
        session,
        caller,
        "webhook.registered",
        target_id=webhook.id,
        changes={"url": webhook.url, "events": webhook.events},
    )
    return webhook


async def update(
    session: AsyncSession,
    caller: Caller,
    webhook_id: UUID,
    wanted: WebhookChanges,
    sealer: Sealer,
) -> None:
    """The address has been checked. A new secret counts at once, and the old one no longer.

    Raises:
        WebhookNotFound
    """
    webhook = await _found(session, caller, webhook_id)
    changes = wanted.model_dump(mode="json", exclude_unset=True, exclude={"secret"})
    if wanted.url is not None:
        webhook.url = wanted.url
        webhook.failing_since = None
    if wanted.events is not None:
        webhook.events = wanted.events
    if wanted.secret is not None:
        webhook.sealed_secret = sealer.seal(wanted.secret.get_secret_value())
        webhook.sealed_previous_secret = webhook.previous_secret_until = None
        changes["secret"] = "replaced"
    if "alert_email" in changes:
        webhook.alert_email = wanted.alert_email or None
    if "redaction_level" in changes:
        webhook.redaction_level = wanted.redaction_level or RedactionLevel.PARTIAL
    record_change(session, caller, "webhook.updated", target_id=webhook_id, changes=changes)


async def rotate_secret(
    session: AsyncSession, caller: Caller, webhook_id: UUID, wanted: SecretToRotate, sealer: Sealer
) -> datetime:
    """Returns until when the present secret signs as well.

    Raises:
        WebhookNotFound
    """
    webhook = await _found(session, caller, webhook_id)
    until = datetime.now(UTC) + timedelta(seconds=wanted.overlap_seconds)
    webhook.sealed_previous_secret = webhook.sealed_secret
    webhook.previous_secret_until = until
    webhook.sealed_secret = sealer.seal(wanted.secret.get_secret_value())
    record_change(
        session,
        caller,
        "webhook.secret_rotated",
        target_id=webhook_id,
        changes={"overlap_seconds": wanted.overlap_seconds},
    )
    return until


async def delete(session: AsyncSession, caller: Caller, webhook_id: UUID) -> None:
    """
    Raises:
        WebhookNotFound
    """
    if not await repository.remove(session, caller.tenant_id, webhook_id):
        raise WebhookNotFound
    record_change(session, caller, "webhook.deleted", target_id=webhook_id)


async def _found(session: AsyncSession, caller: Caller, webhook_id: UUID) -> Webhook:
    webhook = await repository.find(session, caller.tenant_id, webhook_id, to_change=True)
    if webhook is None:
        raise WebhookNotFound
    return webhook
