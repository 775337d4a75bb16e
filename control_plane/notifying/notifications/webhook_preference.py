"""Whether a tenant wants a category over its webhooks, for those categories that ask."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.notifying.notifications import preference_repository
from control_plane.notifying.notifications.preferences import SILENT, choice_of_tenant


async def webhook_is_preferred(session: AsyncSession, tenant_id: UUID, category: str) -> bool:
    """Off by default. Source: API spec, "Subscriptions"."""
    chosen = await preference_repository.choices(session, tenant_id, [tenant_id])
    return choice_of_tenant(category, chosen.get((tenant_id, category), SILENT)).wants("webhook")
