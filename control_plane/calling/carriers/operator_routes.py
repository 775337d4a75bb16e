"""``/v1/operator/carriers``: the installation's own account at each carrier, for the numbers that
the operator gives to tenants."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends

from contracts.carrier_accounts import CarrierProvider
from control_plane.calling.carriers.access import AppCarriers
from control_plane.calling.carriers.errors import CarrierAccountNotFound
from control_plane.calling.carriers.schemas import (
    CarrierAccountDeleted,
    CarrierAccountPage,
    CarrierVerification,
    InstallationCarrier,
)
from control_plane.calling.carriers.service import CarrierAccounts
from control_plane.identity.authentication.dependencies import operator
from control_plane.platform.http.dependencies import AppDatabase, AppSettings
from control_plane.platform.http.openapi import AUTHENTICATED, problems
from control_plane.platform.link.link import AppLink

router = APIRouter(
    prefix="/v1/operator/carriers",
    tags=["operator"],
    dependencies=[Depends(operator)],
    responses=problems(*AUTHENTICATED),
)


async def _accounts(
    database: AppDatabase, link: AppLink, settings: AppSettings, access: AppCarriers
) -> CarrierAccounts:
    return CarrierAccounts(database, link.redis, settings, access, None)


Accounts = Annotated[CarrierAccounts, Depends(_accounts)]


@router.get("")
async def list_installation_carriers(accounts: Accounts) -> CarrierAccountPage:
    """List the installation's own accounts at carriers, at most one for each carrier."""
    views, total = await accounts.page(100, 0)
    return CarrierAccountPage(carriers=views, total=total, offset=0, limit=100)


@router.put("/{provider}")
async def set_installation_carrier(
    provider: CarrierProvider, wanted: InstallationCarrier, accounts: Accounts
) -> CarrierVerification:
    """Set the installation's account at a carrier, or replace its credentials. The carrier is asked
    at once whether it accepts them. Calls of numbers that you give to tenants run through it, and
    tenants pay for them by your telecom prices."""
    return await accounts.put(provider, wanted)


@router.post("/{provider}/verify", responses=problems(CarrierAccountNotFound))
async def verify_installation_carrier(
    provider: CarrierProvider, accounts: Accounts
) -> CarrierVerification:
    """Ask the carrier whether it accepts the credentials. What is wrong is said in `message`."""
    return await accounts.verify((await accounts.at(provider)).id)


@router.delete("/{provider}", responses=problems(CarrierAccountNotFound))
async def delete_installation_carrier(
    provider: CarrierProvider, accounts: Accounts
) -> CarrierAccountDeleted:
    """Forget the installation's account at a carrier. Numbers that use it take and make no calls
    until you set one again and give the numbers again."""
    account = await accounts.at(provider)
    await accounts.delete(account.id)
    return CarrierAccountDeleted(id=account.id)
