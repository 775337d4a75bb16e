"""Logging in with a password. It uses several short transactions, because comparing a password
takes too long for one, and because a refused attempt must stay counted."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.identity.accounts import repository
from control_plane.identity.accounts.errors import InvalidCredentials, NoMembership
from control_plane.identity.accounts.login.attempts import (
    LOGINS_PER_ACCOUNT,
    LOGINS_PER_ADDRESS,
    Counter,
    count_attempt,
    forgive_attempt,
    network_of,
    refuse_if_known,
)
from control_plane.identity.accounts.login.completion import CompletedLogin, complete_login
from control_plane.identity.accounts.models import User
from control_plane.identity.accounts.passwords.hashing import Passwords
from control_plane.identity.accounts.sessions import device_repository as devices
from control_plane.identity.accounts.sessions.browser import Browser
from control_plane.identity.accounts.tokens import hash_of
from control_plane.identity.members import repository as members
from control_plane.platform.database import Database

_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class ProvenPassword:
    """Proof that the client knows the password of ``user_id``. Call ``accept`` in the transaction
    that acts on it."""

    user_id: UUID
    stored_hash: str
    updated_hash: str | None
    counters: tuple[Counter, ...]

    async def accept(self, session: AsyncSession) -> User:
        """The user, with their row locked. The attempt no longer counts.

        Raises:
            InvalidCredentials: the password has changed since.
        """
        user = await repository.find_locked(session, self.user_id)
        if user is None or user.password_hash != self.stored_hash:
            raise InvalidCredentials
        if self.updated_hash is not None:
            user.password_hash = self.updated_hash
        await forgive_attempt(session, self.counters)
        return user


async def prove_password(
    database: Database,
    passwords: Passwords,
    browser: Browser,
    email: str,
    password: str,
    now: datetime,
) -> ProvenPassword:
    """Compare a password, within the limits on attempts. An unknown address takes the same steps as
    a known one.

    Raises:
        TooManyAttempts: for this account, or from this network.
        InvalidCredentials: wrong password, no such user, or a user without a password.
    """
    of_address = LOGINS_PER_ADDRESS.of(network_of(browser.origin.address))
    of_account = LOGINS_PER_ACCOUNT.of(email)
    refuse_if_known(
        database, [of_address] if browser.device_token else [of_address, of_account], now
    )
    async with database.system_session() as session:
        user = await repository.find_by_email(session, email)
        device_hash = hash_of(browser.device_token or "")
        is_known_device = await devices.is_known(session, email, device_hash)
    # Known devices have counters of their own, so that strangers who guess passwords cannot lock
    # the user out there.
    if is_known_device:
        of_account = LOGINS_PER_ACCOUNT.of(email, device_hash.hex())
    counters = (of_address, of_account)
    await count_attempt(database, counters, now)
    stored = None if user is None else user.password_hash
    is_right, updated = await passwords.verify(password, stored)
    if not is_right or user is None or stored is None:
        # Not in the audit log: it is append-only, and strangers could fill it.
        _log.info("login_refused", address=browser.origin.address)
        raise InvalidCredentials
    return ProvenPassword(user.id, stored, updated, counters)


async def log_in(
    session: AsyncSession,
    browser: Browser,
    proof: ProvenPassword,
    tenant_id: UUID | None,
    *,
    ttl_seconds: int,
    now: datetime,
) -> CompletedLogin:
    """Log the user in to the given tenant, or without one to the tenant that they joined first.

    Raises:
        InvalidCredentials: the password has changed since.
        NoMembership: the user is not a member of that tenant, or of any tenant.
    """
    user = await proof.accept(session)
    joined = await members.of_user(session, user.id, lock=True)
    tenants = [membership.tenant_id for membership in joined]
    if tenant_id is None and tenants:
        tenant_id = tenants[0]
    if tenant_id is None or tenant_id not in tenants:
        raise NoMembership(
            "You are not a member of this tenant; ask one of its owners to invite you"
            if tenants
            else "You belong to no tenant: open one with POST /v1/auth/sign-up and your password, "
            "or ask the owner of one to invite you"
        )
    return await complete_login(session, browser, user, tenant_id, ttl_seconds=ttl_seconds, now=now)
