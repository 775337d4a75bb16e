"""Builds the engine's session for one call plan, without audio input and output."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator
from dataclasses import dataclass

from livekit.agents import (
    NOT_GIVEN,
    AgentSession,
    NotGivenOr,
    UserInputTranscribedEvent,
    llm,
)
from livekit.agents.voice import SpeechHandle

from contracts.call_plan import CallPlan
from pipelines.engine import early_speech
from pipelines.engine.call_actions import CallActions
from pipelines.engine.call_agent import CallAgent
from pipelines.engine.call_agents import CallAgents
from pipelines.engine.channels.tts.supervised_tts import SupervisedTTS
from pipelines.engine.endpointing import default_delays, delays_after
from pipelines.engine.shared_models import WarmModels
from pipelines.engine.turn_handling import turn_handling
from pipelines.texts.keypad import words_of_keys
from pipelines.texts.prompt import opener
from pipelines.texts.utterance import utterances

_LATE_RESULTS = """\
New results arrived from tools that ran in the background (call_ids: {call_ids}).
Tell the user in one or two short sentences what they do not know of them yet.
If they know everything, ask what else you can do for them.
Never repeat what you have already told them."""
"""livekit's own text asks for an empty answer if all is known. Here that is a model's failure: the
next one is asked, and says it again."""


@dataclass(frozen=True)
class CallSession:
    """The parts of one call's session.

    The caller of ``build_session`` sets ``session.input.audio`` and ``session.output.audio``,
    starts this, greets, and closes first the session, then this.
    """

    plan: CallPlan
    session: AgentSession[None]
    agents: CallAgents

    @property
    def agent(self) -> CallAgent:
        """The agent that talks now."""
        return self.agents.agent

    @property
    def tts(self) -> SupervisedTTS:
        """The voice of the agent that talks now."""
        return self.agents.present.tts

    async def start(self) -> None:
        """Start ``session`` with ``agent``, and ask the agent's MCP servers for their tools beside
        it. The agent has those of each server once they are listed."""
        await self.session.start(self.agent, record=False)
        self.agents.started()
        await self.agents.present.tools.list_servers(self.agent.add_tools)

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
        for transform in self.agents.present.transforms:
            pieces = transform(pieces)
        return "".join([piece async for piece in pieces])

    async def say(self, text: str, *, interruptible: NotGivenOr[bool] = NOT_GIVEN) -> SpeechHandle:
        """Queue ``text`` as one utterance, or more if it is long. Of several, each begins when the
        one before it was played; an interruption ends them all.

        Returns the last utterance, without waiting for its end. While one agent takes over from
        another, it waits for that.
        """
        await self.agents.settled()
        return await self._said(text, interruptible)

    async def say_before_handoff(self, text: str) -> bool:
        """Speak ``text`` with the voice of the agent that hands over; callers cannot interrupt it.
        Returns whether it was played to its end."""
        speech = await self._said(text, False)
        await speech.wait_for_playout()
        return not speech.interrupted

    async def keys_pressed(self, digits: str) -> None:
        """Answer what the caller has entered on the keypad, as if it had been said."""
        await self.agents.settled()
        speech = self.session.current_speech
        if speech is not None and speech.allow_interruptions:
            await self.session.interrupt()
        self.session.generate_reply(user_input=words_of_keys(digits), input_modality="audio")

    async def _said(self, text: str, interruptible: NotGivenOr[bool]) -> SpeechHandle:
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
        await self.agents.aclose()


def build_session(plan: CallPlan, models: WarmModels, actions: CallActions) -> CallSession:
    """Build the session of a call. Takes a few milliseconds; loads nothing.

    Raises ``ProviderUnavailable`` if the plan names a model that this process cannot run.
    """
    agents = CallAgents(plan, models, actions)
    first = agents.present

    def as_the_agent_speaks(text: AsyncIterable[str]) -> AsyncIterable[str]:
        for transform in agents.present.transforms:
            text = transform(text)
        return text

    session: AgentSession[None] = AgentSession(
        stt=first.stt,
        llm=first.llm,
        tts=first.tts,
        vad=agents.voice_activity(plan),
        turn_handling=turn_handling(plan.agent, models.local.end_of_turn),
        tts_text_transforms=[as_the_agent_speaks],
        # Phones and browsers cancel their own echo, so callers may interrupt from the first word.
        aec_warmup_duration=None,
        # The runtime handles silence: it nudges and hangs up according to the plan's limits.
        user_away_timeout=None,
        session_close_transcript_timeout=0.1,
        tool_handling={"async_options": {"reply_maybe_covered_template": _LATE_RESULTS}},
    )
    agents.overlapping.follow(session)
    _adapt_endpointing(session, agents)
    _bound_recorded_events(session)
    call = CallSession(plan=plan, session=session, agents=agents)
    agents.speak_with(call.say_before_handoff)
    session.on("function_tools_executed", agents.tools_executed)
    return call


def _adapt_endpointing(session: AgentSession[None], agents: CallAgents) -> None:
    """Let the caller's words decide how long the engine waits for more."""
    first = agents.present.plan
    current = (first.agent_id, default_delays(first.agent.advanced))

    def on_transcript(event: UserInputTranscribedEvent) -> None:
        nonlocal current
        plan = agents.present.plan
        delays = delays_after(
            event.transcript, plan.agent.advanced, plan.locale, asked=_last_said(session)
        )
        if (plan.agent_id, delays) != current:
            current = (plan.agent_id, delays)
            session.update_options(
                endpointing_opts={
                    "min_delay": delays.min_seconds,
                    "max_delay": delays.max_seconds,
                }
            )

    session.on("user_input_transcribed", on_transcript)


def _last_said(session: AgentSession[None]) -> str:
    """By the agent."""
    for item in reversed(session.history.items):
        if isinstance(item, llm.ChatMessage) and item.role == "assistant":
            return item.text_content or ""
    return ""


def _bound_recorded_events(session: AgentSession[None]) -> None:
    """The engine keeps every event for a report that we do not use: a leak in long calls."""
    session.on("conversation_item_added", lambda _: session._recorded_events.clear())
