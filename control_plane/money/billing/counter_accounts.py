"""The other side of each ledger entry. Pure.

What an entry adds to a tenant's credit, an account of the installation loses, and the other way
round: so both sides of the books add up to nothing. PostgreSQL keeps the totals of these accounts
(revision 0053), by the same rules.
"""

from __future__ import annotations

from typing import Literal, cast

from control_plane.money.billing.models import LedgerEntry
from control_plane.money.billing.transaction_types import TransactionType

CounterAccount = Literal["revenue", "payments", "promotions", "disputes", "corrections"]

COUNTER_ACCOUNTS: dict[TransactionType, CounterAccount] = {
    "grant": "promotions",
    "charge": "revenue",
    "debit": "corrections",
    "correction": "corrections",
    "topup": "payments",
    "bonus": "promotions",
    "refund": "payments",
    "dispute": "disputes",
    "expiry": "promotions",
}


def booked_against(entry: LedgerEntry) -> CounterAccount:
    """The account of an entry that was posted."""
    return (
        cast("CounterAccount", entry.counter_account)
        or COUNTER_ACCOUNTS[cast("TransactionType", entry.transaction_type)]
    )


def counter_account(
    transaction_type: TransactionType, corrects: LedgerEntry | None = None
) -> CounterAccount:
    """A correction of an entry goes to the account that the entry went to, so that what was charged
    wrongly is no revenue."""
    return COUNTER_ACCOUNTS[transaction_type] if corrects is None else booked_against(corrects)
