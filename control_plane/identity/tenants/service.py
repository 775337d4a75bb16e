"""Opening tenants."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID, uuid4

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.identity.accounts import repository as accounts
from control_plane.identity.accounts.confirmation import leave_unproven_tenants
from control_plane.identity.accounts.models import User
from control_plane.identity.accounts.sessions import repository as session_repository
from control_plane.identity.api_keys import service as api_keys
from control_plane.identity.members.models import Membership
from control_plane.identity.tenants.opening import TenantOpened
from control_plane.identity.tenants.schemas import TenantCreate, TenantCreated
from control_plane.platform.tenancy.models import Tenant


async def create_tenant(
    session: AsyncSession, wanted: TenantCreate, on_tenant_opened: TenantOpened
) -> TenantCreated:
    """Open a tenant with its owner and a secret key. Needs a system session.

    If the owner's mail address already has an account, that user now owns this tenant, too. If the
    address was never confirmed, somebody else may have signed up with it. So its password, sessions
    and tenants are removed, and the reader of the mailbox sets a password with a reset.
    """
    owner = await accounts.find_or_add(session, wanted.owner_email)
    if owner.password_hash is not None and owner.email_confirmed_at is None:
        await leave_unproven_tenants(session, owner)
        owner.password_hash = None
        await session_repository.end_all(session, owner.id)
    tenant = await open_tenant(session, wanted.name, owner)
    # The operator knows whom the account is for.
    await on_tenant_opened(session, tenant.id, is_welcome=True)
    owner.welcomed_at = owner.welcomed_at or datetime.now(UTC)
    _, key = await api_keys.create_secret_key(session, tenant.id, name="First key")
    return TenantCreated(tenant_id=tenant.id, owner_user_id=owner.id, api_key=key)


async def open_tenant(
    session: AsyncSession, name: str, owner: User, tenant_id: UUID | None = None
) -> Tenant:
    """Open a tenant with its owner. Needs a system session.

    Args:
        tenant_id: its id; without one it gets a new one.
    """
    tenant = Tenant(id=tenant_id or uuid4(), name=name)
    session.add(tenant)
    await session.flush()
    session.add(Membership(tenant_id=tenant.id, user_id=owner.id, role="owner"))
    await session.flush()
    return tenant
