"""Confirming a mail address. Until then an account counts for nothing: anybody can sign up with
anybody's address.

Confirming takes two proofs: the token from the mail, and the account's password or session. With
the token alone, the reader of the mailbox could be led to confirm an account that a stranger opened
with their address, and whose password the stranger knows.
"""

from __future__ import annotations

import hashlib
import hmac
from datetime import datetime
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.identity.accounts import repository
from control_plane.identity.accounts.errors import (
    InvalidCredentials,
    InvalidToken,
    TooManyAttempts,
)
from control_plane.identity.accounts.login.attempts import Limit, count_attempt
from control_plane.identity.accounts.login.service import ProvenPassword, prove_password
from control_plane.identity.accounts.mails import confirmation_mail
from control_plane.identity.accounts.models import User
from control_plane.identity.accounts.passwords.hashing import Passwords
from control_plane.identity.accounts.sessions import repository as session_repository
from control_plane.identity.accounts.sessions.browser import Browser
from control_plane.identity.accounts.tokens import hash_of
from control_plane.identity.accounts.welcome import Welcome
from control_plane.identity.members import repository as members
from control_plane.platform.database import Database
from control_plane.platform.errors import InvalidRequest
from control_plane.platform.mail.mail import Mail
from control_plane.platform.settings import ControlPlaneSettings

CONFIRMATION_MAILS = Limit("confirmation mail", 3, 15 * 60)


def token_of(user: User, settings: ControlPlaneSettings) -> str:
    """The token that is mailed to the user's address. Nobody else can compute it, and it says
    nothing but that its sender reads that mailbox, so it need not expire."""
    key, mail = settings.secret_key.encode(), f"confirm {user.id} {user.email}".encode()
    return f"{user.id.hex}{hmac.new(key, mail, hashlib.sha256).hexdigest()}"


async def mail_to_confirm(
    database: Database, settings: ControlPlaneSettings, user: User, now: datetime
) -> Mail | None:
    """The mail for a user who has just signed up or logged in. ``None`` if the address is confirmed
    or gets too many of them: strangers can sign up with it."""
    if user.email_confirmed_at is not None or user.confirmation_waived:
        return None
    try:
        await count_attempt(database, [CONFIRMATION_MAILS.of(user.email)], now)
    except TooManyAttempts:
        return None
    return confirmation_mail(user.email, token_of(user, settings), public_url=settings.public_url)


async def confirm_email(
    database: Database,
    passwords: Passwords,
    browser: Browser,
    token: str,
    password: str | None,
    welcome: Welcome,
    now: datetime,
) -> bool:
    """Confirm the address that the token was mailed to; returns whether that posted the welcome
    credit.

    Raises:
        InvalidToken: it was not mailed by this installation.
        InvalidRequest: the browser has no session of the account, and there is no password.
        InvalidCredentials: it is not the account's password.
        TooManyAttempts
    """
    async with database.system_session() as session:
        user = await _user_of_token(session, token, welcome.settings)
        is_own_session = await _is_session_of(session, browser, user, now)
    proof: ProvenPassword | None = None
    if password is not None:
        proof = await prove_password(database, passwords, browser, user.email, password, now)
    elif not is_own_session:
        raise InvalidRequest.at(
            "password", "is required, unless you confirm in a browser that is logged in"
        )
    async with database.system_session() as session:
        if proof is not None:
            found: User | None = await proof.accept(session)
        else:
            found = await repository.find_locked(session, user.id)
            if not await _is_session_of(session, browser, user, now):
                raise InvalidCredentials("Your session has ended; send your password")
        assert found is not None
        found.email_confirmed_at = found.email_confirmed_at or now
        return await welcome.give(session, found, browser.origin.address, now)


async def leave_unproven_tenants(session: AsyncSession, user: User) -> None:
    """Take the user out of the tenants that were opened with their address and a password before
    anybody had confirmed the address. Needs a system session in which the user's row is locked.

    Call it when the reader of the mailbox takes the account over: the tenants may be a stranger's.
    """
    if user.password_hash is None or user.may_act:
        return
    await members.remove_from_all(session, user.id)
    user.welcome_tenant_id = user.welcomed_at = None


async def _user_of_token(session: AsyncSession, token: str, settings: ControlPlaneSettings) -> User:
    try:
        user_id = UUID(hex=token[:32])
    except ValueError:
        raise InvalidToken("Use the token from the mail") from None
    user = await repository.find(session, user_id)
    if user is None or not hmac.compare_digest(token.encode(), token_of(user, settings).encode()):
        raise InvalidToken("Use the token from the mail")
    return user


async def _is_session_of(
    session: AsyncSession, browser: Browser, user: User, now: datetime
) -> bool:
    if browser.session_token is None:
        return False
    found = await session_repository.find_open(session, hash_of(browser.session_token), now=now)
    return found is not None and found.user.id == user.id
