"""``/v1/calls/{call_id}/bill``: why a call costs what it costs."""

from __future__ import annotations

from uuid import UUID

from fastapi import APIRouter

from control_plane.building.catalogue import price_repository
from control_plane.calling.calls.bill.schemas import CallBill
from control_plane.calling.calls.bill.views import bill_view
from control_plane.calling.calls.ending.added_phones import added_phones, served_with_phones
from control_plane.calling.calls.ending.bill import billed
from control_plane.calling.calls.ending.served_agents import served_agents
from control_plane.calling.calls.errors import CallNotFound
from control_plane.calling.calls.queries import call_records
from control_plane.identity.authentication.dependencies import MemberCaller, TenantSession
from control_plane.identity.authentication.refusals import MEMBER_ONLY
from control_plane.money.billing import repository as billing
from control_plane.money.billing.service import charge_reference
from control_plane.platform.http.openapi import problems

router = APIRouter(prefix="/v1/calls", tags=["calls"])


@router.get("/{call_id}/bill", responses=problems(*MEMBER_ONLY, CallNotFound))
async def get_call_bill(call_id: UUID, caller: MemberCaller, session: TenantSession) -> CallBill:
    """The bill of a call: the charge, the credit that was held for it, and each price row that the
    call froze when it was created, with its part of the charge."""
    call = await call_records.find_call(session, caller.tenant_id, call_id, with_plan=True)
    if call is None:
        raise CallNotFound
    served = served_with_phones(
        served_agents(call.frozen_plan(), call.takeovers or ()), await added_phones(session, call)
    )
    agents = billed(served, call.billable_seconds, call.total_cost_micros)
    reference = charge_reference(call_id)
    entry = await billing.entry_of_reference(session, caller.tenant_id, reference)
    reserve = await billing.reserve_of(session, caller.tenant_id, call_id)
    valid_from = await price_repository.valid_from(
        session, {priced.row.price_id for each in agents for priced in each.rows}
    )
    return bill_view(call, agents, entry, reserve, valid_from)
