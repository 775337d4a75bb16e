"""``/v1/shared/{share_token}``: what the visitor's page and the widget ask for. The token in the
address is the whole authorisation; no key is involved."""

from __future__ import annotations

from datetime import UTC, datetime

from fastapi import APIRouter, BackgroundTasks, Request, Response, status

from control_plane.calling.calls.creating.planning import AppPlanSources
from control_plane.calling.calls.creating.services import AppCreatingServices
from control_plane.calling.calls.errors import NoCapacity
from control_plane.calling.pauses.errors import PlatformCallsDisabled
from control_plane.calling.sharing.errors import (
    ShareLinkBusy,
    ShareLinkOff,
    ShareLinkPoolEmpty,
    ShareLinkRateLimited,
    ShareLinkUnpublished,
)
from control_plane.calling.sharing.visiting.asking import ask_for_minutes
from control_plane.calling.sharing.visiting.dispatched_call import dispatched
from control_plane.calling.sharing.visiting.schemas import (
    MinutesRequested,
    SharedAgent,
    SharedCallCreated,
)
from control_plane.calling.sharing.visiting.shared_agent import shared_agent
from control_plane.calling.sharing.visiting.starting import start_call
from control_plane.calling.sharing.visiting.visited import ALWAYS, ShareToken, Visited
from control_plane.platform.http.dependencies import AppDatabase, AppSettings
from control_plane.platform.http.openapi import problems
from control_plane.platform.link.link import LinkUnavailable

router = APIRouter(prefix="/v1/shared/{share_token}", tags=["sharing"])


@router.get("", responses=problems(*ALWAYS))
async def get_shared_agent(
    share: Visited,
    database: AppDatabase,
    sources: AppPlanSources,
    settings: AppSettings,
    response: Response,
) -> SharedAgent:
    """The agent behind a link, and whether it can be called now."""
    response.headers["Cache-Control"] = "no-store"
    async with database.tenant_session(share.tenant_id) as session:
        return await shared_agent(session, share, sources, settings)


@router.post(
    "/calls",
    status_code=status.HTTP_201_CREATED,
    responses=problems(
        *ALWAYS,
        ShareLinkOff,
        ShareLinkUnpublished,
        ShareLinkPoolEmpty,
        ShareLinkBusy,
        ShareLinkRateLimited,
        LinkUnavailable,
        PlatformCallsDisabled,
        NoCapacity,
    ),
)
async def start_shared_call(
    share_token: ShareToken,
    share: Visited,
    request: Request,
    database: AppDatabase,
    services: AppCreatingServices,
    after_commit: BackgroundTasks,
) -> SharedCallCreated:
    """Call the agent behind a link. Join with `access` as any participant does.

    The call reserves the minutes that it may use, and ends when they are used. What it does not use
    is given back when it is over.
    """
    address = request.client.host if request.client else None
    new = await start_call(database, services, share, share_token, address)
    return dispatched(new, services, after_commit)


@router.post("/minutes-request", responses=problems(*ALWAYS, ShareLinkOff))
async def request_minutes(share: Visited, database: AppDatabase) -> MinutesRequested:
    """Ask the owner for more minutes. They are told once, until they have added some."""
    async with database.tenant_session(share.tenant_id) as session:
        asked_at = await ask_for_minutes(session, share, datetime.now(UTC))
    return MinutesRequested(minutes_requested_at=asked_at)
