"""``/v1/me``: the caller, their sessions and their password."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

from fastapi import APIRouter, BackgroundTasks, Response

from control_plane.identity.accounts import repository
from control_plane.identity.accounts.dependencies import AppPasswords, PersonSession
from control_plane.identity.accounts.errors import SessionNotFound, TooManyAttempts
from control_plane.identity.accounts.mails import password_changed_mail
from control_plane.identity.accounts.me import me_of_key, me_of_user
from control_plane.identity.accounts.passwords.changes import change_password
from control_plane.identity.accounts.schemas import (
    Me,
    MeUpdate,
    PasswordChange,
    PasswordSet,
    SessionList,
    SessionsRevoked,
    SessionView,
)
from control_plane.identity.accounts.sessions import repository as session_repository
from control_plane.identity.accounts.sessions.browser import ThisBrowser, take_session
from control_plane.identity.accounts.tokens import csrf_token_of, hash_of
from control_plane.identity.authentication.dependencies import MemberCaller, UserCaller
from control_plane.identity.authentication.refusals import MEMBER_ONLY, USER_ONLY
from control_plane.platform.audit.recording import record_change
from control_plane.platform.http.dependencies import AppDatabase, AppSettings
from control_plane.platform.http.openapi import problems
from control_plane.platform.mail.dependencies import AppMailer
from control_plane.platform.tenancy.caller import Caller

router = APIRouter(prefix="/me")


@router.get("", summary="Get yourself", responses=problems(*MEMBER_ONLY))
async def me(
    caller: MemberCaller, browser: ThisBrowser, session: PersonSession, response: Response
) -> Me:
    """Who you are: the user of this session, or the secret key, with the tenant."""
    response.headers["Cache-Control"] = "no-store"
    if caller.role is None:
        return await me_of_key(session, caller.tenant_id, caller.actor)
    return await me_of_user(
        session,
        _user_id(caller),
        caller.tenant_id,
        csrf_token=csrf_token_of(browser.session_token or "", caller.tenant_id),
    )


@router.patch("", responses=problems(*USER_ONLY))
async def update_me(
    changes: MeUpdate, caller: UserCaller, browser: ThisBrowser, session: PersonSession
) -> Me:
    """Change your name."""
    user = await repository.find_locked(session, _user_id(caller))
    assert user is not None
    user.name = changes.name
    await session.flush()
    record_change(session, caller, "user.updated", target_id=user.id, changes={"fields": ["name"]})
    return await me_of_user(
        session,
        user.id,
        caller.tenant_id,
        csrf_token=csrf_token_of(browser.session_token or "", caller.tenant_id),
    )


@router.put("/password", responses=problems(*USER_ONLY, TooManyAttempts))
async def change_own_password(
    change: PasswordChange,
    caller: UserCaller,
    browser: ThisBrowser,
    database: AppDatabase,
    passwords: AppPasswords,
    settings: AppSettings,
    mailer: AppMailer,
    background: BackgroundTasks,
) -> PasswordSet:
    """Change your password. All your other sessions end."""
    user = await change_password(
        database,
        passwords,
        browser,
        _user_id(caller),
        change.current_password.get_secret_value(),
        change.new_password.get_secret_value(),
        datetime.now(UTC),
    )
    mail = password_changed_mail(user.email, browser.origin, public_url=settings.public_url)
    background.add_task(mailer.send, mail)
    return PasswordSet()


@router.get("/sessions", responses=problems(*USER_ONLY))
async def list_sessions(
    caller: UserCaller, browser: ThisBrowser, session: PersonSession
) -> SessionList:
    """List your sessions in all your tenants, the last used first."""
    found = await session_repository.list_open(session, _user_id(caller), now=datetime.now(UTC))
    current = hash_of(browser.session_token or "")
    return SessionList(
        sessions=[
            SessionView.model_validate(one).model_copy(
                update={"is_current": one.token_hash == current}
            )
            for one in found
        ]
    )


@router.delete("/sessions", responses=problems(*USER_ONLY))
async def revoke_other_sessions(
    caller: UserCaller, browser: ThisBrowser, session: PersonSession
) -> SessionsRevoked:
    """End all your sessions except this one."""
    count = await session_repository.end_all(
        session, _user_id(caller), but_token_hash=hash_of(browser.session_token or "")
    )
    record_change(
        session,
        caller,
        "user.sessions_revoked",
        target_id=caller.actor.id,
        changes={"count": count},
    )
    return SessionsRevoked(count=count)


@router.delete("/sessions/{session_id}", responses=problems(*USER_ONLY, SessionNotFound))
async def revoke_session(
    session_id: UUID,
    caller: UserCaller,
    browser: ThisBrowser,
    session: PersonSession,
    settings: AppSettings,
    response: Response,
) -> SessionsRevoked:
    """End one of your sessions at once. It may be the current one."""
    ended = await session_repository.end(session, _user_id(caller), session_id)
    if ended is None:
        raise SessionNotFound
    if ended == hash_of(browser.session_token or ""):
        take_session(response, is_https=settings.public_url.startswith("https:"))
    record_change(session, caller, "user.session_revoked", target_id=session_id)
    return SessionsRevoked(count=1)


def _user_id(caller: Caller) -> UUID:
    assert caller.actor.id is not None
    return caller.actor.id
