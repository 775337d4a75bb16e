"""How much of what we send is lost, as the receiver's reports say (RTCP, RFC 3550 section 6.4)."""

from __future__ import annotations

from datetime import datetime

from aiortc import RTCRtpSender

_NEWEST_WEIGHT = 0.3
"""One report covers about fifty packets, so a single one says little."""


class ReportedLoss:
    """Smoothed over several reports. Call ``read`` about twice a second."""

    def __init__(self, sender: RTCRtpSender) -> None:
        self._sender = sender
        self._percent = 0.0
        self._read_at: datetime | None = None
        """When the newest report came. It is there until the next one, which takes seconds with
        some receivers."""

    async def read(self) -> float:
        """The loss in percent; 0 before the first report."""
        for each in (await self._sender.getStats()).values():
            if each.type == "remote-inbound-rtp" and each.timestamp != self._read_at:
                self._read_at = each.timestamp
                # aiortc passes the report's fixed-point number on: 256 would be everything.
                newest = each.fractionLost * 100 / 256
                self._percent += _NEWEST_WEIGHT * (newest - self._percent)
        return self._percent
