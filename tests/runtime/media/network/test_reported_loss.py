from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from aiortc import RTCRtpSender

from runtime.media.network.reported_loss import ReportedLoss


@dataclass
class Report:
    type: str
    fractionLost: int


class Sender(RTCRtpSender):
    def __init__(self) -> None:
        self.reports: list[Report] = []

    async def getStats(self) -> Any:
        return dict(enumerate(self.reports))


async def test_no_report_is_no_loss() -> None:
    assert await ReportedLoss(Sender()).read() == 0


async def test_reports_count_by_and_by() -> None:
    sender = Sender()
    loss = ReportedLoss(sender)
    sender.reports = [Report("outbound-rtp", 255), Report("remote-inbound-rtp", 64)]
    first = await loss.read()
    assert 0 < first < 25
    for _ in range(20):
        last = await loss.read()
    assert last == pytest.approx(25, abs=0.1)
    sender.reports = [Report("remote-inbound-rtp", 0)]
    assert await loss.read() < last
