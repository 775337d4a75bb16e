"""What a choice changes. Nothing here commits."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.notifying.notifications import delivery_repository
from control_plane.notifying.notifications import preference_repository as preferences
from control_plane.notifying.notifications.mail_choices.link import MailReader
from control_plane.platform.audit.recording import record_act
from control_plane.platform.tenancy.caller import Actor, RequestOrigin


async def choose_mails(
    session: AsyncSession,
    reader: MailReader,
    categories: Collection[str],
    *,
    wanted: bool,
    origin: RequestOrigin,
) -> None:
    """The member gets mails about ``categories``, or none. It changes their own preferences alone,
    and nothing for somebody who has left. Needs a system session."""
    address = await delivery_repository.address_of(session, reader.tenant_id, reader.user_id)
    if address is None:
        return
    actor = Actor("user", reader.user_id, address)
    for category in sorted(categories):
        await preferences.choose(
            session, reader.tenant_id, reader.user_id, category, {"email": wanted}
        )
        record_act(
            session,
            reader.tenant_id,
            actor,
            origin,
            "notification_preferences.updated",
            target_id=category,
            changes={"of": "user", "by": "link_in_mail", "email_enabled": wanted},
        )
