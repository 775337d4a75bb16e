"""Every query on plans. Writing needs a system session."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.platform.tenancy.models import Plan


async def plans(session: AsyncSession) -> Sequence[Plan]:
    return (await session.scalars(select(Plan).order_by(Plan.id))).all()


async def find_plan(session: AsyncSession, plan_id: str) -> Plan | None:
    return await session.get(Plan, plan_id)


async def add_plan(session: AsyncSession, plan: Plan) -> bool:
    """Add a plan; ``False`` if its id is taken."""
    added = await session.scalars(
        insert(Plan)
        .values(
            id=plan.id,
            display_name=plan.display_name,
            monthly_credit_micros=plan.monthly_credit_micros,
            byok_allowed=plan.byok_allowed,
            calls_at_once=plan.calls_at_once,
            calls_not_joined=plan.calls_not_joined,
            dispatch_weight=plan.dispatch_weight,
            phone_numbers_max=plan.phone_numbers_max,
            knowledge_sources_max=plan.knowledge_sources_max,
            knowledge_bytes_max=plan.knowledge_bytes_max,
            knowledge_sources_soft_max=plan.knowledge_sources_soft_max,
            knowledge_bytes_soft_max=plan.knowledge_bytes_soft_max,
        )
        .on_conflict_do_nothing()
        .returning(Plan.id)
    )
    return added.first() is not None
