"""A tenant's events in the order of the outbox, for those who ask for what is new."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.platform.outbox.facts import Fact


@dataclass(frozen=True, order=True)
class Place:
    """In the log: everything up to it was seen."""

    transaction_id: int
    position: int


async def end_of_log(session: AsyncSession) -> Place:
    """Before what transactions that still run will add."""
    horizon = await session.scalar(
        text("SELECT CAST(pg_snapshot_xmin(pg_current_snapshot())::text AS bigint)")
    )
    assert horizon is not None
    return Place(int(horizon), 0)


async def events_after(
    session: AsyncSession, tenant_id: UUID, after: Place, limit: int
) -> tuple[Sequence[Fact], Place]:
    """The next events of the last hour, and up to where they were read. A place beyond the end,
    such as one of the database that a backup has replaced, counts as the end."""
    end = await end_of_log(session)
    after = min(after, end)
    rows = await session.execute(
        text(
            """
            SELECT id, tenant_id, event, data, origin, occurred_at, position,
                CAST(transaction_id::text AS bigint) AS transaction_id
            FROM outbox_events
            WHERE tenant_id = :tenant_id
                AND (transaction_id, position) > (CAST(:transaction_id AS xid8), :position)
                AND transaction_id < CAST(:end AS xid8)
                AND occurred_at > now() - interval '1 hour'
            ORDER BY outbox_events.transaction_id, position
            LIMIT :limit
            """
        ),
        {
            "tenant_id": tenant_id,
            # As text: no driver knows the type.
            "transaction_id": str(after.transaction_id),
            "position": after.position,
            "end": str(end.transaction_id),
            "limit": limit,
        },
    )
    found = [Fact(**row) for row in rows.mappings()]
    if len(found) < limit:
        return found, end
    return found, Place(found[-1].transaction_id, found[-1].position)
