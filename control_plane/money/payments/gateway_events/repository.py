"""Every query on what gateways reported. Needs a system session."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import delete, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.money.payments.models import GatewayEvent


async def keep(
    session: AsyncSession, gateway: str, event_id: str, event_type: str, body: str
) -> UUID | None:
    """Keep an event; ``None`` if it is known. A second delivery waits here for the transaction of
    the first."""
    kept: UUID | None = await session.scalar(
        insert(GatewayEvent)
        .values(
            id=uuid4(),
            gateway=gateway,
            event_id=event_id,
            event_type=event_type,
            body=body,
            outcome="ignored",
        )
        .on_conflict_do_nothing()
        .returning(GatewayEvent.id)
    )
    return kept


async def note_outcome(
    session: AsyncSession, kept_id: UUID, outcome: str, waits_for: str | None = None
) -> None:
    await session.execute(
        update(GatewayEvent)
        .where(GatewayEvent.id == kept_id)
        .values(outcome=outcome, waits_for=waits_for)
    )


async def waiting_for(
    session: AsyncSession, gateway: str, gateway_id: str
) -> Sequence[GatewayEvent]:
    """Events that can be applied when ``gateway_id`` is known, in the order in which they came."""
    found = await session.scalars(
        select(GatewayEvent)
        .where(
            GatewayEvent.gateway == gateway,
            GatewayEvent.waits_for == gateway_id,
            GatewayEvent.outcome == "waiting",
        )
        .order_by(GatewayEvent.received_at)
        .with_for_update()
    )
    return found.all()


async def delete_old(session: AsyncSession, before: datetime, most: int) -> int:
    """Delete at most so many events that came before. One that comes again after that is applied
    again, which posts nothing a second time.

    Returns:
        How many were deleted.
    """
    old = (
        select(GatewayEvent.id)
        .where(GatewayEvent.received_at < before)
        .order_by(GatewayEvent.received_at)
        .limit(most)
    )
    deleted = await session.scalars(
        delete(GatewayEvent)
        .where(GatewayEvent.id.in_(old))
        .returning(GatewayEvent.id)
        .execution_options(synchronize_session=False)
    )
    return len(deleted.all())
