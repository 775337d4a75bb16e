"""``/v1/billing/invoices``."""

from __future__ import annotations

import asyncio
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Response

from control_plane.identity.authentication.dependencies import MemberCaller, TenantSession
from control_plane.identity.authentication.refusals import MEMBER_ONLY
from control_plane.money.invoices import repository
from control_plane.money.invoices.errors import InvoiceNotFound
from control_plane.money.invoices.models import Invoice
from control_plane.money.invoices.pdf import invoice_pdf
from control_plane.money.invoices.schemas import (
    InvoiceDetail,
    InvoiceItemView,
    InvoiceList,
    InvoiceView,
)
from control_plane.platform.errors import InvalidRequest
from control_plane.platform.http.dependencies import AppDatabase, AppSettings
from control_plane.platform.http.openapi import problems

MAX_INVOICES = 100

router = APIRouter(
    prefix="/v1/billing/invoices", tags=["billing"], responses=problems(*MEMBER_ONLY)
)


@router.get("")
async def list_invoices(
    caller: MemberCaller,
    session: TenantSession,
    limit: Annotated[int, Query(ge=1, description="More than 100 counts as 100.")] = 25,
    cursor: Annotated[
        UUID | None, Query(description="The `next_cursor` of the page before.")
    ] = None,
) -> InvoiceList:
    """List the invoices and credit notes, newest first."""
    before = None
    if cursor is not None:
        before = await repository.find(session, caller.tenant_id, cursor)
        if before is None:
            raise InvalidRequest.at("cursor", "must be the next_cursor of a page before")
    most = min(limit, MAX_INVOICES)
    found = await repository.page(session, caller.tenant_id, most + 1, before)
    shown = found[:most]
    return InvoiceList(
        invoices=[_view(invoice) for invoice in shown],
        next_cursor=shown[-1].id if len(found) > most else None,
    )


@router.get("/{invoice_id}", responses=problems(InvoiceNotFound))
async def get_invoice(
    invoice_id: UUID, caller: MemberCaller, session: TenantSession
) -> InvoiceDetail:
    """Get an invoice or a credit note with its items."""
    invoice = await repository.find(session, caller.tenant_id, invoice_id)
    if invoice is None:
        raise InvoiceNotFound
    items = await repository.items_of(session, caller.tenant_id, invoice_id)
    return InvoiceDetail(
        invoice=_view(invoice),
        items=[InvoiceItemView.model_validate(each, from_attributes=True) for each in items],
    )


@router.get(
    "/{invoice_id}/pdf",
    response_class=Response,
    responses={
        200: {"content": {"application/pdf": {"schema": {"type": "string", "format": "binary"}}}},
        **problems(InvoiceNotFound),
    },
)
async def get_invoice_pdf(
    invoice_id: UUID, caller: MemberCaller, database: AppDatabase, settings: AppSettings
) -> Response:
    """Get an invoice or a credit note as a PDF."""
    async with database.tenant_session(caller.tenant_id) as session:
        invoice = await repository.find(session, caller.tenant_id, invoice_id)
        if invoice is None:
            raise InvoiceNotFound
        items = await repository.items_of(session, caller.tenant_id, invoice_id)
        credited = (
            None
            if invoice.credited_invoice_id is None
            else await repository.find(session, caller.tenant_id, invoice.credited_invoice_id)
        )
    document = await asyncio.to_thread(
        invoice_pdf,
        invoice,
        items,
        seller=settings.invoice_seller,
        font=settings.invoice_font,
        credited_number=None if credited is None else credited.invoice_number,
    )
    return Response(
        document,
        media_type="application/pdf",
        headers={
            "Content-Disposition": f'attachment; filename="{invoice.invoice_number}.pdf"',
            "Cache-Control": "private, no-store",
        },
    )


def _view(invoice: Invoice) -> InvoiceView:
    return InvoiceView.model_validate(invoice, from_attributes=True)
