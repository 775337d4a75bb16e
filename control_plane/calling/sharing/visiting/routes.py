"""``/v1/shared/{share_token}``: what the visitor's page and the widget ask for. The token in the
address is the whole authorisation; no key is involved."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated
from urllib.parse import urlsplit

import structlog
from fastapi import APIRouter, BackgroundTasks, Depends, Path, Request, Response, status

from control_plane.calling.calls.creating.planning import AppPlanSources
from control_plane.calling.calls.creating.services import AppCreatingServices
from control_plane.calling.calls.errors import NoCapacity
from control_plane.calling.calls.participants.views import joining_view
from control_plane.calling.pauses.errors import PlatformCallsDisabled
from control_plane.calling.sharing.errors import (
    ShareLinkBusy,
    ShareLinkOff,
    ShareLinkPoolEmpty,
    ShareLinkRateLimited,
    ShareLinkUnpublished,
    ShareNotFound,
    ShareOriginNotAllowed,
)
from control_plane.calling.sharing.visiting.admission import check_origin
from control_plane.calling.sharing.visiting.asking import ask_for_minutes
from control_plane.calling.sharing.visiting.schemas import (
    MinutesRequested,
    SharedAgent,
    SharedCallCreated,
)
from control_plane.calling.sharing.visiting.share import Share, find_share
from control_plane.calling.sharing.visiting.shared_agent import shared_agent
from control_plane.calling.sharing.visiting.starting import start_call
from control_plane.platform.errors import DatabaseUnavailable
from control_plane.platform.http.dependencies import AppDatabase, AppSettings
from control_plane.platform.http.openapi import problems
from control_plane.platform.link.link import LinkUnavailable
from control_plane.platform.settings import ControlPlaneSettings

router = APIRouter(prefix="/v1/shared/{share_token}", tags=["sharing"])
_ALWAYS = (ShareNotFound, ShareOriginNotAllowed, DatabaseUnavailable)
ShareToken = Annotated[str, Path(max_length=200, description="The last part of the link's `url`.")]


async def visited_share(
    share_token: ShareToken, request: Request, database: AppDatabase, settings: AppSettings
) -> Share:
    share = await find_share(database, share_token, settings)
    check_origin(share, request.headers.get("origin"), _own_origins(request, settings))
    return share


def _own_origins(request: Request, settings: ControlPlaneSettings) -> set[str]:
    """Of the link's own page: at the addresses that the operator has set, and at the one that this
    request was sent to."""
    host = request.headers.get("host", "")
    configured = (settings.public_url, settings.pages_url)
    return {
        f"http://{host}",
        f"https://{host}",
        *("{0.scheme}://{0.netloc}".format(urlsplit(url)) for url in configured),
    }


Visited = Annotated[Share, Depends(visited_share)]


@router.get("", responses=problems(*_ALWAYS))
async def get_shared_agent(
    share: Visited, database: AppDatabase, sources: AppPlanSources, response: Response
) -> SharedAgent:
    """The agent behind a link, and whether it can be called now."""
    response.headers["Cache-Control"] = "no-store"
    async with database.tenant_session(share.tenant_id) as session:
        return await shared_agent(session, share, sources)


@router.post(
    "/calls",
    status_code=status.HTTP_201_CREATED,
    responses=problems(
        *_ALWAYS,
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
    plan = new.plan
    structlog.contextvars.bind_contextvars(call_id=str(plan.call_id))
    after_commit.add_task(
        services.dispatcher.dispatch, services.redis, new.plan_document, new.dispatch_weight
    )
    return SharedCallCreated(
        id=plan.call_id,
        name=plan.agent.persona.name or plan.agent.name,
        max_call_seconds=plan.limits.max_duration_seconds,
        access=joining_view(new.participants[0], services.settings).access,
    )


@router.post("/minutes-request", responses=problems(*_ALWAYS, ShareLinkOff))
async def request_minutes(share: Visited, database: AppDatabase) -> MinutesRequested:
    """Ask the owner for more minutes. They are told once, until they have added some."""
    async with database.tenant_session(share.tenant_id) as session:
        asked_at = await ask_for_minutes(session, share, datetime.now(UTC))
    return MinutesRequested(minutes_requested_at=asked_at)
