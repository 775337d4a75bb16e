"""The operator's queries on tenants. All need a system session."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Select, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.building.agents.models import Agent
from control_plane.calling.calls.models import Call
from control_plane.identity.accounts.models import User
from control_plane.identity.members.models import Membership
from control_plane.money.billing.models import BillingAccount
from control_plane.platform.tenancy.models import Tenant

RECENT = timedelta(days=30)


@dataclass(frozen=True)
class TenantRow:
    tenant: Tenant
    balance_micros: int
    held_micros: int
    agents: int
    recent_calls: int
    """Calls created within ``RECENT``. Counting all calls would take longer the more there are."""


@dataclass(frozen=True)
class TenantFigures:
    owner_emails: list[str]
    calls: int
    running_calls: int


async def list_tenants(
    session: AsyncSession, search: str | None, *, limit: int, offset: int
) -> tuple[list[TenantRow], int]:
    """One page, newest first, and how many match."""
    matching = [] if search is None else [_matches(search)]
    total = await session.scalar(select(func.count()).select_from(Tenant).where(*matching))
    rows = await session.execute(
        _rows()
        .where(*matching)
        .order_by(Tenant.created_at.desc(), Tenant.id.desc())
        .limit(limit)
        .offset(offset)
    )
    return [TenantRow(*row) for row in rows], total or 0


async def find_row(session: AsyncSession, tenant_id: UUID) -> TenantRow | None:
    row = (await session.execute(_rows().where(Tenant.id == tenant_id))).first()
    return None if row is None else TenantRow(*row)


async def figures(session: AsyncSession, tenant_id: UUID) -> TenantFigures:
    owners = await session.scalars(
        select(User.email)
        .join(Membership, Membership.user_id == User.id)
        .where(Membership.tenant_id == tenant_id, Membership.role == "owner")
        .order_by(User.email)
    )
    calls = select(func.count()).select_from(Call).where(Call.tenant_id == tenant_id)
    return TenantFigures(
        owner_emails=list(owners),
        calls=await session.scalar(calls) or 0,
        running_calls=await session.scalar(calls.where(Call.ended_at.is_(None))) or 0,
    )


def _rows() -> Select[Any]:
    agents = (
        select(func.count())
        .select_from(Agent)
        .where(Agent.tenant_id == Tenant.id, Agent.deleted_at.is_(None))
        .correlate(Tenant)
        .scalar_subquery()
    )
    recent_calls = (
        select(func.count())
        .select_from(Call)
        .where(Call.tenant_id == Tenant.id, Call.created_at >= datetime.now(UTC) - RECENT)
        .correlate(Tenant)
        .scalar_subquery()
    )
    return select(
        Tenant,
        func.coalesce(
            BillingAccount.plan_micros
            + BillingAccount.free_micros
            + BillingAccount.purchased_micros,
            0,
        ),
        func.coalesce(BillingAccount.held_micros, 0),
        agents,
        recent_calls,
    ).outerjoin(BillingAccount, BillingAccount.tenant_id == Tenant.id)


def _matches(search: str) -> ColumnElement[bool]:
    """Matches a part of the name or of a member's mail address, or the whole id."""
    has_member = (
        select(Membership.tenant_id)
        .join(User, User.id == Membership.user_id)
        .where(Membership.tenant_id == Tenant.id, User.email.icontains(search, autoescape=True))
        .exists()
    )
    conditions = [Tenant.name.icontains(search, autoescape=True), has_member]
    with contextlib.suppress(ValueError):
        conditions.append(Tenant.id == UUID(search))
    return or_(*conditions)
