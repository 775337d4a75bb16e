"""Setting a new password, with a mailed token or with the current password."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.identity.accounts import repository
from control_plane.identity.accounts.confirmation import leave_unproven_tenants
from control_plane.identity.accounts.errors import InvalidCredentials, InvalidToken
from control_plane.identity.accounts.login.attempts import (
    RESETS_PER_ACCOUNT,
    RESETS_PER_ADDRESS,
    count_attempt,
    network_of,
)
from control_plane.identity.accounts.login.completion import actor_of
from control_plane.identity.accounts.login.service import prove_password
from control_plane.identity.accounts.models import User
from control_plane.identity.accounts.passwords import reset_repository
from control_plane.identity.accounts.passwords.hashing import Passwords, check_new_password
from control_plane.identity.accounts.sessions import device_repository as devices
from control_plane.identity.accounts.sessions import repository as session_repository
from control_plane.identity.accounts.sessions.browser import Browser
from control_plane.identity.accounts.tokens import hash_of, new_token
from control_plane.identity.accounts.welcome import Welcome
from control_plane.identity.members import repository as members
from control_plane.platform.audit.recording import record_act
from control_plane.platform.database import Database
from control_plane.platform.errors import InvalidRequest
from control_plane.platform.tenancy.caller import RequestOrigin

RESET_LIFE = timedelta(hours=1)


async def request_reset(
    database: Database, origin: RequestOrigin, email: str, now: datetime
) -> str | None:
    """A token to mail, which replaces any earlier one; ``None`` if no user has this address.

    Raises:
        TooManyAttempts: for this mail address, known or not, or from this network.
    """
    counters = [
        RESETS_PER_ADDRESS.of(network_of(origin.address)),
        RESETS_PER_ACCOUNT.of(email),
    ]
    await count_attempt(database, counters, now)
    token = new_token()
    async with database.system_session() as session:
        is_stored = await reset_repository.store(
            session, email, hash_of(token), expires_at=now + RESET_LIFE
        )
    return token if is_stored else None


async def reset_password(
    database: Database,
    passwords: Passwords,
    browser: Browser,
    token: str,
    password: str,
    welcome: Welcome,
    now: datetime,
) -> tuple[User, str]:
    """Set the password of the user that the token was mailed to. All their sessions end, and all
    their devices are forgotten except this one, whose token is returned with the user. If nobody
    had confirmed the address, they leave the tenants that somebody opened with it.

    Raises:
        InvalidToken: the token is unknown, used or expired.
        InvalidRequest: the password is not good enough; the token stays valid.
    """
    async with database.system_session() as session:
        user_id = await reset_repository.find(session, hash_of(token), now=now)
        found = None if user_id is None else await repository.find(session, user_id)
    if found is None:
        raise InvalidToken("Request another password reset")
    check_new_password(password, email=found.email)
    new_hash = await passwords.hash(password)
    async with database.system_session() as session:
        if not await reset_repository.use_up(session, hash_of(token), now=now):
            raise InvalidToken("Request another password reset")
        user = await repository.find_locked(session, found.id)
        assert user is not None
        await leave_unproven_tenants(session, user)
        user.password_hash = new_hash
        user.email_confirmed_at = user.email_confirmed_at or now
        await welcome.give(session, user, browser.origin.address, now)
        await session_repository.end_all(session, user.id)
        await devices.forget_all(session, user.id)
        device_token = browser.device_token or new_token()
        await devices.remember(session, user.id, hash_of(device_token), now)
        await _record(session, user, browser.origin, "user.password_reset")
        return user, device_token


async def change_password(
    database: Database,
    passwords: Passwords,
    browser: Browser,
    user_id: UUID,
    current: str,
    new: str,
    now: datetime,
) -> User:
    """Set a new password. All other sessions of the user end, and a mailed token is void.

    Raises:
        TooManyAttempts
        InvalidRequest: the current password is wrong, or the new one is not good enough.
    """
    async with database.system_session() as session:
        found = await repository.find(session, user_id)
    assert found is not None
    check_new_password(new, email=found.email, field="new_password")
    try:
        proof = await prove_password(database, passwords, browser, found.email, current, now)
    except InvalidCredentials as error:
        raise InvalidRequest.at("current_password", "is not your password") from error
    new_hash = await passwords.hash(new)
    async with database.system_session() as session:
        # Before the user's row is locked, as `reset_password` does: else the two could deadlock.
        await reset_repository.end(session, user_id)
        user = await proof.accept(session)
        user.password_hash = new_hash
        await session_repository.end_all(
            session, user.id, but_token_hash=hash_of(browser.session_token or "")
        )
        await _record(session, user, browser.origin, "user.password_changed")
        return user


async def _record(session: AsyncSession, user: User, origin: RequestOrigin, action: str) -> None:
    """Record the change in each of the user's tenants."""
    for membership in await members.of_user(session, user.id):
        record_act(session, membership.tenant_id, actor_of(user), origin, action, target_id=user.id)
