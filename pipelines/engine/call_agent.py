"""The agent of one call for the engine: its prompt, its tools, and its rules for speech."""

from __future__ import annotations

import asyncio
import time
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Awaitable,
    Callable,
    Sequence,
)
from contextlib import aclosing
from dataclasses import replace
from datetime import datetime
from itertools import chain
from typing import Any
from weakref import WeakKeyDictionary

from livekit import rtc
from livekit.agents import Agent, FlushSentinel, ModelSettings, StopResponse, llm, stt
from livekit.agents.types import TimedString
from livekit.agents.voice import SpeechHandle

from contracts.call_plan import CallPlan
from pipelines.engine.call_actions import CallActions
from pipelines.engine.early_speech import EarlySpeech
from pipelines.engine.false_start import without_false_starts
from pipelines.engine.hearing import HearingRules
from pipelines.engine.knowledge.lookup import Lookup, last_words, with_passages
from pipelines.engine.overlapping_speech import OverlappingSpeech
from pipelines.engine.realtime_speech import RealtimeSpeech
from pipelines.engine.speaking_limit import SpeakingLimit
from pipelines.engine.speaking_pace import SpeakingPace
from pipelines.engine.spoken_text import in_pieces
from pipelines.engine.turn_sound import AnswerSound, TurnSound, present_speech
from pipelines.texts.claims.check import ClaimCheck
from pipelines.texts.claims.prohibited import ProhibitedClaims
from pipelines.texts.claims.watch import ClaimWatch
from pipelines.texts.moment import with_moment
from pipelines.texts.phrases import no_promise
from pipelines.texts.pronunciation_section import pronunciation_section
from pipelines.texts.spoken_tables import SpokenTables
from pipelines.texts.templates.template import fill_template
from pipelines.texts.utterance import MOST_CHARACTERS, PartLength, TextPieces

_LOOK_SECONDS = 0.05
_UNHEARD_SECONDS = 0.15
"""At the end of a realtime model's turn that is long enough."""


