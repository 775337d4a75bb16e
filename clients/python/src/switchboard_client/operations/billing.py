"""``/v1/billing``."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Literal
from uuid import UUID

from switchboard_client.models import (
    Acknowledged,
    Alerts,
    AutoRechargeChanges,
    AutoRechargeView,
    Balance,
    CallCosts,
    CheckoutStart,
    CheckoutStarted,
    Done,
    Estimate,
    ExtraUsage,
    InvoiceDetail,
    InvoiceList,
    InvoiceView,
    MandateStart,
    MandateStarted,
    PackList,
    PaymentMethodList,
    PlanOfTenant,
    Saved,
    Spend,
    SpendAlerts,
    Transactions,
    UsageSummary,
)
from switchboard_client.operation import Body, Operation, delete, get, given, post, put
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
    return delete(at("/v1/billing/payment-methods/{}", method_id), Done, {"ok": True})


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


def plan() -> Operation[PlanOfTenant]:
    return get("/v1/billing/plan", PlanOfTenant)


def extra_usage() -> Operation[ExtraUsage]:
    return get("/v1/billing/extra-usage", ExtraUsage)


def set_extra_usage(*, enabled: bool) -> Operation[Saved]:
    """Whether calls go on to top-up credit when the included credit is used up."""
    return put("/v1/billing/extra-usage", Saved, {"enabled": enabled})


def calls(
    *,
    limit: int = 50,
    from_: datetime | None = None,
    to: datetime | None = None,
    agent_id: Id | None = None,
) -> Operation[CallCosts]:
    """What calls brought in and cost, newest first."""
    wanted = query(limit=limit, from_=from_, to=to, agent_id=agent_id)
    return get("/v1/billing/calls", CallCosts, wanted)


def spend(
    *,
    by: Literal["day", "agent", "model"] = "day",
    from_: datetime | None = None,
    to: datetime | None = None,
) -> Operation[Spend]:
    """What calls cost, of the last 30 days unless you say otherwise."""
    return get("/v1/billing/spend", Spend, query(by=by, from_=from_, to=to))


def alerts() -> Operation[Alerts]:
    return get("/v1/billing/alerts", Alerts)


def set_alerts(
    *, thresholds_usd: Sequence[float], low_balance_pct: int, email_enabled: bool
) -> Operation[Saved]:
    body = {
        "thresholds_usd": list(thresholds_usd),
        "low_balance_pct": low_balance_pct,
        "email_enabled": email_enabled,
    }
    return put("/v1/billing/alerts", Saved, body)


def spend_alerts() -> Operation[SpendAlerts]:
    return get("/v1/billing/spend-alerts", SpendAlerts)


def acknowledge(alert_id: Id) -> Operation[Acknowledged]:
    """Say that you have seen an alert, which works once."""
    return post(f"/v1/billing/spend-alerts/{alert_id}/acknowledge", Acknowledged)


def estimate(
    *,
    stt_model: str = "",
    llm_model: str = "",
    tts_model: str = "",
    duration_seconds: float | None = None,
) -> Operation[Estimate]:
    """What a minute with these models costs, and what a call of a length would."""
    body = given(
        stt_model=stt_model,
        llm_model=llm_model,
        tts_model=tts_model,
        duration_seconds=duration_seconds,
    )
    return post("/v1/billing/estimate", Estimate, body)


def usage_summary() -> Operation[UsageSummary]:
    return get("/v1/billing/usage-summary", UsageSummary)
