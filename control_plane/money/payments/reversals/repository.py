"""Every query on refunds and disputes. None commits."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from uuid import UUID

from sqlalchemy import ARRAY, String, any_, func, literal, select
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.money.payments.models import PaymentReversal


async def find(session: AsyncSession, gateway: str, gateway_id: str) -> PaymentReversal | None:
    return await session.get(PaymentReversal, (gateway, gateway_id), populate_existing=True)


async def posted_among(
    session: AsyncSession, gateway: str, gateway_ids: Sequence[str]
) -> dict[str, bool]:
    """Which of these refunds and disputes are posted, and whether the money came back after all."""
    rows = await session.execute(
        select(
            PaymentReversal.gateway_id,
            PaymentReversal.returned_at.is_not(None).label("is_back"),
        ).where(
            PaymentReversal.gateway == gateway,
            PaymentReversal.gateway_id == any_(literal(list(gateway_ids), ARRAY(String))),
        )
    )
    return {row.gateway_id: row.is_back for row in rows}


async def reversed_minor(
    session: AsyncSession, payment_id: UUID, kinds: Collection[str] = ("refund", "dispute")
) -> int:
    """What of a payment has gone back, and stayed there."""
    found = await session.scalar(
        select(func.coalesce(func.sum(PaymentReversal.amount_minor), 0)).where(
            PaymentReversal.payment_id == payment_id,
            PaymentReversal.kind.in_(kinds),
            PaymentReversal.returned_at.is_(None),
        )
    )
    return int(found or 0)
