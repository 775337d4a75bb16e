"""Whether and when a tenant's saved method is charged while nobody is there."""

from __future__ import annotations

from decimal import Decimal
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.money import MICROS_PER_USD
from control_plane.money.billing.credit_watch import watch_available_credit
from control_plane.money.payments import repository
from control_plane.money.payments.models import AutoRecharge
from control_plane.platform.errors import InvalidRequest

DEFAULT_PACK_MICROS = 20 * MICROS_PER_USD
DEFAULT_THRESHOLD_MICROS = 5 * MICROS_PER_USD
MOST_DECLINES = 3
"""In a row. Then it is switched off."""


def defaults(tenant_id: UUID) -> AutoRecharge:
    """The settings of a tenant that has saved none."""
    return AutoRecharge(
        tenant_id=tenant_id,
        enabled=False,
        pack_micros=DEFAULT_PACK_MICROS,
        threshold_micros=DEFAULT_THRESHOLD_MICROS,
        declines=0,
    )


async def change(
    session: AsyncSession,
    tenant_id: UUID,
    *,
    enabled: bool | None,
    pack_usd: Decimal | None,
    threshold_usd: Decimal | None,
) -> bool:
    """Change what is given; ``None`` leaves a field as it is.

    Returns:
        Whether the credit is below the threshold already, so that a recharge is due.

    Raises:
        InvalidRequest: the pack would not be greater than the threshold.
    """
    await repository.add_auto_recharge(session, defaults(tenant_id))
    # Watching locks the account, which comes before everything of payments.
    is_below = await _watch(session, tenant_id, enabled, threshold_usd)
    kept = await repository.auto_recharge(session, tenant_id, for_update=True)
    assert kept is not None, "it was just added"
    if pack_usd is not None:
        kept.pack_micros = int(pack_usd * MICROS_PER_USD)
    if threshold_usd is not None:
        kept.threshold_micros = int(threshold_usd * MICROS_PER_USD)
    if kept.pack_micros <= kept.threshold_micros:
        raise InvalidRequest.at(
            "pack_usd",
            f"must be greater than threshold_usd: the pack would be"
            f" ${kept.pack_micros / MICROS_PER_USD:.2f} and the threshold"
            f" ${kept.threshold_micros / MICROS_PER_USD:.2f}",
        )
    if enabled is not None:
        if enabled and not kept.enabled:
            kept.declines, kept.retry_at = 0, None
        kept.enabled = enabled
    await session.flush()
    return kept.enabled and is_below


async def switch_off(session: AsyncSession, tenant_id: UUID) -> None:
    """Recharge nothing any more."""
    kept = await repository.auto_recharge(session, tenant_id)
    if kept is None or not kept.enabled:
        return
    await watch_available_credit(session, tenant_id, None)
    kept = await repository.auto_recharge(session, tenant_id, for_update=True)
    assert kept is not None, "settings are never deleted"
    kept.enabled = False
    await session.flush()


async def _watch(
    session: AsyncSession, tenant_id: UUID, enabled: bool | None, threshold_usd: Decimal | None
) -> bool:
    """Watch the credit as the settings will say; whether it is below the threshold."""
    kept = await repository.auto_recharge(session, tenant_id)
    assert kept is not None, "it was just added"
    below = kept.threshold_micros if threshold_usd is None else int(threshold_usd * MICROS_PER_USD)
    is_on = kept.enabled if enabled is None else enabled
    return await watch_available_credit(session, tenant_id, below if is_on else None)
