"""The callers of ``bench.memory_growth``, in a process of their own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from itertools import cycle
from multiprocessing.connection import Connection

from bench.density.caller import PAUSE_SECONDS
from bench.density.callers_process import LINES
from switchboard.caller.activity import SpeechActivity
from switchboard.caller.speech_models import Voice
from switchboard.caller.speech_queue import PreparedLine, SpeechQueue
from switchboard_client import AsyncSwitchboard
from switchboard_client.problems import CallAlreadyOver, NoCapacity, NoWorker
from switchboard_client.webrtc.leg import CallLeg

_LONGEST_SHORT_CALL_SECONDS = 40.0
_FULL_SECONDS = 0.5
"""After a refusal, until the caller tries again."""


@dataclass(frozen=True)
class Installation:
    url: str
    key: str
    agent_id: str


@dataclass(frozen=True)
class ShortCalls:
    """Each: connect, hear the greeting, say a line, hear the answer, end."""

    calls: int
    at_once: int


@dataclass(frozen=True)
class LongCall:
    seconds: float
    turn_seconds: float
    """From one line to the next."""


@dataclass
class Held:
    calls: int = 0
    turns: int = 0
    """Lines that the agent answered."""
    refused: int = 0
    """Calls that no worker took at once. They were tried again."""
    failures: int = 0
    """Calls that ended before the caller ended them."""


def callers_process(pipe: Connection, installation: Installation) -> None:
    """Receives an order, answers with ``Held``; ends with None."""
    voice = Voice()
    lines = [voice.speak(text) for text in LINES]
    del voice
    while (order := pipe.recv()) is not None:
        pipe.send(asyncio.run(_hold(installation, order, lines)))


async def _hold(
    installation: Installation, order: ShortCalls | LongCall, lines: list[PreparedLine]
) -> Held:
    held = Held()
    async with AsyncSwitchboard(installation.url, installation.key) as api:
        if isinstance(order, LongCall):
            await _long_call(api, installation.agent_id, order, lines, held)
        else:
            waiting = iter(
                [line for line, _ in zip(cycle(lines), range(order.calls), strict=False)]
            )
            async with asyncio.TaskGroup() as group:
                for _ in range(order.at_once):
                    group.create_task(_short_calls(api, installation.agent_id, waiting, held))
    return held


async def _short_calls(
    api: AsyncSwitchboard, agent_id: str, waiting: Iterator[PreparedLine], held: Held
) -> None:
    for line in waiting:
        try:
            async with (
                asyncio.timeout(_LONGEST_SHORT_CALL_SECONDS),
                _connected(api, agent_id, held) as (leg, mouth),
            ):
                async for _ in _moments_to_speak(leg, mouth):
                    if mouth.spoken:
                        held.turns += 1
                        break
                    mouth.say(line)
                else:
                    held.failures += 1
        except TimeoutError:
            held.failures += 1


async def _long_call(
    api: AsyncSwitchboard, agent_id: str, order: LongCall, lines: list[PreparedLine], held: Held
) -> None:
    async with _connected(api, agent_id, held) as (leg, mouth):
        said_at, coming = float("-inf"), cycle(lines)
        try:
            async with asyncio.timeout(order.seconds):
                async for now in _moments_to_speak(leg, mouth):
                    if now - said_at >= order.turn_seconds:
                        said_at = now
                        held.turns += bool(mouth.spoken)
                        mouth.say(next(coming))
            held.failures += 1
        except TimeoutError:
            pass


@asynccontextmanager
async def _connected(
    api: AsyncSwitchboard, agent_id: str, held: Held
) -> AsyncIterator[tuple[CallLeg, SpeechQueue]]:
    """A call that ends with the block. Tries again until a worker has taken it."""
    while True:
        try:
            created = await api.calls.create_webrtc(agent_id, "caller")
            access = created.participants[0].access
            async with CallLeg(mouth := SpeechQueue()) as leg:
                await leg.connect(access.url, access.token)
                yield leg, mouth
                with suppress(CallAlreadyOver):
                    await api.request("POST", f"/v1/calls/{created.id}/end")
            held.calls += 1
            return
        except (NoCapacity, NoWorker):
            held.refused += 1
            await asyncio.sleep(_FULL_SECONDS)


async def _moments_to_speak(leg: CallLeg, mouth: SpeechQueue) -> AsyncIterator[float]:
    """The times of frames before which the agent has answered and then been silent."""
    agent = SpeechActivity()
    async for frame in leg.listen():
        agent.push(frame.samples, frame.received_at)
        if _may_speak(agent, mouth, frame.received_at):
            yield frame.received_at


def _may_speak(agent: SpeechActivity, mouth: SpeechQueue, now: float) -> bool:
    """The agent has answered what was said, and is silent."""
    last = agent.last_speech_at
    if last is None or not mouth.is_silent or now - last < PAUSE_SECONDS:
        return False
    return not mouth.spoken or last > mouth.spoken[-1].last_sample_at
