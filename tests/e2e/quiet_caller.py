"""A caller that says nothing and stays until the agent hangs up."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import numpy as np

from contracts.live_messages import CallOver, LiveMessage
from switchboard.caller.peer import CallerPeer
from switchboard.caller.placing import place_call
from switchboard.caller.public_api import PublicApi
from switchboard.caller.speech_models import Recogniser
from switchboard_client.webrtc.frame import FRAME_SAMPLES, Samples

LONGEST_CALL_SECONDS = 90


@dataclass(frozen=True)
class Overheard:
    call_id: str
    words: str
    """All that was audible, as a recogniser understood it, in small letters, without hyphens."""


class _Silence:
    def next_frame(self, sent_at: float) -> Samples:
        return np.zeros(FRAME_SAMPLES, np.int16)


async def listen_quietly(api: PublicApi, agent_id: str) -> Overheard:
    """Call the agent and listen until it hangs up."""
    over = asyncio.Event()

    def told(message: LiveMessage) -> None:
        if isinstance(message.body, CallOver):
            over.set()

    call = await place_call(api, agent_id, lambda _: None)
    peer = CallerPeer(_Silence(), told)
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
    words = await asyncio.to_thread(lambda: Recogniser().transcribe(np.concatenate(heard)))
    return Overheard(call.call_id, words.lower().replace("-", ""))
