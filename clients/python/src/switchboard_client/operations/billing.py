"""``/v1/billing``."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from switchboard_client.models import (
    AutoRechargeChanges,
    AutoRechargeView,
    Balance,
    CheckoutStart,
    CheckoutStarted,
    Done,
    InvoiceDetail,
    InvoiceList,
    InvoiceView,
    MandateStart,
    MandateStarted,
    PackList,
    PaymentMethodList,
    Transactions,
)
from switchboard_client.operation import Body, Operation, delete, get, post, put
from switchboard_client.paging import Pages, by_cursor
from switchboard_client.request import at, query

Id = UUID | str


def balance() -> Operation[Balance]:
    return get("/v1/billing/balance", Balance)


def transactions(
    *, limit: int = 50, from_: datetime | None = None, to: datetime | None = None
) -> Operation[Transactions]:
    """The newest entries of the ledger."""
    return get("/v1/billing/transactions", Transactions, query(limit=limit, from_=from_, to=to))


def topup_packs() -> Operation[PackList]:
    return get("/v1/billing/topup-packs", PackList)


def start_checkout(
    wanted: CheckoutStart | Body, *, idempotency_key: str | None = None
) -> Operation[CheckoutStarted]:
    """Begin a top-up. The credit is there when the gateway has reported the payment."""
    return post("/v1/billing/checkout/start", CheckoutStarted, wanted).once(idempotency_key)


def payment_methods() -> Operation[PaymentMethodList]:
    return get("/v1/billing/payment-methods", PaymentMethodList)


def remove_payment_method(method_id: Id) -> Operation[Done]:
    return delete(at("/v1/billing/payment-methods/{}", method_id), Done)


def auto_recharge() -> Operation[AutoRechargeView]:
    return get("/v1/billing/auto-recharge", AutoRechargeView)


def change_auto_recharge(
    changes: AutoRechargeChanges | Body, *, idempotency_key: str | None = None
) -> Operation[Done]:
    return put("/v1/billing/auto-recharge", Done, changes).once(idempotency_key)


def register_mandate(
    wanted: MandateStart | Body, *, idempotency_key: str | None = None
) -> Operation[MandateStarted]:
    return post("/v1/billing/mandate/register", MandateStarted, wanted).once(idempotency_key)


def invoices(*, limit: int = 25, cursor: Id | None = None) -> Operation[InvoiceList]:
    return get("/v1/billing/invoices", InvoiceList, query(limit=limit, cursor=cursor))


def every_invoice() -> Pages[InvoiceList, InvoiceView]:
    """All invoices and credit notes, newest first."""
    return by_cursor(invoices(limit=100), lambda page: page.invoices)


def invoice(invoice_id: Id) -> Operation[InvoiceDetail]:
    return get(at("/v1/billing/invoices/{}", invoice_id), InvoiceDetail)
