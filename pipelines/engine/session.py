"""Builds the engine's session for one call plan, without audio input and output."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from livekit.agents import (
    NOT_GIVEN,
    AgentSession,
    NotGivenOr,
    UserInputTranscribedEvent,
    llm,
    stt,
)
from livekit.agents.voice import SpeechHandle
from livekit.agents.voice.transcription.filters import filter_emoji, filter_markdown

from contracts.call_plan import CallPlan
from pipelines.engine import early_speech
from pipelines.engine.barge_in import BargeIn
from pipelines.engine.call_actions import CallActions
from pipelines.engine.call_agent import CallAgent
from pipelines.engine.channels.llm.llm_of_plan import supervised_llm
from pipelines.engine.channels.stt.stt_of_plan import supervised_stt
from pipelines.engine.channels.tts.supervised_tts import SupervisedTTS
from pipelines.engine.channels.tts.tts_of_plan import supervised_tts
from pipelines.engine.endpointing import EndpointingDelays, default_delays, delays_after
from pipelines.engine.overlapping_speech import OverlappingSpeech
from pipelines.engine.pronunciation import PronunciationTable, as_text_transform
from pipelines.engine.shared_models import WarmModels
from pipelines.engine.spoken_text import in_pieces
from pipelines.engine.tools.call_tools import CallTools
from pipelines.engine.turn_handling import turn_handling, voice_activity
from pipelines.engine.usage_meter import UsageMeter
from pipelines.texts.prompt import opener
from pipelines.texts.utterance import utterances

TextTransform = Callable[[AsyncIterable[str]], AsyncIterable[str]]


@dataclass(frozen=True)
class CallSession:
    """The parts of one call's session.

    The caller of ``build_session`` sets ``session.input.audio`` and ``session.output.audio``,
    starts this, greets, and closes first the session, then this.
    """

    plan: CallPlan
    session: AgentSession[None]
    agent: CallAgent
    tools: CallTools
    transforms: Sequence[TextTransform]
    """Of each text, before the voice gets it."""
    stt: stt.STT[Any]
    llm: llm.LLM[Any]
    tts: SupervisedTTS
    usage: UsageMeter

    async def start(self) -> None:
        """Start ``session`` with ``agent``, and ask the agent's MCP servers for their tools beside
        it. The agent has those of each server once they are listed."""
        await self.session.start(self.agent, record=False)
        await self.tools.list_servers(self.agent.add_tools)

    async def greet(self) -> None:
        """Queue the agent's first sentence. An agent that waits for the caller says nothing.

        Returns before the last part of it was played.
        """
        sentence = opener(self.plan.agent, self.plan.variables, self.plan.locale)
        if sentence:
            await self.say(sentence)

    async def prepare(self, announcement: str | None = None) -> None:
        """Make the sound of what is said first while the caller connects: of ``announcement``, or
        else of the agent's first sentence. Call it when the session runs."""
        said = announcement or opener(self.plan.agent, self.plan.variables, self.plan.locale)
        first, *_ = utterances(said or "") or [""]
        if 0 < len(first) <= early_speech.MOST_CHARACTERS:
            self.agent.synthesise_early(await self._as_spoken(first))

    async def _as_spoken(self, text: str) -> str:
        async def whole() -> AsyncIterator[str]:
            yield text

        pieces: AsyncIterable[str] = whole()
        for transform in self.transforms:
            pieces = transform(pieces)
        return "".join([piece async for piece in pieces])

    async def say(self, text: str, *, interruptible: NotGivenOr[bool] = NOT_GIVEN) -> SpeechHandle:
        """Queue ``text`` as one utterance, or more if it is long. Of several, each begins when the
        one before it was played; an interruption ends them all.

        Returns the last utterance, without waiting for its end.
        """
        first, *others = utterances(text) or [""]
        speech = self.session.say(first, allow_interruptions=interruptible)
        for utterance in others:
            await speech.wait_for_playout()
            if speech.interrupted or speech.exception() is not None:
                break
            speech = self.session.say(utterance, allow_interruptions=interruptible)
        return speech

    async def aclose(self) -> None:
        """Close this call's models. Models that calls share stay loaded."""
        await self.agent.aclose()
        await self.tools.aclose()
        for model in (self.stt, self.llm, self.tts):
            await model.aclose()


def build_session(plan: CallPlan, models: WarmModels, actions: CallActions) -> CallSession:
    """Build the session of a call. Takes a few milliseconds; loads nothing.

    Raises ``ProviderUnavailable`` if the plan names a model that this process cannot run.
    """
    advanced = plan.agent.advanced

    recogniser = supervised_stt(plan, models, actions)
    language_model = supervised_llm(plan, models, actions)
    voice = supervised_tts(plan, models, actions)
    barge_in = BargeIn()
    pronunciations = PronunciationTable(advanced.pronunciations)
    transforms: list[TextTransform] = [in_pieces, filter_markdown, filter_emoji]
    if pronunciations:
        transforms += [as_text_transform(pronunciations), in_pieces]
    session: AgentSession[None] = AgentSession(
        stt=recogniser,
        llm=language_model,
        tts=voice,
        vad=voice_activity(advanced).for_turn_taking(barge_in),
        turn_handling=turn_handling(plan.agent, models.local.end_of_turn),
        tts_text_transforms=transforms,
        # Phones and browsers cancel their own echo, so callers may interrupt from the first word.
        aec_warmup_duration=None,
        # The runtime handles silence: it nudges and hangs up according to the plan's limits.
        user_away_timeout=None,
        session_close_transcript_timeout=0.1,
    )
    _adapt_endpointing(session, plan)
    _bound_recorded_events(session)
    usage = UsageMeter()
    usage.follow(recogniser, language_model, voice)
    tools = CallTools(plan, models.settings, actions)
    return CallSession(
        plan=plan,
        session=session,
        agent=CallAgent(plan, actions, tools.of_engine(), OverlappingSpeech(session, barge_in)),
        tools=tools,
        transforms=transforms,
        stt=recogniser,
        llm=language_model,
        tts=voice,
        usage=usage,
    )


def _adapt_endpointing(session: AgentSession[None], plan: CallPlan) -> None:
    """Let the caller's words decide how long the engine waits for more."""
    advanced = plan.agent.advanced
    current = default_delays(advanced)

    def on_transcript(event: UserInputTranscribedEvent) -> None:
        nonlocal current
        delays: EndpointingDelays = delays_after(event.transcript, advanced, plan.locale)
        if delays != current:
            current = delays
            session.update_options(
                endpointing_opts={
                    "min_delay": delays.min_seconds,
                    "max_delay": delays.max_seconds,
                }
            )

    session.on("user_input_transcribed", on_transcript)


def _bound_recorded_events(session: AgentSession[None]) -> None:
    """The engine keeps every event for a report that we do not use: a leak in long calls."""
    session.on("conversation_item_added", lambda _: session._recorded_events.clear())
