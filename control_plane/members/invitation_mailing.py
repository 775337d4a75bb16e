"""Telling somebody that they are invited, once the invitation is committed."""

from __future__ import annotations

from control_plane.authentication.caller import Caller
from control_plane.database import Database
from control_plane.mail.mailer import Mailer
from control_plane.members import invitation_repository as repository
from control_plane.members.invitations import INVITATION_LIFE
from control_plane.members.mails import invitation_mail
from control_plane.members.models import Invitation
from control_plane.settings import ControlPlaneSettings
from control_plane.tenants.models import Tenant


async def mail_invitation(
    database: Database,
    mailer: Mailer,
    settings: ControlPlaneSettings,
    caller: Caller,
    invitation: Invitation,
    token: str,
) -> bool:
    """Whether a mail server took it, which the invitation remembers."""
    async with database.tenant_session(caller.tenant_id) as session:
        tenant = await session.get_one(Tenant, caller.tenant_id)
    was_sent = await mailer.send(
        invitation_mail(
            invitation.email,
            token,
            tenant_name=tenant.name,
            invited_by=invitation.invited_by,
            role=invitation.role,
            public_url=settings.public_url,
            days=INVITATION_LIFE.days,
        )
    )
    async with database.tenant_session(caller.tenant_id) as session:
        await repository.note_mail(session, caller.tenant_id, invitation.id, was_sent=was_sent)
    return was_sent
