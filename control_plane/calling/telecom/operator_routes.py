"""``/v1/operator/telecom-prices``: what minutes on the installation's own carrier accounts cost."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import uuid4

from fastapi import APIRouter, status

from contracts.money import MICROS_PER_USD, usd
from control_plane.calling.telecom import repository
from control_plane.calling.telecom.models import TelecomPrice
from control_plane.calling.telecom.schemas import (
    TelecomPriceList,
    TelecomPriceView,
    TelecomPriceWanted,
)
from control_plane.identity.authentication.dependencies import OperatorSession
from control_plane.identity.idempotent_requests.route import IdempotentRoute, OncePerOperatorKey
from control_plane.platform.http.openapi import AUTHENTICATED, problems

router = APIRouter(
    prefix="/v1/operator/telecom-prices",
    tags=["operator"],
    responses=problems(*AUTHENTICATED),
    route_class=IdempotentRoute,
)


@router.get("")
async def list_telecom_prices(session: OperatorSession) -> TelecomPriceList:
    """List the prices that hold now, by carrier, direction and prefix."""
    prices = await repository.current_prices(session)
    return TelecomPriceList(telecom_prices=[_view(price) for price in prices])


@router.post("", status_code=status.HTTP_201_CREATED)
async def set_telecom_price(
    wanted: TelecomPriceWanted, session: OperatorSession, _: OncePerOperatorKey
) -> TelecomPriceView:
    """Set what a minute costs tenants whose number runs through the installation's own account at
    the carrier. It holds for calls that are created from now on; a call keeps the prices that it
    was created with. Where no prefix fits, minutes cost nothing. Tenants with an account of their
    own pay their carrier instead."""
    price = TelecomPrice(
        id=uuid4(),
        provider=wanted.provider,
        direction=wanted.direction,
        prefix=wanted.prefix,
        micros_per_minute=int(wanted.usd_per_minute * MICROS_PER_USD),
        valid_from=datetime.now(UTC),
    )
    session.add(price)
    await session.flush()
    return _view(price)


def _view(price: TelecomPrice) -> TelecomPriceView:
    return TelecomPriceView.model_validate(
        {
            "id": price.id,
            "provider": price.provider,
            "direction": price.direction,
            "prefix": price.prefix,
            "usd_per_minute": usd(price.micros_per_minute),
            "valid_from": price.valid_from,
        }
    )
