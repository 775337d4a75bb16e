"""A phone leg in virtual time, and the person at its other end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from uuid import UUID, uuid4

import numpy as np

from contracts.phone_media import (
    FRAME_MS,
    FrameHeader,
    LegAddress,
    LegFormat,
    LegOpened,
    read_frame,
    write_frame,
)
from runtime.media.audio.telephone_codec import decode_mulaw, encode_mulaw
from runtime.media.phones.phone_leg import PhoneLeg
from runtime.media.room import Samples

MULAW = LegFormat(encoding="mulaw", sample_hz=8_000)
FRAME_SAMPLES = MULAW.sample_hz * FRAME_MS // 1000
_SILENCE = encode_mulaw(np.zeros(FRAME_SAMPLES, np.int16))


class RoomTime:
    """The running loop's time, as a room's clock."""

    def now(self) -> float:
        return asyncio.get_running_loop().time()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


def _nobody_notes(_: float) -> None:
    return


class VirtualPhone:
    """It calls us.

    Args:
        on_sent: is told when each frame has come to the worker.
    """

    def __init__(
        self, participant_id: UUID, on_sent: Callable[[float], None] = _nobody_notes
    ) -> None:
        opened = LegOpened(
            from_person=MULAW,
            to_person=MULAW,
            direction="inbound",
            carrier="twilio",
            from_number="+14155550142",
            to_number="+14155550100",
        )
        address = LegAddress(uuid4(), participant_id, uuid4())
        self.leg = PhoneLeg(address, opened, self._answers_ping, RoomTime())
        self.has_network = True
        self.sends_sound = True
        self._on_sent = on_sent
        self._sequence = 0

    async def send(self) -> None:
        """A frame every ``FRAME_MS``, endlessly."""
        while True:
            if self.has_network and self.sends_sound:
                header = FrameHeader(self._sequence, self._sequence * FRAME_MS)
                assert self.leg.frame_received(write_frame(header, _SILENCE))
                self._on_sent(RoomTime().now())
            self._sequence += 1
            await asyncio.sleep(FRAME_MS / 1000)

    async def hear(self) -> Samples:
        """All that its person hears until the line is closed."""
        frames = []
        while (message := await self.leg.line.next()) is not None:
            if isinstance(message, bytes):
                frame = read_frame(message, FRAME_SAMPLES)
                assert frame is not None
                frames.append(decode_mulaw(frame[1]))
        return np.concatenate(frames)

    async def _answers_ping(self) -> bool:
        return self.has_network
