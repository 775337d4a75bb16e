"""The pages that mails link to: what each says and asks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class MailedPage:
    """What fills ``mailed_page.html``."""

    title: str
    purpose: str
    password_label: str
    password_hint: str
    button: str
    api_route: str
    """Gets the token and the password."""
    done: str
    """Shown when the API has accepted them."""
    invalid_token: str
    """Shown for the error code of this name, and for a link without a token."""
    invalid_credentials: str | None = None
    """Shown for the error code of this name, if the route has it."""
    password_autocomplete: Literal["current-password", "new-password"] = "current-password"
    needs_password: bool = True


PAGES = {
    "/confirm-email": MailedPage(
        title="Confirm your mail address",
        purpose="Your account works once you have confirmed that you read this mailbox.",
        password_label="Password of your account",
        password_hint="Leave it empty if you are logged in in this browser.",
        needs_password=False,
        button="Confirm",
        api_route="/v1/auth/confirm-email",
        done=(
            "Your mail address is confirmed. Your account works now, and you can close this page."
        ),
        invalid_token=(
            "This is not the whole link from the mail, or another installation sent it. "
            "Log in again to get a new mail, and open its link."
        ),
        invalid_credentials=(
            "This is not the password of the account. If you did not open the account, do nothing."
        ),
    ),
    "/password-reset": MailedPage(
        title="Set a new password",
        purpose="The new password ends every session of your account.",
        password_label="New password",
        password_hint="10 to 200 characters, and not your mail address.",
        password_autocomplete="new-password",
        button="Set the password",
        api_route="/v1/auth/password-reset/confirm",
        done="Your new password is set. Log in with it; you can close this page.",
        invalid_token=(
            "This link was used before, or is older than an hour, or a newer mail has replaced it. "
            "Ask for another mail to set a password."
        ),
    ),
    "/invitations/accept": MailedPage(
        title="Accept the invitation",
        purpose="You join the tenant that the mail names, and are logged in to it.",
        password_label="Password",
        password_hint=(
            "If you have an account here, its password. If you are new, choose one: "
            "10 to 200 characters, and not your mail address."
        ),
        button="Join",
        api_route="/v1/invitations/accept",
        done="You are a member now, and logged in. You can close this page.",
        invalid_token=(
            "This invitation was accepted or withdrawn, or is older than 7 days, or a newer mail "
            "has replaced it. Ask the person who invited you to send it again."
        ),
        invalid_credentials=(
            "You have an account with this mail address already, and this is not its password."
        ),
    ),
}
"""By path. The mails name these paths."""
