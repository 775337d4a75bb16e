"""Callers who speak in turn with an agent, many in one process; ``bench.density`` starts it.

They recognise nothing, so that they cost little: a caller speaks when the agent has been silent for
a while. What the agent understood is in the transcript.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from itertools import count
from multiprocessing.connection import Connection

from switchboard.caller.activity import SpeechActivity
from switchboard.caller.reply_watch import ReplyWatch
from switchboard.caller.speech_models import Voice
from switchboard.caller.speech_queue import PreparedLine, SpeechQueue
from switchboard_client import AsyncSwitchboard
from switchboard_client.problems import NoCapacity, NoWorker
from switchboard_client.webrtc.leg import CallLeg

LINES = (
    "Hi, I would like to book an appointment with the dentist.",
    "No, this is my first time.",
    "My name is Emma Wilson.",
    "Next Tuesday, please.",
    "At half past three in the afternoon.",
)
PAUSE_SECONDS = 0.8
"""After the agent's last sound. It makes no such pause within an answer."""
APART_SECONDS = 0.7
"""Between two callers, so that they do not all speak at the same time."""


@dataclass
class Heard:
    """What all callers of one run noticed, in milliseconds."""

    said: dict[str, list[str]] = field(default_factory=dict)
    """By call."""
    first_sample_ms: list[float] = field(default_factory=list)
    voice_to_voice_ms: list[float] = field(default_factory=list)
    gaps_ms: list[float] = field(default_factory=list)
    refused: int = 0
    """Calls that no worker took: they would have spoiled the others."""
    lost: int = 0
    """Calls that ended before their time."""
    processor_seconds: float = 0.0
    took_seconds: float = 0.0


def callers_process(pipe: Connection) -> None:
    """Receives ``(url, key, agent id, calls, seconds)``, answers with ``Heard``; ends with None."""
    voice = Voice()
    lines = [voice.speak(text) for text in LINES]
    pipe.send("ready")
    while (order := pipe.recv()) is not None:
        pipe.send(asyncio.run(_hold_calls(*order, lines)))


async def _hold_calls(
    url: str, key: str, agent_id: str, calls: int, seconds: float, lines: list[PreparedLine]
) -> Heard:
    heard = Heard()
    used, began_at = time.process_time(), time.monotonic()
    async with AsyncSwitchboard(url, key) as api, asyncio.TaskGroup() as group:
        for number in range(calls):
            group.create_task(_hold_call(api, agent_id, seconds, lines, heard))
            await asyncio.sleep(APART_SECONDS if number + 1 < calls else 0)
    heard.processor_seconds = time.process_time() - used
    heard.took_seconds = time.monotonic() - began_at
    return heard


async def _hold_call(
    api: AsyncSwitchboard, agent_id: str, seconds: float, lines: list[PreparedLine], heard: Heard
) -> None:
    requested_at = time.monotonic()
    try:
        created = await api.calls.create_webrtc(agent_id, "caller")
    except NoCapacity:
        heard.refused += 1
        return
    access, said = created.participants[0].access, heard.said.setdefault(str(created.id), [])
    mouth, agent, numbers = SpeechQueue(), SpeechActivity(), count()
    async with CallLeg(mouth) as leg:
        try:
            await leg.connect(access.url, access.token)
        except NoWorker:
            heard.refused += 1
            return
        watch, last = ReplyWatch(requested_at), 0.0
        try:
            async with asyncio.timeout(seconds):
                async for frame in leg.listen():
                    if last:
                        heard.gaps_ms.append((frame.received_at - last) * 1000)
                    last = frame.received_at
                    agent.push(frame.samples, frame.received_at)
                    onset = watch.onset(agent.intervals, mouth.spoken, mouth.is_silent)
                    if onset is not None and onset.latency_ms is not None:
                        is_first = not heard_before(mouth)
                        times = heard.first_sample_ms if is_first else heard.voice_to_voice_ms
                        times.append(onset.latency_ms)
                    if may_speak(agent, mouth, last):
                        line = lines[next(numbers) % len(lines)]
                        said.append(line.text)
                        mouth.say(line)
                heard.lost += 1
        except TimeoutError:
            pass
    await api.request("POST", f"/v1/calls/{created.id}/end")


def heard_before(mouth: SpeechQueue) -> bool:
    """Whether the caller has spoken: what it hears then is an answer."""
    return bool(mouth.spoken)


def may_speak(agent: SpeechActivity, mouth: SpeechQueue, now: float) -> bool:
    """The agent has answered what was said, and is silent."""
    last = agent.last_speech_at
    if last is None or not mouth.is_silent or now - last < PAUSE_SECONDS:
        return False
    return not mouth.spoken or last > mouth.spoken[-1].last_sample_at
