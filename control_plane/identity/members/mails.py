"""Mails to people who are invited to a tenant."""

from __future__ import annotations

from control_plane.platform.mail.mail import Mail, one_line


def invitation_mail(
    to: str, token: str, *, tenant_name: str, invited_by: str, role: str, public_url: str, days: int
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
    )
