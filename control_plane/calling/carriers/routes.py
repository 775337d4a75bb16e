"""``/v1/carriers``: the tenant's own accounts at phone carriers."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Query, status

from control_plane.calling.carriers.access import AppCarriers
from control_plane.calling.carriers.errors import CarrierAccountNotFound
from control_plane.calling.carriers.schemas import (
    CarrierAccountCreate,
    CarrierAccountDeleted,
    CarrierAccountPage,
    CarrierAccountUpdate,
    CarrierAccountView,
    CarrierVerification,
)
from control_plane.calling.carriers.service import CarrierAccounts
from control_plane.identity.authentication.dependencies import AdminCaller
from control_plane.identity.authentication.refusals import ADMIN_ONLY
from control_plane.identity.idempotent_requests.route import IdempotentRoute
from control_plane.identity.idempotent_requests.two_phase import EffectOncePerKey
from control_plane.platform.http.dependencies import AppDatabase, AppSettings
from control_plane.platform.http.openapi import problems
from control_plane.platform.http.paging import Offset
from control_plane.platform.idempotency.errors import IdempotencyKeyInUse
from control_plane.platform.link.link import AppLink

router = APIRouter(
    prefix="/v1/carriers",
    tags=["carriers"],
    responses=problems(*ADMIN_ONLY),
    route_class=IdempotentRoute,
)


async def _accounts(
    caller: AdminCaller,
    database: AppDatabase,
    link: AppLink,
    settings: AppSettings,
    access: AppCarriers,
) -> CarrierAccounts:
    return CarrierAccounts(database, link.redis, settings, access, caller)


Accounts = Annotated[CarrierAccounts, Depends(_accounts)]
Limit = Annotated[int, Query(ge=1, le=500)]


@router.post(
    "", status_code=status.HTTP_201_CREATED, responses=problems(*ADMIN_ONLY, IdempotencyKeyInUse)
)
async def connect_carrier(
    wanted: CarrierAccountCreate, accounts: Accounts, _: EffectOncePerKey
) -> CarrierVerification:
    """Connect your account at a phone carrier. The credentials are stored encrypted and never
    shown again. The carrier is asked at once whether it accepts them; if not, the account is stored
    all the same, and `message` says what is wrong."""
    return await accounts.create(wanted)


@router.get("")
async def list_carriers(
    accounts: Accounts, limit: Limit = 50, offset: Offset = 0
) -> CarrierAccountPage:
    """List your accounts at carriers, oldest first."""
    views, total = await accounts.page(limit, offset)
    return CarrierAccountPage(carriers=views, total=total, offset=offset, limit=limit)


@router.get("/{carrier_id}", responses=problems(CarrierAccountNotFound))
async def get_carrier(carrier_id: UUID, accounts: Accounts) -> CarrierAccountView:
    """Show one account, without its secrets."""
    return await accounts.get(carrier_id)


@router.patch("/{carrier_id}", responses=problems(CarrierAccountNotFound))
async def update_carrier(
    carrier_id: UUID, wanted: CarrierAccountUpdate, accounts: Accounts
) -> CarrierAccountView:
    """Change an account. New credentials replace all old ones, and count from the next call on;
    verify them with `POST /v1/carriers/{carrier_id}/verify`."""
    return await accounts.update(carrier_id, wanted)


@router.delete("/{carrier_id}", responses=problems(CarrierAccountNotFound))
async def delete_carrier(carrier_id: UUID, accounts: Accounts) -> CarrierAccountDeleted:
    """Forget an account. Its numbers stay registered, and no call comes or goes through them until
    another account of yours has them. Nothing is changed at the carrier."""
    await accounts.delete(carrier_id)
    return CarrierAccountDeleted(id=carrier_id)


@router.post("/{carrier_id}/verify", responses=problems(CarrierAccountNotFound))
async def verify_carrier(carrier_id: UUID, accounts: Accounts) -> CarrierVerification:
    """Ask the carrier whether it accepts the credentials, and find or create the voice application
    that your numbers share, where the carrier has one. What is wrong is said in `message`."""
    return await accounts.verify(carrier_id)
