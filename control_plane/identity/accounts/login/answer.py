"""The answer to a successful login: the user, with the session's and the device's cookie."""

from __future__ import annotations

from fastapi import BackgroundTasks, Response

from control_plane.identity.accounts.login.entry import Entry
from control_plane.identity.accounts.mails import new_device_mail
from control_plane.identity.accounts.me import me_of_user
from control_plane.identity.accounts.schemas import LoggedIn
from control_plane.identity.accounts.sessions.browser import Browser, give_device, give_session
from control_plane.identity.accounts.tokens import csrf_token_of
from control_plane.platform.database import Database
from control_plane.platform.mail.mailer import Mailer
from control_plane.platform.settings import ControlPlaneSettings


async def logged_in(
    entry: Entry, database: Database, settings: ControlPlaneSettings, response: Response
) -> LoggedIn:
    is_https = settings.public_url.startswith("https:")
    give_session(response, entry.session_token, is_https=is_https)
    give_device(response, entry.device_token, is_https=is_https)
    async with database.system_session() as session:
        me = await me_of_user(
            session,
            entry.user.id,
            entry.tenant_id,
            csrf_token=csrf_token_of(entry.session_token),
        )
    return LoggedIn(**me.model_dump(), new_device=entry.is_new_device)


def tell_of_new_device(
    entry: Entry,
    browser: Browser,
    settings: ControlPlaneSettings,
    mailer: Mailer,
    background: BackgroundTasks,
) -> None:
    """After the answer, mail the user if the login came from a new device."""
    if entry.is_new_device:
        mail = new_device_mail(entry.user.email, browser.origin, public_url=settings.public_url)
        background.add_task(mailer.send, mail)
