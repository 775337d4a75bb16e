"""Every query on what calls cost. None commits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Literal
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    String,
    and_,
    case,
    cast,
    func,
    literal,
    select,
    true,
)
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from contracts.call_status import CallStatus
from control_plane.building.agents.models import Agent
from control_plane.calling.call_costs.cost_parts import CostPart
from control_plane.calling.call_costs.models import CallCostDay
from control_plane.calling.calls.ending.cost_breakdown import CHANNELS
from control_plane.calling.calls.models import Call

MOST_GROUPS = 1_000
Grouping = Literal["tenant", "agent", "model", "day"]
SHARED = "shared"


@dataclass(frozen=True, kw_only=True)
class CostFilter:
    """Calls of a tenant that started, are over, and that nobody else paid. ``since`` and ``until``
    bound when they started; ``until`` is exclusive."""

    tenant_id: UUID
    since: datetime | None = None
    until: datetime | None = None
    agent_id: UUID | None = None
    status: CallStatus | None = None


@dataclass(frozen=True)
class CallCost:
    call_id: UUID
    started_at: datetime
    agent_id: UUID
    agent_name: str
    billable_seconds: int
    revenue_micros: int
    provider_cost_micros: int
    """Planned: the channels' frozen prices."""


async def costs_of_calls(
    session: AsyncSession, wanted: CostFilter, limit: int
) -> Sequence[CallCost]:
    """Newest first."""
    planned: ColumnElement[int] = sum(
        (
            func.coalesce(cast(Call.provider_cost_micros[channel].astext, BigInteger), 0)
            for channel in CHANNELS
        ),
        start=literal(0, BigInteger),
    )
    columns: list[Any] = [
        Call.id,
        Call.started_at,
        Call.agent_id,
        func.coalesce(Agent.name, ""),
        func.coalesce(Call.billable_seconds, 0),
        Call.total_cost_micros,
        planned,
    ]
    query = (
        select(*columns)
        .outerjoin(Agent, Agent.id == Call.agent_id)
        .where(
            Call.tenant_id == wanted.tenant_id,
            Call.payer_tenant_id.is_(None),
            Call.started_at.is_not(None),
            Call.total_cost_micros.is_not(None),
        )
        .order_by(Call.started_at.desc(), Call.id.desc())
        .limit(limit)
    )
    if wanted.since is not None:
        query = query.where(Call.started_at >= wanted.since)
    if wanted.until is not None:
        query = query.where(Call.started_at < wanted.until)
    if wanted.agent_id is not None:
        query = query.where(Call.agent_id == wanted.agent_id)
    if wanted.status is not None:
        query = query.where(Call.status == wanted.status.value)
    return [CallCost(*row) for row in await session.execute(query)]


async def add_costs(
    session: AsyncSession, tenant_id: UUID, day: date, parts: Sequence[CostPart]
) -> None:
    """Add a call's parts to the totals of the day on which it ended. The tenant's other calls wait
    for these rows until the commit, as they do for its account."""
    if not parts:
        return
    summed: dict[tuple[UUID, str, str, str], dict[str, int]] = {}
    for part in parts:
        key = (part.agent_id, part.component, part.provider, part.model)
        row = summed.setdefault(key, dict.fromkeys(_AMOUNTS, 0) | {"calls": 1})
        row["calls_begun"] += part.calls_begun
        row["billable_ms"] += part.billable_ms
        row["revenue_micros"] += part.revenue_micros
        row["planned_cost_micros"] += part.planned_cost_micros
        row["actual_cost_micros"] += part.actual_cost_micros
        row["calls_of_unknown_cost"] = max(row["calls_of_unknown_cost"], int(part.is_cost_unknown))
    rows = [
        dict(zip(_KEY, (tenant_id, day, *key), strict=True)) | summed[key]
        for key in sorted(summed, key=str)
    ]
    added = insert(CallCostDay).values(rows)
    await session.execute(
        added.on_conflict_do_update(
            index_elements=_KEY,
            set_={name: getattr(CallCostDay, name) + added.excluded[name] for name in _AMOUNTS},
        )
    )


_KEY = ("tenant_id", "day", "agent_id", "component", "provider", "model")
_AMOUNTS = (
    "calls",
    "calls_begun",
    "billable_ms",
    "revenue_micros",
    "planned_cost_micros",
    "actual_cost_micros",
    "calls_of_unknown_cost",
)


