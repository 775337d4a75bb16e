"""The frozen call plan: everything that is needed to run one call and to bill it.

The control plane writes it once, when the call is created; the worker reads nothing else. Every
amount on the call's bill is a price row of this plan.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, NonNegativeInt, PositiveInt

from contracts.agent_config import AgentConfig, PostCall
from contracts.call_status import Transport
from contracts.language_tag import LanguageTag

_FROZEN = ConfigDict(frozen=True, extra="forbid")

Channel = Literal["stt", "llm", "tts"]
KeySource = Literal["platform", "own"]
"""Whose key pays the provider: the installation's, or the tenant's own (BYOK)."""


class ProviderChoice(BaseModel):
    """One provider's model on one channel; ``voice`` is set on the tts channel only."""

    model_config = _FROZEN
    provider: str
    model: str
    voice: str | None = None
    key_source: KeySource = "platform"


class ResolvedChannel(BaseModel):
    model_config = _FROZEN
    primary: ProviderChoice
    fallback: ProviderChoice | None = None


class ResolvedStack(BaseModel):
    """In ``realtime`` mode one model listens, thinks and speaks: all three channels name it."""

    model_config = _FROZEN
    mode: Literal["pipeline", "realtime"] = "pipeline"
    stt: ResolvedChannel
    llm: ResolvedChannel
    tts: ResolvedChannel
    pipeline: ResolvedStack | None = Field(None, exclude_if=lambda stack: stack is None)
    """What speaks the sentences that the agent has in writing, and goes on when the realtime model
    fails. Written only for a realtime model: release 0.1 refuses fields that it does not know."""

    @property
    def without_realtime(self) -> ResolvedStack:
        """The pipeline of the stack: itself unless its mode is ``realtime``."""
        return self if self.pipeline is None else self.pipeline

    def choices(self) -> Iterator[tuple[Channel, ProviderChoice]]:
        """What may serve each channel: its primary, then its fallback if it has one; last those of
        the pipeline behind a realtime model."""
        channels: tuple[tuple[Channel, ResolvedChannel], ...] = (
            ("stt", self.stt),
            ("llm", self.llm),
            ("tts", self.tts),
        )
        for channel, resolved in channels:
            yield channel, resolved.primary
            if resolved.fallback is not None:
                yield channel, resolved.fallback
        if self.pipeline is not None:
            yield from self.pipeline.choices()


class PriceRow(BaseModel):
    """One component of the per-minute rate, as the catalogue had it when the call was created."""

    model_config = _FROZEN
    price_id: UUID
    component: Literal["stt", "llm", "tts", "platform", "managed_sku", "telecom"]
    """``telecom``: a minute of a phone leg on the installation's account at a carrier. Releases
    that have no phones cannot read a plan with it."""
    provider: str
    model: str
    micros_per_minute: NonNegativeInt


PricedUnit = Literal[
    "million_input_tokens",
    "million_cached_input_tokens",
    "million_output_tokens",
    "million_reasoning_tokens",
    "million_input_audio_tokens",
    "million_cached_input_audio_tokens",
    "million_output_audio_tokens",
    "thousand_characters",
    "audio_minute",
]
"""What providers bill by. Where tokens of audio have a price, the other units are of text."""


class UnitPrice(BaseModel):
    """What the installation pays a provider for the use of one model, as the catalogue had it when
    the call was created. It has no part in the call's bill."""

    model_config = _FROZEN
    price_id: UUID
    channel: Channel
    provider: str
    model: str
    micros_per: dict[PricedUnit, NonNegativeInt]
    """Micro-dollars for one of each unit that the provider bills by."""


LONGEST_CALL_SECONDS = 7200
"""No call runs longer, whatever its agent says. Source: API spec, "Limits"."""
LONGEST_WAIT_SECONDS = 7 * 86_400
"""A call's phone is not dialed later than so long after the call was created."""
JOIN_TIMEOUT_SECONDS = 60


class CallLimits(BaseModel):
    model_config = _FROZEN
    max_duration_seconds: PositiveInt
    silence_prompt_seconds: Annotated[float, Field(gt=0)]
    """Silence before the agent nudges."""
    silence_hangup_seconds: Annotated[float, Field(gt=0)]
    """Further silence, after the nudge, before the agent hangs up."""
    join_timeout_seconds: PositiveInt = JOIN_TIMEOUT_SECONDS
    """How long the room waits for the first leg's media."""


class PlannedParticipant(BaseModel):
    model_config = _FROZEN
    participant_id: UUID
    transport: Transport
    identity: str
    from_number: str | None = None
    """Caller id of a phone leg, E.164."""


