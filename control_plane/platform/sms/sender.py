"""Sending SMS through the service that the operator has set. Apprise speaks to the services."""

from __future__ import annotations

import asyncio

import structlog

RECIPIENT = "{to}"
"""Stands for the recipient's number in the service's address."""
LONGEST_TEXT = 459
"""Three messages (GSM 03.38)."""
_log = structlog.get_logger(__name__)


class SmsSender:
    """
    Args:
        url: an address of Apprise with ``RECIPIENT`` in it, such as
            ``twilio://SID:TOKEN@+14155550100/{to}``; ``None``: no SMS is sent.
    """

    def __init__(self, url: str | None) -> None:
        self._url = url

    @property
    def sends_sms(self) -> bool:
        return self._url is not None

    async def send(self, number: str, text: str) -> bool:
        """Send one SMS; ``False`` if the service did not accept it. The log has the reason.

        Args:
            number: E.164.
        """
        if self._url is None:
            return False
        address = self._url.replace(RECIPIENT, number.removeprefix("+"))
        return await asyncio.to_thread(_notify, address, text[:LONGEST_TEXT])


def _notify(address: str, text: str) -> bool:
    # Apprise is imported where it is used: it takes 0.3 s.
    import apprise

    service = apprise.Apprise.instantiate(address)
    if service is None:
        _log.error("sms_not_sent", reason="SWITCHBOARD_SMS_URL is no address that Apprise knows")
        return False
    was_sent = bool(service.notify(body=text))
    if not was_sent:
        _log.warning("sms_not_sent", reason="the SMS service did not accept it")
    return was_sent