@dataclass(frozen=True)
class CostGroup:
    key: str
    """An id, ``component/provider/model`` or a day."""
    calls: int
    billable_ms: int
    revenue_micros: int
    planned_cost_micros: int
    actual_cost_micros: int
    calls_of_unknown_cost: int


async def cost_groups(
    session: AsyncSession,
    by: Grouping,
    *,
    tenant_id: UUID | None,
    since: date,
    until: date,
    hides_others_agents: bool = False,
) -> Sequence[CostGroup]:
    """Totals of the days in [since, until], by what is asked for; the most revenue first, the
    newest days in their order. ``MOST_GROUPS`` at most, so their sum is not that of all.

    Args:
        tenant_id: ``None``: every tenant; that needs a system session.
        hides_others_agents: whether all calls that the tenant paid as a tester of somebody else's
            agents are one group, ``SHARED``. Neither those agents nor their models are theirs.
    """
    cost = CallCostDay
    keys: dict[Grouping, Any] = {
        "tenant": cast(cost.tenant_id, String),
        "agent": cast(cost.agent_id, String),
        "model": cost.component + "/" + cost.provider + "/" + cost.model,
        "day": cast(cost.day, String),
    }
    key = keys[by]
    is_whole = _is_whole()
    counted = is_whole
    calls: ColumnElement[int] = cost.calls_begun.expression
    if by == "model":
        calls, counted = cost.calls.expression, true()
    hides = hides_others_agents and by in ("agent", "model")
    if hides:
        is_own = Agent.id.is_not(None)
        key = case((is_own, key), else_=SHARED)
        calls = case((is_own, calls), else_=cost.calls_begun)
        counted = case((is_own, counted), else_=is_whole)
    revenue = func.sum(cost.revenue_micros)
    query = (
        select(key, *_sums(calls, counted))
        .where(cost.day >= since, cost.day <= until)
        .group_by(key)
        .order_by(*((key.desc(),) if by == "day" else (revenue.desc(), key)))
        .limit(MOST_GROUPS)
    )
    if hides:
        query = query.outerjoin(
            Agent, and_(Agent.id == cost.agent_id, Agent.tenant_id == cost.tenant_id)
        )
    if tenant_id is not None:
        query = query.where(cost.tenant_id == tenant_id)
    groups = [_group(*row) for row in await session.execute(query)]
    return groups[::-1] if by == "day" else groups


async def cost_total(
    session: AsyncSession, *, tenant_id: UUID | None, since: date, until: date
) -> CostGroup:
    """Of all calls of the days in [since, until], each counted once.

    Args:
        tenant_id: ``None``: every tenant; that needs a system session.
    """
    cost = CallCostDay
    calls: ColumnElement[int] = cost.calls_begun.expression
    query = select(*_sums(calls, _is_whole())).where(cost.day >= since, cost.day <= until)
    if tenant_id is not None:
        query = query.where(cost.tenant_id == tenant_id)
    return _group("total", *(await session.execute(query)).one())


def _is_whole() -> ColumnElement[bool]:
    """Each agent of a call has exactly one row of these."""
    return CallCostDay.component.in_(("platform", "managed_sku"))


def _sums(calls: ColumnElement[int], counted: ColumnElement[bool]) -> list[ColumnElement[Any]]:
    """The amounts of a ``CostGroup``.

    Args:
        counted: the rows whose minutes count.
    """
    cost = CallCostDay
    return [
        func.sum(calls),
        func.sum(cost.billable_ms).filter(counted),
        func.sum(cost.revenue_micros),
        func.sum(cost.planned_cost_micros),
        func.sum(cost.actual_cost_micros),
        func.sum(cost.calls_of_unknown_cost),
    ]


def _group(key: str, *amounts: Any) -> CostGroup:
    return CostGroup(key, *(int(each or 0) for each in amounts))


async def agent_names(session: AsyncSession, agent_ids: Sequence[UUID]) -> dict[UUID, str]:
    rows = await session.execute(select(Agent.id, Agent.name).where(Agent.id.in_(agent_ids)))
    return {row.id: row.name for row in rows}
