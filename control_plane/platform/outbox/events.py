"""Adding domain events to the outbox. Source: API spec, "Events"."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal
from uuid import UUID, uuid4

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.platform.outbox.models import OutboxEvent

NotificationEvent = Literal[
    "agent.published",
    "agent.failed",
    "agent.degraded",
    "agent.number_assigned",
    "agent.minutes_requested",
    "billing.low_balance",
    "billing.balance_depleted",
    "billing.payment_failed",
    "billing.topup_confirmed",
    "billing.invoice_ready",
    "call.first_call",
    "call.daily_summary",
    "call.monthly_summary",
    "call.volume_spike",
    "auth.welcome",
    "number.porting_complete",
    "system.api_key_created",
    "system.api_key_revoked",
    "system.login_new_device",
    "system.maintenance",
    "team.member_invited",
    "team.member_joined",
]


def add_notification_event(
    session: AsyncSession,
    tenant_id: UUID,
    event: NotificationEvent,
    *,
    title: str,
    message: str,
    metadata: Mapping[str, Any],
) -> None:
    """Add an event whose data has the form of a notification.

    Args:
        title: a few words; ``message``: one sentence for a person.
        metadata: JSON values for a program, such as ``{"agent_id": "…", "version": 3}``.
    """
    event_id = uuid4()
    session.add(
        OutboxEvent(
            id=event_id,
            tenant_id=tenant_id,
            event=event,
            data={
                "notification_id": str(event_id),
                "tenant_id": str(tenant_id),
                "event_category": event,
                "title": title,
                "message": message,
                "metadata": dict(metadata),
            },
        )
    )
