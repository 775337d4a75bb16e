"""``/v1/numbers``: the numbers that the tenant has at its carriers, and the agents that answer
them. Source: API spec, "Numbers"."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Response, status

from control_plane.calling.carriers.access import AppCarriers
from control_plane.calling.carriers.service import CarrierAccounts
from control_plane.calling.numbers import repository, service
from control_plane.calling.numbers.errors import (
    AgentNotInTenant,
    InvalidPhoneNumber,
    NumberNotFound,
    NumberTaken,
    TooManyNumbers,
    UnsupportedCountry,
)
from control_plane.calling.numbers.schemas import (
    NumberAttached,
    NumberAttachment,
    NumberDetached,
    NumberPage,
    NumberRegistered,
    NumberRegistration,
    NumberRemoved,
    NumberView,
    NumberWebhook,
    WebhookResult,
)
from control_plane.calling.numbers.webhook_setup import WebhookSetup
from control_plane.identity.authentication.dependencies import (
    AdminCaller,
    MemberCaller,
    TenantSession,
)
from control_plane.identity.authentication.refusals import ADMIN_ONLY, MEMBER_ONLY
from control_plane.identity.idempotent_requests.route import IdempotentRoute
from control_plane.identity.idempotent_requests.two_phase import EffectOncePerKey
from control_plane.platform.http.dependencies import AppDatabase, AppSettings
from control_plane.platform.http.openapi import problems
from control_plane.platform.http.paging import Offset
from control_plane.platform.idempotency.errors import IdempotencyKeyInUse
from control_plane.platform.link.link import AppLink

router = APIRouter(
    prefix="/v1/numbers",
    tags=["numbers"],
    responses=problems(*ADMIN_ONLY),
    route_class=IdempotentRoute,
)
_Number = Annotated[
    str, Path(max_length=64, description="E.164, such as `+14155550100`; encode `+` as `%2B`.")
]


async def _webhook_setup(
    caller: AdminCaller,
    database: AppDatabase,
    link: AppLink,
    settings: AppSettings,
    access: AppCarriers,
) -> WebhookSetup:
    return WebhookSetup(
        own=CarrierAccounts(database, link.redis, settings, access, caller),
        installation=CarrierAccounts(database, link.redis, settings, access, None),
    )


AppWebhookSetup = Annotated[WebhookSetup, Depends(_webhook_setup)]


@router.post(
    "",
    status_code=status.HTTP_201_CREATED,
    responses={
        200: {
            "model": NumberRegistered,
            "description": "You had registered the number already; its agent was changed if you "
            "named one.",
        },
        **problems(
            *ADMIN_ONLY,
            InvalidPhoneNumber,
            UnsupportedCountry,
            AgentNotInTenant,
            NumberTaken,
            TooManyNumbers,
            IdempotencyKeyInUse,
        ),
    },
)
async def register_number(
    wanted: NumberRegistration,
    response: Response,
    caller: AdminCaller,
    database: AppDatabase,
    setup: AppWebhookSetup,
    _: EffectOncePerKey,
) -> NumberRegistered:
    """Register a number that you have at a carrier, and let an agent answer it.

    With an agent, the carrier's webhook for inbound calls is set at once, as far as that takes no
    longer than three seconds; `webhook` tells what came of it. Whatever it tells, the number is
    registered. With `manual_required`, enter `webhookUrl` in the carrier's console. A number takes
    and makes no calls before its carrier has confirmed that it is yours, or has called its webhook
    once."""
    done = await service.register(database, caller, wanted.number, wanted.agent_id)
    if not done.is_new:
        response.status_code = status.HTTP_200_OK
    has_agent = done.number.agent_id is not None
    result = await setup.run(done.number, bind=has_agent)
    return NumberRegistered(
        number=done.number.number,
        agent_id=done.number.agent_id,
        webhook=WebhookResult.of(result) if has_agent else None,
    )


@router.post(
    "/{number}/attach",
    status_code=status.HTTP_201_CREATED,
    responses=problems(
        *ADMIN_ONLY, InvalidPhoneNumber, AgentNotInTenant, NumberNotFound, IdempotencyKeyInUse
    ),
)
async def attach_number(
    number: _Number,
    wanted: NumberAttachment,
    caller: AdminCaller,
    database: AppDatabase,
    setup: AppWebhookSetup,
    _: EffectOncePerKey,
) -> NumberAttached:
    """Let an agent answer a registered number, and set the carrier's webhook as registering
    does."""
    attached = await service.attach(database, caller, number, wanted.agent_id)
    result = await setup.run(attached, bind=True)
    return NumberAttached(
        agent_id=wanted.agent_id, number=attached.number, webhook=WebhookResult.of(result)
    )


@router.post("/{number}/webhook", responses=problems(InvalidPhoneNumber, NumberNotFound))
async def configure_webhook(
    number: _Number, caller: AdminCaller, database: AppDatabase, setup: AppWebhookSetup
) -> NumberWebhook:
    """Set the carrier's webhook for the number's inbound calls again, for example after a failure
    or when you have connected a carrier."""
    found = await service.registered(database, caller, number)
    result = await setup.run(found, bind=True)
    return NumberWebhook(number=found.number, webhook=WebhookResult.of(result))


@router.post("/{number}/detach", responses=problems(InvalidPhoneNumber, NumberNotFound))
async def detach_number(
    number: _Number, caller: AdminCaller, database: AppDatabase, setup: AppWebhookSetup
) -> NumberDetached:
    """Let no agent answer the number any more. It stays registered. Our address is taken out of the
    number's own setting at the carrier, where there is one; an application that several numbers
    share stays as it is."""
    detached = await service.detach(database, caller, number)
    await setup.unbind(detached)
    return NumberDetached(number=detached.number)


@router.get("", responses=problems(*MEMBER_ONLY))
async def list_numbers(
    caller: MemberCaller,
    session: TenantSession,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
    offset: Offset = 0,
) -> NumberPage:
    """List your numbers, oldest first: those that you registered, and those that the operator of
    the installation gave you (`is_managed`)."""
    numbers, total = await repository.page_of_numbers(
        session, caller.tenant_id, limit=limit, offset=offset
    )
    views = [NumberView.model_validate(number) for number in numbers]
    return NumberPage(numbers=views, total=total, offset=offset, limit=limit)


@router.delete("/{number}", responses=problems(InvalidPhoneNumber))
async def remove_number(
    number: _Number, caller: AdminCaller, session: TenantSession
) -> NumberRemoved:
    """Forget a number. Nothing is changed at the carrier. It is no error if you have no such
    number."""
    return NumberRemoved(number=await service.remove(session, caller, number))
