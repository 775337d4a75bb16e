"""The ledger's rules. Nothing here commits; the caller does.

A call's reserve is opened once, extended while the call runs, and settled or released exactly once.
The tenant is always the one who pays, whose call it need not be.
A transaction that locks both a call's row and the tenant's account locks the call's row first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal
from uuid import UUID, uuid4

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from contracts.money import charge_micros, usd
from control_plane.money.billing import repository
from control_plane.money.billing.buckets import NOTHING, Buckets, draw, draw_held
from control_plane.money.billing.credit_watch import tell_if_fell, watched
from control_plane.money.billing.errors import BalanceTooLow, InsufficientCredits
from control_plane.money.billing.locked_ahead import LockedAccount
from control_plane.money.billing.models import CallReserve
from control_plane.money.billing.posting import post
from control_plane.money.billing.reserve import (
    extension_micros,
    funded_until_ms,
    payable_seconds,
)
from control_plane.money.billing.tariff import Tariff
from telemetry.metrics import RESERVE_FAILURES

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
    post(
        session,
        account,
        "grant",
        _added(amount_micros, bucket),
        description,
        reference=reference or f"grant:{uuid4()}",
    )
    await session.flush()


async def adjust(
    session: AsyncSession,
    tenant_id: UUID,
    transaction_type: Literal["debit", "correction"],
    amount_micros: int,
    description: str,
    *,
    reference: str,
    details: Mapping[str, Any],
    bucket: Literal["free", "purchased"] = "free",
    counter_account: str | None = None,
) -> None:
    """Post a debit, or a correction of what was posted wrongly. The account must exist.

    Args:
        amount_micros: what it adds to the balance: below 0 for a debit, not 0 for a correction.
            What is taken comes from the buckets in their order, and not from what calls hold.
        reference: what it is for. A tenant's references are unique.
        bucket: gets what a correction adds.
        counter_account: what it is booked against, if its type does not say.

    Raises:
        BalanceTooLow: a debit would take credit that is not there or that calls hold. A correction
            may: the purchased bucket is then below 0, because the balance was too high before.
    """
    account = await repository.locked_account(session, tenant_id)
    if transaction_type == "debit" and account.available_micros + amount_micros < 0:
        raise BalanceTooLow(
            f"Only ${usd(max(0, account.available_micros)):.6f} can be debited: the rest of the "
            "balance is held by calls, or is not there."
        )
    if amount_micros < 0:
        change = -draw(account.available, -amount_micros)
    else:
        change = _added(amount_micros, bucket)
    async with watched(session, account):
        post(
            session,
            account,
            transaction_type,
            change,
            description,
            reference=reference,
            details=details,
            counter_account=counter_account,
        )
    await session.flush()


async def reserve(
    session: AsyncSession,
    tenant_id: UUID,
    call_id: UUID,
    seconds: int,
    rate_micros_per_minute: int,
    *,
    hold: bool = True,
    of_tenant_id: UUID | None = None,
) -> None:
    """Open a new call's reserve for its first ``seconds``. The call's row must already exist.

    Do as little as possible after this: the tenant's other calls wait from here to the commit.

    Args:
        hold: whether the price is held from now on. If not, the reserve stays empty until
            ``extend``, and the price only has to be available now.
        of_tenant_id: the call's tenant, if it is another one than ``tenant_id``, who pays. It needs
            a system session.

    Raises:
        InsufficientCredits: less than that is available, or the account is not active. The
            transaction must not commit.
    """
    price = charge_micros(seconds, rate_micros_per_minute)
    amount = price if hold else 0
    held = await repository.hold_first(
        session,
        tenant_id,
        call_id,
        amount,
        required_micros=price,
        of_tenant_id=of_tenant_id,
    )
    if held is None:
        RESERVE_FAILURES.labels("first").inc()
        raise InsufficientCredits(
            f"The balance does not cover the first {seconds} seconds of this call."
        )
    available = held.available_micros
    await tell_if_fell(session, tenant_id, available + amount, available, held.watch_below_micros)


async def extend(
    session: AsyncSession,
    tenant_id: UUID,
    call_id: UUID,
    seconds: int,
    rate_micros_per_minute: int,
) -> int | None:
    """Make a call's reserve cover ``seconds`` in total, or as many as the balance allows.

    Returns:
        The seconds that it now covers, at most ``seconds`` unless it covered more before. ``None``
        if it is already settled or released; then nothing changes.
    """
    held = await repository.locked_open_reserve(session, tenant_id, call_id)
    if held is None:
        return None
    account = await repository.locked_account(session, tenant_id)
    spendable = account.spendable_micros if account.is_active else 0
    affordable = payable_seconds(
        seconds, held.held_micros + max(0, spendable), rate_micros_per_minute
    )
    more = extension_micros(held.held_micros, affordable, rate_micros_per_minute)
    if more:
        _notice_month(held, account)
        parts = draw(account.available, more)
        async with watched(session, account):
            held.hold(held.held + parts)
            account.hold(parts)
    if affordable < seconds:
        RESERVE_FAILURES.labels("extension").inc()
    covered_ms = funded_until_ms(held.held_micros, rate_micros_per_minute)
    return seconds if covered_ms is None else covered_ms // 1000


async def empty_reserve(session: AsyncSession, tenant_id: UUID, call_id: UUID) -> None:
    """Give back what the call's reserve holds, without closing it: ``extend`` fills it again."""
    held = await repository.locked_open_reserve(session, tenant_id, call_id)
    if held is None or held.held_micros == 0:
        return
    account = await repository.locked_account(session, tenant_id)
    _notice_month(held, account)
    async with watched(session, account):
        account.hold(-held.held)
        held.hold(NOTHING)
        await session.flush()
        _expire_carried(session, account, held, used_micros=0)


