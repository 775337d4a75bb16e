"""Adding entries to the ledger. Nothing here commits; the caller does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.money.billing import repository
from control_plane.money.billing.balance import reference_seconds
from control_plane.money.billing.buckets import Buckets
from control_plane.money.billing.locked_ahead import LockedAccount
from control_plane.money.billing.models import LedgerEntry
from control_plane.money.billing.transaction_types import TransactionType


class ReferenceTaken(Exception):
    """The reference was posted with another type or other amounts."""

    def __init__(self, reference: str, entry_id: UUID) -> None:
        super().__init__(f"{reference!r} was already posted with another type or other amounts")
        self.entry_id = entry_id


class Posted(NamedTuple):
    entry: LedgerEntry
    is_new: bool
    """``False``: the reference was posted before, and nothing changed."""


def post(
    session: AsyncSession,
    account: LockedAccount,
    transaction_type: TransactionType,
    change: Buckets,
    description: str,
    *,
    reference: str,
    details: Mapping[str, Any] | None = None,
    call_id: UUID | None = None,
    amount_seconds: int | None = None,
    counter_account: str | None = None,
) -> LedgerEntry:
    """Add an entry, which PostgreSQL adds to the account, to the day and to the references.

    Args:
        change: what it adds to each bucket; negative for what it takes.
        reference: what it is for. A tenant's references are unique: PostgreSQL refuses the second
            entry with one.
        amount_seconds: by the reference rate if it is not given.
        counter_account: what it is booked against, if its type does not say.
    """
    entry = LedgerEntry(
        tenant_id=account.tenant_id,
        reference=reference,
        transaction_type=transaction_type,
        call_id=call_id,
        plan_micros=change.plan_micros,
        free_micros=change.free_micros,
        purchased_micros=change.purchased_micros,
        amount_seconds=(
            reference_seconds(change.total_micros) if amount_seconds is None else amount_seconds
        ),
        description=description,
        details=dict(details or {}),
        counter_account=counter_account,
    )
    account.add(change)
    session.add(entry)
    return entry


async def post_once(
    session: AsyncSession,
    account: LockedAccount,
    transaction_type: TransactionType,
    change: Buckets,
    description: str,
    *,
    reference: str,
    details: Mapping[str, Any] | None = None,
) -> Posted:
    """As ``post``, unless ``reference`` was posted before. The account's lock makes simultaneous
    transactions with one reference wait for each other.

    Raises:
        ReferenceTaken: it was posted with another type or other amounts.
    """
    entry = await repository.entry_of_reference(session, account.tenant_id, reference)
    if entry is not None:
        if (entry.transaction_type, entry.buckets) != (transaction_type, change):
            raise ReferenceTaken(reference, entry.id)
        return Posted(entry, is_new=False)
    entry = post(
        session,
        account,
        transaction_type,
        change,
        description,
        reference=reference,
        details=details,
    )
    await session.flush()
    return Posted(entry, is_new=True)
