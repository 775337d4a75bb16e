"""Telling somebody that they are invited, once the invitation is committed."""

from __future__ import annotations

from control_plane.identity.members import invitation_repository as repository
from control_plane.identity.members.invitations import INVITATION_LIFE
from control_plane.identity.members.mails import invitation_mail
from control_plane.identity.members.models import Invitation
from control_plane.platform.database import Database
from control_plane.platform.mail.mailer import Mailer
from control_plane.platform.settings import ControlPlaneSettings
from control_plane.platform.tenancy.caller import Caller
from control_plane.platform.tenancy.models import Tenant


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
