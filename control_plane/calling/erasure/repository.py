"""Every query on erasures, and on the calls of a caller. All take the tenant; none commits."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import ColumnElement, Select, and_, exists, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.calling.calls.models import Call, CallParticipant
from control_plane.calling.dialing.models import DialingJob, JobState
from control_plane.calling.erasure.models import ErasedCall, Erasure
from control_plane.calling.intelligence.models import CallAnalysis
from control_plane.calling.recordings.models import Recording
from control_plane.platform.page_repository import page_of


async def find(session: AsyncSession, tenant_id: UUID, erasure_id: UUID) -> Erasure | None:
    found: Erasure | None = await session.scalar(
        select(Erasure).where(Erasure.tenant_id == tenant_id, Erasure.id == erasure_id)
    )
    return found


async def locked(session: AsyncSession, tenant_id: UUID, erasure_id: UUID) -> Erasure | None:
    found: Erasure | None = await session.scalar(
        select(Erasure)
        .where(Erasure.tenant_id == tenant_id, Erasure.id == erasure_id)
        .with_for_update()
        .execution_options(populate_existing=True)
    )
    return found


async def page_of_erasures(
    session: AsyncSession, tenant_id: UUID, *, limit: int, offset: int
) -> tuple[Sequence[Erasure], int]:
    """One page, newest first, and how many erasures there are."""
    newest_first = (
        select(Erasure)
        .where(Erasure.tenant_id == tenant_id)
        .order_by(Erasure.requested_at.desc(), Erasure.id)
    )
    return await page_of(session, newest_first, limit=limit, offset=offset)


async def count_calls(
    session: AsyncSession, tenant_id: UUID, erasure_ids: Sequence[UUID]
) -> dict[UUID, int]:
    """How many calls each of these has erased."""
    rows = await session.execute(
        select(ErasedCall.erasure_id, func.count().label("calls"))
        .where(ErasedCall.tenant_id == tenant_id, ErasedCall.erasure_id.in_(erasure_ids))
        .group_by(ErasedCall.erasure_id)
    )
    return {row.erasure_id: row.calls for row in rows}


async def erased_calls(
    session: AsyncSession, tenant_id: UUID, erasure_id: UUID
) -> Sequence[ErasedCall]:
    found = await session.scalars(
        select(ErasedCall)
        .where(ErasedCall.tenant_id == tenant_id, ErasedCall.erasure_id == erasure_id)
        .order_by(ErasedCall.call_id)
    )
    return found.all()


async def calls_under_way(
    session: AsyncSession, tenant_id: UUID, caller: str, limit: int
) -> Sequence[UUID]:
    """The caller's calls that run or wait to be dialed."""
    found = await session.scalars(
        _calls_of(tenant_id, caller).where(Call.ended_at.is_(None)).limit(limit)
    )
    return found.all()


async def calls_to_erase(
    session: AsyncSession, tenant_id: UUID, caller: str, limit: int
) -> Sequence[UUID]:
    """The caller's calls that are over and that no job works on."""
    found = await session.scalars(
        _calls_of(tenant_id, caller).where(_nothing_works_on_it()).limit(limit)
    )
    return found.all()


async def lock_to_erase(session: AsyncSession, tenant_id: UUID, call_id: UUID) -> bool:
    """Lock a call until the transaction ends; ``False`` if it cannot be erased now."""
    found = await session.scalar(
        select(Call.id)
        .where(Call.tenant_id == tenant_id, Call.id == call_id, _nothing_works_on_it())
        .with_for_update()
    )
    return found is not None


async def calls_left(session: AsyncSession, tenant_id: UUID, caller: str) -> int:
    """How many calls the caller still takes part in."""
    calls = _calls_of(tenant_id, caller).subquery()
    return await session.scalar(select(func.count()).select_from(calls)) or 0


def _calls_of(tenant_id: UUID, caller: str) -> Select[UUID]:
    return (
        select(Call.id)
        .join(
            CallParticipant,
            and_(CallParticipant.call_id == Call.id, CallParticipant.tenant_id == tenant_id),
        )
        .where(Call.tenant_id == tenant_id, CallParticipant.identity == caller)
        .group_by(Call.id)
    )


def _nothing_works_on_it() -> ColumnElement[bool]:
    """The call is over, no phone of it is still connected, its recording has its files, and its
    analysis is finished."""
    return and_(
        Call.ended_at.is_not(None),
        ~exists().where(DialingJob.call_id == Call.id, DialingJob.state == JobState.ACTIVE),
        ~exists().where(
            Recording.tenant_id == Call.tenant_id,
            Recording.call_id == Call.id,
            Recording.status == "processing",
        ),
        ~exists().where(CallAnalysis.call_id == Call.id, CallAnalysis.job_id.is_not(None)),
    )
