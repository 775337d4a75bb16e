"""A whole conversation over audio in memory, in real time: what a caller would hear.

How fast it is on a quiet machine is measured by ``bench/turn_latency.py``; the limits here leave
room for a busy one and fail when a stage waits for something that it should not wait for.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import AsyncIterator
from typing import Any

import numpy as np
import pytest

from contracts.agent_config import AgentConfig
from contracts.call_plan import ProviderChoice, ResolvedChannel
from pipelines.engine.providers import registry
from pipelines.engine.providers.spec import ModelRequest, ProviderSpec, ProviderUnavailable
from pipelines.engine.session import build_session
from pipelines.engine.shared_models import WarmModels
from tests.pipelines.conversations import Call, conversation, words
from tests.pipelines.engine.actions import NotedActions
from tests.pipelines.engine.echo_llm import EchoLLM
from tests.pipelines.engine.sounds import Samples, cough, door, murmur, music, quieter
from tests.pipelines.engine.speech import spoken
from tests.pipelines.plans import LOCAL_STACK, call_plan
from tests.stand_ins.hearing import transcript

ECHO_STACK = LOCAL_STACK.model_copy(
    update={"llm": ResolvedChannel(primary=ProviderChoice(provider="echo", model="echo"))}
)
LONG_ANSWER = (
    "We are open from Monday to Friday, from eight in the morning until six in the evening, and "
    "on Saturdays by appointment only. You can reach us by telephone or come to the front desk."
)


def _echo(request: ModelRequest) -> EchoLLM:
    return EchoLLM(request.choice.model)


@pytest.fixture(autouse=True)
def echo_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = ProviderSpec(name="echo", needs_key=False, llm=_echo)
    monkeypatch.setattr(registry, "PROVIDERS", (*registry.PROVIDERS, spec))


@contextlib.asynccontextmanager
async def call(
    models: WarmModels, *, answer: str = "You said: {heard}", **fields: Any
) -> AsyncIterator[Call]:
    agent = AgentConfig.model_validate({"name": "Ada", **fields})
    echo = ResolvedChannel(primary=ProviderChoice(provider="echo", model=answer))
    plan = call_plan(agent, stack=ECHO_STACK.model_copy(update={"llm": echo}))
    async with conversation(plan, models) as running:
        yield running


@pytest.mark.latency
async def test_a_session_starts_in_milliseconds_and_greets_at_once(
    warm_models: WarmModels,
) -> None:
    async with call(warm_models):
        pass
    started_at = time.monotonic()
    async with call(warm_models) as second:
        assert time.monotonic() - started_at < 0.5
        greeted_at = time.monotonic()
        await second.conversation.greet()
        assert await second.audio.agent_starts(greeted_at) - greeted_at < 1.0
        await second.audio.agent_finishes()
        await second.messages("assistant", 1)
        assert second.transcript()[-1] == (
            "assistant",
            "Hello, this is Ada. How can I help you?",
        )


@pytest.mark.latency
async def test_two_turns_are_heard_and_answered_soon(warm_models: WarmModels) -> None:
    async with call(warm_models) as talk:
        latencies = []
        for turn, sentence in enumerate(
            ("My name is Anna Miller.", "Tomorrow afternoon would be fine."), start=1
        ):
            latencies.append(await talk.caller_says(sentence))
            await talk.audio.agent_finishes()
            await talk.messages("user", turn)
        assert min(latencies) < 1.0, latencies
        assert max(latencies) < 2.0, latencies
        heard = [words(text) for text in talk.said_by("user")]
        assert heard == [
            ["my", "name", "is", "anna", "miller"],
            ["tomorrow", "afternoon", "would", "be", "fine"],
        ]
        usage = talk.conversation.session.usage.model_usage
        assert {(u.provider, u.model) for u in usage} >= {
            ("local", "moonshine-tiny-en"),
            ("local", "hibari-en"),
        }


@pytest.mark.latency
async def test_barge_in_stops_the_agent_and_the_unheard_rest_is_not_in_the_transcript(
    warm_models: WarmModels,
) -> None:
    async with call(warm_models, answer=LONG_ANSWER) as talk:
        await talk.caller_says("When are you open?")
        await talk.audio.agent_has_spoken(1.5)
        talk.audio.mouth.say(spoken("Wait a moment, please."))
        ended_at = await talk.audio.caller_finishes()
        stopped_at = max(at for at in talk.audio.ear.heard_at if at < ended_at)
        assert stopped_at - talk.audio.mouth.onset_at < 0.8
        await talk.audio.agent_starts(ended_at)
        said = talk.said_by("assistant")[0]
        assert said.startswith("We are open")
        assert "front desk" not in said


async def test_a_caller_who_may_not_interrupt_hears_the_agent_out(
    warm_models: WarmModels,
) -> None:
    quiet = {"voiceConfig": {"bargeInEnabled": False}}
    async with call(warm_models, answer=LONG_ANSWER, persona=quiet) as talk:
        await talk.caller_says("When are you open?")
        await talk.audio.agent_has_spoken(0.4)
        talk.audio.mouth.say(spoken("Wait a moment, please."))
        ended_at = await talk.audio.caller_finishes()
        await talk.audio.agent_starts(ended_at, timeout_seconds=0.5)


@pytest.mark.parametrize(
    "sound",
    [
        murmur(pitch_hz=110),
        murmur(pitch_hz=210),
        cough(),
        door(),
        music(3),
        quieter(spoken("And then the train was late again, can you believe it?"), 20),
    ],
    ids=["mhm", "higher mhm", "cough", "door", "music", "voice in the background"],
)
async def test_a_sound_that_is_no_word_neither_stops_nor_pauses_the_agent(
    warm_models: WarmModels, sound: Samples
) -> None:
    async with call(warm_models, answer=LONG_ANSWER) as talk:
        await talk.caller_says("When are you open?")
        await talk.audio.agent_has_spoken(0.4)
        talk.audio.mouth.say(sound)
        await talk.audio.caller_finishes()
        await talk.audio.agent_finishes()
        assert (await talk.messages("assistant", 1))[0].endswith("front desk.")
        assert talk.audio.ear.pauses == 0
        assert len(talk.said_by("user")) == 1


async def test_a_hesitation_only_pauses_the_agent(warm_models: WarmModels) -> None:
    async with call(warm_models, answer=LONG_ANSWER) as talk:
        await talk.caller_says("When are you open?")
        await talk.audio.agent_has_spoken(0.4)
        talk.audio.mouth.say(spoken("Um."))
        await talk.audio.caller_finishes()
        await talk.audio.agent_finishes()
        assert (await talk.messages("assistant", 1))[0].endswith("front desk.")


async def test_the_agent_ends_the_call_once_and_says_nothing_more(
    warm_models: WarmModels,
) -> None:
    async with call(warm_models, answer="Thank you, bye.") as talk:
        await talk.caller_says("That is all, goodbye.")
        await talk.audio.agent_finishes()
        await talk.audio.until(lambda: talk.actions.ended > 0)
        await talk.audio.silence(0.5)
        assert talk.actions.ended == 1
        assert talk.said_by("assistant") == ["Thank you, bye."]


async def test_an_agent_that_waits_for_the_caller_does_not_greet(warm_models: WarmModels) -> None:
    waiting = {"startSpeakingPhrasing": "wait_for_user"}
    async with call(warm_models, advanced=waiting) as talk:
        await talk.conversation.greet()
        await talk.audio.silence(0.4)
        assert talk.audio.ear.heard_at == []


@pytest.mark.latency
async def test_reply_delay_is_heard(warm_models: WarmModels) -> None:
    async with call(warm_models, advanced={"replyDelay": 600}) as talk:
        assert await talk.caller_says("My name is Anna Miller.") > 0.8


@pytest.mark.latency
async def test_the_playbook_engine_holds_the_conversation(warm_models: WarmModels) -> None:
    agent = AgentConfig.model_validate(
        {
            "name": "Ada",
            "playbook": {
                "qualificationFlow": [
                    {"question": "What is your name?", "listensFor": "name"},
                    {"question": "Which day suits you?", "listensFor": "date"},
                ],
            },
        }
    )
    async with conversation(call_plan(agent), warm_models) as talk:
        greeted_at = time.monotonic()
        await talk.conversation.greet()
        await talk.audio.agent_starts(greeted_at)
        await talk.audio.agent_finishes()
        assert await talk.caller_says("I would like to book an appointment.") < 2.5
        await talk.audio.agent_finishes()
        await talk.messages("user", 1)
        await talk.audio.until(lambda: talk.transcript()[-1][0] == "assistant")
        assert "name" in talk.said_by("assistant")[-1]


async def test_what_the_agent_must_not_claim_is_not_heard(warm_models: WarmModels) -> None:
    answer = "Of course. It comes with guaranteed results. Shall I go on?"
    prohibited = {"prohibitedClaims": "guaranteed {{ what }}"}
    agent = AgentConfig.model_validate({"name": "Ada", "advanced": prohibited})
    echo = ResolvedChannel(primary=ProviderChoice(provider="echo", model=answer))
    stack = ECHO_STACK.model_copy(update={"llm": echo})
    plan = call_plan(agent, stack=stack, variables={"what": "results"})
    async with conversation(plan, warm_models) as talk:
        await talk.conversation.session.generate_reply(user_input="Is it good?")
        said = "Of course. I cannot make any promises about that. Shall I go on?"
        assert talk.said_by("assistant") == [said]
        heard = await transcript(warm_models, np.concatenate(talk.audio.ear.played))
        assert words(heard) == words(said)
        [(level, message)] = talk.actions.lines
        assert level == "warning"
        assert '"guaranteed results"' in message


async def test_a_table_is_heard_as_its_cells_and_so_it_is_in_the_transcript(
    warm_models: WarmModels,
) -> None:
    answer = "We open:\n\n| Day | Hours |\n|---|---|\n| Monday | until noon |\n\nAnything else?"
    async with call(warm_models, answer=answer) as talk:
        await talk.conversation.session.generate_reply(user_input="When are you open?")
        said = "We open:\n\nDay, Hours.\nMonday, until noon.\n\nAnything else?"
        assert talk.said_by("assistant") == [said]
        heard = await transcript(warm_models, np.concatenate(talk.audio.ear.played))
        assert words(heard) == words(said)


async def test_a_voice_that_cannot_run_here_is_replaced(warm_models: WarmModels) -> None:
    unknown = ResolvedChannel(primary=ProviderChoice(provider="local", model="opera"))
    plan = call_plan(stack=ECHO_STACK.model_copy(update={"tts": unknown}))
    async with conversation(plan, warm_models) as talk:
        greeted_at = time.monotonic()
        await talk.conversation.greet()
        await talk.audio.agent_starts(greeted_at)


async def test_no_model_is_asked_to_say_nothing(warm_models: WarmModels) -> None:
    """An empty answer is a model's failure: the next one would be asked, and say it all again."""
    built = build_session(call_plan(), warm_models, NotedActions())
    templates = [str(each) for each in built.session._async_tool_options.values()]
    assert len(templates) == 5
    assert not any("empty" in template for template in templates)


async def test_a_plan_of_whose_models_none_can_run_is_refused(warm_models: WarmModels) -> None:
    """Our own recogniser understands English only."""
    deaf = ResolvedChannel(primary=ProviderChoice(provider="anthropic", model="whisper"))
    stack = ECHO_STACK.model_copy(update={"stt": deaf})
    plan = call_plan(stack=stack).model_copy(update={"locale": "de-DE"})
    with pytest.raises(ProviderUnavailable, match="does not serve stt"):
        build_session(plan, warm_models, NotedActions())
