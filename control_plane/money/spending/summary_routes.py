"""``/v1/billing/usage-summary``."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.identity.authentication.dependencies import MemberCaller, TenantSession
from control_plane.identity.authentication.refusals import MEMBER_ONLY
from control_plane.money.billing import balance
from control_plane.money.billing.repository import account_or_empty
from control_plane.money.spending import repository
from control_plane.money.spending.limits import Spending
from control_plane.money.spending.summary_schemas import (
    Quota,
    StudioAi,
    UsageSummary,
    VoiceRuntime,
)
from control_plane.platform.http.dependencies import AppSettings
from control_plane.platform.http.openapi import problems
from control_plane.platform.settings import SpendingSettings
from control_plane.platform.tenancy.caller import Caller

router = APIRouter(prefix="/v1/billing", tags=["billing"])


@router.get("/usage-summary", responses=problems(*MEMBER_ONLY))
async def get_usage_summary(
    caller: MemberCaller, session: TenantSession, settings: AppSettings
) -> UsageSummary:
    """How much you can still use: minutes of calls, and today's requests to language models."""
    account = await account_or_empty(session, caller.tenant_id)
    total = account.buckets.total_micros
    builder = await _quota(session, caller, Spending.AGENT_BUILDER, settings)
    reprocess = await _quota(session, caller, Spending.REPROCESS, settings)
    return UsageSummary(
        voice_runtime=VoiceRuntime(
            remaining_minutes=balance.reference_minutes(total),
            status=balance.tone(total, account.is_active),
        ),
        studio_ai=StudioAi(**builder),
        post_call_intelligence=Quota(**reprocess),
    )


async def _quota(
    session: AsyncSession, caller: Caller, kind: Spending, settings: SpendingSettings
) -> dict[str, Any]:
    _, per_day = settings.limits_of(kind.value)
    used = await repository.used_today(session, caller.tenant_id, kind)
    return {
        "used_units": used,
        "included_units": per_day or None,
        "quota_percent": round(100 * used / per_day, 1) if per_day else None,
        "status": "quota" if per_day and used >= per_day else "ok",
    }
