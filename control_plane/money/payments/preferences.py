"""How a tenant pays, for the view of its plan."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.money.payments import repository
from control_plane.money.payments.checkout import gateway_of
from control_plane.money.payments.gateways.gateway import CURRENCIES
from control_plane.money.plans.payment_preferences import PaymentPreferences, PreferencesOf
from control_plane.platform.settings import ControlPlaneSettings


def payment_preferences(settings: ControlPlaneSettings) -> PreferencesOf:
    """Tells the gateway that a tenant pays through, what it charges, and the operator's rate."""
    rate = settings.usd_to_inr_rate

    async def preferences_of(session: AsyncSession, tenant_id: UUID) -> PaymentPreferences:
        gateway = gateway_of(settings, await repository.profile(session, tenant_id))
        return PaymentPreferences(
            gateway,
            "USD" if gateway is None else CURRENCIES[gateway],
            None if rate is None else float(rate),
        )

    return preferences_of
