"""Valkey hangs and dies in the middle of a call; nothing that was said or owed is lost."""

from __future__ import annotations

import asyncio
import os
import signal

import pytest

from switchboard.demo.evidence import collect
from tests.e2e.conftest import LiveSwitchboard
from tests.e2e.running_call import (
    LINES,
    assert_billed_once,
    assert_everything_said_is_there_once,
    journals_are_gone,
    running_call,
    stopped,
)

HANGS_SECONDS = 12.0

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]


async def test_a_call_survives_a_valkey_that_hangs_and_then_dies_and_no_event_is_lost(
    own_switchboard: LiveSwitchboard,
) -> None:
    async with own_switchboard.api() as api:
        before = await api.billing.balance()
        async with running_call(own_switchboard, api) as call:
            await call.after_turns(1)
            with stopped([own_switchboard.pid("valkey")]):
                await asyncio.sleep(HANGS_SECONDS)
            await call.after_turns(3)
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
