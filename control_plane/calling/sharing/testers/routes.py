"""``/v1/agents/{agent_id}/testers``."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from uuid import UUID

from fastapi import APIRouter, BackgroundTasks, Response, status
from redis.asyncio import Redis

from control_plane.building.agents.errors import AgentNotFound
from control_plane.calling.calls.ending.hang_up import hang_up
from control_plane.calling.sharing.links import repository as links
from control_plane.calling.sharing.links.views import link_view
from control_plane.calling.sharing.testers import repository, service
from control_plane.calling.sharing.testers.checking import checked_change, checked_invite
from control_plane.calling.sharing.testers.errors import (
    FreeMinutesRequired,
    InvalidTesterInput,
    TesterAddressLost,
    TesterAlreadyInvited,
    TesterInviteSendFailed,
    TesterLimitReached,
    TesterNotFound,
    TesterResendCooldown,
)
from control_plane.calling.sharing.testers.invite_mail import mail_invite
from control_plane.calling.sharing.testers.owner_keys import uses_owner_keys
from control_plane.calling.sharing.testers.schemas import (
    TesterAnswer,
    TesterChange,
    TesterInvite,
    TesterInvited,
    TesterList,
)
from control_plane.calling.sharing.testers.views import tester_view, tester_views
from control_plane.identity.accounts.errors import TooManyAttempts
from control_plane.identity.accounts.login.attempts import count_attempt
from control_plane.identity.authentication.dependencies import MemberCaller, TenantSession
from control_plane.identity.authentication.refusals import MEMBER_ONLY
from control_plane.identity.idempotent_requests.route import IdempotentRoute
from control_plane.identity.idempotent_requests.two_phase import EffectOncePerKey
from control_plane.platform.database import Database
from control_plane.platform.errors import Problem
from control_plane.platform.http.dependencies import AppDatabase, AppSettings
from control_plane.platform.http.openapi import problems
from control_plane.platform.idempotency.errors import IdempotencyKeyInUse
from control_plane.platform.link.link import AppLink
from control_plane.platform.mail.dependencies import AppMailer

router = APIRouter(
    prefix="/v1/agents/{agent_id}/testers", tags=["sharing"], route_class=IdempotentRoute
)
_TOKEN = "tester"


@router.post(
    "",
    status_code=status.HTTP_201_CREATED,
    responses=problems(
        *MEMBER_ONLY,
        AgentNotFound,
        InvalidTesterInput,
        FreeMinutesRequired,
        TesterLimitReached,
        TesterAlreadyInvited,
        IdempotencyKeyInUse,
        TooManyAttempts,
    ),
)
async def invite_tester(
    agent_id: UUID,
    wanted: TesterInvite,
    caller: MemberCaller,
    database: AppDatabase,
    mailer: AppMailer,
    settings: AppSettings,
    effect: EffectOncePerKey,
) -> TesterInvited:
    """Invite somebody by mail to talk to the agent."""
    now, token = datetime.now(UTC), effect.token(settings, _TOKEN)
    checked = checked_invite(wanted, now)
    async with database.tenant_session(caller.tenant_id) as session:
        await service.agent_of(session, caller, agent_id)
    await count_attempt(database, [service.MAILS_PER_TENANT.of(str(caller.tenant_id))], now)
    async with database.tenant_session(caller.tenant_id) as session:
        tester, agent = await service.invite(
            session, caller, agent_id, checked, token, settings, now
        )
    was_sent = await mail_invite(database, mailer, settings, tester, agent, effect.id)
    async with database.tenant_session(caller.tenant_id) as session:
        view = await tester_view(session, tester, settings)
    return TesterInvited(
        tester=view.model_copy(update={"invite_sent": was_sent}), invite_sent=was_sent
    )


@router.get("", responses=problems(*MEMBER_ONLY, AgentNotFound))
async def list_testers(
    agent_id: UUID, caller: MemberCaller, session: TenantSession, settings: AppSettings
) -> TesterList:
    """List the agent's testers with their minutes, and its public link."""
    agent = await service.agent_of(session, caller, agent_id)
    testers = await repository.list_testers(session, caller.tenant_id, agent_id)
    link = None
    if settings.share_links:
        link = await links.find(session, caller.tenant_id, agent_id)
    return TesterList(
        testers=await tester_views(session, testers, settings),
        link=None if link is None else await link_view(session, link, settings),
        link_feature=settings.share_links,
        agent_uses_owner_keys=uses_owner_keys(agent),
    )


