"""Every query on invoices and taxes. None commits. Writing needs a system session."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.money.invoices.models import Invoice, InvoiceCounter, InvoiceItem, TaxRate
from control_plane.money.invoices.tax import TaxRule


async def next_number(session: AsyncSession, prefix: str, year: int) -> int:
    """The next number of the year. Other invoices wait from here to the commit."""
    wanted = insert(InvoiceCounter).values(prefix=prefix, year=year, last_number=1)
    number: int | None = await session.scalar(
        wanted.on_conflict_do_update(
            index_elements=[InvoiceCounter.prefix, InvoiceCounter.year],
            set_={"last_number": InvoiceCounter.last_number + 1},
        ).returning(InvoiceCounter.last_number)
    )
    assert number is not None, "an upsert returns its row"
    return number


async def find(session: AsyncSession, tenant_id: UUID, invoice_id: UUID) -> Invoice | None:
    found: Invoice | None = await session.scalar(
        select(Invoice).where(Invoice.tenant_id == tenant_id, Invoice.id == invoice_id)
    )
    return found


async def find_for_operator(session: AsyncSession, invoice_id: UUID) -> Invoice | None:
    """Of any tenant, locked until the end of the transaction."""
    found: Invoice | None = await session.scalar(
        select(Invoice).where(Invoice.id == invoice_id).with_for_update()
    )
    return found


async def find_of_anybody(session: AsyncSession, invoice_id: UUID) -> Invoice | None:
    found: Invoice | None = await session.scalar(select(Invoice).where(Invoice.id == invoice_id))
    return found


async def of_payment(session: AsyncSession, payment_id: UUID) -> Invoice | None:
    """The invoice of a payment, without its credit notes, locked."""
    found: Invoice | None = await session.scalar(
        select(Invoice)
        .where(Invoice.payment_event_id == payment_id, Invoice.credited_invoice_id.is_(None))
        .with_for_update()
    )
    return found


async def of_reference(session: AsyncSession, reference: str) -> Invoice | None:
    found: Invoice | None = await session.scalar(
        select(Invoice).where(Invoice.reference == reference)
    )
    return found


async def credited(session: AsyncSession, invoice_id: UUID) -> tuple[int, int]:
    """What credit notes have taken back of an invoice: of its total, and of its tax."""
    row = (
        await session.execute(
            select(
                func.coalesce(func.sum(Invoice.total_minor), 0),
                func.coalesce(func.sum(Invoice.tax_minor), 0),
            ).where(Invoice.credited_invoice_id == invoice_id)
        )
    ).one()
    return int(row[0]), int(row[1])


async def items_of(
    session: AsyncSession, tenant_id: UUID, invoice_id: UUID
) -> Sequence[InvoiceItem]:
    found = await session.scalars(
        select(InvoiceItem)
        .where(InvoiceItem.tenant_id == tenant_id, InvoiceItem.invoice_id == invoice_id)
        .order_by(InvoiceItem.line)
    )
    return found.all()


async def page(
    session: AsyncSession, tenant_id: UUID | None, limit: int, before: Invoice | None
) -> Sequence[Invoice]:
    """Newest first.

    Args:
        tenant_id: ``None`` for all tenants that the session sees.
        before: the last one of the page before.
    """
    query = select(Invoice).order_by(Invoice.position.desc()).limit(limit)
    if tenant_id is not None:
        query = query.where(Invoice.tenant_id == tenant_id)
    if before is not None:
        query = query.where(Invoice.position < before.position)
    return (await session.scalars(query)).all()


async def rules_of(session: AsyncSession, country: str | None) -> list[TaxRule]:
    """The taxes that hold in a country now; none where nobody has said the country."""
    if country is None:
        return []
    rates = await session.scalars(
        select(TaxRate)
        .where(TaxRate.country == country, TaxRate.ended_at.is_(None))
        .order_by(TaxRate.kind)
    )
    return [
        TaxRule(rate.kind, rate.percent, rate.is_inclusive, rate.reverse_charge) for rate in rates
    ]


async def tax_rates(session: AsyncSession) -> Sequence[TaxRate]:
    """Those that hold now."""
    found = await session.scalars(
        select(TaxRate).where(TaxRate.ended_at.is_(None)).order_by(TaxRate.country, TaxRate.kind)
    )
    return found.all()


async def find_tax_rate(session: AsyncSession, rate_id: UUID) -> TaxRate | None:
    """One that holds now, locked."""
    found: TaxRate | None = await session.scalar(
        select(TaxRate).where(TaxRate.id == rate_id, TaxRate.ended_at.is_(None)).with_for_update()
    )
    return found


async def add_tax_rate(session: AsyncSession, rate: TaxRate) -> bool:
    """``False`` if the country has a tax of that kind."""
    added = await session.scalar(
        insert(TaxRate)
        .values(
            id=rate.id,
            country=rate.country,
            kind=rate.kind,
            percent=rate.percent,
            is_inclusive=rate.is_inclusive,
            reverse_charge=rate.reverse_charge,
        )
        .on_conflict_do_nothing()
        .returning(TaxRate.id)
    )
    return added is not None
