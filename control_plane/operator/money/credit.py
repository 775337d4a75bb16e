"""Credit from the operator, posted once per reference."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal
from uuid import UUID, uuid4

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.money import MICROS_PER_USD
from control_plane.money.billing import repository as accounts
from control_plane.money.billing import service as billing
from control_plane.money.billing.models import LedgerEntry
from control_plane.operator.errors import CreditReferenceTaken


@dataclass(frozen=True)
class Posted:
    entry: LedgerEntry
    balance_micros: int
    is_new: bool


def reference_key(reference: str | None) -> str:
    """The prefix keeps the operator's references apart from those of charges and other grants."""
    return f"operator:{reference or uuid4()}"


async def post_credit(
    session: AsyncSession,
    tenant_id: UUID,
    amount_usd: Decimal,
    description: str,
    *,
    bucket: Literal["free", "purchased"],
    reference: str | None,
) -> Posted:
    """Add credit to the tenant's account, unless ``reference`` was already posted to it.

    Args:
        amount_usd: positive, with at most six decimal places.

    Raises:
        CreditReferenceTaken: the reference was posted with another amount or bucket.
    """
    amount_micros = int(amount_usd * MICROS_PER_USD)
    key = reference_key(reference)
    await accounts.open_account(session, tenant_id)
    # Of simultaneous requests with one reference, the later ones wait here for the first.
    await accounts.locked_account(session, tenant_id)
    entry = await accounts.entry_of_reference(session, tenant_id, key)
    is_new = entry is None
    if entry is None:
        await billing.grant(
            session, tenant_id, amount_micros, description, bucket=bucket, reference=key
        )
        entry = await accounts.entry_of_reference(session, tenant_id, key)
        assert entry is not None, "a grant above 0 posts an entry"
        if bucket == "purchased":
            await accounts.set_last_topup(session, entry)
    elif entry.transaction_type != "grant" or amount_micros != (
        entry.free_micros if bucket == "free" else entry.purchased_micros
    ):
        raise CreditReferenceTaken.of(reference, entry)
    account = await accounts.locked_account(session, tenant_id)
    return Posted(entry, account.buckets.total_micros, is_new)
