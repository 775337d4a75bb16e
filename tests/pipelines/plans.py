"""Call plans for tests of the conversation engine."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from contracts.agent_config import AgentConfig
from contracts.call_plan import (
    CallLimits,
    CallPlan,
    PlannedParticipant,
    ProviderChoice,
    ResolvedChannel,
    ResolvedStack,
)
from contracts.call_status import Transport
from pipelines.texts.prompt import compile_prompt

LOCAL_STACK = ResolvedStack(
    stt=ResolvedChannel(primary=ProviderChoice(provider="local", model="moonshine-tiny-en")),
    llm=ResolvedChannel(primary=ProviderChoice(provider="local", model="playbook")),
    tts=ResolvedChannel(
        primary=ProviderChoice(provider="local", model="hibari-en", voice="hibari")
    ),
)


def call_plan(
    agent: AgentConfig | None = None,
    *,
    stack: ResolvedStack = LOCAL_STACK,
    locale: str = "en-US",
    variables: dict[str, Any] | None = None,
) -> CallPlan:
    agent = agent or AgentConfig(name="Ada")
    return CallPlan(
        call_id=UUID(int=1),
        tenant_id=UUID(int=2),
        agent_id=UUID(int=3),
        agent_version=1,
        room_name="room",
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
        agent=agent,
        compiled_prompt=compile_prompt(agent, variables or {}),
        locale=locale,
        stack=stack,
        prices=(),
        limits=CallLimits(
            max_duration_seconds=600, silence_prompt_seconds=8, silence_hangup_seconds=15
        ),
        participants=(
            PlannedParticipant(
                participant_id=UUID(int=4), transport=Transport.WEBRTC, identity="caller"
            ),
        ),
        variables=variables or {},
    )
