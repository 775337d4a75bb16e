"""Letting a person in whose identity is proved: by password, sign-up or invitation."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.accounts import devices, session_repository
from control_plane.accounts.browser import Browser
from control_plane.accounts.models import User
from control_plane.accounts.sessions import open_session
from control_plane.accounts.tokens import hash_of, new_token
from control_plane.audit.recording import record_act
from control_plane.authentication.caller import Actor


@dataclass(frozen=True)
class Entry:
    """What the browser is to be given, and what it shows."""

    user_id: UUID
    tenant_id: UUID
    session_token: str
    device_token: str
    is_new_device: bool


async def let_in(
    session: AsyncSession,
    browser: Browser,
    user: User,
    tenant_id: UUID,
    *,
    ttl_seconds: int,
    now: datetime,
) -> Entry:
    """Open a session in a tenant that the person belongs to, and note it in the audit log.

    The browser's former session ends, and its device is known from now on.
    """
    if browser.session_token is not None:
        await session_repository.end_by_token(session, hash_of(browser.session_token))
    device_token = browser.device_token or new_token()
    device_hash = hash_of(device_token)
    was_known = await devices.is_known(session, user.email, device_hash)
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
        target_id=opened.session.id,
        changes={"new_device": not was_known},
    )
    return Entry(user.id, tenant_id, opened.token, device_token, is_new_device=not was_known)


def actor_of(user: User) -> Actor:
    return Actor("user", user.id, user.email)
