"""``python -m switchboard.caller``: one call by rules, in a process of its own.

A separate process, so that showing the call does not disturb its timings. Reads the messages of
``job`` from standard input and writes those of ``reports`` to standard output, as lines of JSON.
"""

from __future__ import annotations

import asyncio
import signal
import sys
from typing import TYPE_CHECKING

from switchboard.caller.job import Dial, Prepare
from switchboard.caller.reports import Failed, Finished, Prepared, Report
from switchboard.problems import Problem

if TYPE_CHECKING:
    from switchboard.caller.reports import CallSummary


def main() -> int:
    return asyncio.run(_run())


async def _run() -> int:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    job = await _standard_input()
    try:
        summary = await _call(job, stop)
    except Problem as problem:
        _report(Failed(detail=problem.detail, advice=problem.advice))
        return 1
    if summary is None:
        return 1
    _report(Finished(summary=summary))
    return 0


async def _call(job: asyncio.StreamReader, stop: asyncio.Event) -> CallSummary | None:
    """``None`` when it was stopped, or its input ended, before its call was connected."""
    first = await job.readline()
    if not first:
        return None
    from switchboard.caller.call_session import call_agent, phone_agent
    from switchboard.caller.dialogue_policy import RuleFollower
    from switchboard.caller.placed_call import Stopped
    from switchboard.caller.prepared_speech import prepare_speech
    from switchboard_client import AsyncSwitchboard

    policy = RuleFollower(Prepare.model_validate_json(first).rules)
    speech = await prepare_speech(policy.lines())
    _report(Prepared())
    second = await _line_or_stop(job, stop)
    if not second:
        return None
    dial = Dial.model_validate_json(second)
    abandoned = asyncio.create_task(_stop_at_end(job, stop))
    try:
        async with AsyncSwitchboard(dial.api_url, dial.api_key) as api:
            if dial.phone is not None:
                return await phone_agent(
                    api, dial.agent_id, dial.phone, policy, speech, _report, stop
                )
            return await call_agent(api, dial.agent_id, policy, speech, _report, stop)
    except Stopped:
        return None
    finally:
        abandoned.cancel()


async def _line_or_stop(job: asyncio.StreamReader, stop: asyncio.Event) -> bytes:
    reading = asyncio.create_task(job.readline())
    stopping = asyncio.create_task(stop.wait())
    await asyncio.wait({reading, stopping}, return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    if reading.done():
        return reading.result()
    reading.cancel()
    return b""


async def _stop_at_end(job: asyncio.StreamReader, stop: asyncio.Event) -> None:
    await job.read()
    stop.set()


async def _standard_input() -> asyncio.StreamReader:
    reader = asyncio.StreamReader(limit=2**20)
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), sys.stdin
    )
    return reader


def _report(report: Report) -> None:
    print(report.model_dump_json(), flush=True)


if __name__ == "__main__":
    sys.exit(main())
