"""``/v1/phone-settings``: a tenant's limits against toll fraud."""

from __future__ import annotations

from decimal import Decimal
from uuid import UUID

from fastapi import APIRouter
from sqlalchemy.ext.asyncio import AsyncSession

from contracts.money import MICROS_PER_USD, usd
from control_plane.calling.numbers.repository import numbers_of
from control_plane.calling.telecom import repository
from control_plane.calling.telecom.limits import countries_of, spent_today_micros
from control_plane.calling.telecom.models import PhoneSettings
from control_plane.calling.telecom.schemas import PhoneSettingsView, PhoneSettingsWanted
from control_plane.identity.authentication.dependencies import (
    AdminCaller,
    MemberCaller,
    TenantSession,
)
from control_plane.identity.authentication.refusals import ADMIN_ONLY, MEMBER_ONLY
from control_plane.platform.audit.recording import record_change
from control_plane.platform.http.openapi import problems

router = APIRouter(prefix="/v1/phone-settings", tags=["numbers"])


@router.get("", responses=problems(*MEMBER_ONLY))
async def get_phone_settings(caller: MemberCaller, session: TenantSession) -> PhoneSettingsView:
    """Show where phones may be called and how much that may cost."""
    return await _view(session, caller.tenant_id)


@router.put("", responses=problems(*ADMIN_ONLY))
async def set_phone_settings(
    wanted: PhoneSettingsWanted, caller: AdminCaller, session: TenantSession
) -> PhoneSettingsView:
    """Set where phones may be called and how much that may cost. A call that a limit forbids is
    refused with 403, and `setting` names the limit. The limits hold for calls that you make; the
    cap and the ceiling go by the prices of this installation, which bills only numbers that its
    operator gave you."""
    countries = wanted.allowed_countries
    settings = PhoneSettings(
        tenant_id=caller.tenant_id,
        allowed_countries=None if countries is None else sorted(set(countries)),
        daily_spend_cap_micros=_micros(wanted.daily_spend_cap_usd),
        rate_ceiling_micros_per_minute=_micros(wanted.rate_ceiling_usd_per_minute),
    )
    await repository.put_settings(session, settings)
    record_change(session, caller, "phone_settings.changed", changes=wanted.model_dump(mode="json"))
    return await _view(session, caller.tenant_id)


async def _view(session: AsyncSession, tenant_id: UUID) -> PhoneSettingsView:
    settings = await repository.settings_of(session, tenant_id)
    numbers = await numbers_of(session, tenant_id)
    return PhoneSettingsView(
        allowed_countries=None if settings is None else settings.allowed_countries,
        effective_countries=sorted(countries_of(settings, numbers)),
        daily_spend_cap_usd=None if settings is None else _usd(settings.daily_spend_cap_micros),
        rate_ceiling_usd_per_minute=(
            None if settings is None else _usd(settings.rate_ceiling_micros_per_minute)
        ),
        spent_today_usd=usd(await spent_today_micros(session, tenant_id)),
    )


def _micros(dollars: Decimal | None) -> int | None:
    return None if dollars is None else int(dollars * MICROS_PER_USD)


def _usd(micros: int | None) -> float | None:
    return None if micros is None else usd(micros)
