"""A tenant's customer record at each gateway."""

from __future__ import annotations

from uuid import UUID

from control_plane.identity.tenants.errors import TenantNotFound
from control_plane.money.payments import repository
from control_plane.money.payments.gateways.gateway import Customer, PaymentGateway
from control_plane.money.payments.models import PaymentProfile
from control_plane.platform.database import Database


def customer_id_of(profile: PaymentProfile, gateway: str) -> str | None:
    return profile.stripe_customer_id if gateway == "stripe" else profile.razorpay_customer_id


async def customer_of(database: Database, tenant_id: UUID) -> Customer:
    """Whom a gateway writes to.

    Raises:
        TenantNotFound: there is no such tenant.
    """
    async with database.system_session() as session:
        found = await repository.tenant_and_owner(session, tenant_id)
        profile = await repository.profile(session, tenant_id)
    if found is None:
        raise TenantNotFound
    name, email = found
    return Customer(tenant_id, name, email, profile.billing_phone)


async def known_customer_id(
    database: Database,
    gateway: PaymentGateway,
    customer: Customer,
    *,
    instead_of: str | None = None,
) -> str:
    """The tenant's id at the gateway, which gets to know it if it does not. The id is committed
    before it is used, so that a payment can be found by it.

    Args:
        instead_of: an id that the gateway does not know any more.

    Raises:
        GatewayUnclear, GatewayRefused: see ``PaymentGateway``.
    """
    tenant_id = customer.tenant_id
    async with database.tenant_session(tenant_id) as session:
        known = customer_id_of(await repository.profile(session, tenant_id), gateway.name)
    if known is not None and known != instead_of:
        return known
    made = await gateway.make_customer(customer, instead_of=instead_of)
    async with database.tenant_session(tenant_id) as session:
        await repository.note_in_profile(
            session, tenant_id, **{f"{gateway.name}_customer_id": made}
        )
    return made
