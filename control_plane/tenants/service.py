"""Opening an account."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.api_keys import service as api_keys
from control_plane.billing import service as billing
from control_plane.tenants.models import Tenant, User
from control_plane.tenants.schemas import TenantCreate, TenantCreated


async def create_tenant(
    session: AsyncSession, wanted: TenantCreate, *, welcome_credit_micros: int
) -> TenantCreated:
    """A tenant with its owner, a secret key and the welcome credit. Needs a system session."""
    tenant = Tenant(name=wanted.name)
    session.add(tenant)
    await session.flush()
    owner = User(tenant_id=tenant.id, email=wanted.owner_email, role="owner")
    session.add(owner)
    _, key = await api_keys.create_secret_key(session, tenant.id, name="First key")
    await billing.grant(
        session, tenant.id, welcome_credit_micros, "Welcome credit", reference="welcome"
    )
    return TenantCreated(tenant_id=tenant.id, owner_user_id=owner.id, api_key=key)
