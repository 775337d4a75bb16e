"""However long a text or a word is, the calls of a worker share its event loop fairly."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import numpy as np
import pytest

from contracts.agent_config import AgentConfig
from contracts.call_plan import ProviderChoice, ResolvedChannel
from pipelines.engine.channels.tts import speaking
from pipelines.engine.providers import registry
from pipelines.engine.providers.local.local_tts import LocalTTS
from pipelines.engine.providers.spec import ModelRequest, ProviderSpec
from pipelines.engine.shared_models import WarmModels
from pipelines.texts.utterance import MOST_CHARACTERS, MOST_UTTERANCES
from tests.loop_stalls import watched_loop
from tests.pipelines.conversations import conversation
from tests.pipelines.engine.echo_llm import EchoLLM
from tests.pipelines.plans import LOCAL_STACK, call_plan

LONGEST_STALL_MS = 100.0
BRACKETS = "[" * 20_000
IDEOGRAPHS = "你好，" * 7_000
WORDS = "hi " * 7_000


TONE = (1_000 * np.sin(np.arange(480) / 10)).astype(np.int16).tobytes()


class QuickVoice:
    """Says everything in 20 ms, and notes what."""

    sample_rate = 24_000

    def __init__(self) -> None:
        self.said: list[str] = []

    async def speak(self, text: str, *, locale: str) -> AsyncIterator[bytes]:
        self.said.append(text)
        yield TONE

    async def aclose(self) -> None:
        return


@pytest.fixture
def voice(monkeypatch: pytest.MonkeyPatch) -> QuickVoice:
    quick = QuickVoice()

    def built_voice(request: ModelRequest) -> LocalTTS:
        return LocalTTS(quick, model="quick", locale=request.plan.locale)

    def built_llm(request: ModelRequest) -> EchoLLM:
        return EchoLLM(request.choice.model)

    spec = ProviderSpec(name="quick", needs_key=False, llm=built_llm, tts=built_voice)
    monkeypatch.setattr(registry, "PROVIDERS", (*registry.PROVIDERS, spec))
    monkeypatch.setattr(speaking, "FASTEST_CHARACTERS_PER_SECOND", 1e6)
    return quick


def stack(answer: str = "") -> Any:
    return LOCAL_STACK.model_copy(
        update={
            "llm": ResolvedChannel(primary=ProviderChoice(provider="quick", model=answer or "-")),
            "tts": ResolvedChannel(primary=ProviderChoice(provider="quick", model="quick")),
        }
    )


@pytest.mark.parametrize(
    ("text", "is_spoken"), [(BRACKETS, False), (IDEOGRAPHS, True)], ids=["brackets", "ideographs"]
)
async def test_a_variable_in_the_opener_does_not_stall_the_loop(
    text: str, is_spoken: bool, voice: QuickVoice, warm_models: WarmModels
) -> None:
    agent = AgentConfig.model_validate(
        {"name": "Ada", "playbook": {"opener": "{{ name }}{{ name }}"}}
    )
    plan = call_plan(agent, stack=stack(), variables={"name": text[:10_000]})
    async with conversation(plan, warm_models) as call, watched_loop() as stalls:
        await call.conversation.greet()
        await call.audio.until(lambda: bool(call.said_by("assistant")))
    assert stalls.longest_ms < LONGEST_STALL_MS
    assert bool(voice.said) == is_spoken


@pytest.mark.parametrize(
    ("text", "is_spoken"), [(BRACKETS, False), (WORDS, True)], ids=["brackets", "words"]
)
async def test_a_model_that_writes_long_words_does_not_stall_the_loop(
    text: str, is_spoken: bool, voice: QuickVoice, warm_models: WarmModels
) -> None:
    agent = AgentConfig.model_validate({"name": "Ada", "advanced": {"maxTurnLength": 1_000_000}})
    plan = call_plan(agent, stack=stack(text))
    async with conversation(plan, warm_models) as call, watched_loop() as stalls:
        call.conversation.session.generate_reply(user_input="Hello?")
        await call.audio.until(lambda: bool(call.said_by("assistant")))
    assert stalls.longest_ms < LONGEST_STALL_MS
    assert bool(voice.said) == is_spoken


async def test_an_agent_says_only_so_much_at_once(
    voice: QuickVoice, warm_models: WarmModels
) -> None:
    plan = call_plan(AgentConfig(name="Ada"), stack=stack())
    async with conversation(plan, warm_models) as call:
        last = await call.conversation.say("This is a sentence. " * 1_000)
        await last.wait_for_playout()
    said = [len(text) for text in call.said_by("assistant")]
    assert len(said) == MOST_UTTERANCES
    assert max(said) <= MOST_CHARACTERS
    assert max(map(len, voice.said)) <= 400
