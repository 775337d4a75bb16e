"""``/v1/billing/calls``, ``/v1/billing/export.csv`` and ``/v1/billing/spend``."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, Query
from fastapi.responses import StreamingResponse

from contracts.call_status import CallStatus
from contracts.money import usd
from control_plane.calling.call_costs import repository
from control_plane.calling.call_costs.export import HEADER, MOST_CALLS, csv_of
from control_plane.calling.call_costs.repository import SHARED, CallCost, CostFilter, agent_names
from control_plane.calling.call_costs.schemas import CallCosts, CallCostView, Spend, SpendGroup
from control_plane.identity.authentication.dependencies import MemberCaller, TenantSession
from control_plane.identity.authentication.refusals import MEMBER_ONLY
from control_plane.money.billing.period import first_and_last_day, period_end, period_start
from control_plane.platform.http.openapi import problems

MOST_LISTED = 200
LATEST_DAYS = timedelta(days=29)
From = Annotated[str | None, Query(alias="from", description="ISO date, inclusive.")]
To = Annotated[str | None, Query(description="ISO date. All of that day is included.")]

router = APIRouter(prefix="/v1/billing", tags=["billing"], responses=problems(*MEMBER_ONLY))


@router.get("/calls")
async def list_call_costs(
    caller: MemberCaller,
    session: TenantSession,
    limit: Annotated[int, Query(ge=1, description="More than 200 counts as 200.")] = 50,
    from_: From = None,
    to: To = None,
    agent_id: UUID | None = None,
) -> CallCosts:
    """List what calls brought in and cost, by when they started, newest first. Calls that never
    started cost nothing and are left out, so are those that a tester paid, and running calls are
    not billed yet."""
    wanted = CostFilter(
        tenant_id=caller.tenant_id,
        since=period_start(from_),
        until=period_end(to),
        agent_id=agent_id,
    )
    costs = await repository.costs_of_calls(session, wanted, min(limit, MOST_LISTED))
    return CallCosts(calls=[_view(cost) for cost in costs])


@router.get(
    "/export.csv",
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "The file.",
            "content": {
                "text/csv": {"schema": {"type": "string"}, "example": f"{HEADER}\r\n"},
            },
        }
    },
)
async def export_call_costs(
    caller: MemberCaller,
    session: TenantSession,
    from_: From = None,
    to: To = None,
    agent_id: UUID | None = None,
    status: CallStatus | None = None,
) -> StreamingResponse:
    """Download what calls brought in and cost as CSV: the newest 5,000 that match. Amounts are in
    dollars, exact to six decimal places."""
    wanted = CostFilter(
        tenant_id=caller.tenant_id,
        since=period_start(from_),
        until=period_end(to),
        agent_id=agent_id,
        status=status,
    )
    costs = await repository.costs_of_calls(session, wanted, MOST_CALLS)
    return StreamingResponse(
        csv_of(costs),
        media_type="text/csv",
        headers={"Content-Disposition": 'attachment; filename="calls.csv"'},
    )


@router.get("/spend")
async def get_spend(
    caller: MemberCaller,
    session: TenantSession,
    by: Literal["day", "agent", "model"] = "day",
    from_: From = None,
    to: To = None,
) -> Spend:
    """What calls cost by day, agent or model; of the last 30 days unless you say otherwise."""
    first, last = first_and_last_day(from_, to, datetime.now(UTC), LATEST_DAYS)
    groups = await repository.cost_groups(
        session,
        by,
        tenant_id=caller.tenant_id,
        since=first,
        until=last,
        hides_others_agents=True,
    )
    total = await repository.cost_total(
        session, tenant_id=caller.tenant_id, since=first, until=last
    )
    names: dict[str, str] = {}
    if by == "agent":
        own = [UUID(group.key) for group in groups if group.key != SHARED]
        names = {str(key): name for key, name in (await agent_names(session, own)).items()}
    return Spend(
        by=by,
        from_=first,
        to=last,
        total_usd=usd(total.revenue_micros),
        groups=[
            SpendGroup(
                key=group.key,
                name=names.get(group.key),
                calls=group.calls,
                minutes=round(group.billable_ms / 60_000, 2),
                spend_usd=usd(group.revenue_micros),
            )
            for group in groups
        ],
    )


def _view(cost: CallCost) -> CallCostView:
    return CallCostView(
        id=cost.call_id,
        started_at=cost.started_at,
        agent_id=cost.agent_id,
        agent_name=cost.agent_name,
        duration_seconds=cost.billable_seconds,
        customer_revenue=usd(cost.revenue_micros),
        provider_cost=usd(cost.provider_cost_micros),
        gross_margin=usd(cost.revenue_micros - cost.provider_cost_micros),
    )
