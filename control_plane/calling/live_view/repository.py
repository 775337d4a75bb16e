"""The queries of the live view."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from uuid import UUID

from sqlalchemy import Select, bindparam, select
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


@dataclass(frozen=True)
class ViewedCall:
    tenant_id: UUID
    id: UUID
    status: RecordedStatus
    """What the database said when the viewer came."""


async def viewed_call(session: AsyncSession, tenant_id: UUID, call_id: UUID) -> ViewedCall | None:
    found = await session.execute(_select_status(), {"tenant_id": tenant_id, "call_id": call_id})
    row = found.one_or_none()
    return None if row is None else ViewedCall(tenant_id, call_id, RecordedStatus(*row))


@cache
def _select_status() -> Select[str, str | None]:
    """Kept, because viewers open many streams, and building it takes longer than running it."""
    return select(Call.status, Call.end_reason).where(
        Call.tenant_id == bindparam("tenant_id"), Call.id == bindparam("call_id")
    )


async def recorded_statuses(
    session: AsyncSession, call_ids: Collection[UUID]
) -> dict[UUID, RecordedStatus]:
    """By call. The calls may belong to any tenant; their viewers were authorised before."""
    rows = await session.execute(
        select(Call.id, Call.status, Call.end_reason).where(Call.id.in_(call_ids))
    )
    return {call_id: RecordedStatus(status, end_reason) for call_id, status, end_reason in rows}
