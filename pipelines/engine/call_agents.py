"""The agents of one call: which of them talks, and how another one takes over."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import Any
from uuid import UUID

from livekit.agents import NOT_GIVEN, Agent, AgentSession, FunctionToolsExecutedEvent, llm

from contracts.call_plan import CallPlan
from contracts.tool_bindings import Handoff
from pipelines.engine.agent_parts import AgentParts, agent_parts
from pipelines.engine.barge_in import BargeIn
from pipelines.engine.call_actions import CallActions
from pipelines.engine.call_agent import CallAgent
from pipelines.engine.channels.closable import close_all
from pipelines.engine.channels.llm.given_answer import GO_ON
from pipelines.engine.channels.realtime.realtime_of_plan import pipeline_name
from pipelines.engine.channels.realtime.supervised_session import Unfinished
from pipelines.engine.channels.reports import ChannelSwitch
from pipelines.engine.overlapping_speech import OverlappingSpeech
from pipelines.engine.providers.spec import ProviderUnavailable
from pipelines.engine.shared_models import WarmModels
from pipelines.engine.tools.late_tools import LateTools
from pipelines.engine.turn_handling import turn_handling, voice_activity
from pipelines.engine.usage_meter import UsageMeter
from pipelines.engine.voice_activity import VoiceActivity
from pipelines.texts.phrases import say_again
from pipelines.texts.templates.template import fill_template

TAKEOVER_SECONDS = 35.0
"""For which one agent takes over from another at most. It is a moment, unless something hangs."""
LISTING_SECONDS = 1.0
"""For which a caller waits for the tools of an agent that takes over. Without them its first answer
would be that it can do nothing."""
_GO_ON = (
    "You have just taken over this conversation from another agent. Go on with it: answer what the "
    "caller said last."
)
"""For the first answer only. Some models refuse a request that ends with an agent's words, and
others go on with these."""

Say = Callable[[str], Awaitable[bool]]
"""Speaks a text, and returns whether it was played to its end."""


class CallAgents:
    """Close it after the session.

    An agent's parts are built when it first talks, and kept until the call is over: it may come
    back.

    Raises:
        ProviderUnavailable: the plan names a model that this process cannot run.
    """

    def __init__(self, plan: CallPlan, models: WarmModels, actions: CallActions) -> None:
        self._plan = plan
        self._models = models
        self._actions = actions
        self._built: dict[UUID, AgentParts] = {}
        self._late_tools = LateTools()
        self.usage = UsageMeter()
        """Of the models of all agents."""
        self._barge_in = BargeIn()
        self.overlapping = OverlappingSpeech(self._barge_in)
        self.present = self._parts(plan.agent_id)
        """Of the agent that talks."""
        self.agent = CallAgent(
            self.present.plan,
            actions,
            self.present.tools.of_engine(),
            self.overlapping,
            knowledge=self.present.knowledge,
            **self.present.in_use,
        )
        self._unfinished: Unfinished | None = None
        """What a realtime model left that failed before the session ran."""
        self._session: AgentSession[Any] | None = None
        """Once it runs."""
        self._next: CallAgent | None = None
        """The newest that was to take over."""
        self._say: Say | None = None
        self._is_handing_over = False
        self._settled = asyncio.Event()
        self._settled.set()

    def speak_with(self, say: Say) -> None:
        """What is said before another agent takes over is said with ``say``."""
        self._say = say

    def voice_activity(self, plan: CallPlan) -> VoiceActivity:
        """The detector of voices of an agent. All of a call know the caller's voice."""
        return voice_activity(plan.agent.advanced).for_turn_taking(self._barge_in)

    async def settled(self) -> None:
        """Wait while one agent takes over from another: then neither can begin to speak."""
        with suppress(TimeoutError):
            async with asyncio.timeout(TAKEOVER_SECONDS):
                await self._settled.wait()

    def tools_executed(self, event: FunctionToolsExecutedEvent) -> None:
        """Call it with each event of the session: a handoff may have come to nothing, because the
        agent was silenced meanwhile."""
        if self._is_handing_over and not event.has_agent_handoff:
            self._end_handoff()

    def tool_duration_ms(self, call_id: str) -> int | None:
        """How long a tool of any of the agents took, by the model's name for one use of it."""
        found = (parts.tools.duration_ms(call_id) for parts in self._built.values())
        return next((each for each in found if each is not None), None)

    def call_ended(self) -> None:
        """Call it before the session is closed, which would wait for tools that are at work in the
        background."""
        self._late_tools.go_on_without(self.agent, next_agent_answers=False)

    async def aclose(self) -> None:
        built, self._built = self._built, {}
        try:
            await close_all(self._late_tools, self.agent)
        finally:
            await close_all(*built.values())

    def _parts(self, agent_id: UUID) -> AgentParts:
        if agent_id not in self._built:
            plan = self._plan.run_by(agent_id)
            parts = agent_parts(plan, self._models, self._actions, self._hand_over, self._ask_again)
            self.usage.follow(parts.stt, parts.llm, parts.tts, parts.realtime)
            if parts.realtime is not None:
                parts.realtime.on_failure(partial(self._realtime_failed, parts))
                parts.realtime.is_wanted = self._listens
            self._built[agent_id] = parts
        return self._built[agent_id]

    def _listens(self) -> bool:
        return self._session is None or self._session.input.audio_enabled

    def _ask_again(self) -> None:
        session = self.agent.session
        if session.current_speech is None:
            session.say(say_again(self.present.plan))

    async def _hand_over(self, tool: Handoff) -> Agent:
        """See ``HandOver``."""
        if self._is_handing_over:
            raise llm.ToolError("Another agent is taking over already.")
        self._is_handing_over = True
        try:
            parts = await self._prepared(tool.agent_id)
            message = fill_template(tool.message or "", self._plan.variables).strip()
            if message and self._say is not None and not await self._say(message):
                raise llm.ToolError("You were silenced, so the other agent did not take over.")
            await parts.tools.servers_listed(within_seconds=LISTING_SECONDS)
        except BaseException:
            self._end_handoff()
            raise
        self._settled.clear()
        self._late_tools.go_on_without(self.agent, next_agent_answers=not parts.follows_playbook)
        self.present.tools.release()
        self._next = CallAgent(
            parts.plan,
            self._actions,
            parts.tools.of_engine(),
            self.overlapping,
            knowledge=parts.knowledge,
            **parts.in_use,
            vad=self.voice_activity(parts.plan),
            turn_handling=turn_handling(parts.plan.agent, self._models.local.end_of_turn),
            on_arrival=partial(self._arrived, parts),
        )
        return self._next

    async def _prepared(self, agent_id: UUID) -> AgentParts:
        plan = self._plan.run_by(agent_id)
        try:
            await self._models.prepare(plan)
            parts = self._parts(agent_id)
        except ProviderUnavailable as error:
            self._actions.log("error", f"{plan.agent.name} could not take over: {error}")
            raise llm.ToolError("The other agent is not available. Go on yourself.") from error
        # They answer while the present agent says its last words: the other one needs the tools for
        # its first answer.
        parts.tools.ask_servers()
        return parts

    async def _arrived(self, parts: AgentParts, agent: CallAgent) -> None:
        """The agent talks from now on: it goes on with the conversation."""
        history = agent.session.history.copy(exclude_instructions=True, exclude_config_update=True)
        # What the former agent's tools returned is part of what is known.
        await agent.update_chat_ctx(history, exclude_invalid_function_calls=False)
        await parts.tools.list_servers(agent.add_tools)
        if self._next is not agent:
            # Its realtime model has failed: it arrives with its pipeline.
            return
        former, self.agent, self.present = self.agent, agent, parts
        self._end_handoff()
        self._actions.agent_took_over(parts.plan.agent_id)
        # Two agents that hand over to each other must not do so for ever without a word.
        handoffs = {tool.name for tool in parts.plan.agent.tools if isinstance(tool, Handoff)}
        agent.session.generate_reply(
            instructions=_GO_ON, tools=[tool.id for tool in agent.tools if tool.id not in handoffs]
        )
        await former.aclose()

    def started(self) -> None:
        """The session runs."""
        self._session = self.agent.session
        if self._unfinished is not None:
            self._go_on_without(self._session, self.present, self._unfinished)

    def _realtime_failed(self, parts: AgentParts, unfinished: Unfinished) -> None:
        assert parts.realtime is not None
        self._actions.channel_reports.switched(
            ChannelSwitch(
                channel="realtime",
                failed=parts.realtime.name,
                taken_over_by=pipeline_name(parts.plan),
                why=str(unfinished.failure),
                lost_ms=round(unfinished.lost_seconds * 1000),
            )
        )
        if self._session is not None:
            self._go_on_without(self._session, parts, unfinished)
        else:
            self._unfinished = unfinished

    def _go_on_without(
        self, session: AgentSession[Any], parts: AgentParts, unfinished: Unfinished
    ) -> None:
        """Let the agent go on with its pipeline in place of its realtime model."""
        self._settled.clear()
        self._late_tools.go_on_without(self.agent, next_agent_answers=True)
        self.present.tools.release()
        on_arrival = partial(self._goes_on, parts, unfinished)
        if parts is not self.present:
            on_arrival = partial(self._arrived, parts)
        self._next = CallAgent(
            parts.plan,
            self._actions,
            parts.tools.of_engine(),
            self.overlapping,
            knowledge=parts.knowledge,
            **parts.pipeline,
            vad=self.voice_activity(parts.plan),
            turn_handling=turn_handling(parts.plan.agent, self._models.local.end_of_turn),
            heard_before=unfinished.speech.unfinished,
            on_arrival=on_arrival,
        )
        session.update_agent(self._next)

    async def _goes_on(self, parts: AgentParts, unfinished: Unfinished, agent: CallAgent) -> None:
        history = agent.session.history.copy(exclude_instructions=True, exclude_config_update=True)
        await agent.update_chat_ctx(history, exclude_invalid_function_calls=False)
        former, self.agent, self.present = self.agent, agent, parts
        self._end_handoff()
        await parts.tools.list_servers(agent.add_tools)
        words = "" if unfinished.words is None else await unfinished.words
        if words:
            agent.session.generate_reply(user_input=words, input_modality="audio")
        elif unfinished.reply == "due":
            agent.session.generate_reply(instructions=unfinished.instructions or NOT_GIVEN)
        elif unfinished.reply == "broken_off":
            agent.session.generate_reply(instructions=GO_ON)
        await former.aclose()

    def _end_handoff(self) -> None:
        self._is_handing_over = False
        self._settled.set()