@dataclass(frozen=True)
class Settlement:
    seconds: int
    """Billable seconds that were charged."""
    charge_micros: int


async def settle(
    session: AsyncSession,
    tenant_id: UUID,
    call_id: UUID,
    seconds: int,
    tariff: Tariff,
    metadata: Mapping[str, Any],
) -> Settlement:
    """Charge ``seconds`` billable seconds and close the reserve.

    ``0`` seconds release the reserve without an entry. What the reserve does not cover is charged
    from the credit that no other call holds. If that is too little, the rest is not charged, so a
    call never overdraws the account.

    Raises:
        LookupError: the call has no open reserve, so it was already settled or released.
    """
    held = await repository.locked_open_reserve(session, tenant_id, call_id)
    if held is None:
        raise LookupError(f"call {call_id} has no open reserve")
    account = await repository.locked_account(session, tenant_id)
    funds = held.held_micros + max(0, account.spendable_micros)
    paid_seconds = tariff.payable_seconds(seconds, max(0, funds))
    amount = tariff.charge_micros(paid_seconds)
    if paid_seconds < seconds:
        _log.error(
            "served_beyond_balance",
            call_id=str(call_id),
            served_seconds=seconds,
            charged_seconds=paid_seconds,
        )
    _notice_month(held, account)
    taken = draw_held(account.buckets, account.held, held.held, amount)
    async with watched(session, account):
        held.state = "settled" if amount else "released"
        held.resolved_at = datetime.now(UTC)
        account.hold(-held.held)
        if amount:
            post(
                session,
                account,
                "charge",
                -taken,
                f"Call, {paid_seconds} seconds",
                reference=charge_reference(call_id),
                details=metadata,
                call_id=call_id,
                amount_seconds=-paid_seconds,
            )
        _expire_carried(session, account, held, used_micros=taken.plan_micros)
    return Settlement(paid_seconds, amount)


def charge_reference(call_id: UUID) -> str:
    """What the ledger entry that charges a call is for."""
    return f"call:{call_id}"


def _added(amount_micros: int, bucket: Literal["free", "purchased"]) -> Buckets:
    return Buckets(amount_micros, 0) if bucket == "free" else Buckets(0, amount_micros)


def _notice_month(held: CallReserve, account: LockedAccount) -> None:
    """What a reserve holds of plan credit when a new month's is granted comes from an earlier
    month."""
    if held.plan_period != account.plan_period:
        held.carried_micros = held.held.plan_micros
        held.plan_period = account.plan_period


def _expire_carried(
    session: AsyncSession, account: LockedAccount, held: CallReserve, *, used_micros: int
) -> None:
    """Expire what a call gives back of an earlier month's plan credit, of which it has used
    ``used_micros``. The month's job left it because the call held it."""
    expired = held.carried_micros - used_micros
    held.carried_micros = 0
    if expired > 0:
        post(
            session,
            account,
            "expiry",
            Buckets(0, 0, -expired),
            "Plan credit of an earlier month that a call held and did not use",
            reference=f"expiry:{held.call_id}:{account.plan_period}",
            details={"call_id": str(held.call_id)},
        )
