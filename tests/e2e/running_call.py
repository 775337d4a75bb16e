"""A call that goes on in the background while a test breaks what carries it."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import psutil

from contracts.money import billable_seconds, charge_micros
from switchboard.caller.call_session import call_agent
from switchboard.caller.dialogue_policy import LineByLine
from switchboard.caller.prepared_speech import prepare_speech
from switchboard.caller.reports import CallSummary, Connected, Heard, Placed, Report, Saying
from switchboard.demo.checks import micros
from switchboard.demo.evidence import Evidence
from switchboard_client import AsyncSwitchboard
from switchboard_client.models import TranscriptView
from tests.e2e.conftest import LiveSwitchboard
from tests.e2e.polling import until

LINES = (
    "Hi, I would like to book an appointment.",
    "No, this is my first time.",
    "My name is Emma Wilson.",
    "Next Tuesday, please.",
    "At half past three in the afternoon.",
)


class RunningCall:
    """A call in progress, with what its caller has reported so far."""

    def __init__(self) -> None:
        self.reports: list[Report] = []
        self.connected_at = 0.0
        self.left_at = 0.0
        """When the answer to the goodbye had come."""
        self.leave = asyncio.Event()
        self.caller: asyncio.Task[CallSummary] | None = None
        self._changed = asyncio.Condition()
        self._notifications: set[asyncio.Task[None]] = set()

    def report(self, report: Report) -> None:
        self.reports.append(report)
        if isinstance(report, Connected):
            self.connected_at = time.monotonic()
        notification = asyncio.ensure_future(self._notify())
        self._notifications.add(notification)
        notification.add_done_callback(self._notifications.discard)

    async def _notify(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    @property
    def call_id(self) -> str:
        return next(each.call_id for each in self.reports if isinstance(each, Placed))

    @property
    def turns_heard(self) -> int:
        return sum(isinstance(each, Heard) for each in self.reports)

    @property
    def lines_said(self) -> list[str]:
        return [each.text for each in self.reports if isinstance(each, Saying)]

    async def after_turns(self, turns: int) -> None:
        """Wait until the caller has heard that many turns of the agent."""
        async with asyncio.timeout(60), self._changed:
            await self._changed.wait_for(lambda: self.turns_heard >= turns)

    async def finished(self) -> CallSummary:
        assert self.caller is not None
        async with asyncio.timeout(120):
            summary = await self.caller
        self.left_at = time.monotonic()
        return summary


@asynccontextmanager
async def running_call(
    system: LiveSwitchboard, api: AsyncSwitchboard, lines: tuple[str, ...] = LINES
) -> AsyncIterator[RunningCall]:
    call = RunningCall()
    conversation = LineByLine(lines)
    speech = await prepare_speech(conversation.lines())
    call.caller = asyncio.create_task(
        call_agent(api, system.account.agent_id, conversation, speech, call.report, call.leave)
    )
    try:
        yield call
    finally:
        call.leave.set()
        call.caller.cancel()
        await asyncio.gather(call.caller, return_exceptions=True)


def segments_said_by(transcript: TranscriptView, speaker: str) -> list[str]:
    return [each.text for each in transcript.segments if each.speaker == speaker]


def assert_billed_once(evidence: Evidence) -> None:
    """One charge, exact, and nothing still reserved."""
    record = evidence.call
    charges = [each for each in evidence.transactions if each.call_id == record.id]
    assert len(charges) == 1
    rate = sum(price["micros_per_minute"] for price in charges[0].metadata["prices"])
    seconds = billable_seconds(round(record.bill_duration * 1000))
    assert -micros(charges[0].amount_usd) == charge_micros(seconds, rate)
    before, after = (
        micros(balance.balance_usd) for balance in (evidence.balance_before, evidence.balance_after)
    )
    assert before - after == charge_micros(seconds, rate)
    assert sum(micros(each.amount_usd) for each in evidence.transactions) == after


def assert_everything_said_is_there_once(evidence: Evidence, call: RunningCall) -> None:
    segments = evidence.transcript.segments
    assert [each.sequence for each in segments] == list(range(len(segments)))
    said = " ".join(segments_said_by(evidence.transcript, "user")).lower()
    for words in ("appointment", "first time", "wilson", "tuesday", "three"):
        assert said.count(words) == 1, f"{words!r} in {said!r}"
    assert len(call.lines_said) == len(LINES)


async def journals_are_gone(system: LiveSwitchboard) -> None:
    """A journal is deleted when the worker knows that its last event is applied."""

    async def journals() -> list[Path]:
        return list(system.data_dir.glob("workers/**/*.jsonl"))

    await until(journals, lambda left: not left)


@contextmanager
def stopped(pids: list[int]) -> Iterator[None]:
    """Processes that exist and do nothing, as on a machine that hangs."""
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            if psutil.pid_exists(pid):
                os.kill(pid, signal.SIGCONT)
