"""Saved payment methods."""

from __future__ import annotations

import hashlib
from datetime import datetime
from uuid import UUID

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from contracts.sealing import Sealer
from control_plane.money.payments import recharge_settings, repository
from control_plane.money.payments.customers import customer_id_of
from control_plane.money.payments.errors import PaymentMethodNotFound
from control_plane.money.payments.gateways.gateway import (
    GatewayRefused,
    GatewayUnclear,
    SavedMethod,
)
from control_plane.money.payments.gateways.installed import InstalledGateways
from control_plane.money.payments.locking import lock_account
from control_plane.money.payments.models import PaymentMethod
from control_plane.platform.audit.recording import record_change
from control_plane.platform.database import Database
from control_plane.platform.tenancy.caller import Caller

_log = structlog.get_logger(__name__)


async def save(
    session: AsyncSession,
    sealer: Sealer,
    tenant_id: UUID,
    gateway: str,
    method: SavedMethod,
    *,
    max_amount_minor: int | None = None,
) -> None:
    """Keep a method, which becomes the default one, unless it is known. One that was deleted stays
    deleted: a late report must not bring it back."""
    digest = token_digest(method.token)
    if await repository.method_of_digest(session, tenant_id, gateway, digest) is not None:
        return
    await repository.make_no_method_default(session, tenant_id)
    session.add(
        PaymentMethod(
            tenant_id=tenant_id,
            gateway=gateway,
            sealed_token=sealer.seal(method.token),
            token_digest=digest,
            method_type=method.method_type,
            upi_vpa=method.upi_vpa,
            card_brand=method.card_brand,
            card_last4=method.card_last4,
            card_country=method.card_country,
            max_amount_minor=method.max_amount_minor or max_amount_minor,
            is_default=True,
        )
    )
    await session.flush()


async def delete(
    database: Database,
    sealer: Sealer,
    gateways: InstalledGateways,
    caller: Caller,
    method_id: UUID,
    now: datetime,
) -> None:
    """Delete a method here, and then ask its gateway to forget it. It is deleted whether or not the
    gateway answers.

    Raises:
        PaymentMethodNotFound: the tenant has none with this id.
    """
    tenant_id = caller.tenant_id
    async with database.tenant_session(tenant_id) as session:
        await lock_account(session, tenant_id)
        method = await repository.find_method(session, tenant_id, method_id)
        if method is None:
            raise PaymentMethodNotFound
        await end(session, method, now)
        record_change(session, caller, "payment_method.deleted", target_id=method_id)
        profile = await repository.profile(session, tenant_id)
    gateway = gateways.find(method.gateway)
    if gateway is None:
        return
    try:
        customer_id = customer_id_of(profile, method.gateway)
        await gateway.detach(sealer.open(method.sealed_token), customer_id)
    except (GatewayUnclear, GatewayRefused) as error:
        _log.warning("payment_method_not_detached", method_id=str(method_id), error=str(error))


async def end(session: AsyncSession, method: PaymentMethod, now: datetime) -> None:
    """Stop using a method. The account must be locked.

    The newest of the others becomes the default one; without another one, nothing is recharged any
    more.
    """
    method.deleted_at = now
    was_default, method.is_default = method.is_default, False
    await session.flush()
    others = await repository.methods(session, method.tenant_id)
    if not others:
        await recharge_settings.switch_off(session, method.tenant_id)
    elif was_default:
        others[0].is_default = True
        await session.flush()


def token_digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
