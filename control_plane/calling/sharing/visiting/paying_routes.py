"""``/v1/shared/{share_token}``: what a tester asks for who pays from an account of their own. These
need a dashboard session beside the token, so a page of another origin can use none of them."""

from __future__ import annotations

from fastapi import APIRouter, BackgroundTasks, Response, status

from contracts.money import usd
from control_plane.calling.calls.creating.services import AppCreatingServices
from control_plane.calling.calls.errors import NoCapacity
from control_plane.calling.pauses.errors import PlatformCallsDisabled
from control_plane.calling.sharing.errors import (
    PayerNotAllowed,
    ShareLinkBusy,
    ShareLinkOff,
    ShareLinkPoolEmpty,
    ShareLinkUnpublished,
)
from control_plane.calling.sharing.visiting.dispatched_call import dispatched
from control_plane.calling.sharing.visiting.payer import payer_of
from control_plane.calling.sharing.visiting.schemas import PayingAccount, SharedCallCreated
from control_plane.calling.sharing.visiting.starting import start_paid_call
from control_plane.calling.sharing.visiting.visited import ALWAYS, ShareToken, Visited
from control_plane.identity.authentication.dependencies import UserCaller
from control_plane.identity.authentication.errors import RoleRequired
from control_plane.identity.authentication.refusals import USER_ONLY
from control_plane.money.billing.errors import InsufficientCredits
from control_plane.platform.http.dependencies import AppDatabase
from control_plane.platform.http.openapi import problems

router = APIRouter(prefix="/v1/shared/{share_token}", tags=["sharing"])
_PAYER = (*USER_ONLY, *ALWAYS, PayerNotAllowed, RoleRequired)


@router.get("/payer", responses=problems(*_PAYER))
async def get_paying_account(
    caller: UserCaller, share: Visited, database: AppDatabase, response: Response
) -> PayingAccount:
    """The account that would pay for a call behind an invitation: that of your session.

    Your confirmed mail address has to be the one that was invited, and you have to be an owner or
    admin of the account.
    """
    response.headers["Cache-Control"] = "no-store"
    payer = await payer_of(database, caller, share)
    return PayingAccount(
        email=payer.email, account=payer.name, available_usd=usd(payer.spendable_micros)
    )


@router.post(
    "/paid-calls",
    status_code=status.HTTP_201_CREATED,
    responses=problems(
        *_PAYER,
        InsufficientCredits,
        ShareLinkOff,
        ShareLinkUnpublished,
        ShareLinkPoolEmpty,
        ShareLinkBusy,
        PlatformCallsDisabled,
        NoCapacity,
    ),
)
async def start_paid_shared_call(
    caller: UserCaller,
    share_token: ShareToken,
    share: Visited,
    database: AppDatabase,
    services: AppCreatingServices,
    after_commit: BackgroundTasks,
) -> SharedCallCreated:
    """Call the agent behind an invitation, and pay for the call when the free minutes are used.

    The account is the one of `GET /v1/shared/{share_token}/payer`. While free minutes are left, the
    call uses those and costs nothing.
    """
    payer = await payer_of(database, caller, share)
    new = await start_paid_call(database, services, share, share_token, payer)
    return dispatched(new, services, after_commit)