class PlannedSource(BaseModel):
    """A knowledge source whose passages an agent can look up. They are in the object store, at
    ``contracts.knowledge_bundles.bundle_path``."""

    model_config = _FROZEN
    source_id: UUID
    title: str
    digest: str


MAX_AGENTS = 8
"""How many agents can talk in one call: the first one and those that take over."""


class PlannedAgent(BaseModel):
    """What one agent needs to talk in a call, and what that costs. The fields mean what they mean
    in ``CallPlan``."""

    model_config = _FROZEN
    agent_id: UUID
    agent_version: PositiveInt
    agent: AgentConfig
    compiled_prompt: str
    locale: LanguageTag
    stack: ResolvedStack
    prices: tuple[PriceRow, ...]
    knowledge: tuple[PlannedSource, ...] = Field((), exclude_if=lambda sources: not sources)

    @property
    def name(self) -> str:
        return self.agent.name

    @property
    def rate_micros_per_minute(self) -> int:
        """What one connected minute with this agent costs the tenant, in micro-dollars."""
        return sum(row.micros_per_minute for row in self.prices)


class CallPlan(BaseModel):
    """The agent's own fields are those of the agent that begins the call."""

    model_config = _FROZEN
    version: Literal[1] = 1
    call_id: UUID
    tenant_id: UUID
    agent_id: UUID
    agent_version: PositiveInt
    room_name: str
    created_at: AwareDatetime
    agent: AgentConfig
    compiled_prompt: str
    locale: LanguageTag
    stack: ResolvedStack
    prices: tuple[PriceRow, ...]
    unit_prices: tuple[UnitPrice, ...] = Field((), exclude_if=lambda prices: not prices)
    """Of the models on the platform's keys that have one. Written only when there are any: release
    0.1 refuses fields that it does not know."""
    limits: CallLimits
    participants: Annotated[tuple[PlannedParticipant, ...], Field(min_length=1)]
    sealed_provider_keys: dict[str, str] = Field(default_factory=dict)
    """The tenant's own key for each ``own`` choice, by provider (``contracts.sealing``)."""
    provider_urls: dict[str, str] = Field(default_factory=dict, exclude_if=lambda urls: not urls)
    """The address of the tenant's own server, by provider, for ``own`` choices that need one.
    Written only if there are any: release 0.1 refuses fields that it does not know."""
    variables: dict[str, Any] = Field(default_factory=dict)
    metadata: dict[str, Any] = Field(default_factory=dict)
    post_call: PostCall = PostCall()
    handoffs: tuple[PlannedAgent, ...] = Field((), exclude_if=lambda agents: not agents)
    """The agents that can take over, at most ``MAX_AGENTS - 1``. Written only if there are any:
    release 0.1 refuses fields that it does not know."""

    knowledge: tuple[PlannedSource, ...] = Field((), exclude_if=lambda sources: not sources)
    """What the agent can look up, as it was when the call was created. Written only if there is
    any: earlier releases refuse fields that they do not know."""

    @property
    def agents(self) -> dict[UUID, PlannedAgent]:
        """Every agent that can talk in the call, by its id; the one that begins it comes first."""
        own = {name: getattr(self, name) for name in PlannedAgent.model_fields}
        # What a plan holds was checked when it was read.
        first = PlannedAgent.model_construct(**own)
        return {each.agent_id: each for each in (first, *self.handoffs)}

    def run_by(self, agent_id: UUID) -> CallPlan:
        """The plan as if the call had begun with that agent. The same agents can talk in it.

        Raises:
            KeyError: the plan has no such agent.
        """
        if agent_id == self.agent_id:
            return self
        others = self.agents
        agent = others.pop(agent_id)
        own = {name: getattr(agent, name) for name in PlannedAgent.model_fields}
        return self.model_copy(update=own | {"handoffs": tuple(others.values())})

    @property
    def asks_for_secrets(self) -> bool:
        """Whether an agent of the call has a ``sensitive`` slot."""
        return any(
            slot.sensitive
            for agent in self.agents.values()
            for slot in agent.agent.playbook.required_slots
        )

    @property
    def without_realtime(self) -> CallPlan:
        """The plan as if its realtime model, if it has one, did not exist."""
        return self.model_copy(update={"stack": self.stack.without_realtime})

    @property
    def rate_micros_per_minute(self) -> int:
        """What one connected minute with the first agent costs the tenant, in micro-dollars."""
        return sum(row.micros_per_minute for row in self.prices)

    @property
    def highest_rate_micros_per_minute(self) -> int:
        """What one connected minute costs the tenant at most, whichever agent talks, in
        micro-dollars. Credit is held at this rate."""
        return max(agent.rate_micros_per_minute for agent in self.agents.values())
