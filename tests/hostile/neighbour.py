"""Calls and requests of a tenant who does nothing wrong, and how well they are served."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import numpy as np

from switchboard.demo.account import agent_body
from switchboard_client import AsyncSwitchboard
from switchboard_client.webrtc.leg import CallLeg, LegState
from tests.stand_ins.silence import Silence

PATIENT = agent_body() | {"advanced": {"silencePromptDelay": 300, "postSilenceHangup": 300}}


@dataclass
class Served:
    """Times of one phase, in milliseconds."""

    gaps_ms: list[float] = field(default_factory=list)
    answers_ms: list[float] = field(default_factory=list)

    def table_row(self) -> str:
        return (
            f"frame gaps p50 {_percentile(self.gaps_ms, 50):.0f}, p99 {self.gaps_p99_ms:.0f} ms;"
            f" API p50 {_percentile(self.answers_ms, 50):.0f}, p99 {self.answers_p99_ms:.0f} ms"
        )

    @property
    def gaps_p99_ms(self) -> float:
        return _percentile(self.gaps_ms, 99)

    @property
    def answers_p99_ms(self) -> float:
        return _percentile(self.answers_ms, 99)


class Neighbour:
    """``served`` is what the next times are noted in; exchange it between phases."""

    def __init__(self, url: str, secret_key: str, api: AsyncSwitchboard, agent_id: str) -> None:
        self._url = url
        self._secret_key = secret_key
        self._api = api
        self._agent_id = agent_id
        self.served = Served()
        self.faults: list[str] = []
        self._began_at = time.monotonic()

    @asynccontextmanager
    async def in_calls(self, count: int) -> AsyncIterator[list[str]]:
        """Ids of calls that go on as long as the context."""
        async with contextlib.AsyncExitStack() as stack, asyncio.TaskGroup() as group:
            calls: list[tuple[str, asyncio.Task[None]]] = []
            for _ in range(count):
                created = await self._api.calls.create_webrtc(self._agent_id, "neighbour")
                access = created.participants[0].access
                leg = await stack.enter_async_context(CallLeg(Silence(), on_state=self._note_state))
                await leg.connect(access.url, access.token)
                calls.append((str(created.id), group.create_task(self._listen(leg))))
            asking = group.create_task(self._ask())
            yield [call_id for call_id, _ in calls]
            asking.cancel()
            for call_id, listening in calls:
                listening.cancel()
                await self._api.request("POST", f"/v1/calls/{call_id}/end")

    async def _listen(self, leg: CallLeg) -> None:
        last = 0.0
        async for frame in leg.listen():
            if last:
                self.served.gaps_ms.append((frame.received_at - last) * 1000)
            last = frame.received_at
        self.faults.append("a call ended before its time")

    def _note_state(self, state: LegState) -> None:
        if state == "reconnecting":
            after_seconds = time.monotonic() - self._began_at
            self.faults.append(f"a call lost its connection after {after_seconds:.0f} s")

    async def _ask(self) -> None:
        paths = (f"/v1/agents/{self._agent_id}", "/v1/calls", "/v1/billing/balance")
        asking = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.hostile.requests", self._url, *paths),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        assert asking.stdin is not None
        assert asking.stdout is not None
        asking.stdin.write(self._secret_key.encode())
        asking.stdin.close()
        try:
            async for line in asking.stdout:
                answer = json.loads(line)
                self.served.answers_ms.append(answer["ms"])
                if answer["fault"]:
                    self.faults.append(answer["fault"])
            self.faults.append("the requests ended before their time")
        finally:
            asking.kill()
            await asking.wait()


def _percentile(values: list[float], percent: float) -> float:
    return float(np.percentile(values, percent)) if values else 0.0
