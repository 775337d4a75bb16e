"""The ledger's rules. Nothing here commits; the caller does.

A call's reserve is opened once, extended while the call runs, and settled or released exactly once.
A transaction that locks both a call's row and the tenant's account locks the call's row first.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Literal
from uuid import UUID, uuid4

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from contracts.money import charge_micros
from control_plane.money.billing import repository
from control_plane.money.billing.balance import reference_seconds
from control_plane.money.billing.buckets import Buckets, draw
from control_plane.money.billing.errors import InsufficientCredits
from control_plane.money.billing.models import BillingAccount, LedgerEntry
from control_plane.money.billing.reserve import extension_micros

_log = structlog.get_logger(__name__)


async def grant(
    session: AsyncSession,
    tenant_id: UUID,
    amount_micros: int,
    description: str,
    *,
    bucket: Literal["free", "purchased"] = "free",
    reference: str | None = None,
) -> None:
    """Add credit to a tenant's account, which is opened if there is none.

    Args:
        reference: what the credit is for. A tenant's references are unique.

    Raises:
        ValueError: the amount is negative.
    """
    if amount_micros < 0:
        raise ValueError(f"amount_micros must be 0 or more, got {amount_micros}")
    await repository.open_account(session, tenant_id)
    if amount_micros == 0:
        return
    account = await repository.locked_account(session, tenant_id)
    added = Buckets(amount_micros, 0) if bucket == "free" else Buckets(0, amount_micros)
    _post(
        session,
        account,
        LedgerEntry(
            tenant_id=tenant_id,
            reference=reference or f"grant:{uuid4()}",
            transaction_type="grant",
            free_micros=added.free_micros,
            purchased_micros=added.purchased_micros,
            amount_seconds=reference_seconds(amount_micros),
            description=description,
        ),
    )
    await session.flush()


async def reserve(
    session: AsyncSession,
    tenant_id: UUID,
    call_id: UUID,
    seconds: int,
    rate_micros_per_minute: int,
) -> None:
    """Hold the price of a new call's first ``seconds``. The call's row must already exist.

    Do as little as possible after this: the tenant's other calls wait from here to the commit.

    Raises:
        InsufficientCredits: less than that is available, or the account is not active. The
            transaction must not commit.
    """
    amount = charge_micros(seconds, rate_micros_per_minute)
    if not await repository.hold_first(session, tenant_id, call_id, amount):
        raise InsufficientCredits(
            f"The first {seconds} seconds of this call cannot be reserved from the balance."
        )


async def extend(
    session: AsyncSession,
    tenant_id: UUID,
    call_id: UUID,
    seconds: int,
    rate_micros_per_minute: int,
) -> bool:
    """Make a running call's reserve cover ``seconds`` in total; ``False`` if there is too little
    credit.

    A reserve that is already settled or released stays as it is.
    """
    held = await repository.locked_open_reserve(session, tenant_id, call_id)
    if held is None:
        return True
    more = extension_micros(held.held_micros, seconds, rate_micros_per_minute)
    if more and not await repository.hold(session, tenant_id, more):
        return False
    held.held_micros += more
    return True


async def settle(
    session: AsyncSession,
    tenant_id: UUID,
    call_id: UUID,
    seconds: int,
    rate_micros_per_minute: int,
    metadata: Mapping[str, Any],
) -> int:
    """Charge ``seconds`` billable seconds, close the reserve, and return the charge in
    micro-dollars.

    ``0`` seconds release the reserve without an entry. A charge above the reserve is posted in
    full: the call was served, but its reserve could not be extended in time.

    Raises:
        LookupError: the call has no open reserve, so it was already settled or released.
    """
    held = await repository.locked_open_reserve(session, tenant_id, call_id)
    if held is None:
        raise LookupError(f"call {call_id} has no open reserve")
    amount = charge_micros(seconds, rate_micros_per_minute)
    held.state = "settled" if amount else "released"
    held.resolved_at = datetime.now(UTC)
    account = await repository.locked_account(session, tenant_id)
    account.held_micros -= held.held_micros
    if amount > held.held_micros:
        _log.warning("charge_exceeds_reserve", call_id=str(call_id), charge_micros=amount)
    if amount:
        taken = -draw(account.buckets, amount)
        _post(
            session,
            account,
            LedgerEntry(
                tenant_id=tenant_id,
                reference=f"call:{call_id}",
                transaction_type="charge",
                call_id=call_id,
                free_micros=taken.free_micros,
                purchased_micros=taken.purchased_micros,
                amount_seconds=-seconds,
                description=f"Call, {seconds} seconds",
                details=dict(metadata),
            ),
        )
    return amount


def _post(session: AsyncSession, account: BillingAccount, entry: LedgerEntry) -> None:
    """Add an entry and apply it to the locked account."""
    account.free_micros += entry.free_micros
    account.purchased_micros += entry.purchased_micros
    session.add(entry)
