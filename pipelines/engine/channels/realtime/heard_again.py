"""Gives a turn that a realtime model has left without words to the recognisers of the pipeline."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import structlog
from livekit import rtc
from livekit.agents import stt

log = structlog.get_logger(__name__)

HEARD_SECONDS = 3.0
"""For which a turn's words are waited for."""
_SILENCE_SECONDS = 0.3
"""After the turn: some recognisers take the end of the sound for the middle of a word."""


async def heard_again(recogniser: stt.STT[Any], turn: Sequence[rtc.AudioFrame]) -> str:
    """The words of ``turn``; empty if none were understood in time.

    Args:
        turn: at least one frame.
    """
    words: list[str] = []
    async with recogniser.stream() as stream:
        for frame in (*turn, _silence_like(turn[-1])):
            stream.push_frame(frame)
            # Its recogniser is opened meanwhile. It hears only what comes from then on.
            await asyncio.sleep(0)
        stream.end_input()
        try:
            async with asyncio.timeout(HEARD_SECONDS):
                async for event in stream:
                    if event.type is stt.SpeechEventType.FINAL_TRANSCRIPT and event.alternatives:
                        words.append(event.alternatives[0].text.strip())
        except TimeoutError:
            log.warning("realtime.turn_not_understood_in_time")
    return " ".join(each for each in words if each)


def _silence_like(frame: rtc.AudioFrame) -> rtc.AudioFrame:
    samples = round(frame.sample_rate * _SILENCE_SECONDS)
    return rtc.AudioFrame.create(frame.sample_rate, frame.num_channels, samples)
