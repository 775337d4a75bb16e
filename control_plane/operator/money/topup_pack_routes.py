"""``/v1/operator/topup-packs``."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID, uuid4

from fastapi import APIRouter, status

from control_plane.identity.authentication.dependencies import OperatorSession
from control_plane.identity.idempotent_requests.route import IdempotentRoute, OncePerOperatorKey
from control_plane.money.payments import repository
from control_plane.money.payments.errors import PackExists, PackNotFound
from control_plane.money.payments.models import TopupPack
from control_plane.money.payments.schemas import PackList, PackView
from control_plane.operator.money.payment_schemas import PackCreate, PackWithdrawn
from control_plane.platform.http.openapi import AUTHENTICATED, problems

router = APIRouter(
    prefix="/v1/operator/topup-packs",
    tags=["operator"],
    responses=problems(*AUTHENTICATED),
    route_class=IdempotentRoute,
)


@router.get("")
async def list_packs(session: OperatorSession) -> PackList:
    """List the amounts that tenants are offered."""
    return PackList(packs=[PackView.of(pack) for pack in await repository.packs(session)])


@router.post("", status_code=status.HTTP_201_CREATED, responses=problems(PackExists))
async def create_pack(
    wanted: PackCreate, session: OperatorSession, _: OncePerOperatorKey
) -> PackView:
    """Offer an amount. Packs never change: withdraw one, and offer another."""
    pack = TopupPack(id=uuid4(), **wanted.model_dump())
    if not await repository.add_pack(session, pack):
        raise PackExists(
            f"A pack for {wanted.price_cents} cents is offered already; withdraw it first."
        )
    return PackView.of(pack)


@router.delete("/{pack_id}", responses=problems(PackNotFound))
async def withdraw_pack(pack_id: UUID, session: OperatorSession) -> PackWithdrawn:
    """Stop offering an amount. Top-ups that have begun keep its bonus."""
    pack = await repository.find_pack(session, pack_id)
    if pack is None:
        raise PackNotFound
    pack.withdrawn_at = datetime.now(UTC)
    return PackWithdrawn(id=pack_id)
