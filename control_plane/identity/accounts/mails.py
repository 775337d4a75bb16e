"""Mails to users about their accounts."""

from __future__ import annotations

from control_plane.platform.mail.mail import Mail, one_line
from control_plane.platform.tenancy.caller import RequestOrigin


def password_reset_mail(to: str, token: str, *, public_url: str, minutes: int) -> Mail:
    return Mail(
        to,
        "Set a new password",
        f"""\
Somebody, probably you, asked to set a new password for {to}.

Open this address within {minutes} minutes:

{public_url}/password-reset?token={token}

or call the API:

POST {public_url}/v1/auth/password-reset/confirm
{{"token": "{token}", "password": "..."}}

It works once, and ends every session of the account. If it was not you, do nothing: without this
mail nobody can use it.
""",
    )


def confirmation_mail(to: str, token: str, *, public_url: str) -> Mail:
    return Mail(
        to,
        "Confirm your mail address",
        f"""\
Somebody, probably you, opened an account for {to} at {public_url}.

If it was you, confirm that you read this mailbox. The account can do nothing before that. Open this
address:

{public_url}/confirm-email?token={token}

or call the API, with your session's cookie or with your password:

POST {public_url}/v1/auth/confirm-email
{{"token": "{token}", "password": "..."}}

If it was not you, do nothing. To use your address here yourself, set a password of your own:

{public_url}/console/forgotten
""",
    )


def password_changed_mail(to: str, origin: RequestOrigin, *, public_url: str) -> Mail:
    return Mail(
        to,
        "Your password was changed",
        f"""\
The password of {to} at {public_url} was changed.

{_where(origin)}

If it was not you, set a new one at once:

{public_url}/console/forgotten
""",
    )


def new_device_mail(to: str, origin: RequestOrigin, *, public_url: str) -> Mail:
    return Mail(
        to,
        "Login from a new device",
        f"""\
Somebody logged in to {public_url} as {to} from a device that has not been used before.

{_where(origin)}

If it was not you, set a new password, which ends every session:

{public_url}/console/forgotten
""",
    )


def _where(origin: RequestOrigin) -> str:
    program = one_line(origin.user_agent or "")[:200] or "unknown"
    return f"Address: {origin.address or 'unknown'}\nProgram: {program}"
