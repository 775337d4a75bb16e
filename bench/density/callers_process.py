"""Many callers in one process of their own, so that their cost is apart."""

from __future__ import annotations

import asyncio
import contextlib
import math
import multiprocessing
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection

from bench.before_workers import run_before_workers
from bench.density.caller import Caller
from bench.density.caller_leg import CallerLeg, lag_noted
from bench.density.encoded_speech import EncodedLine, encoded_line, encoded_noise
from bench.density.heard import Heard, Notebook
from switchboard.caller.speech_models import Voice
from switchboard_client import AsyncSwitchboard
from switchboard_client.errors import ConnectionFailed
from switchboard_client.problems import CallAlreadyOver, NoCapacity, NoWorker

LINES = (
    "Hi, I would like to book an appointment with the dentist.",
    "No, this is my first time.",
    "My name is Emma Wilson.",
    "Next Tuesday, please.",
    "At half past three in the afternoon.",
)
APART_SECONDS = 0.7
"""Between two callers, so that they do not all speak at the same time."""
SETTLE_SECONDS = 5.0
"""After the last caller has come, before anything is measured."""
_LISTENS_SECONDS = 2.5
"""After the last line, so that it is understood before the call ends."""
_AGAIN_SECONDS = 1.0
"""After a refusal, in a run whose callers are replaced."""
_LOOK_SECONDS = 0.1


@dataclass(frozen=True)
class Order:
    url: str
    key: str
    agent_id: str
    calls: int
    slices: int
    slice_seconds: float
    call_seconds: float = math.inf
    """After so long a caller leaves, and another one comes."""


@dataclass(frozen=True)
class Callers:
    pid: int
    pipe: Connection

    def run(self, order: Order) -> Iterator[Heard | None]:
        """``None`` when all callers have come, then each slice. Go on with ``said``."""
        self.pipe.send(order)
        for _ in range(order.slices + 1):
            yield self.pipe.recv()

    def said(self) -> dict[str, list[str]]:
        """Lines by call, when all callers have left."""
        said: dict[str, list[str]] = self.pipe.recv()
        return said


@contextlib.contextmanager
def calling() -> Iterator[Callers]:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve_orders, args=(theirs,))
    process.start()
    try:
        ours.recv()
        assert process.pid is not None
        yield Callers(process.pid, ours)
    finally:
        process.kill()
        process.join()


def _serve_orders(pipe: Connection) -> None:
    voice = Voice()
    lines = [encoded_line(voice.speak(text)) for text in LINES]
    noise = encoded_noise()
    run_before_workers()
    pipe.send("ready")
    while True:
        asyncio.run(_Run(pipe.recv(), lines, noise).serve(pipe))


class _Run:
    def __init__(self, order: Order, lines: Sequence[EncodedLine], noise: Sequence[bytes]) -> None:
        self._order = order
        self._lines = lines
        self._noise = noise
        self._notebook = Notebook()
        self._is_over = False

    async def serve(self, pipe: Connection) -> None:
        order = self._order
        async with AsyncSwitchboard(order.url, order.key) as api, asyncio.TaskGroup() as group:
            for number in range(order.calls):
                group.create_task(self._keep_calling(api, number))
                await asyncio.sleep(APART_SECONDS)
            await asyncio.sleep(SETTLE_SECONDS)
            with lag_noted(self._notebook):
                self._notebook.begin()
                pipe.send(None)
                for _ in range(order.slices):
                    pipe.send(await self._slice(order.slice_seconds))
            self._is_over = True
        pipe.send(self._notebook.said)

    async def _slice(self, seconds: float) -> Heard:
        used, began_at = time.process_time(), time.monotonic()
        await asyncio.sleep(seconds)
        heard = self._notebook.next_page()
        heard.callers_cpu_seconds = time.process_time() - used
        heard.seconds = time.monotonic() - began_at
        return heard

    async def _keep_calling(self, api: AsyncSwitchboard, number: int) -> None:
        is_replaced = self._order.call_seconds < math.inf
        while not self._is_over:
            if not await self._hold_call(api, number):
                self._notebook.page.refused += 1
                await asyncio.sleep(_AGAIN_SECONDS)
            if not is_replaced:
                return

    async def _hold_call(self, api: AsyncSwitchboard, number: int) -> bool:
        """Whether a worker took the call."""
        requested_at = time.monotonic()
        try:
            created = await api.calls.create_webrtc(self._order.agent_id, "caller")
        except NoCapacity:
            return False
        access, call_id = created.participants[0].access, str(created.id)
        caller = Caller(call_id, requested_at, self._lines, self._noise, number, self._notebook)
        leg = CallerLeg(caller, self._notebook, access.url, access.token)
        try:
            await leg.connect()
            await self._stay(leg, caller)
        except NoWorker:
            return False
        except ConnectionFailed:
            self._notebook.page.lost += 1
        finally:
            await leg.leave()
        with contextlib.suppress(CallAlreadyOver):
            await api.calls.end(call_id)
        return True

    async def _stay(self, leg: CallerLeg, caller: Caller) -> None:
        until = time.monotonic() + self._order.call_seconds
        while not self._is_over and time.monotonic() < until:
            if leg.is_lost:
                self._notebook.page.lost += 1
                return
            await asyncio.sleep(_LOOK_SECONDS)
        caller.say_no_more()
        await asyncio.sleep(caller.rest_seconds + _LISTENS_SECONDS)
