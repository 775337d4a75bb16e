"""The types of ledger entries. Source: API spec, "Billing records", which names none."""

from __future__ import annotations

from typing import Literal

TransactionType = Literal[
    "grant",
    "charge",
    "debit",
    "correction",
    "topup",
    "bonus",
    "refund",
    "dispute",
    "expiry",
]
