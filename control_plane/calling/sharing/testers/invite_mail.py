"""The mail that invites a tester, sent after the tester is committed."""

from __future__ import annotations

from uuid import UUID

from control_plane.building.agents.models import Agent
from control_plane.calling.sharing.addresses import page_of
from control_plane.calling.sharing.models import Tester
from control_plane.calling.sharing.testers import repository
from control_plane.identity.tenants import repository as tenants
from control_plane.platform.database import Database
from control_plane.platform.mail.mail import Mail, one_line
from control_plane.platform.mail.mailer import Mailer
from control_plane.platform.settings import ControlPlaneSettings

_LONGEST_NAME = 100


async def mail_invite(
    database: Database,
    mailer: Mailer,
    settings: ControlPlaneSettings,
    tester: Tester,
    agent: Agent,
    mail_id: UUID,
) -> bool:
    """Send the mail; ``False`` if no mail server accepted it. The tester records which."""
    async with database.tenant_session(tester.tenant_id) as session:
        tenant = await tenants.get(session, tester.tenant_id)
    address = page_of(settings.sealer.open(tester.sealed_token), settings)
    was_sent = await mailer.send(_mail(tester, agent.name, tenant.name, address, mail_id))
    async with database.tenant_session(tester.tenant_id) as session:
        await repository.note_mail(session, tester.tenant_id, tester.id, was_sent=was_sent)
    return was_sent


def _mail(tester: Tester, agent_name: str, tenant_name: str, address: str, mail_id: UUID) -> Mail:
    agent, tenant = (one_line(name)[:_LONGEST_NAME] for name in (agent_name, tenant_name))
    until = "" if tester.expires_at is None else f", until {tester.expires_at:%d %B %Y %H:%M} UTC"
    return Mail(
        tester.email,
        f"{tenant} invites you to talk to {agent}",
        f"""\
{tenant} invites you to talk to their voice agent {agent}. You have {_minutes(tester)}{until}.

Open this address in a browser with a microphone, and keep it to yourself:

{address}

If you do not know what this is about, do nothing.
""",
        mail_id,
    )


def _minutes(tester: Tester) -> str:
    if tester.minutes_limit == 0:
        return "no free minutes: you pay from an account of your own, or ask for some there"
    return "1 minute" if tester.minutes_limit == 1 else f"{tester.minutes_limit} minutes"
