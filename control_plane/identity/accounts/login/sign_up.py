"""Sign-up: a person opens an account without the operator."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.identity.accounts import repository
from control_plane.identity.accounts.errors import EmailTaken, InvalidCredentials, SignUpDisabled
from control_plane.identity.accounts.login.attempts import (
    SIGN_UPS_PER_ADDRESS,
    count_attempt,
    network_of,
)
from control_plane.identity.accounts.login.completion import (
    CompletedLogin,
    actor_of,
    complete_login,
)
from control_plane.identity.accounts.login.service import ProvenPassword, prove_password
from control_plane.identity.accounts.models import User
from control_plane.identity.accounts.passwords.hashing import Passwords, check_new_password
from control_plane.identity.accounts.schemas import SignUp
from control_plane.identity.accounts.sessions.browser import Browser
from control_plane.identity.accounts.welcome import Welcome
from control_plane.identity.members import repository as members
from control_plane.identity.members.repository import Member
from control_plane.identity.tenants.service import open_tenant
from control_plane.platform.audit.recording import record_act
from control_plane.platform.database import Database
from control_plane.platform.outbox.events import add_notification_event
from control_plane.platform.settings import ControlPlaneSettings

_TAKEN = (
    "This mail address already has an account. To open another tenant, send that account's "
    "password; otherwise log in or reset the password"
)


async def sign_up(
    database: Database,
    passwords: Passwords,
    settings: ControlPlaneSettings,
    browser: Browser,
    wanted: SignUp,
    tenant_id: UUID,
    welcome: Welcome,
    now: datetime,
) -> CompletedLogin:
    """Open the tenant, make the user its owner, and log the user in.

    A request whose answer was lost comes again with the same ``tenant_id``: it only logs in.

    A user who already has an account opens another tenant with that account's password. No API key
    is created, because nobody would look after a key that nobody asked for.

    Raises:
        SignUpDisabled, TooManyAttempts, InvalidRequest
        EmailTaken: the address has an account with another password.
    """
    if not settings.sign_up_enabled:
        raise SignUpDisabled("Ask the operator of this installation for an account")
    network = network_of(browser.origin.address)
    await count_attempt(database, [SIGN_UPS_PER_ADDRESS.of(network)], now)
    password = wanted.password.get_secret_value()
    async with database.system_session() as session:
        is_new = await repository.find_by_email(session, wanted.email) is None
    proof: ProvenPassword | None = None
    new_hash: str | None = None
    if is_new:
        check_new_password(password, email=wanted.email)
        new_hash = await passwords.hash(password)
    else:
        try:
            proof = await prove_password(database, passwords, browser, wanted.email, password, now)
        except InvalidCredentials as error:
            raise EmailTaken(_TAKEN) from error
    async with database.system_session() as session:
        if proof is not None:
            user = await proof.accept(session)
        else:
            added = await repository.add(session, wanted.email)
            if added is None:
                raise EmailTaken(_TAKEN)
            user = added
            user.name, user.password_hash = wanted.name, new_hash
        member = await members.find_member(session, tenant_id, user.id)
        if member is None:
            await open_tenant(session, wanted.tenant_name, user, tenant_id)
            await welcome.post(session, tenant_id, is_welcome=False)
            await welcome.offer(session, user, tenant_id, browser.origin.address, now)
            _announce(session, tenant_id, user)
            record_act(
                session,
                tenant_id,
                actor_of(user),
                browser.origin,
                "tenant.created",
                target_id=tenant_id,
            )
        return await complete_login(
            session,
            browser,
            user,
            tenant_id,
            is_first_login=proof is None or _came_with(member, user),
            ttl_seconds=settings.session_ttl_seconds,
            now=now,
        )


def _came_with(member: Member | None, user: User) -> bool:
    """Whether one transaction made both: that of the first request, whose answer was lost. Only who
    repeats it knows the tenant's id."""
    return member is not None and member.joined_at == user.created_at


def _announce(session: AsyncSession, tenant_id: UUID, user: User) -> None:
    add_notification_event(
        session,
        tenant_id,
        "auth.welcome",
        title="Welcome",
        message=f"{user.email} opened this account.",
        metadata={"user_id": str(user.id), "email": user.email},
    )
