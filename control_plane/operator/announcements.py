"""What the operator tells tenants: facts like others, so that each tenant's preferences count."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.operator import tenant_repository
from control_plane.platform.outbox.events import add_notification_event


async def announce(
    session: AsyncSession,
    tenant_id: UUID | None,
    *,
    title: str,
    message: str,
    metadata: Mapping[str, Any],
) -> int:
    """Tell one tenant, or all of them, of maintenance; returns how many."""
    told = [tenant_id] if tenant_id is not None else await tenant_repository.all_ids(session)
    for each in told:
        add_notification_event(
            session, each, "system.maintenance", title=title, message=message, metadata=metadata
        )
    return len(told)


def tell_porting(session: AsyncSession, tenant_id: UUID, number: str) -> None:
    """
    Args:
        number: E.164.
    """
    add_notification_event(
        session,
        tenant_id,
        "number.porting_complete",
        title=f"{number} has been ported",
        message=f"Your number {number} has moved to its new carrier.",
        metadata={"number": number},
    )
