"""A person with a phone: talks, presses keys, hangs up, and records what is heard."""

from __future__ import annotations

import asyncio
from bisect import bisect_left
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache

import numpy as np

from tests.stand_ins.carriers.sound import (
    FRAME_MS,
    PHONE_HZ,
    Samples,
    silence,
    spoken,
    tone,
)

LOUD = 300
"""Above the noise of µ-law."""


class Phone:
    """Times count from the moment that the media websocket carries sound, in its own 20 ms frames,
    so that a slow machine shifts nothing.

    Args:
        says: the first words, as soon as the line is open.
    """

    def __init__(self, *, says: str | None = None) -> None:
        self._microphone: deque[Samples | Future[Samples]] = deque()
        self.began_ms: list[int] = []
        """When each text that was said began to sound."""
        self._keys: deque[str] = deque()
        self._heard: list[Samples] = []
        self._loud_ms: list[int] = []
        """Noted frame by frame: who waits asks fifty times a second, about a whole call."""
        self._changed = asyncio.Event()
        self.hung_up = asyncio.Event()
        """By the person."""
        self.line_closed = asyncio.Event()
        """By anybody."""
        if says is not None:
            self.say(says)

    def say(self, text: str) -> None:
        """Speak, after what is being said already. The line goes on while the voice is made."""
        self._microphone.append(_voice().submit(spoken, text))

    def play(self, samples: Samples) -> None:
        self._microphone.append(samples)

    def pause(self, seconds: float) -> None:
        self.play(silence(seconds))

    def press(self, digits: str) -> None:
        self._keys.extend(digits)

    def hang_up(self) -> None:
        self.hung_up.set()

    @property
    def is_talking(self) -> bool:
        return bool(self._microphone)

    @property
    def heard(self) -> Samples:
        """From the beginning of the call."""
        return np.concatenate(self._heard) if self._heard else np.zeros(0, np.int16)

    @property
    def heard_ms(self) -> int:
        return len(self._heard) * FRAME_MS

    def loud_ms(self, since_ms: int = 0) -> list[int]:
        """When each frame began in which something could be heard."""
        first_frame = since_ms // FRAME_MS * FRAME_MS
        return self._loud_ms[bisect_left(self._loud_ms, first_frame) :]

    async def until(self, condition: Callable[[], bool], *, within_seconds: float = 30.0) -> None:
        """
        Raises:
            TimeoutError: it did not happen.
        """
        async with asyncio.timeout(within_seconds):
            while not condition():
                self._changed.clear()
                await self._changed.wait()

    async def until_heard(
        self, ms: int = 200, *, since_ms: int = 0, within_seconds: float = 30.0
    ) -> None:
        """Until so much sound has been heard since ``since_ms``."""
        await self.until(
            lambda: len(self.loud_ms(since_ms)) * FRAME_MS >= ms, within_seconds=within_seconds
        )

    async def until_quiet(self, ms: int = 700, *, within_seconds: float = 30.0) -> None:
        """Until nothing has been heard for so long."""
        await self.until(
            lambda: self.heard_ms >= ms and not self.loud_ms(self.heard_ms - ms),
            within_seconds=within_seconds,
        )

    async def until_said(self, *, within_seconds: float = 60.0) -> None:
        """Until all that was to be said has been said."""
        await self.until(lambda: not self.is_talking, within_seconds=within_seconds)

    def next_frame(self) -> Samples:
        """The next 20 ms of the microphone, for the carrier."""
        size = PHONE_HZ * FRAME_MS // 1000
        frame = np.zeros(size, np.int16)
        filled = 0
        while self._microphone and filled < size:
            piece = self._microphone.popleft()
            if isinstance(piece, Future):
                if not piece.done():
                    self._microphone.appendleft(piece)
                    break
                piece = piece.result()
                self.began_ms.append(self.heard_ms)
            taken = piece[: size - filled]
            frame[filled : filled + taken.size] = taken
            filled += taken.size
            if taken.size < piece.size:
                self._microphone.appendleft(piece[taken.size :])
        return frame

    def next_key(self) -> str | None:
        return self._keys.popleft() if self._keys else None

    def hear(self, frame: Samples) -> None:
        """What the carrier plays, 20 ms at a time."""
        if int(np.abs(frame.astype(np.int32)).max(initial=0)) > LOUD:
            self._loud_ms.append(self.heard_ms)
        self._heard.append(frame)
        self._changed.set()

    def close(self) -> None:
        self.line_closed.set()
        self._changed.set()


@cache
def _voice() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, "phone-voice")


def answering_machine(
    greeting: str = "Hello, nobody is at home. Please leave a message after the tone.",
    *,
    beep_hz: float = 1000.0,
) -> Phone:
    phone = Phone()
    phone.pause(0.4)
    phone.say(greeting)
    phone.pause(0.3)
    phone.play(tone(beep_hz, 0.4))
    return phone
