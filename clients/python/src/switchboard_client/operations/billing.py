"""``/v1/billing``."""

from __future__ import annotations

from datetime import datetime

from switchboard_client.models import Balance, Transactions
from switchboard_client.operation import Operation, get
from switchboard_client.request import query


def balance() -> Operation[Balance]:
    return get("/v1/billing/balance", Balance)


def transactions(
    *, limit: int = 50, from_: datetime | None = None, to: datetime | None = None
) -> Operation[Transactions]:
    """The newest entries of the ledger."""
    return get("/v1/billing/transactions", Transactions, query(limit=limit, from_=from_, to=to))
