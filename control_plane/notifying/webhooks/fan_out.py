"""From facts to deliveries: one for each webhook that subscribes to the fact's event."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.notifying.notifications import webhook_channel_repository
from control_plane.notifying.webhooks.delivering import delivery_repository
from control_plane.notifying.webhooks.event_names import EMITTED_EVENTS, ONLY_IF_PREFERRED
from control_plane.platform.database import after_commit
from control_plane.platform.outbox.facts import TEST_ORIGIN, Fact


class WebhookPreference(Protocol):
    """The notification preference ``webhook`` of a tenant."""

    async def __call__(self, session: AsyncSession, tenant_id: UUID, event: str, /) -> bool: ...


async def off_by_default(_session: AsyncSession, _tenant_id: UUID, _event: str) -> bool:
    """Source: API spec, "Subscriptions"."""
    return False


class WebhookFanOut:
    """A ``FactConsumer``.

    Args:
        prefers: decides about the events of ``ONLY_IF_PREFERRED``.
        wake: called when there are new deliveries.
    """

    def __init__(
        self, prefers: WebhookPreference = off_by_default, wake: Callable[[], None] = lambda: None
    ) -> None:
        self._prefers = prefers
        self._wake = wake

    async def consume(self, session: AsyncSession, facts: Sequence[Fact]) -> None:
        told = [fact for fact in facts if await is_told(session, fact, self._prefers)]
        if not told or not await delivery_repository.add_deliveries(session, told):
            return
        after_commit(session, self._wake)
        notified = [
            (UUID(fact.data["notification_id"]), fact.id)
            for fact in told
            if fact.event in ONLY_IF_PREFERRED or fact.origin == TEST_ORIGIN
        ]
        if notified:
            await webhook_channel_repository.note_queued(session, notified)


async def is_told(session: AsyncSession, fact: Fact, prefers: WebhookPreference) -> bool:
    """Whether webhooks that subscribe to the fact's event get it."""
    if fact.event in ONLY_IF_PREFERRED and fact.origin != TEST_ORIGIN:
        return await prefers(session, fact.tenant_id, fact.event)
    return fact.event in EMITTED_EVENTS
