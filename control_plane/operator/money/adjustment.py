"""Debits and corrections by the operator, posted once per reference."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Literal
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.money import MICROS_PER_USD
from control_plane.money.billing import repository as accounts
from control_plane.money.billing import service as billing
from control_plane.money.billing.counter_accounts import counter_account
from control_plane.money.billing.models import LedgerEntry
from control_plane.operator.errors import CorrectedEntryNotFound, CreditReferenceTaken
from control_plane.operator.money.credit import Posted, reference_key


async def post_adjustment(
    session: AsyncSession,
    tenant_id: UUID,
    transaction_type: Literal["debit", "correction"],
    amount_usd: Decimal,
    reason: str,
    posted_by: str,
    *,
    reference: str | None,
    bucket: Literal["free", "purchased"] = "free",
    corrects: UUID | None = None,
) -> Posted:
    """Change the tenant's balance, unless ``reference`` was already posted to it.

    Args:
        amount_usd: what it adds to the balance, with at most six decimal places.
        corrects: the ledger entry that a correction is about.

    Raises:
        CreditReferenceTaken: the reference was posted for something else.
        CorrectedEntryNotFound: the tenant has no entry ``corrects``.
        BalanceTooLow: a debit takes more than is available.
    """
    amount_micros = int(amount_usd * MICROS_PER_USD)
    key = reference_key(reference)
    details: Mapping[str, Any] = {"posted_by": posted_by} | (
        {"corrects": str(corrects)} if corrects else {}
    )
    await accounts.open_account(session, tenant_id)
    # Of simultaneous requests with one reference, the later ones wait here for the first.
    await accounts.locked_account(session, tenant_id)
    entry = await accounts.entry_of_reference(session, tenant_id, key)
    is_new = entry is None
    if entry is None:
        corrected = None
        if corrects is not None:
            corrected = await accounts.find_entry(session, tenant_id, corrects)
            if corrected is None:
                raise CorrectedEntryNotFound
        await billing.adjust(
            session,
            tenant_id,
            transaction_type,
            amount_micros,
            reason,
            reference=key,
            details=details,
            bucket=bucket,
            counter_account=counter_account(transaction_type, corrected),
        )
        entry = await accounts.entry_of_reference(session, tenant_id, key)
        assert entry is not None, "an adjustment posts an entry"
    elif (entry.transaction_type, _posted_micros(entry, bucket), entry.details.get("corrects")) != (
        transaction_type,
        amount_micros,
        details.get("corrects"),
    ):
        raise CreditReferenceTaken.of(reference, entry)
    account = await accounts.locked_account(session, tenant_id)
    return Posted(entry, account.buckets.total_micros, is_new)


def _posted_micros(entry: LedgerEntry, bucket: Literal["free", "purchased"]) -> int:
    """What the entry added to ``bucket``; what it took, it took from all."""
    if entry.amount_micros < 0:
        return entry.amount_micros
    return entry.free_micros if bucket == "free" else entry.purchased_micros
