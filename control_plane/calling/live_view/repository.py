"""The queries of the live view."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from contracts.call_status import TERMINAL_STATUSES
from control_plane.calling.calls.models import Call


@dataclass(frozen=True)
class RecordedStatus:
    """The status of a call as the database has it."""

    status: str
    end_reason: str | None

    @property
    def is_over(self) -> bool:
        return self.status in TERMINAL_STATUSES

    @classmethod
    def of(cls, call: Call) -> RecordedStatus:
        return cls(call.status, call.end_reason)


async def recorded_statuses(
    session: AsyncSession, call_ids: Collection[UUID]
) -> dict[UUID, RecordedStatus]:
    """By call. The calls may belong to any tenant; their viewers were authorised before."""
    rows = await session.execute(
        select(Call.id, Call.status, Call.end_reason).where(Call.id.in_(call_ids))
    )
    return {call_id: RecordedStatus(status, end_reason) for call_id, status, end_reason in rows}
