from __future__ import annotations

import asyncio

import numpy as np
from livekit import rtc
from livekit.agents import ConversationItemAddedEvent, llm
from livekit.agents.voice.io import PlaybackFinishedEvent, PlaybackStartedEvent

from pipelines.engine.turn_sound import AnswerSound, TurnSound

RATE_HZ = 1_000


class Clock:
    now = 50.0

    def __call__(self) -> float:
        return self.now


def played(turn: TurnSound, seconds: float) -> None:
    turn.started(PlaybackStartedEvent(created_at=0.0))
    turn.finished(PlaybackFinishedEvent(playback_position=seconds, interrupted=False))


def history(*roles: llm.ChatRole) -> llm.ChatContext:
    chat = llm.ChatContext.empty()
    for role in roles:
        chat.add_message(role=role, content="Words.")
    return chat


def said_by(role: llm.ChatRole) -> ConversationItemAddedEvent:
    return ConversationItemAddedEvent(item=history(role).messages()[0])


def frame(seconds: float) -> rtc.AudioFrame:
    samples = np.full(round(seconds * RATE_HZ), 5_000, np.int16)
    return rtc.AudioFrame(samples.tobytes(), RATE_HZ, 1, samples.size)


def test_counts_what_was_played_since_the_callers_last_words() -> None:
    clock = Clock()
    turn = TurnSound(clock)
    played(turn, 4.0)
    turn.added(said_by("user"))
    played(turn, 2.5)
    turn.added(said_by("assistant"))
    turn.started(PlaybackStartedEvent(created_at=0.0))
    clock.now += 1.5
    assert turn.seconds == 4.0
    turn.finished(PlaybackFinishedEvent(playback_position=1.0, interrupted=True))
    assert turn.seconds == 3.5


def test_a_request_that_is_made_before_the_turn_begins_continues_none() -> None:
    turn = TurnSound(Clock())
    played(turn, 4.0)
    assert turn.seconds_before(history("user", "assistant")) == 4.0
    assert turn.seconds_before(history("assistant", "user")) == 0.0
    assert turn.seconds_before(history("system")) == 0.0


def test_no_more_of_an_answer_is_handed_on_than_is_allowed() -> None:
    sound = AnswerSound(before_seconds=2.0, most_seconds=1.0)
    assert sound.take(frame(0.8)).duration == 0.8
    assert not sound.is_cut
    assert sound.take(frame(0.5)).duration <= 0.2
    assert sound.is_cut
    assert 2.8 <= sound.turn_seconds <= 3.0


async def test_waits_for_the_sound_of_as_many_utterances() -> None:
    sound = AnswerSound(0.0, 10.0)
    waiting = asyncio.create_task(sound.utterances(2))
    sound.utterance_finished()
    await asyncio.sleep(0)
    assert not waiting.done()
    sound.utterance_finished()
    await waiting
