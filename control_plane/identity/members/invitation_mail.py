"""The mail of an invitation, sent after the invitation is committed."""

from __future__ import annotations

from uuid import UUID

from control_plane.identity.members import invitation_repository as repository
from control_plane.identity.members.invitations import INVITATION_LIFE
from control_plane.identity.members.models import Invitation
from control_plane.identity.tenants import repository as tenants
from control_plane.platform.database import Database
from control_plane.platform.mail.mail import Mail, one_line
from control_plane.platform.mail.mailer import Mailer
from control_plane.platform.settings import ControlPlaneSettings
from control_plane.platform.tenancy.caller import Caller


async def mail_invitation(
    database: Database,
    mailer: Mailer,
    settings: ControlPlaneSettings,
    caller: Caller,
    invitation: Invitation,
    token: str,
    mail_id: UUID,
) -> bool:
    """Send the mail; ``False`` if no mail server accepted it. The invitation records which."""
    async with database.tenant_session(caller.tenant_id) as session:
        tenant = await tenants.get(session, caller.tenant_id)
    was_sent = await mailer.send(
        invitation_mail(
            invitation.email,
            token,
            tenant_name=tenant.name,
            invited_by=invitation.invited_by,
            role=invitation.role,
            public_url=settings.public_url,
            days=INVITATION_LIFE.days,
            mail_id=mail_id,
        )
    )
    async with database.tenant_session(caller.tenant_id) as session:
        await repository.note_mail(session, caller.tenant_id, invitation.id, was_sent=was_sent)
    return was_sent


def invitation_mail(
    to: str,
    token: str,
    *,
    tenant_name: str,
    invited_by: str,
    role: str,
    public_url: str,
    days: int,
    mail_id: UUID,
) -> Mail:
    tenant = one_line(tenant_name)[:100]
    return Mail(
        to,
        f"You are invited to {tenant}",
        f"""\
{one_line(invited_by)[:100]} invites you to {tenant} on {public_url}, as {role}.

Open this address within {days} days:

{public_url}/invitations/accept?token={token}

or call the API, with a password of your choice or, if you have an account here, its password:

POST {public_url}/v1/invitations/accept
{{"token": "{token}", "password": "..."}}

If you do not know what this is about, do nothing.
""",
        mail_id,
    )
