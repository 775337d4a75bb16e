"""What an agent may say holds for what a realtime model says in its place."""

from __future__ import annotations

from typing import Any

import pytest

from contracts.agent_config import AgentConfig
from pipelines.engine.shared_models import WarmModels
from tests.pipelines.conversations import words
from tests.pipelines.engine.channels.realtime.realtime_call import (
    QUESTION,
    realtime_call,
    words_heard,
)
from tests.pipelines.engine.channels.realtime.test_supervised_realtime import told_sentences
from tests.pipelines.engine.channels.realtime.vendors import RealtimeVendor
from tests.stand_ins.google_live import GoogleLiveServer
from tests.stand_ins.openai_realtime import WORD_SECONDS, OpenAIRealtime, Reply

pytestmark = [pytest.mark.usefixtures("spare_vendor"), pytest.mark.latency]

NO_PROMISE = "I cannot make any promises about that."


def agent(**advanced: Any) -> AgentConfig:
    return AgentConfig.model_validate({"name": "Ada", "advanced": advanced})


async def test_its_turn_ends_when_the_caller_has_heard_enough(
    warm_models: WarmModels, realtime: RealtimeVendor
) -> None:
    wire = realtime.server([Reply(" ".join(["and"] * 60))])
    limited = agent(maxTurnLength=5)
    async with realtime_call(warm_models, wire, agent=limited, tls=realtime.trusted) as call:
        await call.talk.caller_says(QUESTION)
        [said] = await call.talk.messages("assistant", 1)
        heard = words_heard(call.talk.audio.ear.played)
        assert 4 / WORD_SECONDS <= heard <= 6.25 / WORD_SECONDS
        # The engine tells by its usual pace which words were heard: it does not know how much
        # sound would follow.
        assert abs(len(said.split()) - heard) <= 5
        await call.talk.audio.silence(1.0)
        assert call.talk.actions.channel_reports.switches == []


async def test_it_is_cut_off_at_a_prohibited_claim(
    warm_models: WarmModels, realtime: RealtimeVendor
) -> None:
    answer = f"{' '.join(['well'] * 12)} it comes with guaranteed results for you. Shall I go on?"
    wire = realtime.server([Reply(answer)])
    forbidden = agent(prohibitedClaims="guaranteed results")
    async with realtime_call(warm_models, wire, agent=forbidden, tls=realtime.trusted) as call:
        await call.talk.caller_says(QUESTION)
        begun, instead = await call.talk.messages("assistant", 2)
        assert instead == NO_PROMISE
        assert set(words(begun)) <= {"well", "it", "comes", "with"}
        assert call.talk.actions.lines == [
            (
                "warning",
                'The agent was cut off at "guaranteed results", which advanced.prohibitedClaims '
                "forbids.",
            )
        ]
        await call.talk.audio.until(lambda: NO_PROMISE in told_sentences(wire))
        assert call.talk.actions.channel_reports.switches == []


async def test_it_is_told_how_words_are_pronounced(
    warm_models: WarmModels, realtime: RealtimeVendor
) -> None:
    wire = realtime.server()
    says = agent(pronunciations=[{"word": "SQL", "say_as": "sequel"}])
    async with realtime_call(warm_models, wire, agent=says, tls=realtime.trusted) as call:
        await call.talk.audio.until(lambda: "- SQL: sequel" in instructions(wire))


def instructions(wire: OpenAIRealtime | GoogleLiveServer) -> str:
    """The last ones."""
    if isinstance(wire, OpenAIRealtime):
        sessions = [each["session"] for each in wire.named("session.update")]
        told = [each["instructions"] for each in sessions if "instructions" in each]
    else:
        told = [each["systemInstruction"]["parts"][0]["text"] for each in wire.setups]
    return next(iter(reversed(told)), "")
