"""A caller that says nothing and stays until the agent hangs up."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass

import numpy as np

from contracts.live_messages import CallOver, LiveMessage
from switchboard.caller.peer import CallerPeer
from switchboard.caller.placed_call import place_call
from switchboard.caller.speech_models import Recogniser
from switchboard_client import AsyncSwitchboard
from switchboard_client.webrtc.frame import SAMPLE_RATE_HZ, Samples
from tests.stand_ins.silence import Silence

LONGEST_CALL_SECONDS = 90
_GOODBYE = re.compile(r"good[- ]?bye?\b")
"""The same audio is "Good-bye" or "Good-by" to the recogniser, by a frame more or less."""
_AUDIBLE = 300
"""Of a 16-bit sample; what a codec leaves of silence stays below."""


@dataclass(frozen=True)
class Overheard:
    call_id: str
    words: str
    """All that was audible, as a recogniser understood it, in small letters."""
    silent_at_last_seconds: float
    """How long nothing was audible any more: none when the last word was cut off."""


async def listen_quietly(api: AsyncSwitchboard, agent_id: str) -> Overheard:
    """Call the agent and listen until it hangs up."""
    over = asyncio.Event()

    def told(message: LiveMessage) -> None:
        if isinstance(message.body, CallOver):
            over.set()

    call = await place_call(api, agent_id, lambda _: None)
    peer = CallerPeer(Silence(), told, lambda _: None)
    heard: list[Samples] = []

    async def listen() -> None:
        async for frame in peer.listen():
            heard.append(frame.samples)

    try:
        await peer.connect(call.url, call.token)
        listening = asyncio.create_task(listen())
        async with asyncio.timeout(LONGEST_CALL_SECONDS):
            await over.wait()
        listening.cancel()
    finally:
        await peer.leave()
    audio = np.concatenate(heard)
    words = await asyncio.to_thread(lambda: Recogniser().transcribe(audio))
    return Overheard(
        call_id=call.call_id,
        words=_GOODBYE.sub("goodbye", words.lower()),
        silent_at_last_seconds=_silent_at_last(audio) / SAMPLE_RATE_HZ,
    )


def _silent_at_last(audio: Samples) -> int:
    audible = np.flatnonzero(np.abs(audio.astype(np.int32)) > _AUDIBLE)
    return len(audio) - 1 - int(audible[-1]) if len(audible) else len(audio)
