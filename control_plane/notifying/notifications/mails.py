"""A notification as a mail. Pure."""

from __future__ import annotations

from html import escape
from uuid import UUID

from control_plane.notifying.notifications.models import Notification
from control_plane.platform.mail.mail import Mail, one_line


def notification_mail(
    to: str, notification: Notification, *, public_url: str, choices_url: str, mail_id: UUID
) -> Mail:
    """Plain and HTML. Title and message may hold text from users, which stays text.

    Args:
        choices_url: where the reader chooses without logging in (``mail_choices``).
    """
    title, message = one_line(notification.title), notification.message.strip()
    about = f"You get mails about {notification.event_category} from {public_url}."
    return Mail(
        to,
        title,
        f"{message}\n\n--\n{about}\nNo more of them, with one click: {choices_url}\n",
        mail_id,
        unsubscribe_url=choices_url,
        html=_HTML.format(
            title=escape(title),
            message=escape(message).replace("\n", "<br>\n"),
            about=escape(about),
            choices_url=escape(choices_url),
        ),
    )


_HTML = """\
<!doctype html>
<html lang="en">
<body style="font-family: sans-serif; max-width: 36em; margin: 2em auto; line-height: 1.5">
<h1 style="font-size: 1.2em">{title}</h1>
<p>{message}</p>
<hr>
<p style="font-size: 0.9em">{about}
<a href="{choices_url}">No more of them, with one click</a></p>
</body>
</html>
"""
