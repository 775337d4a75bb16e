"""What a phone in a real room hears if no conversation can be built: the waveform, in virtual
time."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

from contracts.end_reasons import EndReason
from contracts.events import CallEnded
from pipelines.engine.call_actions import CallActions
from pipelines.engine.channels.tts.recorded_words import RecordedWords
from runtime.call.call import Call
from runtime.call.end_cause import ProvidersFailed, SessionNotBuilt
from runtime.conversation.conversation import CallRecord, Conversation
from runtime.media.local_room import LocalRoom
from runtime.media.room import ENGINE_OUTPUT_HZ, Room, Samples
from tests.runtime import virtual_time
from tests.runtime.fakes import CALLER, EventList, FakePhrases, phone_plan
from tests.runtime.media.loopback_peer import tone, tone_level
from tests.runtime.media.phones.virtual_phone import MULAW, RoomTime, VirtualPhone

WORDS_HZ, TONE_HZ = 1_000, 425
"""Of what stands for the recorded words, and of the tone where there are none."""
WORDS_SECONDS = 2.0
NOT_MUCH_LONGER_SECONDS = 1.5


def call_that_cannot_be_built(
    failure: Exception, words: RecordedWords, *, hangs_up_after_seconds: float = 1_000.0
) -> tuple[Samples, CallEnded, float]:
    """What a phone hears that was there before the room was, how the call ended, and how many
    seconds it took."""

    async def main() -> tuple[Samples, CallEnded, float]:
        journal, phone = EventList(), VirtualPhone(CALLER)

        def open_conversation(
            plan: object, room: Room, actions: CallActions, record: CallRecord
        ) -> Conversation:
            raise failure

        async def acknowledge() -> None:
            await asyncio.sleep(0.05)

        loop = asyncio.get_running_loop()
        call = Call(
            phone_plan(),
            journal,
            open_room=lambda: asyncio.sleep(0.05, LocalRoom("test", clock=RoomTime())),
            open_conversation=open_conversation,
            phrases=FakePhrases(),
            recorded_apology=lambda locale: np.frombuffer(words.frame(locale).data, np.int16),
            clock=loop.time,
            wall_clock=loop.time,
        )

        async def hang_up() -> None:
            await asyncio.sleep(hangs_up_after_seconds)
            await call.remove_leg(CALLER)

        async with asyncio.TaskGroup() as group:
            hearing = group.create_task(phone.hear())
            leaving = group.create_task(hang_up())
            group.create_task(call.add_phone(phone.leg))
            await call.run(acknowledge)
            seconds = loop.time()
            leaving.cancel()
        return await hearing, journal.bodies[-1], seconds

    return virtual_time.run(main())


def recorded() -> RecordedWords:
    words = tone(WORDS_HZ, ENGINE_OUTPUT_HZ, WORDS_SECONDS)
    return RecordedWords(ENGINE_OUTPUT_HZ, {"en": words})


@pytest.mark.parametrize(
    ("failure", "reason"),
    [
        (ProvidersFailed("no voice runs here"), EndReason.NO_PROVIDER_CONNECTED),
        (SessionNotBuilt("no such tool"), EndReason.SESSION_INIT_FAILED),
        (KeyError("bug"), EndReason.SESSION_ERROR),
    ],
    ids=["providers", "session", "bug"],
)
def test_a_caller_whose_conversation_cannot_be_built_hears_the_recorded_words_to_their_end(
    failure: Exception, reason: EndReason
) -> None:
    heard, ended, _ = call_that_cannot_be_built(failure, recorded())
    loud = np.flatnonzero(np.abs(heard) > 3_000)
    words = heard[loud[0] : loud[-1] + 1]
    assert words.size / MULAW.sample_hz == pytest.approx(WORDS_SECONDS, abs=0.02)
    assert tone_level(words, WORDS_HZ, MULAW.sample_hz) == pytest.approx(6_000, rel=0.05)
    assert ended.end_reason is reason
    assert str(failure) in (ended.detail or "")


def test_without_recorded_words_the_caller_hears_the_tone() -> None:
    heard, _, _ = call_that_cannot_be_built(
        ProvidersFailed("no voice runs here"), RecordedWords(ENGINE_OUTPUT_HZ, {})
    )
    loud = heard[np.abs(heard) > 1_000]
    assert loud.size
    beep = heard[np.flatnonzero(np.abs(heard) > 1_000)[0] :][: MULAW.sample_hz // 5]
    assert tone_level(beep, TONE_HZ, MULAW.sample_hz) > 3_000


def test_the_call_is_over_when_the_recorded_words_are() -> None:
    _, ended, seconds = call_that_cannot_be_built(ProvidersFailed("gone"), recorded())
    assert seconds < WORDS_SECONDS + NOT_MUCH_LONGER_SECONDS
    assert ended.connected_ms == pytest.approx(WORDS_SECONDS * 1000, abs=500)


def test_a_caller_who_hangs_up_need_not_hear_the_rest() -> None:
    heard, ended, seconds = call_that_cannot_be_built(
        ProvidersFailed("gone"), recorded(), hangs_up_after_seconds=1.0
    )
    assert heard.size / MULAW.sample_hz < 1.0
    assert seconds < 1.0 + NOT_MUCH_LONGER_SECONDS
    assert ended.end_reason is EndReason.NO_PROVIDER_CONNECTED
