"""How long the agent was heard in its turn, and how much sound its voice has made of an answer.

What we use of the engine's private parts for it stands here: which speech a node works for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import numpy as np
from livekit import rtc
from livekit.agents import AgentSession, ConversationItemAddedEvent, llm
from livekit.agents.voice import SpeechHandle
from livekit.agents.voice.agent_activity import _SpeechHandleContextVar
from livekit.agents.voice.io import (
    AudioOutput,
    PlaybackFinishedEvent,
    PlaybackStartedEvent,
)

from pipelines.engine.channels.tts.word_end import quiet_places

_WORD_SECONDS = 0.5
"""In so much of speech a word ends."""


class TurnSound:
    """What was played since the caller's last words: before a tool was used, meanwhile and after.

    Args:
        clock: in seconds.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._finished_seconds = 0.0
        self._plays_since: float | None = None
        self._output: AudioOutput | None = None

    def follow(self, session: AgentSession[Any]) -> None:
        """Call it when the session has its audio output, before the agent speaks."""
        self._output = session.output.audio
        if self._output is not None:
            self._output.on("playback_started", self.started)
            self._output.on("playback_finished", self.finished)
        session.on("conversation_item_added", self.added)

    def leave(self, session: AgentSession[Any]) -> None:
        if self._output is not None:
            self._output.off("playback_started", self.started)
            self._output.off("playback_finished", self.finished)
        session.off("conversation_item_added", self.added)

    def started(self, _: PlaybackStartedEvent) -> None:
        self._plays_since = self._clock()

    def finished(self, event: PlaybackFinishedEvent) -> None:
        self._plays_since = None
        self._finished_seconds += event.playback_position

    def added(self, event: ConversationItemAddedEvent) -> None:
        if getattr(event.item, "role", None) == "user":
            self._finished_seconds = 0.0

    @property
    def seconds(self) -> float:
        """A pause of the sound that plays counts as sound, until that has finished."""
        return self._finished_seconds + self.playing_seconds

    @property
    def playing_seconds(self) -> float:
        """Of the sound that plays, in the same way."""
        return 0.0 if self._plays_since is None else self._clock() - self._plays_since

    def seconds_before(self, history: llm.ChatContext) -> float:
        """Of the turn that a request with this history continues. A request that is made early has
        the caller's words before they have begun a turn."""
        for item in reversed(history.items):
            if isinstance(item, llm.ChatMessage) and item.role in ("user", "assistant"):
                return self._finished_seconds if item.role == "assistant" else 0.0
        return 0.0


class AnswerSound:
    """Of one answer, as its voice makes it, utterance by utterance.

    Args:
        before_seconds: how long the agent was heard in this turn already.
        most_seconds: that are handed on of the answer.
    """

    def __init__(self, before_seconds: float, most_seconds: float) -> None:
        self._before_seconds = before_seconds
        self._most_seconds = most_seconds
        self.seconds = 0.0
        self.is_cut = False
        self._finished_utterances = 0
        self._changed = asyncio.Event()

    @property
    def turn_seconds(self) -> float:
        """How long the agent was heard in its turn when all of it was played."""
        return self._before_seconds + self.seconds

    def take(self, frame: rtc.AudioFrame) -> rtc.AudioFrame:
        """What of the voice's next frame (mono) is handed on. It is cut where it is quietest, if it
        is longer than what is left."""
        left_seconds = self._most_seconds - self.seconds
        if frame.duration > left_seconds:
            self.is_cut = True
            rate_hz = frame.sample_rate
            samples = np.frombuffer(frame.data, np.int16)[: round(left_seconds * rate_hz)]
            begin = max(0, samples.size - round(_WORD_SECONDS * rate_hz))
            place, *_ = quiet_places(samples, rate_hz, begin) or [samples.size]
            frame = rtc.AudioFrame(samples[:place].tobytes(), rate_hz, 1, place)
        self.seconds += frame.duration
        return frame

    def utterance_finished(self) -> None:
        self._finished_utterances += 1
        self._changed.set()

    async def utterances(self, count: int) -> None:
        """Wait until the voice has made all sound of the first ``count``."""
        while self._finished_utterances < count:
            self._changed.clear()
            await self._changed.wait()


def present_speech() -> SpeechHandle | None:
    """What the node that runs now is a part of."""
    return _SpeechHandleContextVar.get(None)
