"""``/v1/billing``: top-ups, payment methods, automatic recharges, mandates."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from fastapi import APIRouter

from control_plane.identity.authentication.dependencies import (
    AdminCaller,
    MemberCaller,
    TenantSession,
)
from control_plane.identity.authentication.refusals import ADMIN_ONLY, MEMBER_ONLY
from control_plane.identity.idempotent_requests.route import IdempotentRoute, OncePerKey
from control_plane.identity.idempotent_requests.two_phase import EffectOncePerKey
from control_plane.identity.tenants.errors import TenantNotFound
from control_plane.money.billing.credit_watch import CREDIT_FELL
from control_plane.money.payments import checkout, methods, recharge_settings, repository
from control_plane.money.payments.dependencies import AppGateways
from control_plane.money.payments.errors import (
    GatewayNotConfigured,
    GatewayUnavailable,
    PaymentMethodNotFound,
)
from control_plane.money.payments.pricing import cents_of
from control_plane.money.payments.schemas import (
    AutoRechargeChanges,
    AutoRechargeView,
    CheckoutStart,
    CheckoutStarted,
    Done,
    MandateStart,
    MandateStarted,
    PackList,
    PackView,
    PaymentMethodList,
    PaymentMethodView,
    RazorpayOrder,
    StripeCheckout,
)
from control_plane.platform.audit.recording import record_change
from control_plane.platform.errors import DatabaseUnavailable, InvalidRequest
from control_plane.platform.http.dependencies import AppDatabase, AppSettings
from control_plane.platform.http.openapi import problems
from control_plane.platform.idempotency.errors import IdempotencyKeyInUse
from control_plane.platform.job_queue import PATIENT_QUEUE, enqueue
from control_plane.platform.settings import ControlPlaneSettings

router = APIRouter(prefix="/v1/billing", tags=["billing"], route_class=IdempotentRoute)
_GATEWAY_PROBLEMS = (
    DatabaseUnavailable,
    GatewayNotConfigured,
    GatewayUnavailable,
    IdempotencyKeyInUse,
)


@router.get("/topup-packs", responses=problems(*MEMBER_ONLY))
async def list_topup_packs(caller: MemberCaller, session: TenantSession) -> PackList:
    """List the amounts that you are offered, some with a bonus."""
    return PackList(packs=[PackView.of(pack) for pack in await repository.packs(session)])


@router.post("/checkout/start", responses=problems(*ADMIN_ONLY, *_GATEWAY_PROBLEMS))
async def start_checkout(
    wanted: CheckoutStart,
    caller: AdminCaller,
    database: AppDatabase,
    settings: AppSettings,
    gateways: AppGateways,
    effect: EffectOncePerKey,
) -> CheckoutStarted:
    """Begin a top-up. The credit is added when the gateway reports the payment.

    With Stripe, send the customer to `checkout_url`. With Razorpay, give `razorpay` to its
    checkout, or post it to the hosted one.
    """
    begun = await checkout.begin_checkout(
        database,
        settings,
        gateways,
        caller.tenant_id,
        effect.id,
        checkout.TopUp(wanted.pack_usd, wanted.billing_country, wanted.tax_id, wanted.save_card),
        datetime.now(UTC),
    )
    payment, shown = begun.payment, begun.shown
    return CheckoutStarted(
        payment_id=payment.id,
        gateway=begun.gateway,
        currency=payment.currency,
        subtotal_minor=payment.subtotal_minor,
        tax_minor=payment.tax_minor,
        total_minor=payment.total_minor,
        bonus_cents=cents_of(payment.bonus_micros),
        checkout_url=shown.get("checkout_url"),
        stripe=StripeCheckout(**shown) if begun.gateway == "stripe" else None,
        razorpay=_order(shown, settings) if begun.gateway == "razorpay" else None,
    )


@router.get("/payment-methods", responses=problems(*MEMBER_ONLY))
async def list_payment_methods(caller: MemberCaller, session: TenantSession) -> PaymentMethodList:
    """List the saved cards and mandates, the default one first."""
    found = await repository.methods(session, caller.tenant_id)
    return PaymentMethodList(payment_methods=[PaymentMethodView.of(each) for each in found])


@router.delete(
    "/payment-methods/{method_id}", responses=problems(*ADMIN_ONLY, PaymentMethodNotFound)
)
async def delete_payment_method(
    method_id: UUID,
    caller: AdminCaller,
    database: AppDatabase,
    settings: AppSettings,
    gateways: AppGateways,
) -> Done:
    """Delete a saved card or mandate here and, if the gateway answers, there. With the last one,
    automatic recharge is switched off."""
    await methods.delete(database, settings.sealer, gateways, caller, method_id, datetime.now(UTC))
    return Done()


@router.get("/auto-recharge", responses=problems(*MEMBER_ONLY))
async def get_auto_recharge(
    caller: MemberCaller, session: TenantSession, settings: AppSettings
) -> AutoRechargeView:
    """Whether your credit is recharged while nobody is there, and what that needs."""
    tenant_id = caller.tenant_id
    kept = await repository.auto_recharge(session, tenant_id)
    profile = await repository.profile(session, tenant_id)
    return AutoRechargeView.of(
        kept or recharge_settings.defaults(tenant_id),
        checkout.gateway_of(settings, profile),
        list(await repository.methods(session, tenant_id)),
        profile.billing_phone,
    )


@router.put("/auto-recharge", responses=problems(*ADMIN_ONLY))
async def change_auto_recharge(
    wanted: AutoRechargeChanges, caller: AdminCaller, session: TenantSession, _: OncePerKey
) -> Done:
    """Change when your default payment method is charged, and how much.

    It is charged when the available credit falls below `threshold_usd`, and at once if it is below
    already. After three declines in a row, it is switched off.
    """
    is_due = await recharge_settings.change(
        session,
        caller.tenant_id,
        enabled=wanted.enabled,
        pack_usd=wanted.pack_usd,
        threshold_usd=wanted.threshold_usd,
    )
    changes = wanted.model_dump(mode="json", exclude_none=True)
    record_change(session, caller, "auto_recharge.changed", changes=changes)
    if is_due:
        await enqueue(session, CREDIT_FELL, queue=PATIENT_QUEUE, tenant_id=str(caller.tenant_id))
    return Done()


@router.post(
    "/mandate/register", responses=problems(*ADMIN_ONLY, *_GATEWAY_PROBLEMS, TenantNotFound)
)
async def register_mandate(
    wanted: MandateStart,
    caller: AdminCaller,
    database: AppDatabase,
    settings: AppSettings,
    gateways: AppGateways,
    effect: EffectOncePerKey,
) -> MandateStarted:
    """Begin the registration of an e-mandate, which India's banks want for automatic recharges. Its
    first charge is a top-up."""
    if wanted.max_amount_usd < wanted.first_charge_usd:
        raise InvalidRequest.at("max_amount_usd", "must be at least first_charge_usd")
    begun = await checkout.begin_mandate(
        database,
        settings,
        gateways,
        caller.tenant_id,
        effect.id,
        first_charge_usd=wanted.first_charge_usd,
        max_amount_usd=wanted.max_amount_usd,
        contact=wanted.contact,
        method=wanted.method,
        now=datetime.now(UTC),
    )
    return MandateStarted(gateway=begun.gateway, razorpay=_order(begun.shown, settings))


def _order(shown: dict[str, Any], settings: ControlPlaneSettings) -> RazorpayOrder:
    return RazorpayOrder(**shown, checkout_url=settings.razorpay_checkout_url)
