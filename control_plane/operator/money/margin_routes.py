"""``/v1/operator/margin``."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Literal
from uuid import UUID

from fastapi import APIRouter

from contracts.money import usd
from control_plane.calling.call_costs import repository
from control_plane.calling.call_costs.repository import CostGroup
from control_plane.calling.call_costs.routes import LATEST_DAYS, From, To
from control_plane.identity.authentication.dependencies import OperatorSession
from control_plane.money.billing.period import first_and_last_day
from control_plane.operator.money.margin_schemas import MarginGroup, MarginReport
from control_plane.platform.http.openapi import AUTHENTICATED, problems

router = APIRouter(
    prefix="/v1/operator/margin", tags=["operator"], responses=problems(*AUTHENTICATED)
)


@router.get("")
async def get_margin(
    session: OperatorSession,
    by: Literal["tenant", "agent", "model", "day"] = "day",
    from_: From = None,
    to: To = None,
    tenant_id: UUID | None = None,
) -> MarginReport:
    """What calls brought in and what their providers cost, planned and actual; of the last 30 days
    unless you say otherwise."""
    first, last = first_and_last_day(from_, to, datetime.now(UTC), LATEST_DAYS)
    groups = await repository.cost_groups(session, by, tenant_id=tenant_id, since=first, until=last)
    total = await repository.cost_total(session, tenant_id=tenant_id, since=first, until=last)
    return MarginReport(
        by=by,
        from_=first,
        to=last,
        total=_view(total),
        groups=[_view(group) for group in groups],
    )


def _view(group: CostGroup) -> MarginGroup:
    return MarginGroup(
        key=group.key,
        calls=group.calls,
        minutes=round(group.billable_ms / 60_000, 2),
        revenue_usd=usd(group.revenue_micros),
        planned_cost_usd=usd(group.planned_cost_micros),
        actual_cost_usd=usd(group.actual_cost_micros),
        calls_of_unknown_cost=group.calls_of_unknown_cost,
        planned_margin_usd=usd(group.revenue_micros - group.planned_cost_micros),
        actual_margin_usd=usd(group.revenue_micros - group.actual_cost_micros),
    )
