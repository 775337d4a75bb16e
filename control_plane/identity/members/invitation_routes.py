"""``/v1/invitations``."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, BackgroundTasks, Query, Request, Response, status

from control_plane.identity.accounts.dependencies import AppPasswords
from control_plane.identity.accounts.errors import (
    ForeignOrigin,
    InvalidCredentials,
    InvalidToken,
    TooManyAttempts,
)
from control_plane.identity.accounts.login.attempts import count_attempt, forgive_attempt
from control_plane.identity.accounts.login.response import login_response
from control_plane.identity.accounts.schemas import LoggedIn
from control_plane.identity.accounts.sessions.authentication import caller_of_session
from control_plane.identity.accounts.sessions.browser import BrowserOnOwnPage
from control_plane.identity.accounts.welcome import AppWelcome
from control_plane.identity.authentication.dependencies import AdminCaller, TenantSession
from control_plane.identity.authentication.errors import CsrfTokenRequired
from control_plane.identity.authentication.refusals import ADMIN_ONLY
from control_plane.identity.idempotent_requests.route import IdempotentRoute
from control_plane.identity.idempotent_requests.two_phase import EffectOncePerKey
from control_plane.identity.members import invitation_repository as repository
from control_plane.identity.members import invitations
from control_plane.identity.members.acceptance import accept_invitation
from control_plane.identity.members.errors import (
    AlreadyMember,
    InvitationClosed,
    InvitationExists,
    InvitationForSomebodyElse,
    InvitationNotFound,
    ResendTooSoon,
)
from control_plane.identity.members.invitation_mail import mail_invitation
from control_plane.identity.members.models import Invitation
from control_plane.identity.members.schemas import (
    InvitationAcceptance,
    InvitationCreate,
    InvitationList,
    InvitationRevoked,
    InvitationView,
)
from control_plane.platform.database import Database
from control_plane.platform.errors import DatabaseUnavailable, Problem, Unauthorized
from control_plane.platform.http.dependencies import AppDatabase, AppSettings
from control_plane.platform.http.openapi import problems
from control_plane.platform.http.paging import Offset
from control_plane.platform.idempotency.errors import IdempotencyKeyInUse
from control_plane.platform.mail.dependencies import AppMailer

router = APIRouter(prefix="/invitations", route_class=IdempotentRoute)
_TOKEN = "invitation"


@router.post(
    "",
    status_code=status.HTTP_201_CREATED,
    responses=problems(
        *ADMIN_ONLY,
        AlreadyMember,
        InvitationExists,
        InvitationClosed,
        IdempotencyKeyInUse,
        TooManyAttempts,
    ),
)
async def create_invitation(
    wanted: InvitationCreate,
    caller: AdminCaller,
    database: AppDatabase,
    mailer: AppMailer,
    settings: AppSettings,
    effect: EffectOncePerKey,
) -> InvitationView:
    """Invite somebody by mail. Only an owner's session invites an owner.

    `invite_sent: false` means that the invitation exists but its mail was not sent.
    """
    now, token = datetime.now(UTC), effect.token(settings, _TOKEN)
    async with (
        _counted_mail(database, caller.tenant_id, now),
        database.tenant_session(caller.tenant_id) as session,
    ):
        invitation = await invitations.invite(session, caller, wanted, token, now)
    was_sent = await mail_invitation(
        database, mailer, settings, caller, invitation, token, effect.id
    )
    return _view(invitation, now, invite_sent=was_sent)


@router.get("", responses=problems(*ADMIN_ONLY))
async def list_invitations(
    caller: AdminCaller,
    session: TenantSession,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
    offset: Offset = 0,
) -> InvitationList:
    """List the invitations, newest first. Accepted and revoked ones are included."""
    found, total = await repository.list_invitations(
        session, caller.tenant_id, limit=limit, offset=offset
    )
    now = datetime.now(UTC)
    return InvitationList(
        invitations=[_view(one, now, invite_sent=one.invite_sent) for one in found],
        total=total,
        offset=offset,
        limit=limit,
    )


@router.post(
    "/accept",
    summary="Accept invitation",
    responses=problems(
        DatabaseUnavailable,
        ForeignOrigin,
        CsrfTokenRequired,
        InvalidToken,
        InvalidCredentials,
        Unauthorized,
        InvitationForSomebodyElse,
        TooManyAttempts,
    ),
)
async def accept(
    given: InvitationAcceptance,
    request: Request,
    browser: BrowserOnOwnPage,
    database: AppDatabase,
    passwords: AppPasswords,
    settings: AppSettings,
    mailer: AppMailer,
    background: BackgroundTasks,
    response: Response,
    welcome: AppWelcome,
) -> LoggedIn:
    """Join the tenant with the token from the mail. You are logged in to it.

    If you are new, choose a password. If you have an account, send its password, or instead the
    cookie and `X-CSRF-Token` of its session.
    """
    caller = None
    if given.password is None and browser.session_token is not None:
        try:
            caller = await caller_of_session(
                database, browser.session_token, request, browser.origin
            )
        except Unauthorized:
            caller = None
    completed = await accept_invitation(
        database,
        passwords,
        browser,
        caller,
        given,
        welcome,
        ttl_seconds=settings.session_ttl_seconds,
        now=datetime.now(UTC),
    )
    return await login_response(
        completed, browser, database, settings, mailer, background, response
    )


@router.post(
    "/{invitation_id}/resend",
    responses=problems(
        *ADMIN_ONLY,
        InvitationNotFound,
        InvitationClosed,
        IdempotencyKeyInUse,
        ResendTooSoon,
        TooManyAttempts,
    ),
)
async def resend_invitation(
    invitation_id: UUID,
    caller: AdminCaller,
    database: AppDatabase,
    mailer: AppMailer,
    settings: AppSettings,
    effect: EffectOncePerKey,
) -> InvitationView:
    """Send the mail again, with a new token that works for seven days. At most once a minute."""
    now, token = datetime.now(UTC), effect.token(settings, _TOKEN)
    async with (
        _counted_mail(database, caller.tenant_id, now),
        database.tenant_session(caller.tenant_id) as session,
    ):
        invitation = await invitations.renew(session, caller, invitation_id, token, now)
    was_sent = await mail_invitation(
        database, mailer, settings, caller, invitation, token, effect.id
    )
    return _view(invitation, now, invite_sent=was_sent)


@router.delete(
    "/{invitation_id}", responses=problems(*ADMIN_ONLY, InvitationNotFound, InvitationClosed)
)
async def revoke_invitation(
    invitation_id: UUID, caller: AdminCaller, session: TenantSession
) -> InvitationRevoked:
    """Revoke an invitation for good. Its token stops working."""
    await invitations.revoke(session, caller, invitation_id, datetime.now(UTC))
    return InvitationRevoked(id=invitation_id)


@asynccontextmanager
async def _counted_mail(database: Database, tenant_id: UUID, now: datetime) -> AsyncIterator[None]:
    """Counts the mail of what is done in the context. What is refused there mails nothing.

    Raises:
        TooManyAttempts: the tenant has sent all its mails of the day.
    """
    counters = [invitations.MAILS_PER_TENANT.of(str(tenant_id))]
    await count_attempt(database, counters, now)
    try:
        yield
    except Problem:
        async with database.system_session() as session:
            await forgive_attempt(session, counters)
        raise


def _view(invitation: Invitation, now: datetime, *, invite_sent: bool) -> InvitationView:
    return InvitationView(
        id=invitation.id,
        email=invitation.email,
        role=invitation.role,
        status=invitations.status_of(invitation, now),
        invited_by=invitation.invited_by,
        invite_sent=invite_sent,
        created_at=invitation.created_at,
        sent_at=invitation.sent_at,
        expires_at=invitation.expires_at,
    )
