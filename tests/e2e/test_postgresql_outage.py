"""PostgreSQL hangs or dies in the middle of a call; nothing that was said or owed is lost."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx2
import psutil
import pytest

from switchboard.caller.reports import CallSummary
from switchboard.demo.evidence import Evidence, collect
from switchboard_client import ApiError, AsyncSwitchboard
from switchboard_client.models import Balance
from tests.e2e.conftest import LiveSwitchboard
from tests.e2e.polling import until
from tests.e2e.running_call import (
    LINES,
    assert_billed_once,
    assert_everything_said_is_there_once,
    journals_are_gone,
    running_call,
    stopped,
)

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

OUTAGE_SECONDS = 20.0


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


def with_children(pid: int) -> list[int]:
    process = psutil.Process(pid)
    return [pid, *(child.pid for child in process.children(recursive=True))]


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
