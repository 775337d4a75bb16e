"""Which model serves a channel at the moment, and the report when another one takes over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic

from contracts.call_plan import Channel
from pipelines.engine.channels.candidates import Candidate, Candidates, Model
from pipelines.engine.channels.reports import ChannelReports, ChannelSwitch

RECORDED_WORDS = "recorded words"


@dataclass(frozen=True)
class FailedAttempt(Generic[Model]):
    candidate: Candidate[Model]
    why: str
    asked_at: float
    was_asked: bool = True


class ServingModel(Generic[Model]):
    """Times are in seconds, all of one clock."""

    def __init__(
        self, channel: Channel, candidates: Candidates[Model], reports: ChannelReports
    ) -> None:
        self._channel = channel
        self._candidates = candidates
        self._reports = reports
        self.candidate = candidates.primary

    def asks(
        self, candidate: Candidate[Model], failed: FailedAttempt[Model] | None, now: float
    ) -> None:
        """``candidate`` is asked now, after ``failed`` if that is given.

        Without a failure it may be a better model than the one before, which is no news, or a
        worse one, because another call has found out that the better one fails.
        """
        before, self.candidate = self.candidate, candidate
        if failed is not None:
            self._report(failed, candidate.name, now)
        elif self._candidates.rank(candidate) > self._candidates.rank(before):
            passed_over = FailedAttempt(
                before, "it failed in another call a moment ago", now, was_asked=False
            )
            self._report(passed_over, candidate.name, now)

    def gives_up(self, failed: FailedAttempt[Model], now: float) -> None:
        """No model is left for now: words of the platform take over."""
        self._report(failed, RECORDED_WORDS, now)

    def _report(self, failed: FailedAttempt[Model], taken_over_by: str, now: float) -> None:
        self._reports.switched(
            ChannelSwitch(
                channel=self._channel,
                failed=failed.candidate.name,
                taken_over_by=taken_over_by,
                why=failed.why,
                lost_ms=round((now - failed.asked_at) * 1000),
                was_asked=failed.was_asked,
            )
        )
