"""Processes die or hang in the middle of a call; nothing that was said or owed is lost."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import httpx2
import psutil
import pytest

from contracts.money import billable_seconds, charge_micros
from switchboard.caller.call_session import call_agent
from switchboard.caller.dialogue_policy import LineByLine
from switchboard.caller.prepared_speech import prepare_speech
from switchboard.caller.reports import CallSummary, Connected, Heard, Placed, Report, Saying
from switchboard.demo.checks import micros
from switchboard.demo.evidence import Evidence, collect
from switchboard_client import ApiError, AsyncSwitchboard
from switchboard_client.models import Balance, TranscriptView
from tests.e2e.conftest import LiveSwitchboard
from tests.e2e.polling import ended_call, until

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

LINES = (
    "Hi, I would like to book an appointment.",
    "No, this is my first time.",
    "My name is Emma Wilson.",
    "Next Tuesday, please.",
    "At half past three in the afternoon.",
)
ENDED_WITHIN_SECONDS = 30.0
OUTAGE_SECONDS = 20.0


class RunningCall:
    """A call in progress, with what its caller has reported so far."""

    def __init__(self) -> None:
        self.reports: list[Report] = []
        self.connected_at = 0.0
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
            return await self.caller


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


def with_children(pid: int) -> list[int]:
    process = psutil.Process(pid)
    return [pid, *(child.pid for child in process.children(recursive=True))]


async def kill_worker_and_check(
    system: LiveSwitchboard, api: AsyncSwitchboard, call: RunningCall, reason: str = "worker_error"
) -> None:
    await call.after_turns(2)
    worker = system.pid("worker-1")
    connected_seconds = time.monotonic() - call.connected_at
    os.kill(worker, signal.SIGKILL)
    await ended_call(api, call.call_id, ENDED_WITHIN_SECONDS)
    record = await api.calls.show(call.call_id)

    assert (record.status, record.end_reason) == ("failed", reason)
    # A heartbeat a second says how far the call had come.
    assert connected_seconds - 2.5 <= record.bill_duration <= connected_seconds + 0.5
    transcript = await api.calls.transcript(call.call_id)
    assert segments_said_by(transcript, "agent")[0].startswith("Hello, this is Mia")
    assert "appointment" in " ".join(segments_said_by(transcript, "user"))
    charges = [
        each
        for each in (await api.billing.transactions()).transactions
        if str(each.call_id) == call.call_id
    ]
    rate = sum(price["micros_per_minute"] for price in charges[0].metadata["prices"])
    assert len(charges) == 1
    assert -micros(charges[0].amount_usd) == charge_micros(record.billable_seconds, rate)
    assert record.billable_seconds == billable_seconds(round(record.bill_duration * 1000))


async def test_a_killed_workers_call_is_ended_and_billed_to_the_last_second_known(
    own_switchboard: LiveSwitchboard,
) -> None:
    """The supervisor starts the worker again, which ships what its predecessor left on disk."""
    async with (
        own_switchboard.api() as api,
        running_call(own_switchboard, api) as call,
    ):
        await kill_worker_and_check(own_switchboard, api, call)
        await journals_are_gone(own_switchboard)

    async with own_switchboard.api() as api, running_call(own_switchboard, api) as call:
        await call.after_turns(1)
        assert call.turns_heard, "the restarted worker takes the next call"


async def test_a_worker_that_never_comes_back_leaves_its_call_to_the_reaper(
    own_switchboard: LiveSwitchboard,
) -> None:
    """Nobody starts the worker again: its machine is gone."""
    async with own_switchboard.api() as api, running_call(own_switchboard, api) as call:
        await call.after_turns(1)
        supervisor = psutil.Process(own_switchboard.pid("worker-1")).ppid()
        with stopped([supervisor]):
            await kill_worker_and_check(own_switchboard, api, call)


async def test_a_call_survives_the_death_and_return_of_valkey_and_no_event_is_lost(
    own_switchboard: LiveSwitchboard,
) -> None:
    async with own_switchboard.api() as api:
        before = await api.billing.balance()
        async with running_call(own_switchboard, api) as call:
            await call.after_turns(2)
            killed = own_switchboard.pid("valkey")
            os.kill(killed, signal.SIGKILL)
            summary = await call.finished()
            assert own_switchboard.pid("valkey") != killed
        evidence = await collect(api, summary, before)
    assert [turn.outcome for turn in summary.turns] == ["answered"] * len(LINES)
    assert evidence.call.end_reason == "participant_disconnected"
    assert_everything_said_is_there_once(evidence, call)
    assert_billed_once(evidence)
    await journals_are_gone(own_switchboard)


@pytest.mark.parametrize("outage", ["hangs", "is gone"])
async def test_a_call_goes_on_without_postgresql_and_everything_is_applied_once_afterwards(
    own_switchboard: LiveSwitchboard, outage: str
) -> None:
    async with own_switchboard.api() as api:
        before = await api.billing.balance()
        async with running_call(own_switchboard, api) as call:
            await call.after_turns(1)
            heard_before = call.turns_heard
            with without_postgresql(own_switchboard, outage):
                await api_answers_503_for(own_switchboard, OUTAGE_SECONDS)
                heard_meanwhile = call.turns_heard - heard_before
            summary = await call.finished()
        evidence = await collect_once_back(api, summary, before)
    assert heard_meanwhile >= 2
    assert [turn.outcome for turn in summary.turns] == ["answered"] * len(LINES)
    assert evidence.call.end_reason == "participant_disconnected"
    assert_everything_said_is_there_once(evidence, call)
    assert_billed_once(evidence)
    await journals_are_gone(own_switchboard)


@contextmanager
def without_postgresql(system: LiveSwitchboard, outage: str) -> Iterator[None]:
    postgres = system.pid("postgres")
    if outage == "hangs":
        with stopped(with_children(postgres)):
            yield
        return
    # The supervisor would start it again at once, so it is held for as long as the outage lasts.
    with stopped([psutil.Process(postgres).ppid()]):
        os.kill(postgres, signal.SIGINT)
        yield


async def api_answers_503_for(system: LiveSwitchboard, seconds: float) -> None:
    """Ask once a second; each answer is a 503 problem that says when to try again."""
    until = time.monotonic() + seconds
    headers = {"Authorization": f"Bearer {system.account.secret_key}"}
    async with httpx2.AsyncClient(base_url=system.api_url, headers=headers, timeout=15) as http:
        await asyncio.sleep(1)  # A server told to stop may still answer what it is working on.
        while time.monotonic() < until:
            response = await http.get("/v1/calls")
            assert response.status_code == 503
            assert response.headers["content-type"] == "application/problem+json"
            assert response.json()["code"] == "database_unavailable"
            assert int(response.headers["retry-after"]) > 0
            await asyncio.sleep(1)


async def collect_once_back(
    api: AsyncSwitchboard, summary: CallSummary, before: Balance
) -> Evidence:
    async def is_back() -> bool:
        try:
            await api.billing.balance()
        except ApiError as refusal:
            if refusal.status != 503:
                raise
            return False
        return True

    await until(is_back, bool, within_seconds=60)
    return await collect(api, summary, before)