@router.patch(
    "/{tester_id}",
    responses=problems(
        *MEMBER_ONLY,
        AgentNotFound,
        TesterNotFound,
        InvalidTesterInput,
        FreeMinutesRequired,
        TesterLimitReached,
    ),
)
async def change_tester(
    agent_id: UUID,
    tester_id: UUID,
    wanted: TesterChange,
    caller: MemberCaller,
    session: TenantSession,
    settings: AppSettings,
) -> TesterAnswer:
    """Change a tester's minutes, expiry or both. A tester whose invitation is over needs a place
    among the 50 active ones to be active again."""
    now = datetime.now(UTC)
    sent = checked_change(wanted, now)
    tester = await service.change(session, caller, agent_id, tester_id, sent, now)
    return TesterAnswer(tester=await tester_view(session, tester, settings))


@router.post(
    "/{tester_id}/resend",
    responses=problems(
        *MEMBER_ONLY,
        AgentNotFound,
        TesterNotFound,
        InvalidTesterInput,
        TesterAddressLost,
        TesterResendCooldown,
        TesterInviteSendFailed,
        IdempotencyKeyInUse,
        TooManyAttempts,
    ),
)
async def resend_invite(
    agent_id: UUID,
    tester_id: UUID,
    caller: MemberCaller,
    database: AppDatabase,
    mailer: AppMailer,
    settings: AppSettings,
    effect: EffectOncePerKey,
) -> TesterInvited:
    """Send the mail again, with the same address in it. At most once a minute, and not after
    `expires_at`."""
    now = datetime.now(UTC)
    async with database.tenant_session(caller.tenant_id) as session:
        tester, agent = await service.renew_mail(
            session, caller, agent_id, tester_id, settings, now
        )
    await count_attempt(database, [service.MAILS_PER_TENANT.of(str(caller.tenant_id))], now)
    if not await mail_invite(database, mailer, settings, tester, agent, effect.id):
        raise TesterInviteSendFailed("The invitation stays as it is; try again in a minute")
    async with database.tenant_session(caller.tenant_id) as session:
        view = await tester_view(session, tester, settings)
    return TesterInvited(tester=view.model_copy(update={"invite_sent": True}), invite_sent=True)


@router.delete(
    "/{tester_id}",
    status_code=status.HTTP_204_NO_CONTENT,
    responses=problems(*MEMBER_ONLY, AgentNotFound, TesterNotFound),
)
async def revoke_tester(
    agent_id: UUID,
    tester_id: UUID,
    caller: MemberCaller,
    session: TenantSession,
    database: AppDatabase,
    link: AppLink,
    after_commit: BackgroundTasks,
) -> Response:
    """Revoke an invitation for good. Its address stops working at once, and a call that the tester
    is in ends."""
    await service.revoke(session, caller, agent_id, tester_id, datetime.now(UTC))
    for call_id in await repository.live_calls(session, caller.tenant_id, tester_id):
        after_commit.add_task(_end_call, database, link.redis, caller.tenant_id, call_id)
    return Response(status_code=status.HTTP_204_NO_CONTENT)


async def _end_call(database: Database, redis: Redis, tenant_id: UUID, call_id: UUID) -> None:
    with suppress(Problem):  # It is over already, or ends by itself when its minutes are used.
        await hang_up(database, redis, tenant_id, call_id)
