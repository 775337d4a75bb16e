"""Sending mails. A mail that cannot be sent never makes a request fail."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from email.utils import parseaddr
from pathlib import Path

import aiosmtplib
import structlog

from control_plane.platform.mail.mail import Mail, UnexpectedHeader, as_message
from control_plane.platform.mail.outbox_folder import write_to_folder
from control_plane.platform.settings import SmtpSettings

_SENDER_WITHOUT_SERVER = "switchboard@localhost"
_log = structlog.get_logger(__name__)


class Mailer:
    """Sends mails through the mail server. Without one, it writes them to a folder.

    Send after the transaction has committed, because a mail cannot be taken back.
    """

    def __init__(self, smtp: SmtpSettings | None, outbox_dir: Path) -> None:
        self._smtp = smtp
        self._outbox_dir = outbox_dir

    @property
    def sends_mail(self) -> bool:
        """Whether this installation has a mail server."""
        return self._smtp is not None

    async def send(self, mail: Mail) -> bool:
        """Send the mail; ``False`` if no mail server accepted it. The log has the reason.

        Takes at most ``smtp.timeout_seconds``.
        """
        now = datetime.now(UTC)
        try:
            message = as_message(
                mail, _SENDER_WITHOUT_SERVER if self._smtp is None else self._smtp.sender, now
            )
        except UnexpectedHeader as error:
            _log.error("mail_not_sent", mail_id=str(mail.id), reason=f"unsafe: {error}")
            return False
        if self._smtp is None:
            await self._write(message, now)
            return False
        was_accepted = False
        try:
            async with (
                asyncio.timeout(self._smtp.timeout_seconds),
                _logged_in(self._smtp) as client,
            ):
                await client.sendmail(parseaddr(self._smtp.sender)[1], [mail.to], message)
                was_accepted = True
        except (aiosmtplib.SMTPException, OSError, ValueError) as error:
            if was_accepted:
                # The server has only not said goodbye. Sent again, the mail would arrive twice.
                return True
            _log.warning(
                "mail_not_sent",
                server=f"{self._smtp.host}:{self._smtp.port}",
                reason=_reason(error),
            )
            return False
        return True

    async def _write(self, message: bytes, now: datetime) -> None:
        try:
            path = await asyncio.to_thread(write_to_folder, self._outbox_dir, message, now)
        except OSError as error:
            _log.warning("mail_not_written", folder=str(self._outbox_dir), reason=str(error))
        else:
            _log.info("mail_written", path=str(path), reason="no mail server is set")


async def fault_of(smtp: SmtpSettings) -> str | None:
    """Why the mail server would take no mail, as far as logging in tells; ``None`` if it would.

    Takes at most ``smtp.timeout_seconds``.
    """
    try:
        async with asyncio.timeout(smtp.timeout_seconds), _logged_in(smtp):
            return None
    except (aiosmtplib.SMTPException, OSError, ValueError) as error:
        return _reason(error)


@asynccontextmanager
async def _logged_in(smtp: SmtpSettings) -> AsyncIterator[aiosmtplib.SMTP]:
    """
    Raises:
        aiosmtplib.SMTPException: the server refused, or does not support what the settings require.
        OSError: the server cannot be reached, or did not answer in time.
    """
    client = aiosmtplib.SMTP(
        hostname=smtp.host,
        port=smtp.port,
        timeout=smtp.timeout_seconds,
        use_tls=smtp.encryption == "tls",
        # ``True`` requires STARTTLS: a server without it gets neither password nor mail.
        start_tls=smtp.encryption == "starttls",
    )
    async with client:
        if smtp.username is not None:
            await client.login(smtp.username, smtp.password or "")
        yield client


def _reason(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error) or 'no answer in time'}"