class CallAgent(Agent):
    """
    Args:
        stt, llm, tts, turn_handling: in place of the session's own.
        on_arrival: called when it takes over from another agent.
        now: what the prompt tells as the time, in the zone of the business. Default: the clock and
            the zone of this machine (``TZ``).
        knowledge: what is looked up for each turn; ``None``: nothing.
        heard_before: what the caller has said when it begins to listen.
    """

    def __init__(
        self,
        plan: CallPlan,
        actions: CallActions,
        tools: Sequence[llm.Tool | llm.Toolset],
        overlapping: OverlappingSpeech,
        *,
        on_arrival: Callable[[CallAgent], Awaitable[None]] | None = None,
        now: datetime | None = None,
        heard_before: Callable[[], Sequence[rtc.AudioFrame]] = tuple,
        knowledge: Lookup | None = None,
        **in_place_of_the_sessions: Any,
    ) -> None:
        speaks_itself = isinstance(in_place_of_the_sessions.get("llm"), llm.RealtimeModel)
        super().__init__(
            id=str(plan.agent_id),
            instructions=_instructions(plan, now or datetime.now().astimezone(), speaks_itself),
            tools=list(tools),
            **in_place_of_the_sessions,
        )
        self._speaks_itself = speaks_itself
        self._on_arrival = on_arrival
        self._heard_before = heard_before
        self._knowledge = knowledge
        self._actions = actions
        self._overlapping = overlapping
        self._hearing = HearingRules.of(plan.agent.advanced)
        self._max_turn_seconds = plan.agent.advanced.max_turn_length_seconds
        self._pace = SpeakingPace(plan.locale)
        self._turn = TurnSound(time.monotonic)
        self._answers: WeakKeyDictionary[SpeechHandle, AnswerSound] = WeakKeyDictionary()
        self._realtime: WeakKeyDictionary[SpeechHandle, RealtimeSpeech] = WeakKeyDictionary()
        prohibited = fill_template(plan.agent.advanced.prohibited_claims or "", plan.variables)
        self._prohibited = ProhibitedClaims(prohibited)
        self._no_promise = no_promise(plan.locale)
        self._early: EarlySpeech | None = None

    def synthesise_early(self, text: str) -> None:
        """Make the sound of ``text``, which will be said soon. Call it when the session runs.

        Args:
            text: with all transforms of the session applied.
        """
        self._early = EarlySpeech(
            text, lambda pieces: Agent.default.tts_node(self, pieces, ModelSettings())
        )

    async def add_tools(self, tools: Sequence[llm.Tool]) -> None:
        """Give the model more tools. An answer that it has begun goes on without them."""
        history = self.chat_ctx.copy()
        await self.update_tools([*self.tools, *tools])
        if not self._speaks_itself:
            # The engine has dropped what the tools of other agents returned.
            await self.update_chat_ctx(history, exclude_invalid_function_calls=False)

    async def on_enter(self) -> None:
        self._turn.follow(self.session)
        if self._on_arrival is not None:
            await self._on_arrival(self)

    async def on_exit(self) -> None:
        self._turn.leave(self.session)

    async def aclose(self) -> None:
        if self._early is not None:
            await self._early.aclose()

    async def stt_node(
        self, audio: AsyncIterable[rtc.AudioFrame], model_settings: ModelSettings
    ) -> AsyncGenerator[stt.SpeechEvent, None]:
        async for event in Agent.default.stt_node(self, self._sound(audio), model_settings):
            heard = self._heard(event)
            if heard is not None:
                yield heard

    async def on_user_turn_completed(
        self, turn_ctx: llm.ChatContext, new_message: llm.ChatMessage
    ) -> None:
        """What was heard before the agent stopped listening is kept, but not answered: it was a
        machine's greeting, or the last words of a caller who is put on hold."""
        if self.session.input.audio_enabled:
            return
        if self._speaks_itself:
            # The model has the turn by now.
            self.realtime_llm_session.clear_audio()
        elif new_message.text_content:
            # As the engine does with a turn that nobody is to answer.
            self._chat_ctx.items.append(new_message)
            self.session._conversation_item_added(new_message)
        raise StopResponse

    async def llm_node(
        self,
        chat_ctx: llm.ChatContext,
        tools: list[llm.Tool],
        model_settings: ModelSettings,
    ) -> AsyncGenerator[llm.ChatChunk | str | FlushSentinel, None]:
        """What the model writes, as far as it may be said, with the marks that end utterances.

        Waits for the sound of what it has written where the turn may soon be long enough.
        """
        if not self.session.input.audio_enabled:
            # The results of tools that were at work then are known later.
            return
        history = without_false_starts(chat_ctx, self._pace.characters_per_second)
        if self._knowledge is not None:
            found = await self._knowledge.find(last_words(history))
            history = with_passages(history, found)
        check = ClaimCheck(self._prohibited, self._no_promise, self._claim_replaced)
        before_seconds = self._turn.seconds_before(chat_ctx)
        limit = SpeakingLimit(self._max_turn_seconds, self._pace, before_seconds)
        answer = _Answer(limit, check, self._expect(before_seconds, limit.most_seconds))
        async for chunk in Agent.default.llm_node(self, history, tools, model_settings):
            if isinstance(chunk, str):
                async for part in answer.take(chunk):
                    yield part
            elif isinstance(chunk, llm.ChatChunk) and chunk.delta and chunk.delta.content:
                async for part in answer.take(chunk.delta.content):
                    yield part
                # Tool calls and usage still pass after the limit.
                delta = chunk.delta.model_copy(update={"content": None})
                yield chunk.model_copy(update={"delta": delta})
            else:
                yield chunk
        async for part in answer.rest():
            yield part

    async def tts_node(
        self, text: AsyncIterable[str], model_settings: ModelSettings
    ) -> AsyncGenerator[rtc.AudioFrame, None]:
        characters = 0

        async def counted(pieces: AsyncIterable[str]) -> AsyncIterator[str]:
            nonlocal characters
            async for piece in pieces:
                characters += len(piece)
                yield piece

        seconds = 0.0
        speech = present_speech()
        sound = None if speech is None else self._answers.get(speech)
        async with aclosing(self._voiced(counted(text), model_settings)) as frames:
            async for frame in frames:
                seconds += frame.duration
                yield frame if sound is None else sound.take(frame)
                if sound is not None and sound.is_cut:
                    break
        if speech is not None and sound is not None:
            if sound.is_cut:
                await self._end_turn(speech, sound.turn_seconds)
                return
            sound.utterance_finished()
        self._pace.spoke(characters, seconds)

    def realtime_audio_output_node(
        self, audio: AsyncIterable[rtc.AudioFrame], model_settings: ModelSettings
    ) -> AsyncGenerator[rtc.AudioFrame, None]:
        """What a realtime model says, as far as it may be heard."""
        # Called before the text of the same message is read.
        speech = present_speech()
        if speech is not None:
            self._realtime.setdefault(speech, RealtimeSpeech(self._max_turn_seconds))
        return self._heard_of(speech, audio)

    async def _heard_of(
        self, speech: SpeechHandle | None, audio: AsyncIterable[rtc.AudioFrame]
    ) -> AsyncGenerator[rtc.AudioFrame, None]:
        sound = None if speech is None else self._realtime.get(speech)
        seconds = 0.0
        async for frame in audio:
            passed = frame if sound is None else sound.take(frame)
            seconds += passed.duration
            yield passed
            if sound is not None and sound.is_over:
                break
        if speech is not None and sound is not None and sound.is_over:
            await self._end_message(speech, seconds)

    def _expect(self, before_seconds: float, most_seconds: float) -> AnswerSound | None:
        """The sound of the answer that begins; ``None`` if nobody is to hear it."""
        speech = present_speech()
        if speech is None or self.session.output.audio is None:
            return None
        sound = self._answers[speech] = AnswerSound(before_seconds, most_seconds)
        return sound

    async def _end_turn(self, speech: SpeechHandle, after_seconds: float) -> None:
        """Interrupt the agent when it was heard for so long in this turn. Thus what follows of the
        text gets neither into the transcript nor into the history."""
        # The sound may be made before the speech begins, and a pause may hold it: nobody tells.
        await self._interrupt_when(speech, lambda: self._turn.seconds >= after_seconds)

    async def _end_message(self, speech: SpeechHandle, after_seconds: float) -> None:
        """The same for a message of a realtime model. The caller's words, which begin a turn, may
        become known while it is spoken. Of sound that was played to its end, the engine takes all
        of the text for heard."""
        almost_seconds = after_seconds - _UNHEARD_SECONDS
        await self._interrupt_when(speech, lambda: self._turn.playing_seconds >= almost_seconds)

    async def _interrupt_when(self, speech: SpeechHandle, is_heard: Callable[[], bool]) -> None:
        is_over = False
        while not is_over:
            await asyncio.sleep(_LOOK_SECONDS)
            is_over = self.session.current_speech is speech and is_heard()
        speech.interrupt(force=True)

    async def _voiced(
        self, text: AsyncIterable[str], model_settings: ModelSettings
    ) -> AsyncGenerator[rtc.AudioFrame, None]:
        has_sound = False
        if (early := self._early) is not None:
            is_same, text = await early.matches(aiter(text))
            if is_same:
                self._early = None
                async for frame in early.frames():
                    has_sound = True
                    yield frame
        if not has_sound:
            async for frame in Agent.default.tts_node(self, text, model_settings):
                yield frame

    async def transcription_node(
        self, text: AsyncIterable[str | TimedString], model_settings: ModelSettings
    ) -> AsyncGenerator[str | TimedString, None]:
        speech = present_speech()
        if speech is not None and speech in self._realtime:
            text = self._read_along(speech, text)
        async for piece in in_pieces(text):
            yield piece

    async def _read_along(
        self, speech: SpeechHandle, text: AsyncIterable[str]
    ) -> AsyncIterator[str]:
        """Ends with a prohibited claim, and the agent's speech with it."""
        watch = ClaimWatch(self._prohibited)
        async for piece in text:
            yield piece
            if (claim := watch.take(piece)) is not None:
                self._cut_off(speech, claim)
                return
        if (claim := watch.rest()) is not None:
            self._cut_off(speech, claim)

    def _cut_off(self, speech: SpeechHandle, claim: str) -> None:
        self._actions.log(
            "warning",
            f'The agent was cut off at "{claim}", which advanced.prohibitedClaims forbids.',
        )
        speech.interrupt(force=True)
        self.session.say(self._no_promise)

    async def _sound(self, audio: AsyncIterable[rtc.AudioFrame]) -> AsyncIterator[rtc.AudioFrame]:
        for frame in self._heard_before():
            yield frame
            # The recogniser is opened meanwhile.
            await asyncio.sleep(0)
        async for frame in audio:
            yield frame

    def _claim_replaced(self, claim: str) -> None:
        self._actions.log(
            "warning",
            f'A sentence was not said: it has "{claim}", which advanced.prohibitedClaims forbids.',
        )

    def _heard(self, event: stt.SpeechEvent) -> stt.SpeechEvent | None:
        if not event.alternatives:
            return event
        best = event.alternatives[0]
        text = self._hearing.hear(best.text[:MOST_CHARACTERS], best.confidence)
        if text is None or not self._overlapping.is_heard(text):
            return None
        return replace(event, alternatives=[replace(best, text=text), *event.alternatives[1:]])


