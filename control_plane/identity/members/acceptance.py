"""Accepting an invitation. Holding its token proves access to the mailbox it was sent to."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.identity.accounts import repository as accounts
from control_plane.identity.accounts.errors import InvalidCredentials, InvalidToken
from control_plane.identity.accounts.login.completion import (
    CompletedLogin,
    actor_of,
    complete_login,
)
from control_plane.identity.accounts.login.service import ProvenPassword, prove_password
from control_plane.identity.accounts.models import User
from control_plane.identity.accounts.passwords.hashing import Passwords, check_new_password
from control_plane.identity.accounts.sessions.browser import Browser
from control_plane.identity.accounts.tokens import hash_of
from control_plane.identity.accounts.welcome import Welcome
from control_plane.identity.members import invitation_repository as invitations
from control_plane.identity.members import repository as members
from control_plane.identity.members.errors import InvitationForSomebodyElse
from control_plane.identity.members.models import Invitation
from control_plane.identity.members.schemas import InvitationAcceptance
from control_plane.platform.audit.recording import record_act
from control_plane.platform.database import Database
from control_plane.platform.errors import InvalidRequest
from control_plane.platform.outbox.events import add_notification_event
from control_plane.platform.tenancy.caller import Caller


@dataclass(frozen=True)
class _NewPassword:
    """The first password of a user without one. The invitation's token is the proof of identity."""

    password_hash: str
    name: str | None


@dataclass(frozen=True)
class _OwnSession:
    user_id: UUID


_Proof = ProvenPassword | _NewPassword | _OwnSession


async def accept_invitation(
    database: Database,
    passwords: Passwords,
    browser: Browser,
    caller: Caller | None,
    given: InvitationAcceptance,
    welcome: Welcome,
    *,
    ttl_seconds: int,
    now: datetime,
) -> CompletedLogin:
    """Make the invited person a member and log them in to the tenant.

    Args:
        caller: the user of the browser's session, if there is one. It replaces the password.

    Raises:
        InvalidToken: the token is unknown, used, revoked or expired.
        InvalidRequest: the password is missing or not good enough.
        InvalidCredentials: it is not the password of the existing account.
        InvitationForSomebodyElse: ``caller`` has another mail address.
        TooManyAttempts
    """
    async with database.system_session() as session:
        invitation = await invitations.find_open_by_token(session, hash_of(given.token), now=now)
        if invitation is None:
            raise InvalidToken("Ask for a new invitation")
        user = await accounts.find_by_email(session, invitation.email)
    proof = await _prove(database, passwords, browser, caller, given, invitation.email, user, now)
    async with database.system_session() as session:
        invitation = await invitations.find_open_by_token(
            session, hash_of(given.token), now=now, lock=True
        )
        if invitation is None:
            raise InvalidToken("Ask for a new invitation")
        user = await _person(session, invitation.email, proof)
        is_first_login = user.email_confirmed_at is None and isinstance(proof, _NewPassword)
        user.email_confirmed_at = user.email_confirmed_at or now
        await welcome.give(session, user, browser.origin.address, now)
        invitation.accepted_at = now
        await _join(session, browser, invitation, user)
        return await complete_login(
            session,
            browser,
            user,
            invitation.tenant_id,
            is_first_login=is_first_login,
            ttl_seconds=ttl_seconds,
            now=now,
        )


async def _prove(
    database: Database,
    passwords: Passwords,
    browser: Browser,
    caller: Caller | None,
    given: InvitationAcceptance,
    email: str,
    user: User | None,
    now: datetime,
) -> _Proof:
    if given.password is None:
        if caller is None or caller.actor.id is None:
            raise InvalidRequest.at(
                "password", "is required: choose one, or send the password of your account here"
            )
        if user is None or caller.actor.id != user.id:
            raise InvitationForSomebodyElse(f"Log out and accept it as {email}")
        return _OwnSession(user.id)
    password = given.password.get_secret_value()
    if user is not None and user.password_hash is not None:
        return await prove_password(database, passwords, browser, email, password, now)
    check_new_password(password, email=email)
    return _NewPassword(await passwords.hash(password), given.name)


async def _person(session: AsyncSession, email: str, proof: _Proof) -> User:
    """The invited user, with their row locked.

    Raises:
        InvalidCredentials: the proof is no longer valid.
    """
    match proof:
        case ProvenPassword():
            return await proof.accept(session)
        case _OwnSession(user_id):
            user = await accounts.find_locked(session, user_id)
            if user is None:
                raise InvalidCredentials
            return user
        case _NewPassword(password_hash, name):
            user = await accounts.find_or_add(session, email)
            if user.password_hash is not None:
                raise InvalidCredentials(
                    "An account with this mail address was just opened; send its password"
                )
            user.password_hash = password_hash
            user.name = user.name or name
            return user


async def _join(
    session: AsyncSession, browser: Browser, invitation: Invitation, user: User
) -> None:
    """Add the membership. A user who has become a member since keeps their role."""
    if not await members.add(session, invitation.tenant_id, user.id, invitation.role):
        return
    facts = {"user_id": str(user.id), "email": user.email, "role": invitation.role}
    add_notification_event(
        session,
        invitation.tenant_id,
        "team.member_joined",
        title="Member joined",
        message=f"{user.email} joined as {invitation.role}.",
        metadata=facts,
    )
    record_act(
        session,
        invitation.tenant_id,
        actor_of(user),
        browser.origin,
        "member.joined",
        target_id=user.id,
        changes={"role": [None, invitation.role], "invitation_id": str(invitation.id)},
    )
