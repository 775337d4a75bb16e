"""Phone numbers that the operator gives to tenants."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path, Query, Response, status

from control_plane.calling.numbers import giving, repository
from control_plane.calling.numbers.errors import NumberNotFound, NumberTaken
from control_plane.calling.numbers.schemas import (
    ManagedNumber,
    NumberPage,
    NumberRemoved,
    NumberView,
    PhoneNumber,
)
from control_plane.identity.authentication.dependencies import OperatorSession, Origin
from control_plane.identity.idempotent_requests.route import IdempotentRoute, OncePerOperatorKey
from control_plane.identity.tenants import repository as tenants
from control_plane.identity.tenants.errors import TenantNotFound
from control_plane.platform.audit.recording import OPERATOR, record_act
from control_plane.platform.http.dependencies import AppSettings
from control_plane.platform.http.openapi import AUTHENTICATED, problems
from control_plane.platform.http.paging import Offset

router = APIRouter(
    prefix="/v1/operator/tenants/{tenant_id}/numbers",
    tags=["operator"],
    responses=problems(*AUTHENTICATED),
    route_class=IdempotentRoute,
)


@router.post(
    "",
    status_code=status.HTTP_201_CREATED,
    responses={
        200: {
            "model": NumberView,
            "description": "The tenant already had the number; its settings were changed.",
        },
        **problems(TenantNotFound, NumberTaken),
    },
)
async def give_number(
    tenant_id: UUID,
    wanted: ManagedNumber,
    response: Response,
    session: OperatorSession,
    settings: AppSettings,
    origin: Origin,
    _: OncePerOperatorKey,
) -> NumberView:
    """Give a tenant a number to call from, or change the settings of a number that it has."""
    number, is_new = await giving.give_number(session, tenant_id, wanted, settings.dialing.carriers)
    view = NumberView.model_validate(number)
    record_act(
        session,
        tenant_id,
        OPERATOR,
        origin,
        "number.given" if is_new else "number.changed",
        target_id=number.number,
        changes=wanted.model_dump(mode="json", exclude={"number"}, exclude_unset=True),
    )
    if not is_new:
        response.status_code = status.HTTP_200_OK
    return view


@router.get("", responses=problems(TenantNotFound))
async def list_numbers(
    tenant_id: UUID,
    session: OperatorSession,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
    offset: Offset = 0,
) -> NumberPage:
    """List the numbers of a tenant, oldest first."""
    if await tenants.find(session, tenant_id) is None:
        raise TenantNotFound
    numbers, total = await repository.page_of_numbers(
        session, tenant_id, limit=limit, offset=offset
    )
    views = [NumberView.model_validate(number) for number in numbers]
    return NumberPage(numbers=views, total=total, offset=offset, limit=limit)


@router.delete("/{phone_number}", responses=problems(NumberNotFound))
async def remove_number(
    tenant_id: UUID,
    phone_number: Annotated[PhoneNumber, Path()],
    session: OperatorSession,
    origin: Origin,
) -> NumberRemoved:
    """Take a number from a tenant. Calls that already wait to be made from it are still made."""
    if not await repository.remove(session, tenant_id, phone_number):
        raise NumberNotFound
    record_act(session, tenant_id, OPERATOR, origin, "number.removed", target_id=phone_number)
    return NumberRemoved(number=phone_number)