def _instructions(plan: CallPlan, now: datetime, speaks_itself: bool) -> str:
    """The prompt and, unless the tenant writes all of it, what time it is.

    Args:
        speaks_itself: whether there is no voice whose text could be rewritten.
    """
    prompt = plan.compiled_prompt
    if speaks_itself:
        pronunciations = pronunciation_section(plan.agent.advanced.pronunciations)
        prompt = f"{prompt}\n\n{pronunciations}".strip()
    return with_moment(prompt, plan.agent.advanced.prompt_mode, now)


class _Answer:
    """One answer of a model, in pieces and utterances."""

    def __init__(self, limit: SpeakingLimit, check: ClaimCheck, sound: AnswerSound | None) -> None:
        self._check = check
        self._limit = limit
        self._sound = sound
        self._tables = SpokenTables()
        self._pieces = TextPieces()
        self._utterance = PartLength(MOST_CHARACTERS)
        self._utterances = 0

    async def take(self, text: str) -> AsyncIterator[str | FlushSentinel]:
        for checked in self._check.take(self._tables.take(text)):
            for piece in self._pieces.take(checked):
                async for part in self._said(piece):
                    yield part

    async def rest(self) -> AsyncIterator[str | FlushSentinel]:
        for checked in chain(self._check.take(self._tables.rest()), self._check.rest()):
            for piece in self._pieces.take(checked):
                async for part in self._said(piece):
                    yield part
        async for part in self._said(self._pieces.rest()):
            yield part

    async def _said(self, piece: str) -> AsyncIterator[str | FlushSentinel]:
        said = self._limit.take(piece)
        if not said:
            return
        yield said
        if not (self._utterance.ends_with(said) or self._limit.asks_for_sound):
            return
        self._utterances += 1
        yield FlushSentinel()
        if self._limit.asks_for_sound and self._sound is not None:
            await self._sound.utterances(self._utterances)
            self._limit.sounded(self._sound.seconds)
