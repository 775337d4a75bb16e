"""``/v1/operator/invoices`` and ``/v1/operator/tenants/{tenant_id}/payment-profile``."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query

from control_plane.identity.authentication.dependencies import OperatorSession, Origin
from control_plane.identity.idempotent_requests.route import IdempotentRoute, OncePerOperatorKey
from control_plane.identity.tenants import repository as tenants
from control_plane.identity.tenants.errors import TenantNotFound
from control_plane.money.invoices import repository
from control_plane.money.invoices.errors import InvoiceNotFound, InvoiceNotVoidable
from control_plane.money.invoices.models import Invoice
from control_plane.money.invoices.routes import MAX_INVOICES
from control_plane.money.invoices.schemas import InvoiceList, InvoiceView
from control_plane.money.invoices.service import void
from control_plane.money.payments import repository as payments
from control_plane.money.plans.cycle_invoice import CYCLE_INVOICE
from control_plane.operator.money.payment_schemas import (
    InvoiceVoid,
    InvoiceVoided,
    PaymentProfileChanges,
    PaymentProfileView,
)
from control_plane.platform.audit.recording import OPERATOR, record_act
from control_plane.platform.errors import InvalidRequest
from control_plane.platform.http.dependencies import AppSettings
from control_plane.platform.http.openapi import AUTHENTICATED, problems

router = APIRouter(
    prefix="/v1/operator",
    tags=["operator"],
    responses=problems(*AUTHENTICATED),
    route_class=IdempotentRoute,
)


@router.get("/invoices")
async def list_all_invoices(
    session: OperatorSession,
    tenant_id: Annotated[UUID | None, Query(description="Only those of this tenant.")] = None,
    limit: Annotated[int, Query(ge=1, description="More than 100 counts as 100.")] = 25,
    cursor: Annotated[
        UUID | None, Query(description="The `next_cursor` of the page before.")
    ] = None,
) -> InvoiceList:
    """List the invoices and credit notes of all tenants, newest first."""
    before = None
    if cursor is not None:
        before = await repository.find_of_anybody(session, cursor)
        if before is None:
            raise InvalidRequest.at("cursor", "must be the next_cursor of a page before")
    most = min(limit, MAX_INVOICES)
    found = await repository.page(session, tenant_id, most + 1, before)
    shown = found[:most]
    return InvoiceList(
        invoices=[InvoiceView.model_validate(each, from_attributes=True) for each in shown],
        next_cursor=shown[-1].id if len(found) > most else None,
    )


@router.post("/invoices/{invoice_id}/void", responses=problems(InvoiceNotFound, InvoiceNotVoidable))
async def void_invoice(
    invoice_id: UUID,
    wanted: InvoiceVoid,
    session: OperatorSession,
    settings: AppSettings,
    origin: Origin,
    _: OncePerOperatorKey,
) -> InvoiceVoided:
    """Void an invoice: a credit note takes it back. No money and no credit moves; refund a payment
    at its gateway. An invoice of a plan's month is over nothing, and is not voided."""
    invoice = await repository.find_for_operator(session, invoice_id)
    if invoice is None:
        raise InvoiceNotFound("There is no such invoice")
    if (why := _why_not_voidable(invoice)) is not None:
        raise InvoiceNotVoidable(f"{invoice.invoice_number} {why}")
    now = datetime.now(UTC)
    note = await void(session, invoice, wanted.reason, prefix=settings.invoice_prefix, now=now)
    record_act(
        session,
        invoice.tenant_id,
        OPERATOR,
        origin,
        "invoice.voided",
        target_id=invoice_id,
        changes={"invoice_number": invoice.invoice_number, "reason": wanted.reason},
    )
    return InvoiceVoided(
        id=invoice_id,
        invoice_number=invoice.invoice_number,
        voided_at=now,
        credit_note_number=None if note is None else note.invoice_number,
    )


def _why_not_voidable(invoice: Invoice) -> str | None:
    """The rest of a sentence; ``None``: it is voidable."""
    if invoice.kind == "credit_note":
        return "is a credit note; only invoices are voided."
    if invoice.kind == CYCLE_INVOICE:
        return "is over credit that a plan includes: nothing was paid that could be taken back."
    if invoice.voided_at is not None:
        return "is voided already."
    return None


@router.put("/tenants/{tenant_id}/payment-profile", responses=problems(TenantNotFound))
async def change_payment_profile(
    tenant_id: UUID, wanted: PaymentProfileChanges, session: OperatorSession, origin: Origin
) -> PaymentProfileView:
    """Choose the gateway that a tenant pays through."""
    if await tenants.find(session, tenant_id) is None:
        raise TenantNotFound
    await payments.note_in_profile(session, tenant_id, preferred_gateway=wanted.preferred_gateway)
    record_act(
        session,
        tenant_id,
        OPERATOR,
        origin,
        "payment_profile.changed",
        changes={"preferred_gateway": wanted.preferred_gateway},
    )
    profile = await payments.profile(session, tenant_id)
    return PaymentProfileView(
        tenant_id=tenant_id,
        billing_country=profile.billing_country,
        tax_id=profile.tax_id,
        preferred_gateway=profile.preferred_gateway,
    )
