from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from aiortc import RTCRtpSender

from runtime.media.network.reported_loss import ReportedLoss

BEGAN_AT = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass
class Report:
    type: str
    fractionLost: int
    timestamp: datetime = BEGAN_AT


def received(fraction_lost: int, second: int) -> Report:
    return Report("remote-inbound-rtp", fraction_lost, BEGAN_AT + timedelta(seconds=second))


class Sender(RTCRtpSender):
    def __init__(self) -> None:
        self.reports: list[Report] = []

    async def getStats(self) -> Any:
        return dict(enumerate(self.reports))


async def test_no_report_is_no_loss() -> None:
    assert await ReportedLoss(Sender()).read() == 0


async def test_loss_is_smoothed_over_several_reports() -> None:
    sender = Sender()
    loss = ReportedLoss(sender)
    sender.reports = [Report("outbound-rtp", 255), received(64, second=0)]
    first = await loss.read()
    assert 0 < first < 25
    for second in range(1, 20):
        sender.reports = [received(64, second)]
        last = await loss.read()
    assert last == pytest.approx(25, abs=0.1)
    sender.reports = [received(0, second=20)]
    assert await loss.read() < last


async def test_a_report_that_is_read_again_counts_once() -> None:
    sender = Sender()
    loss = ReportedLoss(sender)
    sender.reports = [received(64, second=0)]
    assert await loss.read() == await loss.read()
