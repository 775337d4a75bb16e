"""``/v1/billing/plan`` and ``/v1/billing/extra-usage``."""

from __future__ import annotations

from datetime import UTC, datetime

from fastapi import APIRouter

from contracts.money import MICROS_PER_CREDIT
from control_plane.identity.authentication.dependencies import (
    AdminCaller,
    MemberCaller,
    TenantSession,
)
from control_plane.identity.authentication.refusals import ADMIN_ONLY, MEMBER_ONLY
from control_plane.money.billing import repository as accounts
from control_plane.money.billing.schemas import Saved
from control_plane.money.plans import repository
from control_plane.money.plans.month import begins_at, month_of, next_month
from control_plane.money.plans.payment_preferences import PaymentPreferencesOf
from control_plane.money.plans.schemas import ExtraUsage, PlanOfTenant, PlanView
from control_plane.platform.audit.recording import record_change
from control_plane.platform.http.openapi import problems

router = APIRouter(prefix="/v1/billing", tags=["billing"])


@router.get("/plan", responses=problems(*MEMBER_ONLY))
async def get_plan(
    caller: MemberCaller, session: TenantSession, preferences_of: PaymentPreferencesOf
) -> PlanOfTenant:
    """Your plan, and what is left of the credit that it includes this month."""
    plan, active_since = await repository.tenant_plan(session, caller.tenant_id)
    account = await accounts.account_or_empty(session, caller.tenant_id)
    preferences = await preferences_of(session, caller.tenant_id)
    has_credit = plan.monthly_credit_micros > 0 or account.plan_micros > 0
    return PlanOfTenant(
        plan_id=plan.id,
        plan=PlanView(
            id=plan.id,
            display_name=plan.display_name,
            monthly_credit_cents=plan.monthly_credit_micros // MICROS_PER_CREDIT,
            byok_allowed=plan.byok_allowed,
        ),
        monthly_credit_remaining_cents=account.plan_micros // MICROS_PER_CREDIT,
        monthly_credit_resets_at=(
            begins_at(next_month(month_of(datetime.now(UTC)))) if has_credit else None
        ),
        topup_balance_cents=account.purchased_micros // MICROS_PER_CREDIT,
        extra_usage_enabled=account.extra_usage,
        plan_active_since=active_since,
        preferred_gateway=preferences.gateway,
        preferred_currency=preferences.currency,
        usd_to_inr_rate=preferences.usd_to_inr_rate,
    )


@router.get("/extra-usage", responses=problems(*MEMBER_ONLY))
async def get_extra_usage(caller: MemberCaller, session: TenantSession) -> ExtraUsage:
    """Whether calls go on to top-up credit when the included credit is used up."""
    account = await accounts.account_or_empty(session, caller.tenant_id)
    return ExtraUsage(enabled=account.extra_usage)


@router.put("/extra-usage", responses=problems(*ADMIN_ONLY))
async def set_extra_usage(wanted: ExtraUsage, caller: AdminCaller, session: TenantSession) -> Saved:
    """Say whether calls go on to top-up credit when the included credit is used up.

    Included are the plan's monthly credit and free credit. When you switch it off, running calls
    keep the top-up credit that they hold already.
    """
    await accounts.open_account(session, caller.tenant_id)
    account = await accounts.locked_account(session, caller.tenant_id)
    if account.extra_usage != wanted.enabled:
        await accounts.set_extra_usage(session, caller.tenant_id, wanted.enabled)
        record_change(
            session,
            caller,
            "extra_usage.updated",
            changes={"enabled": [account.extra_usage, wanted.enabled]},
        )
    return Saved()
