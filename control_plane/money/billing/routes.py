"""``/v1/billing``."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Query

from control_plane.identity.authentication.dependencies import MemberCaller, TenantSession
from control_plane.identity.authentication.refusals import MEMBER_ONLY
from control_plane.money.billing import repository
from control_plane.money.billing.account_statement import balance_of, transaction_view
from control_plane.money.billing.period import period_end, period_start
from control_plane.money.billing.schemas import Balance, Transactions
from control_plane.platform.http.openapi import problems
from control_plane.platform.tenancy.directories import Agents, Calls

MAX_TRANSACTIONS = 200

router = APIRouter(prefix="/v1/billing", tags=["billing"], responses=problems(*MEMBER_ONLY))


@router.get("/balance")
async def get_balance(
    caller: MemberCaller, session: TenantSession, agents: Agents, calls: Calls
) -> Balance:
    """Your remaining credit, in seconds, dollars, cents and credits."""
    return await balance_of(session, caller.tenant_id, datetime.now(UTC), agents, calls)


@router.get("/transactions")
async def list_transactions(
    caller: MemberCaller,
    session: TenantSession,
    limit: Annotated[int, Query(ge=1, description="More than 200 counts as 200.")] = 50,
    from_: Annotated[str | None, Query(alias="from", description="ISO date, inclusive.")] = None,
    to: Annotated[
        str | None, Query(description="ISO date. The list includes all of that day.")
    ] = None,
) -> Transactions:
    """List the ledger entries, newest first."""
    entries = await repository.transactions(
        session,
        caller.tenant_id,
        min(limit, MAX_TRANSACTIONS),
        period_start(from_),
        period_end(to),
    )
    return Transactions(transactions=[transaction_view(entry) for entry in entries])
