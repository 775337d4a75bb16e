"""Facts, and the reader that makes notifications of them."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

from control_plane.notifying.notifications.fact_consumer import NotificationWriter
from control_plane.notifying.notifications.preferences import Channel
from control_plane.platform.database import Database
from control_plane.platform.outbox.models import OutboxEvent
from control_plane.platform.outbox.reader import OutboxReader

IN_APP: tuple[Channel, ...] = ("in_app",)
WITH_EMAIL: tuple[Channel, ...] = ("in_app", "email")


async def tell(
    database: Database,
    tenant_id: UUID,
    event: str = "agent.failed",
    *,
    title: str = "Nora failed",
    metadata: dict[str, Any] | None = None,
    enabled: tuple[Channel, ...] = IN_APP,
) -> UUID:
    """Add a fact and make a notification of it; returns the notification's id."""
    event_id = uuid4()
    data = {"title": title, "message": f"{title}.", "metadata": metadata or {}}
    async with database.system_session() as session:
        session.add(OutboxEvent(id=event_id, tenant_id=tenant_id, event=event, data=data))
    await read_facts(database, enabled)
    return event_id


async def read_facts(database: Database, enabled: tuple[Channel, ...] = IN_APP) -> None:
    """Read the outbox to its end."""
    reader = OutboxReader(database, [NotificationWriter(enabled)])
    while await reader.read():
        pass
