"""The timer wakes when a limit is due, however the limit's moment has moved meanwhile."""

from __future__ import annotations

import asyncio

from contracts.call_plan import CallLimits
from runtime.call.funds import Funds
from runtime.call.limit_timer import LimitTimer
from runtime.call.limits import Due
from tests.runtime import virtual_time

LIMITS = CallLimits(max_duration_seconds=600, silence_prompt_seconds=8, silence_hangup_seconds=15)


def test_a_limit_is_due_at_its_moment() -> None:
    async def main() -> tuple[Due, float]:
        clock = asyncio.get_running_loop().time
        return await LimitTimer(LIMITS, Funds(None), clock).next_due(), clock()

    assert virtual_time.run(main()) == (Due.NOBODY_JOINED, LIMITS.join_timeout_seconds)


def test_activity_moves_the_moment_while_the_timer_waits() -> None:
    async def main() -> tuple[Due, float]:
        clock = asyncio.get_running_loop().time
        timer = LimitTimer(LIMITS, Funds(None), clock)
        timer.started()
        waiting = asyncio.create_task(timer.next_due())
        await asyncio.sleep(5)
        timer.activity(user_speaking=True, agent_active=False)
        await asyncio.sleep(10)
        timer.activity(user_speaking=False, agent_active=False)
        return await waiting, clock()

    assert virtual_time.run(main()) == (Due.NUDGE, 15 + LIMITS.silence_prompt_seconds)
