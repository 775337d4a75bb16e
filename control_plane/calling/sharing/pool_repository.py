"""What the calls of a share have used, and what they have reserved."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import BigInteger, cast, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from contracts.call_status import TERMINAL_STATUSES
from contracts.money import BILLING_INCREMENT_SECONDS
from control_plane.calling.calls.models import Call
from control_plane.calling.sharing.models import SharedCall
from control_plane.calling.sharing.pools import Use


async def use_of(session: AsyncSession, tenant_id: UUID, share_id: UUID) -> Use:
    """The use of one share.

    To reserve minutes, lock the share before: this then counts every call that was reserved before,
    and each of those either as running, with its reserve, or as over, with its connected time.
    """
    return (await uses_of(session, tenant_id, [share_id])).get(share_id, Use())


async def uses_of(session: AsyncSession, tenant_id: UUID, share_ids: list[UUID]) -> dict[UUID, Use]:
    """By share. Shares without calls are left out. Calls that their tester pays use no minutes, and
    count only as live."""
    is_free = Call.payer_tenant_id.is_(None)
    is_over = Call.status.in_([status.value for status in TERMINAL_STATUSES])
    reserved = SharedCall.reserved_seconds
    increment = BILLING_INCREMENT_SECONDS
    sums = (
        func.sum(func.ceil(func.coalesce(Call.connected_ms, 0) / 1000.0)).filter(is_free, is_over),
        func.sum(func.coalesce(Call.billable_seconds, 0)).filter(is_free, is_over),
        func.sum(reserved).filter(is_free, ~is_over),
        func.sum((reserved + increment - 1) // increment * increment).filter(is_free, ~is_over),
        func.count().filter(~is_over),
    )
    rows = await session.execute(
        select(SharedCall.share_id, *(cast(func.coalesce(each, 0), BigInteger) for each in sums))
        .join(Call, Call.id == SharedCall.call_id)
        .where(
            SharedCall.tenant_id == tenant_id,
            SharedCall.share_id.in_(share_ids),
            Call.tenant_id == tenant_id,
        )
        .group_by(SharedCall.share_id)
    )
    return {share_id: Use(*numbers) for share_id, *numbers in rows}
