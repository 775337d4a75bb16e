"""A caller who goes on after a pause, in virtual time: what a caller would hear."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

import numpy as np
import pytest

from contracts.agent_config import AgentConfig
from contracts.call_plan import ProviderChoice, ResolvedChannel
from pipelines.engine.providers import registry
from pipelines.engine.providers.spec import ModelRequest, ProviderSpec
from pipelines.engine.shared_models import WarmModels
from tests.pipelines.conversations import conversation, words
from tests.pipelines.engine.audio_loop import INPUT_HZ, TICK_SECONDS
from tests.pipelines.engine.echo_llm import EchoLLM
from tests.pipelines.engine.speech import spoken
from tests.pipelines.plans import LOCAL_STACK, call_plan
from tests.pipelines.virtual_calls import OnQuietCore, run

PERCEIVED_SECONDS = 0.12
"""Shorter overlaps of two voices are not perceived as such (Heldner, JASA 130, 2011)."""
ANSWER = "Certainly, that is very good to know. You said: {heard}"


@dataclass(frozen=True)
class Talk:
    began_in_pause: bool
    overlap_seconds: float
    transcript: list[tuple[str, str]]


@pytest.fixture(autouse=True)
def echo_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    def echo(request: ModelRequest) -> EchoLLM:
        return EchoLLM(request.choice.model)

    spec = ProviderSpec(name="echo", needs_key=False, llm=echo)
    monkeypatch.setattr(registry, "PROVIDERS", (*registry.PROVIDERS, spec))


async def talk(first: str, pause_ms: int, then: str, models: WarmModels) -> Talk:
    echo = ResolvedChannel(primary=ProviderChoice(provider="echo", model=ANSWER))
    plan = call_plan(AgentConfig(name="Ada"), stack=LOCAL_STACK.model_copy(update={"llm": echo}))
    before = spoken(first)
    pause = np.zeros(INPUT_HZ * pause_ms // 1000, np.int16)
    models = replace(models, local=OnQuietCore(models.local, {}))
    async with conversation(plan, models) as call:
        audio = call.audio
        await asyncio.sleep(0.5)
        began_at = asyncio.get_running_loop().time()
        audio.mouth.say(np.concatenate([before, pause, spoken(then)]))
        goes_on_at = began_at + (before.size + pause.size) / INPUT_HZ
        ended_at = await audio.caller_finishes()
        await audio.agent_starts(ended_at)
        await audio.agent_finishes()
        await audio.until(lambda: call.transcript()[-1][0] == "assistant")
        heard_at = audio.ear.heard_at
        return Talk(
            began_in_pause=any(at < goes_on_at for at in heard_at),
            overlap_seconds=TICK_SECONDS * sum(goes_on_at <= at <= ended_at for at in heard_at),
            transcript=call.transcript(),
        )


def test_a_caller_who_goes_on_gets_the_floor_back_and_one_answer_to_both_sentences(
    warm_models: WarmModels,
) -> None:
    first, then = "I would like to book an appointment.", "It is for my son."
    heard = run(lambda: talk(first, 700, then, warm_models))
    assert heard.began_in_pause, "or there is nothing to test"
    assert heard.overlap_seconds <= PERCEIVED_SECONDS
    callers = " ".join(text for role, text in heard.transcript if role == "user")
    assert words(callers) == words(f"{first} {then}")
    role, answer = heard.transcript[-1]
    assert role == "assistant"
    assert words(answer) == words(ANSWER.format(heard=f"{first} {then}"))


def test_the_agent_waits_after_a_sentence_that_only_begins_something(
    warm_models: WarmModels,
) -> None:
    first, then = "Hello, I have a question.", "Is breakfast part of the price?"
    heard = run(lambda: talk(first, 800, then, warm_models))
    assert not heard.began_in_pause
    assert heard.overlap_seconds == 0
    assert [role for role, _ in heard.transcript] == ["user", "assistant"]
