"""The response to a successful login."""

from __future__ import annotations

from datetime import UTC, datetime

from fastapi import BackgroundTasks, Response

from control_plane.identity.accounts.confirmation import mail_to_confirm
from control_plane.identity.accounts.login.completion import CompletedLogin
from control_plane.identity.accounts.mails import new_device_mail
from control_plane.identity.accounts.me import me_of_user
from control_plane.identity.accounts.schemas import LoggedIn
from control_plane.identity.accounts.sessions.browser import Browser, give_device, give_session
from control_plane.identity.accounts.tokens import csrf_token_of
from control_plane.platform.database import Database
from control_plane.platform.mail.mailer import Mailer
from control_plane.platform.settings import ControlPlaneSettings


async def login_response(
    login: CompletedLogin,
    browser: Browser,
    database: Database,
    settings: ControlPlaneSettings,
    mailer: Mailer,
    background: BackgroundTasks,
    response: Response,
) -> LoggedIn:
    """The user, with the session's and the device's cookies. After the response, the user gets a
    mail if the login came from a new device, and one if the address is not confirmed."""
    is_https = settings.public_url.startswith("https:")
    give_session(response, login.session_token, is_https=is_https)
    give_device(response, login.device_token, is_https=is_https)
    if login.is_new_device:
        mail = new_device_mail(login.user.email, browser.origin, public_url=settings.public_url)
        background.add_task(mailer.send, mail)
    confirmation = await mail_to_confirm(database, settings, login.user, datetime.now(UTC))
    if confirmation is not None:
        background.add_task(mailer.send, confirmation)
    async with database.system_session() as session:
        me = await me_of_user(
            session,
            login.user.id,
            login.tenant_id,
            csrf_token=csrf_token_of(login.session_token, login.tenant_id),
        )
    return LoggedIn(**me.model_dump(), new_device=login.is_new_device)
