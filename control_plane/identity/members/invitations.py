"""Inviting people to a tenant."""

from __future__ import annotations

import math
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.identity.accounts.login.attempts import Limit
from control_plane.identity.accounts.tokens import hash_of
from control_plane.identity.members import invitation_repository as repository
from control_plane.identity.members import repository as members
from control_plane.identity.members.errors import (
    AlreadyMember,
    InvitationClosed,
    InvitationExists,
    InvitationNotFound,
    ResendTooSoon,
)
from control_plane.identity.members.models import Invitation
from control_plane.identity.members.schemas import InvitationCreate, InvitationStatus
from control_plane.identity.members.service import check_may_grant
from control_plane.platform.audit.recording import record_change
from control_plane.platform.outbox.events import add_notification_event
from control_plane.platform.tenancy.caller import Caller

INVITATION_LIFE = timedelta(days=7)
MAILS_PER_TENANT = Limit("invitation tenant", 100, 24 * 3600)
"""Mails of invitations, first and repeated. The limit keeps tenants from sending spam through the
installation."""
_RESEND_COOLDOWN = timedelta(minutes=1)


async def invite(
    session: AsyncSession, caller: Caller, wanted: InvitationCreate, token: str, now: datetime
) -> Invitation:
    """The invitation, which is accepted with ``token``. An open invitation with this very token was
    made by an earlier attempt of the same request, and is returned.

    Raises:
        RoleRequired: only an owner can invite an owner.
        InvitationClosed: an earlier attempt made the invitation, and it was revoked since.
        AlreadyMember, InvitationExists
    """
    check_may_grant(caller, wanted.role)
    if await members.has_member(session, caller.tenant_id, wanted.email):
        raise AlreadyMember
    invitation = await repository.add(
        session,
        caller.tenant_id,
        email=wanted.email,
        role=wanted.role,
        token_hash=hash_of(token),
        invited_by=caller.actor.label,
        now=now,
        expires_at=now + INVITATION_LIFE,
    )
    if invitation is None:
        opened = await repository.find_open_of_address(session, caller.tenant_id, wanted.email)
        if opened is None:
            raise InvitationClosed("Invite the address again, with another Idempotency-Key")
        if opened.token_hash == hash_of(token):
            return opened
        raise InvitationExists(
            "Resend the invitation, or revoke it and invite again with another role"
        )
    add_notification_event(
        session,
        caller.tenant_id,
        "team.member_invited",
        title="Member invited",
        message=f"{caller.actor.label} invited {wanted.email} as {wanted.role}.",
        metadata={
            "invitation_id": str(invitation.id),
            "email": wanted.email,
            "role": wanted.role,
        },
    )
    record_change(
        session,
        caller,
        "invitation.created",
        target_id=invitation.id,
        changes={"email": wanted.email, "role": wanted.role},
    )
    return invitation


async def renew(
    session: AsyncSession, caller: Caller, invitation_id: UUID, token: str, now: datetime
) -> Invitation:
    """Give an open or expired invitation another token and its full lifetime again. The previous
    token stops working. If it has this very token, an earlier attempt of the same request gave it.

    Raises:
        InvitationNotFound, InvitationClosed
        RoleRequired: only an owner can resend an owner's invitation.
        ResendTooSoon: the last mail is less than a minute old.
    """
    invitation = await _open(session, caller, invitation_id)
    check_may_grant(caller, invitation.role)
    if invitation.token_hash == hash_of(token):
        return invitation
    wait = invitation.sent_at + _RESEND_COOLDOWN - now
    if wait > timedelta(0):
        raise ResendTooSoon(retry_after_seconds=math.ceil(wait.total_seconds()))
    invitation.token_hash = hash_of(token)
    invitation.sent_at = now
    invitation.expires_at = now + INVITATION_LIFE
    await session.flush()
    record_change(session, caller, "invitation.resent", target_id=invitation.id)
    return invitation


async def revoke(session: AsyncSession, caller: Caller, invitation_id: UUID, now: datetime) -> None:
    """Revoke an invitation for good. Revoking it again changes nothing.

    Raises:
        InvitationNotFound
        InvitationClosed: it was accepted; remove the member instead.
    """
    invitation = await repository.find_locked(session, caller.tenant_id, invitation_id)
    if invitation is None:
        raise InvitationNotFound
    if invitation.accepted_at is not None:
        raise InvitationClosed("The invitation was accepted; remove the member instead")
    if invitation.revoked_at is None:
        invitation.revoked_at = now
        await session.flush()
        record_change(session, caller, "invitation.revoked", target_id=invitation.id)


def status_of(invitation: Invitation, now: datetime) -> InvitationStatus:
    if invitation.accepted_at is not None:
        return "accepted"
    if invitation.revoked_at is not None:
        return "revoked"
    return "pending" if invitation.expires_at > now else "expired"


async def _open(session: AsyncSession, caller: Caller, invitation_id: UUID) -> Invitation:
    invitation = await repository.find_locked(session, caller.tenant_id, invitation_id)
    if invitation is None:
        raise InvitationNotFound
    if invitation.accepted_at is not None or invitation.revoked_at is not None:
        raise InvitationClosed("Invite the address again")
    return invitation
