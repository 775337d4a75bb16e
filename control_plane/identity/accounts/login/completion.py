"""Opens a session for a user who has just proved their identity by password, sign-up or
invitation."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.identity.accounts.models import User
from control_plane.identity.accounts.sessions import device_repository as devices
from control_plane.identity.accounts.sessions import repository as session_repository
from control_plane.identity.accounts.sessions.browser import Browser
from control_plane.identity.accounts.sessions.service import open_session
from control_plane.identity.accounts.tokens import hash_of, new_token
from control_plane.platform.audit.recording import record_act
from control_plane.platform.outbox.events import add_notification_event
from control_plane.platform.tenancy.caller import Actor, RequestOrigin


@dataclass(frozen=True)
class CompletedLogin:
    """A login that succeeded, with the tokens for the browser's cookies."""

    user: User
    tenant_id: UUID
    session_token: str
    device_token: str
    is_new_device: bool
    """The user has logged in before, but never from this device."""


async def complete_login(
    session: AsyncSession,
    browser: Browser,
    user: User,
    tenant_id: UUID,
    *,
    is_first_login: bool = False,
    ttl_seconds: int,
    now: datetime,
) -> CompletedLogin:
    """Open a session in one of the user's tenants and write it to the audit log.

    The browser's previous session ends, and its device counts as known from now on. Needs a system
    session.
    """
    if browser.session_token is not None:
        await session_repository.end_by_token(session, hash_of(browser.session_token))
    device_token = browser.device_token or new_token()
    device_hash = hash_of(device_token)
    was_known = await devices.is_known(session, user.email, device_hash)
    is_new_device = not was_known and not is_first_login
    await devices.remember(session, user.id, device_hash, now)
    opened = await open_session(
        session,
        user_id=user.id,
        tenant_id=tenant_id,
        origin=browser.origin,
        ttl_seconds=ttl_seconds,
        now=now,
    )
    record_act(
        session,
        tenant_id,
        actor_of(user),
        browser.origin,
        "user.logged_in",
        target_id=user.id,
        changes={"session_id": str(opened.session.id), "new_device": is_new_device},
    )
    if is_new_device:
        _announce(session, tenant_id, user, browser.origin)
    return CompletedLogin(user, tenant_id, opened.token, device_token, is_new_device)


def actor_of(user: User) -> Actor:
    return Actor("user", user.id, user.email)


def _announce(session: AsyncSession, tenant_id: UUID, user: User, origin: RequestOrigin) -> None:
    add_notification_event(
        session,
        tenant_id,
        "system.login_new_device",
        title="Login from a new device",
        message=f"{user.email} logged in from {origin.address or 'an unknown address'}.",
        metadata={
            "user_id": str(user.id),
            "email": user.email,
            "address": origin.address,
            "user_agent": (origin.user_agent or "")[:400] or None,
        },
    )
