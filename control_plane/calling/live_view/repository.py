"""What the live view asks the database."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from contracts.call_status import TERMINAL_STATUSES
from control_plane.calling.calls.models import Call


@dataclass(frozen=True)
class Standing:
    """Where a call stands, as the record says."""

    status: str
    end_reason: str | None

    @property
    def is_over(self) -> bool:
        return self.status in TERMINAL_STATUSES

    @classmethod
    def of(cls, call: Call) -> Standing:
        return cls(call.status, call.end_reason)


async def standings(session: AsyncSession, call_ids: Collection[UUID]) -> dict[UUID, Standing]:
    """Of calls of any tenant, whose viewers have been let in before."""
    rows = await session.execute(
        select(Call.id, Call.status, Call.end_reason).where(Call.id.in_(call_ids))
    )
    return {call_id: Standing(status, end_reason) for call_id, status, end_reason in rows}
