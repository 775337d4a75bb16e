"""Queries of the audit that compare payments and reversals with their entries, both ways. They need
a system session.

Each is one statement, which sees one moment, so payments that are made meanwhile do not disturb it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    Select,
    SQLColumnExpression,
    String,
    cast,
    func,
    literal_column,
    select,
)
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.money.billing.audits.rotation import Span
from control_plane.money.billing.models import LedgerEntry
from control_plane.money.payments.auditing.day_repository import within
from control_plane.money.payments.auditing.mismatch import Mismatch
from control_plane.money.payments.models import Payment, PaymentReversal, PaymentState


@dataclass(frozen=True)
class Posting:
    """Records with one entry each, and the entries with one of these records each."""

    records: Select[*tuple[Any, ...]]
    """Rows of ``tenant_id``, ``which``, the ``expected`` micro-dollars in the purchased bucket, the
    ``gateway``, its id in ``gateway_id``, and the ``reference`` of the entry."""
    moment: SQLColumnExpression[datetime] | SQLColumnExpression[datetime | None]
    """Of the records: when their entry was due."""
    entries: ColumnElement[bool]
    prefix: str
    """What the references begin with. The gateway and its id follow."""


class Unfounded(NamedTuple):
    """An entry that has no record."""

    tenant_id: UUID
    reference: str
    micros: int


def _of_payments(
    prefix: str, micros: SQLColumnExpression[int], *which: ColumnElement[bool]
) -> Select[*tuple[Any, ...]]:
    return select(
        Payment.tenant_id,
        cast(Payment.id, String).label("which"),
        micros.label("expected"),
        Payment.gateway,
        Payment.gateway_payment_id.label("gateway_id"),
        (prefix + Payment.gateway + ":" + Payment.gateway_payment_id).label("reference"),
    ).where(Payment.state == PaymentState.SUCCEEDED, *which)


def _of_reversals(
    kind: str, prefix: str, micros: SQLColumnExpression[int], *which: ColumnElement[bool]
) -> Select[*tuple[Any, ...]]:
    return select(
        PaymentReversal.tenant_id,
        PaymentReversal.gateway_id.label("which"),
        micros.label("expected"),
        PaymentReversal.gateway,
        PaymentReversal.gateway_id,
        (prefix + PaymentReversal.gateway + ":" + PaymentReversal.gateway_id).label("reference"),
    ).where(PaymentReversal.kind == kind, PaymentReversal.credit_micros > 0, *which)


_type, _reference = LedgerEntry.transaction_type, LedgerEntry.reference
_taken, _is_back = PaymentReversal.credit_micros, PaymentReversal.returned_at.is_not(None)
_captured_at = func.coalesce(Payment.resolved_at, Payment.created_at)
"""In these words, because they are those of the index ``ix_payments_time``."""
_taken_at, _back_at = PaymentReversal.created_at, PaymentReversal.returned_at
_WON, _FAILED = "dispute:won:", "refund_failed:"

TOP_UPS = Posting(
    _of_payments("topup:", Payment.credit_micros), _captured_at, _type == "topup", "topup:"
)
BONUSES = Posting(
    _of_payments("bonus:", Payment.bonus_micros, Payment.bonus_micros > 0),
    _captured_at,
    _type == "bonus",
    "bonus:",
)
REFUNDS = Posting(
    _of_reversals("refund", "refund:", -_taken), _taken_at, _type == "refund", "refund:"
)
DISPUTES = Posting(
    _of_reversals("dispute", "dispute:", -_taken),
    _taken_at,
    (_type == "dispute") & ~_reference.startswith(_WON),
    "dispute:",
)
FAILED_REFUNDS = Posting(
    _of_reversals("refund", _FAILED, _taken, _is_back),
    _back_at,
    (_type == "correction") & _reference.startswith(_FAILED),
    _FAILED,
)
WON_DISPUTES = Posting(
    _of_reversals("dispute", _WON, _taken, _is_back),
    _back_at,
    (_type == "dispute") & _reference.startswith(_WON),
    _WON,
)

# In these words, because they are those of the index ``ix_ledger_entries_no_charge``.
_no_charge = _type != literal_column("'charge'")


async def not_posted(session: AsyncSession, posting: Posting, span: Span) -> Sequence[Mismatch]:
    """Records of the span without an entry over what they brought or took, in micro-dollars."""
    each = posting.records.where(*within(span, posting.moment)).subquery().c
    rows = await session.execute(
        select(each.tenant_id, each.which, each.expected, LedgerEntry.purchased_micros)
        .outerjoin(
            LedgerEntry,
            (LedgerEntry.tenant_id == each.tenant_id)
            & (LedgerEntry.reference == each.reference)
            & _no_charge,
        )
        .where(LedgerEntry.purchased_micros.is_distinct_from(each.expected))
    )
    return [Mismatch(*row) for row in rows]


async def unfounded(session: AsyncSession, posting: Posting, span: Span) -> Sequence[Unfounded]:
    """Entries of the span without a record, in micro-dollars. What differs from a record that is
    there is found by ``not_posted``."""
    records = posting.records.subquery()
    each = records.c
    # Taken apart, because the indexes of the records have the gateway and its id.
    of_gateway = func.substr(_reference, len(posting.prefix) + 1)
    gateway = func.split_part(of_gateway, ":", 1)
    gateway_id = func.substr(of_gateway, func.length(gateway) + 2)
    amount = LedgerEntry.plan_micros + LedgerEntry.free_micros + LedgerEntry.purchased_micros
    rows = await session.execute(
        select(LedgerEntry.tenant_id, _reference, amount)
        .outerjoin(
            records,
            (each.tenant_id == LedgerEntry.tenant_id)
            & (each.gateway == gateway)
            & (each.gateway_id == gateway_id)
            & (each.reference == _reference),
        )
        .where(
            posting.entries,
            _no_charge,
            *within(span, LedgerEntry.created_at),
            each.tenant_id.is_(None),
        )
    )
    return [Unfounded(*row) for row in rows]
