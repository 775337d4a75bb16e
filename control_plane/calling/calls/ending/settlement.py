"""Settles a call that is over: the charge to its payer, and what it has cost its own tenant."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.call_plan import CallPlan
from control_plane.calling.call_costs.cost_parts import cost_parts
from control_plane.calling.call_costs.repository import add_costs
from control_plane.calling.calls.ending.actual_cost import actual_cost_micros
from control_plane.calling.calls.ending.bill import billed, telecom_micros
from control_plane.calling.calls.ending.cost_breakdown import provider_cost_micros
from control_plane.calling.calls.ending.served_agents import ServedAgent, billed_agents, tariff_of
from control_plane.calling.calls.models import Call
from control_plane.money.billing import service as billing
from control_plane.money.billing.service import Settlement


async def settle_call(
    session: AsyncSession,
    call: Call,
    plan: CallPlan,
    served: Sequence[ServedAgent],
    served_seconds: int,
    day: date,
) -> Settlement:
    """Charge the payer, and note in the call's row what its own tenant was charged: nothing, if
    somebody else pays.

    Args:
        call: its ``end_reason`` and ``connected_ms`` are set.
        served_seconds: billable.
        day: of UTC, on which it ended.
    """
    is_own = call.payer_tenant_id is None
    details = _own_details(call, plan, served) if is_own else _payers_details(call, plan, served)
    settled = await billing.settle(
        session, call.payer_id, call.id, served_seconds, tariff_of(served), details
    )
    agents = billed(served, settled.seconds, settled.charge_micros)
    call.billable_seconds = settled.seconds
    call.total_cost_micros = settled.charge_micros if is_own else 0
    call.telecom_cost_micros = telecom_micros(agents) if is_own else 0
    call.provider_cost_micros = provider_cost_micros(
        [(from_ms, agent.prices) for agent, from_ms in served], settled.seconds if is_own else 0
    )
    call.provider_cost_calculated_at = datetime.now(UTC)
    call.provider_cost_actual_micros = actual_cost_micros(plan, call.usage)
    await add_costs(
        session,
        call.payer_id,
        day,
        cost_parts(agents, call.provider_cost_actual_micros) if served_seconds else (),
    )
    return settled


def _own_details(call: Call, plan: CallPlan, served: Sequence[ServedAgent]) -> dict[str, Any]:
    return {
        "end_reason": call.end_reason,
        "connected_ms": call.connected_ms,
        "rate_micros_per_minute": plan.rate_micros_per_minute,
        "prices": [row.model_dump(mode="json") for row in plan.prices],
        **({"agents": billed_agents(served)} if len(served) > 1 else {}),
    }


def _payers_details(call: Call, plan: CallPlan, served: Sequence[ServedAgent]) -> dict[str, Any]:
    """Enough to check the amount. Which models the agent has is its owner's business."""
    return {
        "end_reason": call.end_reason,
        "connected_ms": call.connected_ms,
        "shared_agent": plan.agent.persona.name or plan.agent.name,
        "rates": [rate._asdict() for rate in tariff_of(served).rates],
    }
