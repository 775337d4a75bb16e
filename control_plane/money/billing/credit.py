"""Credit that is bought, and given back: what payments post. Nothing here commits.

Each function posts at most one entry per reference (a top-up: and one for its bonus), however often
it is called. The references of one function do not meet those of another: each has a prefix.
Requests may post none of these, so all need a system session.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.money.billing import repository
from control_plane.money.billing.buckets import Buckets
from control_plane.money.billing.credit_watch import watched
from control_plane.money.billing.locked_ahead import LockedAccount
from control_plane.money.billing.posting import Posted, post_once
from control_plane.money.billing.transaction_types import TransactionType


class PostedTopUp(NamedTuple):
    topup: Posted
    bonus: Posted | None


async def post_topup(
    session: AsyncSession,
    tenant_id: UUID,
    amount_micros: int,
    description: str,
    *,
    reference: str,
    bonus_micros: int = 0,
    details: Mapping[str, Any],
) -> PostedTopUp:
    """Add a captured payment, and what comes on top of it, to the purchased bucket.

    The account is opened if there is none.

    Args:
        amount_micros: above 0.
        reference: the payment's id.
        details: the transaction's ``metadata``, which the tenant sees.

    Raises:
        ValueError: an amount is out of range.
        ReferenceTaken: the payment was posted with another amount or bonus.
    """
    if amount_micros <= 0 or bonus_micros < 0:
        raise ValueError("a top-up is above 0 and its bonus is 0 or more")
    account = await _locked(session, tenant_id)
    topup = await _add(
        session, account, "topup", amount_micros, description, reference, dict(details)
    )
    if topup.is_new:
        await repository.set_last_topup(session, topup.entry)
    if not bonus_micros:
        return PostedTopUp(topup, None)
    bonus = await _add(
        session,
        account,
        "bonus",
        bonus_micros,
        f"Bonus: {description}",
        reference,
        {**details, "topup_id": str(topup.entry.id)},
    )
    return PostedTopUp(topup, bonus)


async def post_refund(
    session: AsyncSession,
    tenant_id: UUID,
    amount_micros: int,
    description: str,
    *,
    reference: str,
    details: Mapping[str, Any],
) -> Posted:
    """Take what was paid back to the tenant out of the purchased bucket, which may fall below 0.

    Args:
        amount_micros: above 0.
        reference: the refund's id.

    Raises:
        ValueError: the amount is not above 0.
        ReferenceTaken: the refund was posted with another amount.
    """
    return await _take(session, tenant_id, "refund", amount_micros, description, reference, details)


async def post_dispute(
    session: AsyncSession,
    tenant_id: UUID,
    amount_micros: int,
    description: str,
    *,
    reference: str,
    details: Mapping[str, Any],
) -> Posted:
    """As ``post_refund``, for a payment that the tenant's bank took back."""
    return await _take(
        session, tenant_id, "dispute", amount_micros, description, reference, details
    )


async def post_dispute_won(
    session: AsyncSession,
    tenant_id: UUID,
    amount_micros: int,
    description: str,
    *,
    reference: str,
    details: Mapping[str, Any],
) -> Posted:
    """Give back to the purchased bucket what ``post_dispute`` took.

    Args:
        amount_micros: above 0.
        reference: the dispute's id, as it was given to ``post_dispute``.

    Raises:
        ValueError: the amount is not above 0.
        ReferenceTaken: it was given back with another amount.
    """
    _check_is_positive(amount_micros)
    account = await _locked(session, tenant_id)
    return await _add(
        session, account, "dispute", amount_micros, description, f"won:{reference}", details
    )


async def _take(
    session: AsyncSession,
    tenant_id: UUID,
    transaction_type: TransactionType,
    amount_micros: int,
    description: str,
    reference: str,
    details: Mapping[str, Any],
) -> Posted:
    _check_is_positive(amount_micros)
    account = await _locked(session, tenant_id)
    async with watched(session, account):
        return await _add(
            session, account, transaction_type, -amount_micros, description, reference, details
        )


async def _locked(session: AsyncSession, tenant_id: UUID) -> LockedAccount:
    await repository.open_account(session, tenant_id)
    return await repository.locked_account(session, tenant_id)


async def _add(
    session: AsyncSession,
    account: LockedAccount,
    transaction_type: TransactionType,
    amount_micros: int,
    description: str,
    reference: str,
    details: Mapping[str, Any],
) -> Posted:
    return await post_once(
        session,
        account,
        transaction_type,
        Buckets(0, amount_micros),
        description,
        reference=f"{transaction_type}:{reference}",
        details=details,
    )


def _check_is_positive(amount_micros: int) -> None:
    if amount_micros <= 0:
        raise ValueError(f"amount_micros must be above 0, got {amount_micros}")
