"""A phone returns the agent's voice, 150 ms later and 15 dB quieter: does the engine hear a voice?

Real speech goes through the leg and the engine's voice detector, frame by frame and with no clock,
so a machine that stalls changes nothing.
"""

from __future__ import annotations

from uuid import uuid4

import numpy as np
from livekit import rtc
from livekit.agents import vad

from contracts.agent_config import Advanced
from contracts.phone_media import (
    FrameHeader,
    LegAddress,
    LegFormat,
    LegOpened,
    read_frame,
    write_frame,
)
from pipelines.engine.turn_handling import voice_activity
from runtime.media.audio.telephone_codec import decode_mulaw, encode_mulaw
from runtime.media.phones.phone_leg import PhoneLeg
from runtime.media.room import Samples
from tests.stand_ins.carriers.sound import resampled, silence, spoken

PHONE_HZ, ROOM_HZ = 8_000, 48_000
FRAME, ROOM_FRAME = 160, 960
DELAY_SAMPLES = 150 * PHONE_HZ // 1000
ECHO_GAIN = 10 ** (-15 / 20)
MULAW = LegFormat(encoding="mulaw", sample_hz=8_000)
AGENT = "Thank you for calling. Are you a new patient, or have you been to our clinic before?"
CALLER = "Sorry, one moment please. I have a completely different question about my bill."


class EchoingPhone:
    """A phone leg whose far end returns what it is sent, mixed with what its person says."""

    def __init__(self) -> None:
        opened = LegOpened(
            from_person=MULAW,
            to_person=MULAW,
            direction="inbound",
            carrier="twilio",
            from_number="+14155550142",
            to_number="+14155550100",
        )
        self._leg = PhoneLeg(LegAddress(uuid4(), uuid4(), uuid4()), opened, _answers)
        self._played = np.zeros(DELAY_SAMPLES, np.int16)
        """What the person hears, ``DELAY_SAMPLES`` before it comes back."""

    async def hear(self, agent: Samples, person: Samples) -> Samples:
        """What the room hears, at ``ROOM_HZ``. Both arguments are at ``PHONE_HZ``."""
        count = agent.size // FRAME
        said = resampled(agent, PHONE_HZ, ROOM_HZ)
        said = np.pad(said, (0, max(0, count * ROOM_FRAME - said.size)))
        person = np.pad(person, (0, max(0, agent.size - person.size)))
        heard = []
        for index in range(count):
            room_at, at = index * ROOM_FRAME, index * FRAME
            self._leg.write(said[room_at : room_at + ROOM_FRAME], room_at)
            message = await self._leg.line.next()
            assert isinstance(message, bytes)
            frame = read_frame(message, FRAME)
            assert frame is not None
            self._played = np.concatenate([self._played, decode_mulaw(frame[1])])
            mixed = ECHO_GAIN * self._played[at : at + FRAME] + person[at : at + FRAME]
            returned = encode_mulaw(np.clip(mixed, -32_768, 32_767).astype(np.int16))
            assert self._leg.frame_received(write_frame(FrameHeader(index, index * 20), returned))
            heard.append(self._leg.read())
        return np.concatenate(heard)


async def _answers() -> bool:
    return True


async def voices_in(sound: Samples) -> int:
    """How often the engine's detector, which interrupts the agent, hears a voice begin."""
    stream = voice_activity(Advanced()).stream()
    for at in range(0, sound.size - ROOM_FRAME + 1, ROOM_FRAME):
        frame = sound[at : at + ROOM_FRAME]
        stream.push_frame(rtc.AudioFrame(frame.tobytes(), ROOM_HZ, 1, ROOM_FRAME))
    stream.end_input()
    begun = [event async for event in stream if event.type is vad.VADEventType.START_OF_SPEECH]
    await stream.aclose()
    return len(begun)


async def test_a_phones_own_echo_is_no_voice() -> None:
    agent = np.concatenate([spoken(AGENT), spoken(AGENT), silence(1)])
    assert await voices_in(await EchoingPhone().hear(agent, silence(0))) == 0


async def test_the_same_echo_would_be_taken_for_a_voice() -> None:
    echo = (ECHO_GAIN * spoken(AGENT)).astype(np.int16)
    assert await voices_in(resampled(echo, PHONE_HZ, ROOM_HZ)) > 0


async def test_a_person_who_speaks_into_the_echo_is_a_voice() -> None:
    agent = np.concatenate([spoken(AGENT), spoken(AGENT), silence(1)])
    person = np.concatenate([silence(1.5), spoken(CALLER)])
    assert await voices_in(await EchoingPhone().hear(agent, person)) > 0
