"""Opening an account."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.identity.accounts import repository as accounts
from control_plane.identity.accounts.models import User
from control_plane.identity.accounts.sessions import repository as session_repository
from control_plane.identity.api_keys import service as api_keys
from control_plane.identity.members.models import Membership
from control_plane.identity.tenants.schemas import TenantCreate, TenantCreated
from control_plane.money.billing import service as billing
from control_plane.platform.tenancy.models import Tenant


async def create_tenant(
    session: AsyncSession, wanted: TenantCreate, *, welcome_credit_micros: int
) -> TenantCreated:
    """A tenant with its owner, a secret key and the welcome credit. Needs a system session.

    An address that has an account already keeps it: the person now owns this tenant too. But
    whoever signed up under it and never showed that they read its mailbox may be somebody else, so
    their password and sessions end; the mailbox's reader sets a new password by a password reset.
    """
    owner = await accounts.find_or_add(session, wanted.owner_email)
    if owner.password_hash is not None and owner.email_confirmed_at is None:
        owner.password_hash = None
        await session_repository.end_all(session, owner.id)
    tenant = await open_tenant(
        session, wanted.name, owner, welcome_credit_micros=welcome_credit_micros
    )
    _, key = await api_keys.create_secret_key(session, tenant.id, name="First key")
    return TenantCreated(tenant_id=tenant.id, owner_user_id=owner.id, api_key=key)


async def open_tenant(
    session: AsyncSession, name: str, owner: User, *, welcome_credit_micros: int
) -> Tenant:
    """A tenant with its owner and the welcome credit. Needs a system session."""
    tenant = Tenant(name=name)
    session.add(tenant)
    await session.flush()
    session.add(Membership(tenant_id=tenant.id, user_id=owner.id, role="owner"))
    await session.flush()
    await billing.grant(
        session, tenant.id, welcome_credit_micros, "Welcome credit", reference="welcome"
    )
    return tenant
