"""A media worker dies in the middle of a call; nothing that was said or owed is lost."""

from __future__ import annotations

import os
import signal
import time

import psutil
import pytest

from contracts.money import billable_seconds, charge_micros
from switchboard.demo.checks import micros
from switchboard_client import AsyncSwitchboard
from switchboard_client.models import CallDetail, TranscriptView
from tests.e2e.conftest import LiveSwitchboard
from tests.e2e.polling import ended_call
from tests.e2e.running_call import (
    RunningCall,
    journals_are_gone,
    running_call,
    segments_said_by,
    stopped,
)

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

ENDED_WITHIN_SECONDS = 30.0


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
    assert_usage_is_known(record, transcript)
    charges = [
        each
        for each in (await api.billing.transactions()).transactions
        if str(each.call_id) == call.call_id
    ]
    rate = sum(price["micros_per_minute"] for price in charges[0].metadata["prices"])
    assert len(charges) == 1
    assert -micros(charges[0].amount_usd) == charge_micros(record.billable_seconds, rate)
    assert record.billable_seconds == billable_seconds(round(record.bill_duration * 1000))


def assert_usage_is_known(record: CallDetail, transcript: TranscriptView) -> None:
    """Of every turn that is on the record: what comes after it is one turn at most."""

    def used(channel: str, amount: str) -> int:
        return sum(getattr(each, amount) for each in record.usage if each.channel == channel)

    agents = [each for each in transcript.segments if each.speaker == "agent"]
    callers = [each for each in transcript.segments if each.speaker == "user"]
    # Numbers and abbreviations are spelled out for the voice.
    assert used("tts", "characters") >= 0.9 * sum(len(each.text) for each in agents)
    heard_ms = sum(
        each.ended_at_ms - each.started_at_ms
        for each in callers
        if each.sequence < agents[-1].sequence
    )
    assert used("stt", "audio_ms") >= 0.9 * heard_ms > 0
    assert used("llm", "output_tokens") > 0


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
