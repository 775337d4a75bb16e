"""Queries on tenants' plans, as far as billing needs them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import and_, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.money.billing.models import BillingAccount, LedgerReference
from control_plane.money.plans.month import begins_at, credit_reference
from control_plane.platform.tenancy.models import Plan, Tenant

_LONGEST_CHANGE = timedelta(hours=1)
"""A change of the plan is stamped before it is committed, which may be in the next month."""


class TenantPlan(NamedTuple):
    plan: Plan
    active_since: datetime


async def plan_of(session: AsyncSession, tenant_id: UUID) -> Plan:
    return (await tenant_plan(session, tenant_id)).plan


async def tenant_plan(session: AsyncSession, tenant_id: UUID) -> TenantPlan:
    """The tenant's plan, and since when it has it."""
    row = await session.execute(
        select(Plan, func.coalesce(Tenant.plan_since, Tenant.created_at))
        .join(Tenant, Tenant.plan_id == Plan.id)
        .where(Tenant.id == tenant_id)
    )
    return TenantPlan(*row.one())


async def tenant_name(session: AsyncSession, tenant_id: UUID) -> str:
    name: str = (await session.scalars(select(Tenant.name).where(Tenant.id == tenant_id))).one()
    return name


async def tenants_due(
    session: AsyncSession, month: date, after: UUID | None, limit: int
) -> Sequence[UUID]:
    """Tenants for which ``month`` has not begun, and which have plan credit or are to get some, and
    those that got a plan with credit after it had begun without any; in the order of their ids,
    from behind ``after``. Needs a system session."""
    account = BillingAccount
    had_credit = (
        select(LedgerReference.entry_id)
        .where(
            LedgerReference.tenant_id == Tenant.id,
            LedgerReference.reference == credit_reference(month),
        )
        .exists()
    )
    query = (
        select(Tenant.id)
        .join(Plan, Plan.id == Tenant.plan_id)
        .outerjoin(account, account.tenant_id == Tenant.id)
        .where(
            or_(
                and_(
                    or_(account.plan_period.is_(None), account.plan_period < month),
                    or_(
                        Plan.monthly_credit_micros > 0,
                        and_(account.plan_micros.is_not(None), account.plan_micros > 0),
                    ),
                ),
                and_(
                    account.plan_period == month,
                    Plan.monthly_credit_micros > 0,
                    Tenant.plan_since >= begins_at(month) - _LONGEST_CHANGE,
                    ~had_credit,
                ),
            )
        )
        .order_by(Tenant.id)
        .limit(limit)
    )
    if after is not None:
        query = query.where(Tenant.id > after)
    return (await session.scalars(query)).all()
