"""What one agent of a call listens, thinks, acts and speaks with."""

from __future__ import annotations

from collections.abc import AsyncIterable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from livekit.agents import stt
from livekit.agents.voice.transcription.filters import filter_emoji, filter_markdown

from contracts.call_plan import CallPlan
from pipelines.engine.call_actions import CallActions
from pipelines.engine.channels.closable import close_all
from pipelines.engine.channels.llm.llm_of_plan import supervised_llm
from pipelines.engine.channels.llm.supervised_llm import SupervisedLLM
from pipelines.engine.channels.realtime.heard_again import heard_again
from pipelines.engine.channels.realtime.realtime_of_plan import supervised_realtime
from pipelines.engine.channels.realtime.supervised_realtime import SupervisedRealtime
from pipelines.engine.channels.stt.stt_of_plan import supervised_stt
from pipelines.engine.channels.tts.supervised_tts import SupervisedTTS
from pipelines.engine.channels.tts.tts_of_plan import supervised_tts
from pipelines.engine.knowledge.lookup import Lookup
from pipelines.engine.pronunciation import PronunciationTable, as_text_transform
from pipelines.engine.shared_models import WarmModels
from pipelines.engine.spoken_text import in_pieces
from pipelines.engine.tools.call_tools import CallTools
from pipelines.engine.tools.handoff_tool import HandOver

TextTransform = Callable[[AsyncIterable[str]], AsyncIterable[str]]


@dataclass(frozen=True)
class AgentParts:
    plan: CallPlan
    """As if the call had begun with this agent."""
    tools: CallTools
    transforms: Sequence[TextTransform]
    """Of each text, before the voice gets it."""
    stt: stt.STT[Any]
    llm: SupervisedLLM
    tts: SupervisedTTS
    realtime: SupervisedRealtime | None
    """Listens, thinks and speaks in place of the other three. Sentences that the agent has in
    writing are still spoken by ``tts``, and all three go on when it fails."""

    knowledge: Lookup | None
    """What it looks up; ``None``: it has no sources."""

    @property
    def in_use(self) -> dict[str, Any]:
        """The models with which an agent begins, as arguments of the engine's agents."""
        if self.realtime is None:
            return self.pipeline
        return {"stt": None, "llm": self.realtime, "tts": self.tts}

    @property
    def pipeline(self) -> dict[str, Any]:
        return {"stt": self.stt, "llm": self.llm, "tts": self.tts}

    @property
    def follows_playbook(self) -> bool:
        """Whether it answers what callers say, and knows nothing of other agents' tools."""
        return self.realtime is None and self.llm.serving.candidate.is_our_own

    async def aclose(self) -> None:
        """Close this agent's models. Models that calls share stay loaded."""
        realtime = () if self.realtime is None else (self.realtime,)
        await close_all(self.tools, self.stt, self.llm, self.tts, *realtime)


def agent_parts(
    plan: CallPlan,
    models: WarmModels,
    actions: CallActions,
    hand_over: HandOver,
    ask_again: Callable[[], None],
) -> AgentParts:
    """Takes a few milliseconds; loads nothing.

    Args:
        ask_again: asks the caller to say it again.

    Raises ``ProviderUnavailable`` if the plan names a model that this process cannot run.
    """
    behind = plan.without_realtime
    voice = supervised_tts(behind, models, actions)
    pronunciations = PronunciationTable(
        plan.agent.advanced.pronunciations, marks_phonemes=voice.takes_phonemes
    )
    transforms: list[TextTransform] = [in_pieces, filter_markdown, filter_emoji]
    if pronunciations:
        transforms += [as_text_transform(pronunciations), in_pieces]
    library = None if models.shelf is None else models.shelf.library(plan.knowledge)
    knowledge = None
    if library is not None and models.shelf is not None:
        knowledge = Lookup(library, models.shelf.searching, actions, models.shelf.embedder)
    recogniser = supervised_stt(behind, models, actions, ask_again)
    hear = partial(heard_again, recogniser)
    return AgentParts(
        plan=plan,
        tools=CallTools(
            plan, models.settings, models.tenants_network, actions, hand_over, knowledge
        ),
        transforms=transforms,
        stt=recogniser,
        llm=supervised_llm(behind, models, actions),
        tts=voice,
        knowledge=knowledge,
        realtime=supervised_realtime(plan, models, actions, hear),
    )
