"""What a caller was saying when the agent stopped listening, in virtual time."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from contracts.agent_config import AgentConfig
from contracts.call_plan import CallPlan, ProviderChoice, ResolvedChannel
from pipelines.engine.providers import registry
from pipelines.engine.providers.spec import ModelRequest, ProviderSpec
from pipelines.engine.shared_models import WarmModels
from tests.pipelines.conversations import conversation, words
from tests.pipelines.engine.echo_llm import EchoLLM
from tests.pipelines.engine.speech import spoken
from tests.pipelines.plans import LOCAL_STACK, call_plan
from tests.pipelines.virtual_calls import OnQuietCore, run

LAST_WORDS = "I would like to speak with a person."


@pytest.fixture(autouse=True)
def echo_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    def echo(request: ModelRequest) -> EchoLLM:
        return EchoLLM(request.choice.model)

    spec = ProviderSpec(name="echo", needs_key=False, llm=echo)
    monkeypatch.setattr(registry, "PROVIDERS", (*registry.PROVIDERS, spec))


def _plan() -> CallPlan:
    echo = ResolvedChannel(primary=ProviderChoice(provider="echo", model="You said: {heard}"))
    return call_plan(AgentConfig(name="Ada"), stack=LOCAL_STACK.model_copy(update={"llm": echo}))


async def _talk(models: WarmModels) -> None:
    models = replace(models, local=OnQuietCore(models.local, {}))
    async with conversation(_plan(), models) as call:
        session = call.conversation.session
        await asyncio.sleep(0.5)
        call.audio.mouth.say(spoken(LAST_WORDS))
        await call.audio.until(lambda: session.user_state == "speaking")
        session.input.set_audio_enabled(False)
        await call.audio.silence(6.0)
        assert words(" ".join(call.said_by("user"))) == words(LAST_WORDS), "it knows them later"
        session.input.set_audio_enabled(True)
        await call.caller_says("Hello again.")


def test_an_agent_that_has_stopped_listening_answers_nothing_that_it_heard_before(
    warm_models: WarmModels,
) -> None:
    run(lambda: _talk(warm_models))


async def _late_result(models: WarmModels) -> None:
    async with conversation(_plan(), models) as call:
        session = call.conversation.session
        session.input.set_audio_enabled(False)
        await session.generate_reply()
        assert call.transcript() == []
        session.input.set_audio_enabled(True)
        await session.generate_reply(user_input="Hello again.")
        assert call.said_by("assistant") == ["You said: Hello again."]


def test_an_agent_that_has_stopped_listening_answers_to_no_results_of_tools(
    warm_models: WarmModels,
) -> None:
    run(lambda: _late_result(warm_models))
