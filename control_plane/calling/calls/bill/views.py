"""The bill of a call as the API shows it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from uuid import UUID

from contracts.money import usd
from control_plane.calling.calls.bill.schemas import (
    BillAgent,
    BillCharge,
    BillHold,
    BillPriceRow,
    CallBill,
)
from control_plane.calling.calls.ending.bill import BilledAgent, PricedRow
from control_plane.calling.calls.models import Call
from control_plane.money.billing.models import CallReserve, LedgerEntry


def bill_view(
    call: Call,
    agents: Iterable[BilledAgent],
    entry: LedgerEntry | None,
    reserve: CallReserve | None,
    valid_from: Mapping[UUID, datetime],
) -> CallBill:
    """
    Args:
        agents: with an entry of their own wherever a phone came or went.
        entry: what the call was charged with.
        valid_from: of the price rows, by id.
    """
    return CallBill(
        call_id=call.id,
        paid_by="tenant" if call.payer_tenant_id is None else "tester",
        billable_seconds=call.billable_seconds,
        total_cost=_usd(call.total_cost_micros),
        telecom_cost=_usd(_telecom_micros(call)),
        phone_cost=None if call.total_cost_micros is None else _usd(call.telecom_cost_micros or 0),
        charge=None if entry is None else _charge(entry),
        hold=None if reserve is None else _hold(reserve),
        agents=[_agent(each, valid_from) for each in agents],
    )


def _telecom_micros(call: Call) -> int | None:
    if call.total_cost_micros is None:
        return None
    providers: Mapping[str, int] = call.provider_cost_micros or {}
    return call.total_cost_micros - sum(providers.values())


def _charge(entry: LedgerEntry) -> BillCharge:
    return BillCharge(
        transaction_id=entry.id,
        seconds=-entry.amount_seconds,
        amount=usd(-entry.amount_micros),
        from_plan_credit=usd(-entry.plan_micros),
        from_free_credit=usd(-entry.free_micros),
        from_purchased_credit=usd(-entry.purchased_micros),
        created_at=entry.created_at,
    )


def _hold(reserve: CallReserve) -> BillHold:
    return BillHold.model_validate(
        {
            "state": reserve.state,
            "amount": usd(reserve.held_micros),
            "opened_at": reserve.created_at,
            "closed_at": reserve.resolved_at,
        }
    )


def _agent(each: BilledAgent, valid_from: Mapping[UUID, datetime]) -> BillAgent:
    return BillAgent(
        agent_id=each.agent.agent_id,
        agent_version=each.agent.agent_version,
        agent_name=each.agent.name,
        from_seconds=each.from_ms / 1000,
        seconds=None if each.billed_ms is None else each.billed_ms / 1000,
        price_per_min=usd(each.agent.rate_micros_per_minute),
        cost=_usd(each.charged_micros),
        prices=[_price(priced, valid_from) for priced in each.rows],
    )


def _price(priced: PricedRow, valid_from: Mapping[UUID, datetime]) -> BillPriceRow:
    row = priced.row
    return BillPriceRow(
        price_id=row.price_id,
        component=row.component,
        provider=row.provider,
        model=row.model,
        price_per_min=usd(row.micros_per_minute),
        valid_from=valid_from.get(row.price_id),
        cost=_usd(priced.charged_micros),
    )


def _usd(micros: int | None) -> float | None:
    return None if micros is None else usd(micros)
